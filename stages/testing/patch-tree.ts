/** What lies in a workspace's repository under the names that a patch may mean. No program of the tree is asked. */
import type { Workspace } from '../../executors/deployment.ts';
import { helperFault } from '../../grading/helper.ts';
import type { PatchTree, TreeEntry } from '../../grading/patch-place.ts';
import { type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import { fault, type Result, success } from '../../schemas/result.ts';

const TIMEOUT = 120;
const SCRATCH = '/tmp/.swemake-names';

/** One letter for each name; a file whose lines all end with a carriage return has its own. */
const ASK = [
  `export LC_ALL=C PATH=/usr/bin:/bin:/usr/local/bin:$PATH; cd /testbed || exit 90`,
  "while IFS= read -r -d '' name; do",
  '  kind=-',
  '  if [ -L "$name" ]; then kind=l; elif [ -d "$name" ]; then kind=d; elif [ -f "$name" ]; then',
  '    kind=f; first=; IFS= read -r first < "$name" 2>/dev/null',
  "    if [[ $first = *$'\\r' ]]; then",
  '      grep -qv $\'\\r$\' -- "./$name"; code=$?',
  '      case $code in 0) ;; 1) kind=c ;; *) exit "$code" ;; esac',
  '    fi',
  '  fi',
  '  printf %s "$kind"',
  `done < ${SCRATCH}`,
];
const ENTRIES: Readonly<Record<string, TreeEntry>> = { f: 'file', c: 'file', d: 'folder', l: 'link' };

export async function patchTree(
  names: readonly string[],
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Result<PatchTree, Infra | Outcome>> {
  await workspace.write(SCRATCH, names.map((name) => `${name}\0`).join(''));
  const ran = await workspace.exec(ASK.join('\n'), { timeout: TIMEOUT, signal });
  if (!ran.ok) return ran;
  const what = 'looking at the files of a patch';
  const broken = helperFault(what, ran.value);
  if (broken !== null) return fault(broken);
  const { stdout, exitCode, output } = ran.value;
  if (exitCode !== 0 || stdout.length !== names.length) {
    return fault(infra('executor', `${what}: ${output.trim().split('\n')[0] || `exit code ${exitCode}`}`));
  }
  const kinds = new Map(names.map((name, at) => [name, stdout[at]!]));
  return success({
    entry: (path) => ENTRIES[kinds.get(path) ?? ''] ?? null,
    isCrlf: (path) => kinds.get(path) === 'c',
  });
}
