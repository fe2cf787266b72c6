/**
 * Hidden tests are in no first state. They are written from the source after a patch is applied and before tests run,
 * whatever files the patch left at their paths.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '../../executors/deployment.ts';
import { fileFault, helperFault } from '../../executors/helper-fault.ts';
import type { FilePatch } from '../../patches/patch.ts';
import { placeSections } from '../../patches/place.ts';
import { readPatch } from '../../patches/read.ts';
import { testFiles } from '../../patches/test-files.ts';
import { writePatch } from '../../patches/write.ts';
import type { Instance } from '../../schemas/instance.ts';
import { infra, type Outcome } from '../../schemas/outcome.ts';
import type { FirstState } from './first-state.ts';

const LIST = '/tmp/.swemake-hidden';
const TIMEOUT = 120;
const PLACING = 'putting hidden tests in place';

/** What a patch does to hidden tests, which are not there to be changed, and the rest of it. */
export interface SplitPatch {
  rest: string;
  /** Hidden tests that it names, sorted. */
  hidden: string[];
}

export function splitHidden(diff: string, instance: Instance): SplitPatch {
  const hidden = new Set(testFiles(instance).hidden);
  const { sections, strange } = readPatch(diff);
  const { files, unclear } = placeSections(sections, null);
  const namesOf = ({ oldPath, newPath }: FilePatch) =>
    [oldPath, newPath].filter((path): path is string => path !== null && hidden.has(path));
  const named = [...new Set(files.flatMap(namesOf))].sort();
  // A patch that cannot be read is reported elsewhere.
  if (strange.length > 0 || unclear.length > 0 || named.length === 0) return { rest: diff, hidden: [] };
  return { rest: writePatch(files.filter((file) => namesOf(file).length === 0)), hidden: named };
}

/** Files that are in the way of a folder are removed, and so is anything at the path of a test. */
const CLEAR = [
  "while IFS= read -r -d '' path; do",
  '  parent=$path',
  '  while parent=${parent%/*}; [ -n "$parent" ] && [ "$parent" != /testbed ]; do',
  '    if [ -L "$parent" ] || { [ -e "$parent" ] && [ ! -d "$parent" ]; }; then rm -rf -- "$parent"; fi',
  '  done',
  '  rm -rf -- "$path"; mkdir -p -- "${path%/*}"',
  `done < ${LIST}`,
].join('\n');
const LINK = `while IFS= read -r -d '' path && IFS= read -r -d '' target; do ln -s -- "$target" "$path"; done < ${LIST}`;
/** Copies that lay in the environment. */
const COPY = `while IFS= read -r -d '' path && IFS= read -r -d '' to; do [ ! -f "$path" ] || cat -- "$path" > "$to"; done < ${LIST}`;

/** Puts hidden tests in place. */
export async function placeHidden(
  { withheld, folder }: Pick<FirstState, 'withheld' | 'folder'>,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Outcome | null> {
  if (withheld.length === 0) return null;
  const cleared = await each(
    withheld.map(({ path }) => `/testbed/${path}`),
    CLEAR,
    workspace,
    signal,
  );
  if (cleared !== null) return cleared;
  for (const one of withheld) {
    if (one.kind !== 'file') continue;
    const bytes = await readFile(join(folder, one.file));
    const written = await workspace.write(`/testbed/${one.path}`, bytes, one.executable ? 0o755 : 0o644);
    if (!written.ok) return fileFault(PLACING, written.fault);
  }
  const links = withheld.flatMap((one) => (one.kind === 'link' ? [`/testbed/${one.path}`, one.target] : []));
  return each(links, LINK, workspace, signal);
}

/** Puts copies of tests back where the environment, or the repository, had some. */
export async function placeCopies(
  { copies }: Pick<FirstState, 'copies'>,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Outcome | null> {
  const cleared = await each(
    copies.map(({ at }) => at),
    CLEAR,
    workspace,
    signal,
  );
  if (cleared !== null) return cleared;
  const words = copies.flatMap(({ at, path }) => [`/testbed/${path}`, at]);
  return each(words, COPY, workspace, signal);
}

/** Runs a script that reads words from the list. */
async function each(
  words: readonly string[],
  script: string,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Outcome | null> {
  if (words.length === 0) return null;
  const written = await workspace.write(LIST, words.map((word) => `${word}\0`).join(''));
  if (!written.ok) return fileFault(PLACING, written.fault);
  const ran = await workspace.exec(`set -e\n${script}\nrm -f ${LIST}`, {
    cwd: '/',
    timeout: TIMEOUT,
    signal,
  });
  if (!ran.ok) return ran.fault;
  const broken = helperFault(PLACING, ran.value);
  if (broken !== null) return broken;
  if (ran.value.exitCode === 0) return null;
  return infra('helper', `hidden tests cannot be put in place: ${ran.value.output.trim()}`);
}
