/** A tree of calls, asked by hand. */
import type { ChatMessage, Reply } from '../../../agent/policy.ts';
import type { CallLabel, TreeRequest } from '../../../agent/tree/canonical.ts';
import { CallTree } from '../../../agent/tree/tree.ts';
import type { ToolCall } from '../../../schemas/trajectory.ts';
import { tool } from './agents.ts';

const NOBODY: CallLabel = { agent: null, kind: null };
export const TOOLS = [tool('bash')];

export const system = (content: string): ChatMessage => ({ role: 'system', content });
export const user = (content: string): ChatMessage => ({ role: 'user', content });
export const result = (content: string, id = 'c1'): ChatMessage => ({
  role: 'tool',
  content,
  tool_call_id: id,
});
export const called = (given = '{"command": "ls"}', id = 'c1'): ToolCall => ({
  id,
  name: 'bash',
  arguments: given,
});
export const said = (content: string, calls: ToolCall[] = [], reasoning?: string): ChatMessage => ({
  role: 'assistant',
  content,
  ...(calls.length === 0 ? {} : { tool_calls: calls }),
  ...(reasoning === undefined ? {} : { reasoning }),
});

export function replyOf({ content, tool_calls = [], reasoning }: ChatMessage): Reply {
  return {
    content,
    reasoning: reasoning ?? null,
    toolCalls: tool_calls,
    finishReason: tool_calls.length > 0 ? 'tool_calls' : 'stop',
    truncated: false,
    maxTokens: null,
    promptTokens: 10,
    completionTokens: 2,
    cost: 0.5,
    tokens: null,
    timing: { waited: 1, took: 2, attempts: 1 },
  };
}

export const START = [system('You code.'), user('Mend it.')];

/** A tree, and how a test asks it. */
export function rig() {
  const tree = new CallTree();
  const request = (messages: ChatMessage[], given: Partial<TreeRequest> = {}): TreeRequest => ({
    messages: structuredClone(messages),
    tools: TOOLS,
    label: NOBODY,
    ...given,
  });
  return {
    tree,
    request,
    begin: (messages: ChatMessage[], given: Partial<TreeRequest> = {}) =>
      tree.begin(request(messages, given)),
    /** Asks, answers with `reply`, and delivers. The index of the call. */
    ask(messages: ChatMessage[], reply: ChatMessage, given: Partial<TreeRequest> = {}): number {
      const handle = tree.begin(request(messages, given));
      tree.answer(handle, replyOf(reply));
      tree.delivered(handle);
      return handle.index;
    },
    parents: () => tree.record().calls.map(({ parent }) => parent),
    agents: () => tree.record().calls.map(({ agent }) => agent),
  };
}
