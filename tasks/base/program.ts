/** Runs a program of the machine that fetches or makes a root, with its complaint as a fault. */
import { hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { SourceServices } from '../../contract/machine.ts';
import { programFault } from '../../executors/program-fault.ts';
import type { Infra } from '../../schemas/outcome.ts';

/** Bytes of what a program prints. */
const KEPT = 64 << 10;
/** Seconds: images are large. */
const TIMEOUT = 3600;
/** Seconds that it has to remove its mounts. */
const GRACE = 20;

/** `remedy` says how to get the program where there is none. */
export async function makeWith(
  argv: readonly [string, ...string[]],
  remedy: string,
  { env, signal }: Pick<SourceServices, 'env' | 'signal'>,
  more: NodeJS.ProcessEnv = {},
): Promise<Result<null, Infra>> {
  const end = await runProgram({
    argv,
    env: { ...env, LC_ALL: 'C', ...more },
    timeout: TIMEOUT,
    grace: GRACE,
    maxOutput: KEPT,
    signal,
  });
  if (hasSucceeded(end)) return success(null);
  // The first error of apt is the reason; those of its callers, which come last, say only that it failed.
  const reason = /^E: .*$/m.exec(end.stderr)?.[0] ?? end.stderr;
  return fault(
    programFault({ ...end, stderr: reason }, { doing: argv[0], remedy, otherwise: 'source-fetch' }),
  );
}
