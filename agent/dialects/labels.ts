/** The headers by which any agent may say which of its parts asks. A dialect adds what its own agents say in the body. */
import type { Label, RequestHeaders } from './dialect.ts';
import { textOrNull } from './reading.ts';

export function labelOf(headers: RequestHeaders, inBody: Partial<Label> = {}): Label {
  return {
    session:
      inBody.session ??
      first(headers, ['x-session-id', 'x-claude-code-session-id', 'session_id', 'session-id']),
    agent: inBody.agent ?? first(headers, ['x-agent-id', 'x-claude-code-agent-id']),
    kind: turnType(headers) ?? inBody.kind ?? null,
  };
}

function first(headers: RequestHeaders, names: readonly string[]): string | null {
  for (const name of names) {
    const value = textOrNull(headers.get(name));
    if (value !== null) return value;
  }
  return null;
}

function turnType(headers: RequestHeaders): Label['kind'] {
  const type = headers.get('x-turn-type');
  return type === 'main' || type === 'side' ? type : null;
}
