/**
 * Whether a kind of executor works on this machine: a workspace is opened and a command run in it. That it does is
 * remembered for as long as what decides it is the same (for the sandbox: the machine is up, the process has the same
 * rights, and the code that tries it is the same), so a run with nothing to do starts nothing. That it does not is never remembered for a build: memory may
 * be free, or a setting be corrected, a second later.
 */
import { buildId } from '../basics/build-id.ts';
import { memoName } from '../cache/cache.ts';
import type { Database } from '../cache/database.ts';
import type { WorkspaceKind } from '../executors/kind.ts';

type Probed = Pick<WorkspaceKind, 'name' | 'probe'>;

/** For builds: tries it, unless it is known to work. */
export async function works({ name, probe }: Probed, database: Database): Promise<boolean> {
  if (probe === undefined) return true;
  const memo = memoOf(name, probe);
  if (database.memos.get(memo) === true) return true;
  const isGood = (await probe.attempt()) === null;
  // A failure is remembered for commands that only read: they report what the last build found.
  await database.memos.put(memo, isGood);
  return isGood;
}

/** For commands that only read: what the last build found, or else what files show. Starts nothing. */
export async function isExpected({ name, probe }: Probed, database: Database): Promise<boolean> {
  if (probe === undefined) return true;
  const known = database.memos.get(memoOf(name, probe));
  return typeof known === 'boolean' ? known : (await probe.look()) === null;
}

function memoOf(name: string, probe: NonNullable<Probed['probe']>): string {
  return memoName(`${name} works`, { build: buildId(), circumstances: probe.circumstances() });
}
