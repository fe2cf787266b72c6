/**
 * The patch of a rollout: the difference between the repository and its first state, on whatever branch. It is read
 * from the workspace. What the agent prints may have lost line ends or bytes.
 */

import { fault, type Result, success } from '../basics/result.ts';
import { BUILD_OUTPUT } from '../ecosystems/registry.ts';
import type { KeepAdded, Workspace, WorkspaceKilled } from '../executors/deployment.ts';
import { helperFault, isMissing } from '../executors/helper-fault.ts';
import { withoutLeftovers } from '../patches/leftovers.ts';
import { type Infra, infra, isFault } from '../schemas/outcome.ts';
import type { PatchSource } from '../schemas/trajectory.ts';
import type { Beginning } from './rollout.ts';
import { isPatch } from './submission.ts';

export interface FinalPatch {
  patch: string;
  source: PatchSource;
  /** Why the repository could not be compared; null when it could. */
  problem: string | null;
  /** What was found and left out: virtual environments, other repositories, caches, build output. */
  leftOut: string[];
}

export const NO_PATCH: FinalPatch = { patch: '', source: 'none', problem: null, leftOut: [] };

const TAKING = 'taking the patch';

/**
 * The patch, or why it is not known. It is what differs from the beginning, since the agent's own commits are part of
 * its work. `submission`: what the agent submitted, or null. `own`: files and folders that its program wrote for itself, which are left out.
 */
export async function finalPatch(
  workspace: Workspace,
  beginning: Beginning,
  submission: string | null,
  signal: AbortSignal,
  own: readonly string[] = [],
): Promise<Result<FinalPatch, Infra | WorkspaceKilled>> {
  // Programs that the agent left running could keep git from starting.
  const ended = await workspace.endProcesses();
  if (!ended.ok) return ended;
  const taken = await workspaceDiff(workspace, beginning, signal, own);
  if (!taken.ok) return taken;
  const { diff, problem, leftOut } = taken.value;
  if (diff !== '') return success({ patch: diff, source: 'workspace', problem, leftOut });
  const handedIn = submission !== null && isPatch(submission);
  if (handedIn) return success({ patch: submission, source: 'submission', problem, leftOut });
  return success({ patch: '', source: 'none', problem, leftOut });
}

interface Taken {
  diff: string;
  problem: string | null;
  leftOut: string[];
}

/**
 * The diff of the workspace. What the agent broke (no .git, no first commit, a full disk, no git) has no diff; that is
 * an answer, if an unused workspace has one. A lost workspace, a git that was killed or did not end, or
 * programs that cannot do it anywhere (busybox has no `comm -z`) are none: it is tried once more, and is then a fault.
 */
export async function workspaceDiff(
  workspace: Workspace,
  beginning: Beginning,
  signal: AbortSignal,
  own: readonly string[] = [],
): Promise<Result<Taken, Infra | WorkspaceKilled>> {
  const { base } = beginning;
  const taken = await takeDiff(workspace, base, signal, own);
  const isWhole = taken.ok && taken.value.problem === null;
  if (isWhole || signal.aborted) return taken;
  const again = await takeDiff(workspace, base, signal, own);
  const why = again.ok ? again.value.problem : isMissing(again.fault) ? again.fault.detail : null;
  if (why === null || signal.aborted) return again;
  if (await canCompareAnew(beginning))
    return again.ok ? again : noDiff(`the agent removed what it takes: ${why}`);
  return again.ok
    ? fault(infra('tool-missing', `neither this workspace nor a new one can be compared: ${why}`))
    : again;
}

/** Whether an unused workspace has what comparing takes, also for a new file. */
async function canCompareAnew({ base, anew }: Beginning): Promise<boolean> {
  const opened = await anew();
  if (!opened.ok) return false;
  const workspace = opened.value;
  try {
    const written = await workspace.write('/testbed/swemake-new-file', '');
    return written.ok && (await workspace.diff(base)).ok;
  } finally {
    await workspace.close();
  }
}

async function takeDiff(
  workspace: Workspace,
  base: string,
  signal: AbortSignal,
  own: readonly string[],
): Promise<Result<Taken, Infra | WorkspaceKilled>> {
  const left = new Set<string>();
  const compared = await workspace.diff(base, withoutOwn(own, left));
  if (compared.ok) return success({ diff: compared.value, problem: null, leftOut: [...left].sort() });
  const why = compared.fault;
  if (signal.aborted) return fault(infra('cancelled', 'cancelled while the patch was taken'));
  if (why.status !== 'refused') return fault(why);
  const broken = why.end === null ? null : helperFault(TAKING, why.end);
  if (broken !== null && isFault(broken)) return fault(broken);
  return noDiff(why.detail);
}

/** Leaves out new files that a program wrote for itself, and notes them in `left`; a name that ends with a slash is a folder. */
function withoutOwn(own: readonly string[], left: Set<string>): KeepAdded {
  const keep = withoutLeftovers(left, BUILD_OUTPUT);
  const ownName = (path: string) =>
    own.find((name) =>
      name.endsWith('/') ? `/${path}`.includes(`/${name}`) : `/${path}`.endsWith(`/${name}`),
    );
  return (added, known, sizeOf) => {
    const rest = added.filter((path) => {
      const name = ownName(path);
      if (name !== undefined)
        left.add(name.endsWith('/') ? path.slice(0, path.lastIndexOf(name) + name.length) : path);
      return name === undefined;
    });
    return keep(rest, known, sizeOf);
  };
}

function noDiff(why: string): Result<Taken, never> {
  return success({ diff: '', problem: `the repository cannot be compared: ${why}`, leftOut: [] });
}
