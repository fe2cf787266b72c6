/**
 * A recipe's start commands, run in a workspace that was just opened: agents and tests alike find what they leave.
 * They are the recipe's and not the task's, so if one fails there is no answer. The same holds if one changes the
 * repository: the change would look like a part of the agent's patch.
 */

import { named } from '../../basics/named.ts';
import type { Workspace } from '../../executors/deployment.ts';
import { type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import { changesSince, rememberTree } from './tree.ts';

/** Seconds for all of them. */
const TIMEOUT = 300;

/** Runs them; null when they ended well and left the repository alone. */
export async function startWorkspace(
  workspace: Workspace,
  commands: readonly string[],
  signal: AbortSignal,
): Promise<Outcome | null> {
  if (commands.length === 0) return null;
  const before = await rememberTree(workspace, signal);
  if (!before.ok) return before.fault;
  const script = `exec < /dev/null\nset -e\n${commands.join('\n')}`;
  const ran = await workspace.exec(script, { timeout: TIMEOUT, signal });
  if (!ran.ok) return ran.fault;
  const { exitCode, exitSignal, timedOut, output } = ran.value;
  if (timedOut) return refused(`no end after ${TIMEOUT} s`, output);
  if (exitCode !== 0) return refused(`exit code ${exitCode ?? exitSignal}`, output);
  const changes = await changesSince(before.value, workspace, signal);
  if (!changes.ok) return changes.fault;
  const { files, isRepositoryChanged } = changes.value;
  const changed = [...files.map(({ path }) => path), ...(isRepositoryChanged ? ['.git'] : [])];
  return changed.length === 0 ? null : refused('they changed the repository', named(changed));
}

function refused(why: string, output: string): Infra {
  const last = output.trim().split('\n').slice(-5).join('; ');
  return infra('service-not-ready', `recipe key start_commands: ${why}${last === '' ? '' : `: ${last}`}`);
}
