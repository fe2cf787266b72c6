/**
 * Ends a rollout whose history leaves no room for a reply in the longest sequence that a trainer takes. Endpoints often take longer
 * ones, and the trainer would cut them or run out of memory.
 */
import { fault, success } from '../../basics/result.ts';
import { asInfra } from '../as-infra.ts';
import type { ChatMessage, Policy, ReplyRequest } from '../policy.ts';
import type { TokenCounter } from './counter.ts';

/** Tokens. */
export interface SequenceLimit {
  /** Of prompt and reply together. */
  sequence: number;
  /** The longest reply. */
  reply: number;
}

/** What a chat template may add, in bytes: around each message, and around all. */
const [AROUND_MESSAGE, AROUND_ALL] = [64, 2048];

export function withinSequence(
  policy: Policy,
  counter: TokenCounter,
  { sequence, reply }: SequenceLimit,
): Policy {
  const most = sequence - reply;
  return {
    parameters: () => policy.parameters(),
    dropped: () => policy.dropped(),
    async reply(request) {
      if (sizeOf(request) <= most) return policy.reply(request);
      const before = counter.waited ?? 0;
      let prompt: number;
      try {
        prompt = await counter.count(request.messages);
      } catch (error) {
        return fault(asInfra(error));
      }
      if (prompt > most) {
        const detail = `a prompt of ${prompt} tokens leaves no room for a reply of ${reply} in the ${sequence} tokens that the trainer takes`;
        return fault({ status: 'context-exceeded', detail });
      }
      const answered = await policy.reply(request);
      if (!answered.ok) return answered;
      const { timing } = answered.value;
      const waited = timing.waited + (counter.waited ?? 0) - before;
      return success({ ...answered.value, timing: { ...timing, waited } });
    },
  };
}

/** Bytes of a prompt. It has no more tokens than that, so short ones are not counted. */
function sizeOf({ messages, tools }: ReplyRequest): number {
  const bytes = (value: readonly ChatMessage[] | ReplyRequest['tools']) =>
    Buffer.byteLength(JSON.stringify(value));
  return bytes(messages) + messages.length * AROUND_MESSAGE + bytes(tools) + AROUND_ALL;
}
