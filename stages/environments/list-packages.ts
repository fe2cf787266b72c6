/** Lists the packages of an environment: its note, which lock files hold and are compared with. */
import { fault, type Result, success } from '../../basics/result.ts';
import type { Workspace, WorkspaceLost } from '../../executors/deployment.ts';
import { helperFault } from '../../executors/helper-fault.ts';

/** Seconds. Machines that are overloaded need many times what an idle one needs. */
const LIMIT = 600;

/** The output of the command. A command over its time limit is a fault. One that fails, as without pip, gives what it printed. */
export async function listPackages(
  workspace: Pick<Workspace, 'exec'>,
  command: string,
  options: { cwd?: string; signal?: AbortSignal },
): Promise<Result<string, WorkspaceLost>> {
  const ran = await workspace.exec(command, { ...options, timeout: LIMIT });
  if (!ran.ok) return ran;
  const broken = ran.value.timedOut
    ? helperFault('listing the packages of the environment', ran.value)
    : null;
  // What goes to stderr comes between the lines of the list, or into one.
  return broken === null ? success(ran.value.stdout) : fault(broken);
}
