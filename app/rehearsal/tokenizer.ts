/**
 * The tokenizer of the stand-in engine: the project's own, or a small byte-level BPE that is trained here on the texts of the agent.
 * It writes turns as most models do, with special tokens around them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ModelTokenizer, readTokenizer } from '../../agent/tokens/tokenizer.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ResolvedProject } from '../../compiler/load.ts';

export interface EngineTokenizer {
  tokenizer: ModelTokenizer;
  /** Its files, which the framework reads as those of the model. */
  folder: string;
  /** null: it is the project's. */
  replaced: string | null;
}

const MERGES = 600;
const START = '<|im_start|>';
const END = '<|im_end|>';
const TEMPLATE = `{% if tools %}${START}system\n{{ tools | tojson }}${END}\n{% endif %}{% for message in messages %}${START}{{ message.role }}\n{{ message.content }}{% if message.tool_calls %}{{ message.tool_calls | tojson }}{% endif %}${END}\n{% endfor %}{% if add_generation_prompt %}${START}assistant\n{% endif %}`;
/** As GPT-2 cuts text into words. */
const WORDS = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/** `texts`: what a tokenizer is trained on where the project names none. */
export async function engineTokenizer(
  project: ResolvedProject,
  texts: readonly string[],
  work: string,
): Promise<Result<EngineTokenizer, string>> {
  const named = project.config.agent?.model?.tokenizer;
  const folder = named === undefined ? join(work, 'model') : resolve(project.folder, named);
  if (named === undefined) writeTokenizer(folder, texts);
  try {
    const tokenizer = await readTokenizer(folder);
    const replaced =
      named === undefined
        ? 'tokenizer and chat template: a small one, trained on the agent’s texts; agent.model.tokenizer names another'
        : null;
    return success({ tokenizer, folder, replaced });
  } catch (error) {
    return fault(`agent.model.tokenizer ${named ?? folder} cannot be read: ${(error as Error).message}`);
  }
}

function writeTokenizer(folder: string, texts: readonly string[]): void {
  const letters = byteLetters();
  const merges = trainMerges(texts, letters);
  const tokens = [...letters, ...merges.map(([left, right]) => left + right)];
  const vocab = Object.fromEntries([...new Set(tokens)].map((token, id) => [token, id]));
  const first = Object.keys(vocab).length;
  const added_tokens = [START, END].map((content, index) => ({
    ...{ id: first + index, content, special: true, single_word: false, lstrip: false, rstrip: false },
    normalized: false,
  }));
  const level = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  const model = { type: 'BPE', vocab, merges: merges.map((pair) => pair.join(' ')) };
  const file = {
    ...{ version: '1.0', truncation: null, padding: null, added_tokens, normalizer: null },
    ...{ pre_tokenizer: level, post_processor: null, decoder: level, model },
  };
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', eos_token: END, chat_template: TEMPLATE };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(file));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
}

/** GPT-2's letter of each byte: printable bytes stand for themselves. */
function byteLetters(): string[] {
  let next = 256;
  const isPrintable = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++));
}

/** The most frequent pair is merged, again and again; of equal ones the first. */
function trainMerges(texts: readonly string[], letters: readonly string[]): [string, string][] {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const [word] of text.matchAll(WORDS)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = [...counts].map(([word, count]) => ({
    count,
    parts: [...Buffer.from(word)].map((byte) => letters[byte]!),
  }));
  const merges: [string, string][] = [];
  while (merges.length < MERGES) {
    const best = mostFrequentPair(words);
    if (best === null) break;
    merges.push(best);
    for (const word of words) word.parts = merged(word.parts, best);
  }
  return merges;
}

function mostFrequentPair(
  words: readonly { count: number; parts: readonly string[] }[],
): [string, string] | null {
  const pairs = new Map<string, number>();
  for (const { count, parts } of words)
    for (let index = 1; index < parts.length; index += 1) {
      const pair = `${parts[index - 1]} ${parts[index]}`;
      pairs.set(pair, (pairs.get(pair) ?? 0) + count);
    }
  let best: string | null = null;
  for (const [pair, count] of pairs)
    if (count > 1 && (best === null || count > pairs.get(best)!)) best = pair;
  return best === null ? null : (best.split(' ') as [string, string]);
}

function merged(parts: readonly string[], [left, right]: readonly [string, string]): string[] {
  const result: string[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const joins = parts[index] === left && parts[index + 1] === right;
    result.push(joins ? left + right : parts[index]!);
    if (joins) index += 1;
  }
  return result;
}
