/**
 * One shell command inside marked text: a fenced block, or a tag. A regular expression finds it. The dialect decides
 * how many commands a reply may have.
 */

import { strip } from '../../basics/python-text.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import {
  type Action,
  type ActionFormat,
  bashAction,
  commandOf,
  type Malformed,
  type Written,
} from './action.ts';

/** mini-swe-agent 2. */
export const FENCE = '```mswea_bash_command\\s*\\n(.*?)\\n```';
/** mini-swe-agent 1. */
export const BASH_FENCE = '```bash\\s*\\n(.*?)\\n```';
/** OpenClaw-RL's swe-rl: the closing fence may stand anywhere. */
export const LOOSE_BASH_FENCE = '```bash\\s*\\n(.*?)```';
export const TAG = '<mswea_bash_command>(.*?)</mswea_bash_command>';

/** The text before a command and the text after it. */
export type Marks = readonly [before: string, after: string];

/** Known ways to write a command. */
const WRITTEN: readonly Marks[] = [
  ['```mswea_bash_command\n', '\n```'],
  ['<mswea_bash_command>\n', '\n</mswea_bash_command>'],
  ['```bash\n', '\n```'],
  ['```sh\n', '\n```'],
  ['```\n', '\n```'],
];

/** one: a reply with no command or with several is malformed. first: only the first command is read. */
export type Count = 'one' | 'first';

export function markedFormat(regex: string, count: Count): ActionFormat {
  const parse = ({ content }: Written): Result<Action[], Malformed> => {
    const found = [...content.matchAll(new RegExp(regex, 'gsu'))].map((match) => strip(match[1] ?? match[0]));
    if (found.length === 1 || (count === 'first' && found.length > 0))
      return success([bashAction(found[0]!)]);
    return fault({ error: `Expected exactly one action, found ${found.length}.`, actions: found });
  };
  const write = (thought: string, action: Action): Written => {
    const command = commandOf(action);
    const replies = WRITTEN.map(([before, after]) => ({
      content: `${thought === '' ? '' : `${thought}\n\n`}${before}${command}${after}`,
      toolCalls: [],
    }));
    return replies.find((reply) => parse(reply).ok) ?? replies[0]!;
  };
  return { tools: [], parse, write };
}

/** The marks with which the expression reads a command; null when it reads none of the known ones. */
export function marksFor(regex: string): Marks | null {
  return WRITTEN.find((marks) => readsMarks(regex, marks)) ?? null;
}

/** Whether the expression finds the command between the marks. */
export function readsMarks(regex: string, [before, after]: Marks): boolean {
  const command = 'ls -la';
  const read = markedFormat(regex, 'one').parse({ content: `${before}${command}${after}`, toolCalls: [] });
  return read.ok && commandOf(read.value[0]!) === command;
}
