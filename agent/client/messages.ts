/** Messages as endpoints take them; for templates without a tool role, calls and their results are written as text. */
import type { ChatMessage } from '../policy.ts';

type WireMessage = Record<string, unknown> & { role: string; content: string | null };

export function wireMessages(messages: readonly ChatMessage[], toolRole: boolean): WireMessage[] {
  return toolRole ? messages.map(withCalls) : withoutToolRole(messages);
}

function withCalls({ role, content, reasoning, tool_calls, tool_call_id }: ChatMessage): WireMessage {
  // As vLLM, SGLang and chat templates name them.
  const thoughts = reasoning === undefined ? {} : { reasoning_content: reasoning };
  if (tool_calls !== undefined && tool_calls.length > 0) {
    const calls = tool_calls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    }));
    return { role, content: content === '' ? null : content, ...thoughts, tool_calls: calls };
  }
  return { role, content, ...thoughts, ...(tool_call_id === undefined ? {} : { tool_call_id }) };
}

/**
 * Results of all calls of one message become one user message, since such templates often require that roles
 * alternate.
 */
function withoutToolRole(messages: readonly ChatMessage[]): WireMessage[] {
  const wire: WireMessage[] = [];
  let afterTool = false;
  for (const { role, content, tool_calls = [] } of messages) {
    if (role === 'tool' && afterTool) {
      wire.at(-1)!.content += `\n${content}`;
    } else {
      const calls = tool_calls.map(({ name, arguments: given }) => `<tool_call>${name} ${given}</tool_call>`);
      wire.push({
        role: role === 'tool' ? 'user' : role,
        content: [content, ...calls].filter(Boolean).join('\n'),
      });
    }
    afterTool = role === 'tool';
  }
  return wire;
}
