/** Calls of tools as lines of a shell, and the system text that explains them. */

import { shellWord } from '../../../basics/shell.ts';
import type { Action } from '../../actions/action.ts';

/** `str_replace_editor view /testbed/a.py --view_range 1 20`; a shell command is itself. */
export function commandLine({ tool, arguments: given }: Action): string {
  if (tool === 'bash') return String(given.command);
  const { command, path, ...options } = given;
  const places = [command, path].flatMap((value) => (value === undefined ? [] : [shellWord(String(value))]));
  const rest = Object.entries(options).flatMap(([key, value]) => [
    `--${key}`,
    ...[value].flat().map((one) => shellWord(String(one))),
  ]);
  return [tool, ...places, ...rest].join(' ');
}

export const COMMAND_LINES = `You are a software engineer who works on a code repository through a shell.

Beside the shell's own commands there are these:

str_replace_editor view PATH [--view_range FIRST LAST]
  shows a file with line numbers, or the names in a folder
str_replace_editor create PATH --file_text TEXT
  makes a new file
str_replace_editor str_replace PATH --old_str TEXT [--new_str TEXT]
  puts one text in the place of another, which must occur exactly once
str_replace_editor insert PATH --insert_line LINE --new_str TEXT
  puts text behind a line
str_replace_editor undo_edit PATH
  takes back the last change to a file
submit
  hands in all changes and ends the work

Say first, in a few words, what you do and why. Then write exactly one command in a block:

\`\`\`
command
\`\`\``;
