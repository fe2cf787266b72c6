/** Adds the witness of another ecosystem than Python to a test run, and reads what it wrote. */
import { randomBytes } from 'node:crypto';
import { fault, type Result, success } from '../../basics/result.ts';
import type { EcosystemTests, Seen } from '../../ecosystems/kind.ts';
import type { Workspace, WorkspaceLost } from '../../executors/deployment.ts';
import { fileFault } from '../../executors/helper-fault.ts';
import { isFailing } from '../../parsers/status.ts';
import { type RunResult, ungradable } from '../logs/log.ts';
import { observationsIn } from '../rules/observations.ts';
import { UNSEEN, type WitnessRecord } from '../rules/witness.ts';
import { type CheckSetup, compilingLines } from './setup.ts';
import { type PlacedWitness, readRecords } from './witness.ts';

/** Processes of one test command that are looked for: a package of tests or a file is one. */
const MAX_PROCESSES = 4096;
const NOT_SEEN =
  'the witness was in no process: the tests did not begin, or the ecosystem has no witness for their runner; with such a runner, recipe key witness: none goes without';

/** Writes it into a workspace in which everything else is in place. */
export async function placeEcosystemWitness(
  workspace: Workspace,
  ecosystem: EcosystemTests,
  { instance, protection, testCommand, toolchain = {}, isUnwitnessed = false }: CheckSetup,
): Promise<Result<PlacedWitness, WorkspaceLost>> {
  const programs = ecosystem.compiling?.programs ?? [];
  const compiling = compilingLines(ecosystem);
  if (isUnwitnessed)
    return success({
      program: [...programs],
      before: [],
      after: compiling,
      record: async () => success(UNSEEN),
    });
  const nonce = randomBytes(32).toString('hex');
  const folder = `/tmp/.swemake-witness-${randomBytes(8).toString('hex')}`;
  const placed = await ecosystem.witness({
    folder,
    nonce,
    command: testCommand,
    testFiles: protection.tests,
    instance,
    toolchain,
    async read(path) {
      const found = await workspace.read(path);
      return found.ok && found.value !== null ? Buffer.from(found.value).toString() : null;
    },
  });
  for (const [path, content] of Object.entries(placed.files)) {
    const written = await workspace.write(path, content);
    if (!written.ok) return fault(fileFault('placing the witness', written.fault));
  }
  let seen: Seen | null = null;
  return success({
    program: [
      ...placed.watched,
      ...programs,
      ...Object.keys(placed.files).filter((path) => !path.startsWith(`${folder}/`)),
    ],
    before: [],
    after: [...compiling, ...placed.before],
    command: placed.command,
    async record() {
      const records = await readRecords(placed.records, MAX_PROCESSES, workspace);
      if (!records.ok) return records;
      seen = placed.seen(records.value.map(String));
      return success(recordOf(seen));
    },
    settle: (run) => (seen === null ? { run, canaries: null } : settled(run, seen)),
  });
}

function recordOf({ state, statuses, several, modified = [], observed = [] }: Seen): WitnessRecord {
  return {
    ...UNSEEN,
    ...(several === undefined ? {} : { several }),
    state,
    statuses,
    observed: observationsIn([...modified.map((label) => ['modified', label, ''] as const), ...observed]),
    end: state === 'closed' ? { status: null, sessions: 1 } : null,
  };
}

/** Of `timeout`, which ends a command by the command's own limit. */
const OWN_LIMIT = 124;

/** Whether the failure of a canary explains how the command ended. What stays open behind the last test may run into the command's own limit. */
function isWholeBy(exitCode: number | null, state: Seen['state']): boolean {
  return exitCode === 1 || (exitCode === OWN_LIMIT && state === 'closed');
}

/** The run without the canaries, whose failure makes the command fail as well. */
function settled(
  run: RunResult,
  { state, isCanary, canaries }: Seen,
): { run: RunResult; canaries: string | null } {
  const statusMap = new Map([...run.statusMap].filter(([id]) => !isCanary(id)));
  const hadCanary = [...run.statusMap].some(([id, status]) => isCanary(id) && isFailing(status));
  const isOnly = hadCanary && ![...statusMap.values()].some(isFailing);
  const exitCode = isOnly && isWholeBy(run.exitCode, state) ? 0 : run.exitCode;
  // Without the witness the results would be whatever the patch prints.
  const none = state === 'absent' ? NOT_SEEN : statusMap.size === 0 ? 'the output names no test' : null;
  const gradable = run.gradable.ok && none !== null ? ungradable('no-tests', none) : run.gradable;
  return { run: { ...run, statusMap, exitCode, gradable }, canaries };
}
