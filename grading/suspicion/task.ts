/** What judging a patch's code needs to know of its task. */
import type { CodeDoubts } from '../../ecosystems/doubts.ts';
import { placeSections } from '../../patches/place.ts';
import { readPatch } from '../../patches/read.ts';
import { invertPatch } from '../../patches/write.ts';
import { type Instance, listedTests } from '../../schemas/instance.ts';
import type { Protection } from '../rules/protect.ts';
import type { SuspicionTask } from './suspicion.ts';

/** Characters of the files of listed tests that are looked through. */
const MOST_TEXT = 2_000_000;

export function suspicionTask(
  instance: Instance,
  doubts?: CodeDoubts,
  protection: Pick<Protection, 'tests' | 'beside' | 'textOf'> | null = null,
): SuspicionTask {
  const { patch, patch_role, test_patch, problem_statement } = instance;
  const { files } = placeSections(readPatch(patch).sections, null);
  // A row whose patch makes the bug has its tests in the repository, and no patch for them.
  const own = protection === null ? [] : textsOf(listedTests(instance), protection);
  return {
    listed: listedTests(instance),
    solution: (patch_role === 'bug' ? invertPatch(files) : files) ?? [],
    testText: withJoined(test_patch),
    allTests: withJoined([test_patch, ...own].join('\n').slice(0, MOST_TEXT)),
    issue: problem_statement ?? '',
    doubts,
  };
}

/** The files of tests, those first that listed tests name, up to so many characters. */
function textsOf(
  listed: readonly string[],
  { tests, beside, textOf }: Pick<Protection, 'tests' | 'beside' | 'textOf'>,
): string[] {
  const named = new Set(listed.map((id) => id.split(/::| > /, 1)[0]!));
  const paths = [
    ...new Set([...tests, ...[...beside()].sort((a, b) => Number(named.has(b)) - Number(named.has(a)))]),
  ];
  const texts: string[] = [];
  let size = 0;
  for (const path of paths) {
    if (size >= MOST_TEXT) break;
    const text = textOf(path) ?? '';
    texts.push(text);
    size += text.length;
  }
  return texts;
}

/** Texts of Python that stand beside each other, also on several lines of a diff. */
const BESIDE = /(?:[rbu]{0,2}(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')[ \t]*(?:\n[-+ ]?[ \t]*)?){2,}/gi;
const PART = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'/g;

/** With the texts that a test writes in several parts, as Python puts them together. */
function withJoined(text: string): string {
  const joined = [...text.matchAll(BESIDE)].map(([whole]) =>
    [...whole.matchAll(PART)].map(([, double, single]) => double ?? single ?? '').join(''),
  );
  const long = joined.filter((one) => one !== '');
  return long.length === 0 ? text : `${text}\n${long.map((one) => `"${one}"`).join('\n')}\n`;
}
