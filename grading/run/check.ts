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
import type { Infra, Outcome } from '../../schemas/outcome.ts';
import type { FirstState } from '../../tasks/first-state/first-state.ts';
import { placeCopies, placeHidden } from '../../tasks/first-state/hidden.ts';
import { openOnState } from '../../tasks/first-state/open.ts';
import { evalScript } from '../logs/eval-script.ts';
import { readTestLog, ungradable } from '../logs/log.ts';
import { isSeenWhole } from '../logs/test-command.ts';
import type { RunEvidence } from '../rules/integrity.ts';
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

type Fault = Infra | Outcome;

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
): Promise<Result<CheckResult, Fault>> {
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

function disturbance(ran: Result<Checked, Fault>): Hindered | null {
  if (ran.ok) return ran.value.disturbed;
  if (isServiceFault(ran.fault)) return NOT_READY;
  return ran.fault.status === 'failed' && ran.fault.reason === 'workspace-killed' ? ENDED : null;
}

const ENDED: Hindered = { by: 'loss', words: 'was ended by a signal', timedOut: false };
const NOT_READY: Hindered = { by: 'loss', words: 'had a service that was not ready', timedOut: false };
const LOST: Hindered = { by: 'loss', words: 'lost a service', timedOut: false };

interface Checked extends CheckResult {
  /** What may have come from outside and kept the tests from an answer; null for nothing. */
  disturbed: Hindered | null;
  /** The fault when nothing counts whether the machine ended the tests. */
  uncounted: Infra | null;
}

async function checkOnce(
  setup: CheckSetup,
  title: string,
  patch: GuardedStep | null,
): Promise<Result<Checked, Fault>> {
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
): Promise<Result<{ workspace: Workspace; dropped: string[] }, Fault>> {
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

/** The patch, and then everything that decides the verdict as the task has it. Returns what was restored. */
async function bring(
  workspace: Workspace,
  state: FirstState,
  patch: GuardedStep | null,
  setup: CheckSetup,
): Promise<Result<string[], Fault>> {
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

/** Of xdist: one of them begins when another has run code of the patch. */
const WORKERS = /(?:^|\s)(?:-n|--numprocesses|--tx)\b/;

async function runTests(
  workspace: Workspace,
  title: string,
  setup: CheckSetup,
): Promise<Result<Omit<Checked, 'dropped'>, Fault>> {
  const { protection, testCommand, timeout, signal, parser } = setup;
  const { ecosystem = null, build = null } = setup;
  const built = build === null ? success(NOTHING) : await watchedBuild(workspace, title, setup, build);
  if (!built.ok) return built;
  if (built.value.end !== null) return success(built.value.end);
  // The cache of another ecosystem is there to be written.
  const isShared = ecosystem === null && (mayBuild(setup) || WORKERS.test(testCommand));
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
  const ran = await workspace.exec(script, { timeout: limit, signal });
  if (!ran.ok) return ran;
  setup.log(section(title, { ...ran.value, output: parser.text(ran.value.output) }));
  // Without a service these words are the patch's, which the task's own commands may have run.
  const notReady = setup.services.length === 0 ? null : serviceFault(ran.value);
  if (notReady !== null) return fault(paused(title, ran.value) ?? notReady);
  const lost = ran.value.timedOut ? '' : await lostService(workspace, setup.services, signal);
  if (lost !== '') setup.log(`== note: ${lost}\n`);
  if (!ran.value.timedOut) await witness.value.count(signal);
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
    run: settled.run,
    ...(settled.canaries === null ? {} : { canaries: settled.canaries }),
    log: output,
    parser: parser.name,
    witness: record.value,
    written: [...new Set([...built.value.written, ...written.value, ...changed.value])],
    isSeenWhole: ecosystem !== null || isSeenWhole(testCommand),
    isOtherCode: isOtherCode(setup),
  };
  if (isLoadUnknown(ran.value)) setup.log(`== note: ${LOAD_UNKNOWN}\n`);
  const killed = killOf(ran.value);
  const isUncounted = killed?.kind === 'uncounted';
  const bySignal = isUncounted ? hinderedByLack(killed) : killed === null ? null : ENDED;
  const disturbed = hinderedBy(ran.value) ?? bySignal ?? (lost === '' ? null : LOST);
  const uncounted = isUncounted ? lackFault(title, killed) : null;
  return success({ evidence, disturbed, uncounted });
}

interface Built {
  /** Why the tests cannot run; null: they can. */
  end: Omit<Checked, 'dropped'> | null;
  /** Files that decide the verdict and that the build wrote. */
  written: string[];
}

const NOTHING: Built = { end: null, written: [] };

/** Code of the patch may run while it is compiled: a generator, or a macro of Rust. */
async function watchedBuild(
  workspace: Workspace,
  title: string,
  setup: CheckSetup,
  build: { command: string; timeout: number },
): Promise<Result<Built, Fault>> {
  const programs = setup.ecosystem?.compiling?.programs;
  const watch =
    programs === undefined
      ? null
      : await beginWatch(setup.protection, workspace, setup.signal, false, programs);
  if (watch?.ok === false) return watch;
  const end = await runBuild(workspace, title, setup, build);
  if (!end.ok) return end;
  if (watch === null || end.value !== null) return success({ end: end.value, written: [] });
  const written = await endWatch(watch.value, workspace, setup.signal);
  return written.ok ? success({ end: null, written: written.value }) : written;
}

/** Compiles what the tests need; null: it did, and the tests can run. */
async function runBuild(
  workspace: Workspace,
  title: string,
  setup: CheckSetup,
  { command, timeout }: { command: string; timeout: number },
): Promise<Result<Omit<Checked, 'dropped'> | null, Fault>> {
  const { ecosystem, parser, log, signal } = setup;
  const script = [...setup.evalCommands, command].join('\n');
  const ran = await workspace.exec(script, { timeout, signal });
  if (!ran.ok) return ran;
  log(section(`${title}, build`, ran.value));
  const { exitCode, timedOut, output } = ran.value;
  if (exitCode === 0 && !timedOut) {
    const ended = await workspace.endProcesses();
    return ended.ok ? success(null) : ended;
  }
  const killed = killOf(ran.value);
  const isUncounted = killed?.kind === 'uncounted';
  const detail = ecosystem?.complaint(output) ?? output.trim().split('\n').slice(-5).join('\n');
  const evidence: RunEvidence = {
    run: {
      statusMap: new Map(),
      exitCode,
      timedOut,
      gradable: timedOut
        ? ungradable('timed-out', `the build ran into its limit of ${timeout} s`)
        : ungradable('build-failed', detail),
    },
    log: output,
    parser: parser.name,
    witness: UNSEEN,
    written: [],
    isSeenWhole: false,
  };
  const bySignal = isUncounted ? hinderedByLack(killed) : killed === null ? null : ENDED;
  return success({
    evidence,
    disturbed: hinderedBy(ran.value) ?? bySignal,
    uncounted: isUncounted ? lackFault(`${title}, build`, killed) : null,
  });
}

/** Whether code is loaded otherwise than in the gold runs: by another build, or as modules of tests with a recorder in them. */
function isOtherCode({ record, isOtherBuild }: CheckSetup): boolean {
  return isOtherBuild === true || record?.includes('operands') === true;
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
