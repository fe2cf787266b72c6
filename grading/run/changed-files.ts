/** The files with code that a patch changes, as texts before and after it: what is judged when its tests pass. */
import { fault, success } from '../../basics/result.ts';
import type { CodeDoubts } from '../../ecosystems/doubts.ts';
import type { Workspace } from '../../executors/deployment.ts';
import { fileFault } from '../../executors/helper-fault.ts';
import type { FilePatch } from '../../patches/patch.ts';
import type { Attempt } from '../../schemas/outcome.ts';
import { type ChangedFile, isJudged, type RemovedFile } from '../suspicion/suspicion.ts';

/** Bytes of a file that is judged as a whole. Of a larger one only the patch's hunks are. */
const MAX_WHOLE = 1 << 20;

/** The files of a patch whose code is judged. Shown by their first hunk, a script without a suffix is one, too. Any binary file may be one. */
export function judgedFiles(patch: readonly FilePatch[], doubts?: CodeDoubts): FilePatch[] {
  return patch.filter(
    (file) =>
      file.newPath !== null &&
      file.newMode !== '120000' &&
      (file.content.kind === 'binary' || isJudged(file.newPath, side(file, '+').slice(0, 200), doubts)),
  );
}

/** The files with code that a patch removes. */
export function removedFiles(patch: readonly FilePatch[], doubts?: CodeDoubts): RemovedFile[] {
  return patch.flatMap((file) => {
    if (file.newPath !== null || file.oldMode === '120000') return [];
    const before = side(file, '-');
    return isJudged(file.oldPath!, before.slice(0, 200), doubts) ? [{ path: file.oldPath!, before }] : [];
  });
}

/** The texts of files of the repository; null for one that is not there, is no text file or is large. */
export async function readTexts(
  paths: readonly (string | null)[],
  workspace: Workspace,
): Attempt<(string | null)[]> {
  const texts: (string | null)[] = [];
  for (const path of paths) {
    const read = path === null ? success(null) : await workspace.read(`/testbed/${path}`);
    if (!read.ok && read.fault.status !== 'refused')
      return fault(fileFault('reading the patched files', read.fault));
    const bytes = read.ok ? read.value : null;
    texts.push(bytes === null || bytes.length > MAX_WHOLE ? null : Buffer.from(bytes).toString('utf8'));
  }
  return success(texts);
}

/** Texts by their paths; without those that cannot be read. */
export async function textsOf(
  paths: readonly string[],
  workspace: Workspace,
): Attempt<ReadonlyMap<string, string>> {
  const texts = await readTexts(paths, workspace);
  if (!texts.ok) return texts;
  return success(
    new Map(
      paths.flatMap((path, at): [string, string][] =>
        texts.value[at] === null ? [] : [[path, texts.value[at]!]],
      ),
    ),
  );
}

export function changedFiles(
  files: readonly FilePatch[],
  before: readonly (string | null)[],
  after: readonly (string | null)[],
): ChangedFile[] {
  return files.map((file, at) => {
    const path = file.newPath!;
    const [old, now] = [before[at] ?? null, after[at] ?? null];
    if (file.oldPath === null && now !== null) return { path, before: null, after: now };
    if (old !== null && now !== null) return { path, before: old, after: now };
    return { path, before: side(file, '-'), after: side(file, '+') };
  });
}

/** The lines that the hunks show of one side. */
function side({ content }: FilePatch, mark: '+' | '-'): string {
  if (content.kind !== 'text') return '';
  const lines = content.hunks.flatMap((hunk) => hunk.lines);
  return lines
    .filter((line) => line.startsWith(mark) || line.startsWith(' '))
    .map((line) => line.slice(1))
    .join('\n');
}
