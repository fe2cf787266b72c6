/**
 * A model server in a few lines, for tests of token ids. Its tokenizer takes two letters at a time wherever it can, also
 * over the border of two messages; its model writes other pieces than that, so a reply that is read again has other ids; and
 * its template shows the thoughts of the last reply only.
 */
import type { ChatMessage, Reply, ToolDefinition } from '../../../agent/policy.ts';
import type { ModelTokenizer } from '../../../agent/tokens/tokenizer.ts';

export type Random = () => number;

/** The same numbers for the same seed. */
export function seeded(seed: number): Random {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 374761393) | 0;
    let mixed = Math.imul(state ^ (state >>> 13), 3266489917);
    mixed ^= mixed >>> 16;
    return (mixed >>> 0) / 2 ** 32;
  };
}

/** What the server saw and wrote in one call. */
export interface Seen {
  prompt: number[];
  reply: number[];
  logprobs: number[];
}

const LETTERS = 256;
const BORDER = 1;
/** What a reply follows. */
const ASKING = 'assistant:';

/** Borders of messages are tokens of their own, or letters like others, which pieces may cross. */
export class Engine {
  readonly seen: Seen[] = [];
  readonly #random: Random;
  readonly #hasBorders: boolean;
  /** Share of the replies that are in pieces of the model's own choice. */
  readonly #ownPieces: number;

  constructor(random: Random, hasBorders: boolean, ownPieces: number) {
    this.#random = random;
    this.#hasBorders = hasBorders;
    this.#ownPieces = ownPieces;
  }

  /** Answers a prompt with what the script says, some of them in pieces of the model's own choice. */
  reply(
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
    said: { content: string; reasoning: string | null; toolCalls: Reply['toolCalls'] },
  ): Reply {
    return this.replyTo(this.encode(this.render(messages, tools)), said);
  }

  /** Answers a prompt that is given as ids. */
  replyTo(
    prompt: number[],
    said: { content: string; reasoning: string | null; toolCalls: Reply['toolCalls'] },
  ): Reply {
    const text = `${said.reasoning ?? ''}${said.content}${JSON.stringify(said.toolCalls)}`;
    const ids = this.#random() < this.#ownPieces ? this.#piecesOf(text) : this.encode(text);
    ids.push(BORDER);
    const logprobs = ids.map(() => -this.#random());
    this.seen.push({ prompt, reply: ids, logprobs });
    return {
      ...said,
      finishReason: 'stop',
      truncated: false,
      maxTokens: null,
      promptTokens: prompt.length,
      completionTokens: ids.length,
      cost: 0.5,
      tokens: { promptIds: prompt, ids, logprobs },
      timing: { waited: 0, took: 1, attempts: 1 },
    };
  }

  encode(text: string): number[] {
    const ids: number[] = [];
    for (let at = 0; at < text.length; ) {
      const [one, two] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
      const stands = (letter: number) => Number.isNaN(letter) || (this.#hasBorders && letter === BORDER);
      const isPair = !stands(one) && !stands(two);
      ids.push(isPair ? LETTERS * (one + 1) + two : one);
      at += isPair ? 2 : 1;
    }
    return ids;
  }

  decode(ids: readonly number[]): string {
    const letters = ids.flatMap((id) => (id < LETTERS ? [id] : [Math.floor(id / LETTERS) - 1, id % LETTERS]));
    return String.fromCharCode(...letters);
  }

  /** Its tokenizer and template, as a project has them. */
  tokenizer(): ModelTokenizer {
    return {
      endOfTurn: String.fromCharCode(BORDER),
      encode: (text) => this.encode(text),
      decode: (ids) => this.decode(ids),
      render: (messages, { tools = [], generationPrompt }) => {
        const shown = messages.map(({ reasoning_content: reasoning, ...message }) => ({
          ...message,
          ...(reasoning !== undefined && { reasoning }),
        }));
        const text = this.render(shown, tools);
        return generationPrompt ? text : text.slice(0, -ASKING.length);
      },
    };
  }

  #piecesOf(text: string): number[] {
    return [...text].flatMap((letter) => this.encode(letter));
  }

  render(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): string {
    const last = messages.findLastIndex(({ role }) => role === 'assistant');
    const border = String.fromCharCode(BORDER);
    const shown = messages.map(({ role, content, reasoning, tool_calls = [] }, at) => {
      const thought = at === last ? (reasoning ?? '') : '';
      const calls = role === 'assistant' ? JSON.stringify(tool_calls) : '';
      return `${role}:${thought}${content}${calls}${border}`;
    });
    return `${tools.map(({ name }) => name).join()}${border}${shown.join('')}${ASKING}`;
  }
}
