/** What a workspace's repository has at the paths that a patch names. No program of the repository is used. */

import { fault, success } from '../basics/result.ts';
import type { Workspace } from '../executors/deployment.ts';
import { fileFault, helperFault } from '../executors/helper-fault.ts';
import { type Attempt, infra } from '../schemas/outcome.ts';
import type { FilePatch } from './patch.ts';
import type { PatchTree, TreeEntry } from './place.ts';

const TIMEOUT = 120;
const SCRATCH = '/tmp/.swemake-names';

const BEGIN =
  "export LC_ALL=C PATH=/usr/bin:/bin:/usr/local/bin:$PATH; cd /testbed || exit 90; while IFS= read -r -d '' name; do kind=-";
const END = `printf %s "$kind"; done < ${SCRATCH}`;
/** A file whose lines all end with a carriage return has a letter of its own. */
const KINDS = [
  'if [ -L "$name" ]; then kind=l; elif [ -d "$name" ]; then kind=d; elif [ -f "$name" ]; then',
  '  kind=f; first=; IFS= read -r first < "$name" 2>/dev/null',
  "  if [[ $first = *$'\\r' ]]; then",
  '    code=0; grep -qv $\'\\r$\' -- "./$name" || code=$?; [ $code -le 1 ] || exit $code; [ $code = 0 ] || kind=c',
  '  fi',
  'fi',
];
const OPEN = [
  'if [ ! -L "$name" ] && [ -f "$name" ]; then',
  '  last=$(tail -c 1 -- "./$name") || exit $?; [ -z "$last" ] || kind=o',
  'fi',
];
const ENTRIES: Readonly<Record<string, TreeEntry>> = { f: 'file', c: 'file', d: 'folder', l: 'link' };

/** Those of a patch's files whose last line has no newline. */
export async function openEnds(
  files: readonly FilePatch[],
  workspace: Workspace,
  signal: AbortSignal,
): Attempt<Set<string>> {
  const names = files.flatMap(({ oldPath, content }) =>
    oldPath !== null && content.kind === 'text' ? [oldPath] : [],
  );
  const asked = await ask(names, OPEN, workspace, signal);
  return asked.ok ? success(new Set(names.filter((_, at) => asked.value[at] === 'o'))) : asked;
}

export async function patchTree(
  names: readonly string[],
  workspace: Workspace,
  signal: AbortSignal,
): Attempt<PatchTree> {
  const asked = await ask(names, KINDS, workspace, signal);
  if (!asked.ok) return asked;
  const kinds = new Map(names.map((name, at) => [name, asked.value[at]!]));
  return success({
    entry: (path) => ENTRIES[kinds.get(path) ?? ''] ?? null,
    isCrlf: (path) => kinds.get(path) === 'c',
  });
}

/** One letter for each name. */
async function ask(
  names: readonly string[],
  script: readonly string[],
  workspace: Workspace,
  signal: AbortSignal,
): Attempt<string> {
  const what = 'looking at the files of a patch';
  const written = await workspace.write(SCRATCH, names.map((name) => `${name}\0`).join(''));
  if (!written.ok) return fault(fileFault(what, written.fault));
  const ran = await workspace.exec([BEGIN, ...script, END].join('\n'), { timeout: TIMEOUT, signal });
  if (!ran.ok) return ran;
  const broken = helperFault(what, ran.value);
  if (broken !== null) return fault(broken);
  const { stdout, exitCode, output } = ran.value;
  if (exitCode !== 0 || stdout.length !== names.length) {
    return fault(infra('helper', `${what}: ${output.trim().split('\n')[0] || `exit code ${exitCode}`}`));
  }
  return success(stdout);
}
