/**
 * What a repository says to agents: instructions, settings, hooks, servers of tools. They belong to a task like any other file, and would
 * still decide how a program works, or start commands. So they are hidden while it works, and put back before the patch is taken.
 */

import { fault, type Result, success } from '../../basics/result.ts';
import { shellWord } from '../../basics/shell.ts';
import type { Workspace } from '../../executors/deployment.ts';
import { helperFault, isMissing } from '../../executors/helper-fault.ts';
import { type Infra, infra, isFault } from '../../schemas/outcome.ts';

const HIDDEN = '/tmp/agent-hidden';
/** Seconds. */
const TIMEOUT = 120;

/** Hides files and folders of these names, at any depth. Git reports none of them as removed. */
export async function hideSettings(
  workspace: Workspace,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Result<null, Infra>> {
  if (names.length === 0) return success(null);
  const what = 'hiding what the repository says to agents';
  const ran = await workspace.exec(hiding(names), { timeout: TIMEOUT, signal });
  if (ran.ok && ran.value.exitCode === 0) return success(null);
  if (!ran.ok) return fault(isFault(ran.fault) ? ran.fault : infra('workspace-lost', ran.fault.detail));
  const broken = helperFault(what, ran.value);
  return fault(
    broken !== null && isFault(broken) ? broken : infra('helper', `${what}: ${ran.value.output.trim()}`),
  );
}

/**
 * Puts back what was hidden. What the program wrote in its place is removed. If the program removed what this takes, its patch shows it:
 * that is its answer and no fault.
 */
export async function restoreSettings(workspace: Workspace, signal: AbortSignal): Promise<Infra | null> {
  const ran = await workspace.exec(RESTORING, { timeout: TIMEOUT, signal });
  if (!ran.ok) return isFault(ran.fault) ? ran.fault : null;
  const broken = helperFault('putting back what the repository says to agents', ran.value);
  return broken !== null && isFault(broken) && !isMissing(broken) ? broken : null;
}

function hiding(names: readonly string[]): string {
  const tests = names.map((name) => findTest(name.replace(/\/+$/, ''))).join(' -o ');
  return `set -e
mkdir -p ${HIDDEN}
find . -path ./.git -prune -o \\( ${tests} \\) -prune -print0 | while IFS= read -r -d '' path; do
  mkdir -p "${HIDDEN}/$(dirname "$path")"
  mv -- "$path" "${HIDDEN}/$path"
done
git ls-files -z --deleted | git update-index -z --skip-worktree --stdin`;
}

const RESTORING = `cd ${HIDDEN} || exit 0
find . -mindepth 1 \\( -type f -o -type l \\) -print0 | while IFS= read -r -d '' path; do
  rm -rf -- "/testbed/$path"
  mkdir -p "/testbed/$(dirname "$path")" && mv -- "$path" "/testbed/$path"
done
true`;

function findTest(name: string): string {
  return name.includes('/') ? `-path ${shellWord(`*/${name}`)}` : `-name ${shellWord(name)}`;
}
