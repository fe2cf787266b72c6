/**
 * The next prompt as token ids, for `render: exact`: the ids of the call that it continues, as they were read and sampled, and the new
 * messages by the model's template. So no reply is ever tokenised again.
 */
import type { CallBefore, ReplyRequest } from '../policy.ts';
import { forTemplate, type ModelTokenizer, type RenderOptions } from '../tokens/tokenizer.ts';

/** The ids, or why the endpoint must render the messages. */
export type NextPrompt = { ids: number[] } | { why: string };

/**
 * `variables`: those of the template. It is proved that
 * - the ids so far are those of this tokenizer and template: they were made here, or the prompt of the call before has the same ids here;
 * - the reply ended its turn, so that no token can reach over its end;
 * - the template writes the history with the new messages as it writes it without them.
 */
export function nextPrompt(
  request: Pick<ReplyRequest, 'messages' | 'tools'>,
  before: CallBefore,
  tokenizer: ModelTokenizer,
  variables: Record<string, unknown> | undefined,
): NextPrompt {
  const { ids, promptLength, isTokenIn, hasSameTools } = before;
  if (ids === null) return { why: 'the endpoint gave no ids for the call before' };
  if (!hasSameTools) return { why: 'the call before offered other tools' };
  const messages = request.messages.map(forTemplate);
  const options: Omit<RenderOptions, 'generationPrompt'> = {
    tools: request.tools,
    ...(variables && { variables }),
  };
  const render = (count: number, generationPrompt: boolean) =>
    tokenizer.render(messages.slice(0, count), { ...options, generationPrompt });
  try {
    const { endOfTurn } = tokenizer;
    if (endOfTurn === '') return { why: 'the template ends replies by no special token' };
    if (!endsWith(ids, tokenizer.encode(endOfTurn))) return { why: 'the reply before did not end its turn' };
    const known = render(before.messages, false);
    const end = known.lastIndexOf(endOfTurn);
    const history = known.slice(0, end + endOfTurn.length);
    const whole = render(messages.length, true);
    if (end === -1 || !whole.startsWith(history))
      return { why: 'the template writes the history in another way' };
    if (!isTokenIn && !isSame(tokenizer.encode(render(before.messages - 1, true)), ids, promptLength))
      return { why: 'the endpoint read the prompt before in other ids than model.tokenizer gives' };
    return { ids: [...ids, ...tokenizer.encode(whole.slice(history.length))] };
  } catch (error) {
    return { why: `the template refuses the messages: ${(error as Error).message}` };
  }
}

function endsWith(ids: readonly number[], end: readonly number[]): boolean {
  return end.every((id, at) => id === ids[ids.length - end.length + at]);
}

/** Whether `given` is all of the first `length` ids. */
function isSame(given: readonly number[], ids: readonly number[], length: number): boolean {
  return given.length === length && given.every((id, at) => id === ids[at]);
}
