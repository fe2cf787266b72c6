/** A message of training data, in the form that chat endpoints and trainers share. */
import type { ChatMessage } from '../../agent/policy.ts';

export interface SftMessage {
  role: ChatMessage['role'];
  content: string;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** Why a trajectory, or a step of it, cannot be written in a style. */
export interface NotWritable {
  why: 'no-reply' | 'cut-reply' | 'several-calls' | 'not-expressible' | 'trained-elsewhere';
  detail: string;
}

export function sftMessage({ role, content, tool_calls, tool_call_id }: ChatMessage): SftMessage {
  const calls = tool_calls?.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: text },
  }));
  return {
    role,
    content,
    ...(calls === undefined ? {} : { tool_calls: calls }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  };
}
