/**
 * One check of an instance: a fresh workspace on the task's first state, a patch, then the task's own tests and
 * runner files as they must be, and the tests. Validation's gold runs, the oracle and a model's patch are all checked
 * in this way.
 */

import { fault, type Result, success } from '../../basics/result.ts';
import type { ExecResult, Workspace } from '../../executors/deployment.ts';
import {
  type Hindered,
  hinderedBy,
  hinderedFault,
  isLoadUnknown,
  LOAD_UNKNOWN,
  triedAgain,
} from '../../executors/hindrance.ts';
import { hinderedByLack, killOf, lackFault } from '../../executors/lack.ts';
import { applyPatch, testPatch } from '../../patches/apply.ts';
import { listedTests } from '../../schemas/instance.ts';
import type { Attempt, Infra, Outcome } from '../../schemas/outcome.ts';
import type { FirstState } from '../../tasks/first-state/first-state.ts';
import { placeCopies, placeHidden } from '../../tasks/first-state/hidden.ts';
import { openOnState } from '../../tasks/first-state/open.ts';
import { evalScript } from '../logs/eval-script.ts';
import { readTestLog, ungradable } from '../logs/log.ts';
import { MAX_TEST_OUTPUT, withCutOutput } from '../logs/long-output.ts';
import { isSeenWhole } from '../logs/test-command.ts';
import type { RunEvidence } from '../rules/integrity.ts';
import { optionsIn, settingsOfPytest } from '../rules/protect.ts';
import { WORKERS } from '../rules/runner-packages.ts';
import { isServiceFault, longestWait, serviceFault, serviceLines } from '../rules/services.ts';
import { UNSEEN } from '../rules/witness.ts';
import { placeEcosystemWitness } from './ecosystem-witness.ts';
import { environmentChanges, mayBuild } from './environment-changes.ts';
import { applyGuarded, type GuardedStep } from './guard.ts';
import { lostService } from './lost-service.ts';
import type { CheckSetup } from './setup.ts';
import { startWorkspace } from './start.ts';
import { beginWatch, endWatch } from './watch.ts';
import { placeWitness } from './witness.ts';

export interface CheckResult {
  evidence: RunEvidence;
  /** Files that the patch changed and that were restored, beyond what was left out of it before. */
  dropped: string[];
}

/**
 * Runs the tests after `patch` (null: in the task's own state) in a workspace of its own. Tests that a signal ended, that
 * lost a service, or that were hindered, are run once more: if the machine was the cause, they pass then; if they are the
 * cause, it happens again and is their answer. A limit that is met beside a pause again is no answer, nor is an end by a
 * signal where nothing counts whom a lack of memory ended.
 */
export async function runCheck(
  setup: CheckSetup,
  title: string,
  patch: GuardedStep | null,
): Attempt<CheckResult> {
  const { log, alone, timeout } = setup;
  const limit = timeout + longestWait(setup.services);
  const once = (stretch: number) => checkOnce(stretched(setup, stretch), title, patch);
  const ran = await triedAgain(once, disturbance, {
    ...{ title, log, alone, limit },
    trusted: setup.trusted === true,
  });
  if (!ran.ok) return ran;
  const uncounted = ran.value.ok ? ran.value.value.uncounted : null;
  return uncounted === null ? ran.value : fault(uncounted);
}

/** With time limits that are so many times as long. */
function stretched(setup: CheckSetup, stretch: number): CheckSetup {
  const { timeout, build } = setup;
  const longer = build == null ? {} : { build: { ...build, timeout: build.timeout * stretch } };
  return { ...setup, timeout: timeout * stretch, ...longer };
}

function disturbance(ran: Result<Checked, Outcome>): Hindered | null {
  if (ran.ok) return ran.value.disturbed;
  if (isServiceFault(ran.fault)) return NOT_READY;
  return ran.fault.status === 'failed' && ran.fault.reason === 'workspace-killed' ? ENDED : null;
}

const ENDED: Hindered = { by: 'loss', words: 'was ended by a signal', timedOut: false };
const NOT_READY: Hindered = { by: 'loss', words: 'had a service that was not ready', timedOut: false };
const SLOW: Hindered = {
  by: 'load',
  words: 'had tests that fail by the time that they take',
  timedOut: false,
};
const LOST: Hindered = { by: 'loss', words: 'lost a service', timedOut: false };

interface Checked extends CheckResult {
  /** What may have come from outside and kept the tests from an answer; null for nothing. */
  disturbed: Hindered | null;
  /** The fault when nothing counts whether the machine ended the tests. */
  uncounted: Infra | null;
}

type Tested = Omit<Checked, 'dropped'>;

async function checkOnce(setup: CheckSetup, title: string, patch: GuardedStep | null): Attempt<Checked> {
  const opened = await openCheck(setup, patch);
  if (!opened.ok) return opened;
  const { workspace, dropped } = opened.value;
  try {
    const tested = await runTests(workspace, title, setup);
    return tested.ok ? success({ ...tested.value, dropped }) : tested;
  } finally {
    await workspace.close();
  }
}

/** A workspace in which the tests can run: the task, `patch`, and everything that decides the verdict. */
export async function openCheck(
  setup: CheckSetup,
  patch: GuardedStep | null,
): Attempt<{ workspace: Workspace; dropped: string[] }> {
  const { deployment, environment, limits, network, signal } = setup;
  const state = await setup.state();
  if (!state.ok) return state;
  const options = { limits, network, storage: 'memory', signal } as const;
  const opened = await openOnState(state.value, environment, deployment, options);
  if (!opened.ok) return opened;
  const workspace = opened.value;
  let isReady = false;
  try {
    const refused = await startWorkspace(workspace, setup.start, signal);
    if (refused !== null) return fault(refused);
    const dropped = await bring(workspace, state.value, patch, setup);
    isReady = dropped.ok;
    return dropped.ok ? success({ workspace, dropped: dropped.value }) : dropped;
  } finally {
    if (!isReady) await workspace.close();
  }
}

/** What `use` finds in a workspace in which the tests could run after `patch`. */
export async function withPatch<T>(
  setup: CheckSetup,
  patch: GuardedStep,
  use: (workspace: Workspace) => Attempt<T>,
): Attempt<T> {
  const opened = await openCheck(setup, patch);
  if (!opened.ok) return opened;
  try {
    return await use(opened.value.workspace);
  } finally {
    await opened.value.workspace.close();
  }
}

/** The patch, and then everything that decides the verdict as the task has it. Returns what was restored. */
async function bring(
  workspace: Workspace,
  state: FirstState,
  patch: GuardedStep | null,
  setup: CheckSetup,
): Attempt<string[]> {
  const { instance, signal } = setup;
  const withheld = new Set(state.withheld.map(({ path }) => path));
  const dropped = patch === null ? success([]) : await applyGuarded(workspace, patch, withheld, setup);
  if (!dropped.ok) return dropped;
  const unchanged = (await patch?.change?.(workspace)) ?? null;
  if (unchanged !== null) return fault(unchanged);
  const hidden = await placeHidden(state, workspace, signal);
  if (hidden !== null) return fault(hidden);
  const tests = testPatch(instance);
  const refused = tests === null ? null : await applyPatch(workspace, tests, setup);
  if (refused !== null) return fault(refused);
  const copies = await placeCopies(state, workspace, signal);
  return copies === null ? dropped : fault(copies);
}

/** Whether workers of xdist run the tests: one of them begins when another has run code of the patch. */
function hasWorkers({ testCommand, protection }: CheckSetup): boolean {
  const options = optionsIn(settingsOfPytest(protection.textOf));
  return [testCommand, ...options].some((text) => WORKERS.test(text));
}

async function runTests(workspace: Workspace, title: string, setup: CheckSetup): Attempt<Tested> {
  const { protection, testCommand, timeout, signal, parser } = setup;
  const { ecosystem = null, build = null } = setup;
  const built = build === null ? success([]) : await runBuild(workspace, title, setup, build);
  if (!built.ok) return built;
  if (!Array.isArray(built.value)) return success(built.value);
  // The cache of another ecosystem is there to be written.
  const isShared = ecosystem === null && (mayBuild(setup) || hasWorkers(setup));
  const witness =
    ecosystem === null
      ? await placeWitness(workspace, setup.environment, protection, setup.record, isShared)
      : await placeEcosystemWitness(workspace, ecosystem, setup);
  if (!witness.ok) return witness;
  const { before, after, program } = witness.value;
  const evalCommands = [...before, ...serviceLines(setup.services), ...setup.evalCommands, ...after];
  const script = evalScript({ evalCommands, testCommand: witness.value.command ?? testCommand });
  const watch = await beginWatch(protection, workspace, signal, isShared, program);
  if (!watch.ok) return watch;
  const limit = timeout + longestWait(setup.services);
  const ran = await workspace.exec(script, { timeout: limit, signal, maxOutput: MAX_TEST_OUTPUT });
  if (!ran.ok) return ran;
  setup.log(section(title, { ...ran.value, output: parser.text(ran.value.output) }));
  // Without a service these words are the patch's, which the task's own commands may have run.
  const notReady = setup.services.length === 0 ? null : serviceFault(ran.value);
  if (notReady !== null) return fault(paused(title, ran.value) ?? notReady);
  const lost = ran.value.timedOut ? '' : await lostService(workspace, setup.services, signal);
  if (lost !== '') setup.log(`== note: ${lost}\n`);
  if (!ran.value.timedOut) await witness.value.count?.(signal);
  const ended = await workspace.endProcesses();
  if (!ended.ok) return ended;
  const { output, exitCode, timedOut } = ran.value;
  const record = await witness.value.record();
  if (!record.ok) return record;
  const written = timedOut ? success([]) : await endWatch(watch.value, workspace, signal);
  if (!written.ok) return written;
  const since = watch.value.before.now;
  const changed =
    timedOut || !isShared
      ? success([])
      : await environmentChanges(since, setup.environment, workspace, signal, script);
  if (!changed.ok) return changed;
  const run = readTestLog(output, parser, { exitCode, timedOut });
  const settled = witness.value.settle?.(run) ?? { run, canaries: null };
  const evidence: RunEvidence = {
    run: withCutOutput(settled.run, ran.value.truncated, listedTests(setup.instance)),
    ...(settled.canaries === null ? {} : { canaries: settled.canaries }),
    log: output,
    parser: parser.name,
    witness: record.value,
    written: [...new Set([...built.value, ...written.value, ...changed.value])],
    isSeenWhole: ecosystem !== null || isSeenWhole(testCommand),
    // By another build, or as modules of tests with a recorder in them.
    isOtherCode: setup.isOtherBuild === true || setup.record?.includes('operands') === true,
  };
  if (isLoadUnknown(ran.value)) setup.log(`== note: ${LOAD_UNKNOWN}\n`);
  const { disturbed, uncounted } = hindrances(title, ran.value);
  const otherwise = lost !== '' ? LOST : record.value.observed.slow === undefined ? null : SLOW;
  return success({ evidence, uncounted, disturbed: disturbed ?? otherwise });
}

/**
 * Compiles what the tests need. Returns files that decide the verdict and that the build wrote, since code of the patch may run
 * meanwhile (a generator, or a macro of Rust); or why the tests cannot run.
 */
async function runBuild(
  workspace: Workspace,
  title: string,
  setup: CheckSetup,
  { command, timeout }: { command: string; timeout: number },
): Attempt<string[] | Tested> {
  const { ecosystem, protection, evalCommands, parser, log, signal } = setup;
  const programs = ecosystem?.compiling?.programs;
  const watch =
    programs === undefined ? null : await beginWatch(protection, workspace, signal, false, programs);
  if (watch?.ok === false) return watch;
  const ran = await workspace.exec([...evalCommands, command].join('\n'), { timeout, signal });
  if (!ran.ok) return ran;
  log(section(`${title}, build`, ran.value));
  const { exitCode, timedOut, output } = ran.value;
  if (exitCode !== 0 || timedOut) {
    const detail = ecosystem?.complaint(output) ?? output.trim().split('\n').slice(-5).join('\n');
    const gradable = timedOut
      ? ungradable('timed-out', `the build ran into its limit of ${timeout} s`)
      : ungradable('build-failed', detail);
    const evidence: RunEvidence = {
      run: { statusMap: new Map(), exitCode, timedOut, gradable },
      log: output,
      parser: parser.name,
      witness: UNSEEN,
      written: [],
      isSeenWhole: false,
    };
    return success({ evidence, ...hindrances(`${title}, build`, ran.value) });
  }
  const ended = await workspace.endProcesses();
  if (!ended.ok) return ended;
  return watch === null ? success([]) : endWatch(watch.value, workspace, signal);
}

/** What may have come from outside, by how a command ended. */
function hindrances(title: string, ran: ExecResult): Pick<Checked, 'disturbed' | 'uncounted'> {
  const killed = killOf(ran);
  const isUncounted = killed?.kind === 'uncounted';
  const bySignal = isUncounted ? hinderedByLack(killed) : killed === null ? null : ENDED;
  return {
    disturbed: hinderedBy(ran) ?? bySignal,
    uncounted: isUncounted ? lackFault(title, killed) : null,
  };
}

/** A service that was not ready beside a pause says nothing, whatever the patch is. */
function paused(title: string, ran: ExecResult): Infra | null {
  const hindered = hinderedBy(ran);
  return hindered?.by === 'pause' ? hinderedFault(title, hindered) : null;
}

function section(title: string, ran: ExecResult): string {
  const end = ran.timedOut ? 'time limit' : `exit code ${ran.exitCode ?? ran.exitSignal}`;
  return `== ${title} · ${end} · ${(ran.durationMs / 1000).toFixed(1)} s\n${ran.output}\n`;
}
