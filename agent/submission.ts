/** Whether an output or a command submits the work, and whether the submission is a patch. */
import { isSpace, strip } from '../basics/python-text.ts';
import { touchedFiles } from '../patches/touched.ts';

export const MARKER = 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT';

/** Where Python's splitlines ends a line. */
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

/**
 * mini-swe-agent 2: the first line that is not blank is the marker, and the command succeeded. The rest of the output
 * is the submission.
 */
export function submissionOfOutput(output: string, exitCode: number | null): string | null {
  if (exitCode !== 0) return null;
  let start = 0;
  while (isSpace(output[start])) start++;
  const text = output.slice(start);
  const end = LINE_END.exec(text);
  const [first, rest] =
    end === null ? [text, ''] : [text.slice(0, end.index), text.slice(end.index + end[0].length)];
  return strip(first) === MARKER ? rest : null;
}

/** swe-rl: the command contains the marker, whether or not it succeeded. */
export function submissionOfCommand(command: string, output: string): string | null {
  if (!command.includes(MARKER)) return null;
  const text = output.replace(/^\n+/, '');
  return text.startsWith(MARKER) ? text.slice(MARKER.length).replace(/^\n+/, '') : text;
}

/** Whether a text is a git diff of at least one file. Deletions, renames and binary files count. */
export function isPatch(text: string): boolean {
  return /^diff --git /m.test(text) && touchedFiles(text).length > 0;
}
