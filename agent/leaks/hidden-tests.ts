/** Finds steps that read a hidden test file. A file that the agent wrote itself does not count. */
import { EDITS, evidenceOf, type LeakCheck, type LeakStep } from './finding.ts';
import { LISTED, readPaths, showsContent } from './packages.ts';
import type { LeakTask } from './task.ts';

export function hiddenTestsCheck({ hidden }: LeakTask): LeakCheck {
  let foreign = hidden;
  const isHidden = (path: string) => foreign.some((file) => path === file || path.endsWith(`/${file}`));
  return (step) => {
    foreign = foreign.filter((file) => !makes(step, file));
    if (foreign.length === 0) return null;
    const named = foreign.some((file) => step.output.includes(file));
    const lines = named ? step.output.split('\n') : [];
    const listed = lines.find((line) => LISTED.test(line) && isHidden(line.split(':')[0]!));
    const read = readPaths(step).some(isHidden) && showsContent(step);
    if (listed === undefined && !read) return null;
    return { rule: 'hidden-tests', severity: 'leak', evidence: evidenceOf(step, listed) };
  };
}

/** Whether the action seems to write the file. */
function makes({ text, commands }: LeakStep, file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (!text.includes(name)) return false;
  const redirected = commands.some(({ writes }) => writes.some((target) => target.endsWith(name)));
  return redirected || /\btee\b|\btouch\b|\bcp\b|\bmv\b|open\(/.test(text) || EDITS.test(text);
}
