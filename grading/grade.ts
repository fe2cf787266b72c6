/**
 * Makes the verdict on a patch: the patch is inspected, files that it may not change are taken out, it is run in a
 * fresh workspace, and the result is compared with the gold runs. A patch that passed is run again, since a patch
 * that passes only sometimes earns no reward.
 */

import { named } from '../basics/named.ts';
import { fault, success } from '../basics/result.ts';
import { listedTests } from '../schemas/instance.ts';
import { type Attempt, failed, type Outcome, timeout } from '../schemas/outcome.ts';
import { type GradedPatch, type GradeVerdict, type Lost, unrewarded } from './grade-verdict.ts';
import type { Rules } from './grading-rules.ts';
import { type PatchSummary, tooLarge } from './rules/candidate.ts';
import {
  bySuspicion,
  type Finding,
  findingAbout,
  mayBeTaskOwn,
  ofUnresolved,
  type Suspicion,
} from './rules/findings.ts';
import { type IntegrityBaseline, type RunEvidence, runFindings } from './rules/integrity.ts';
import { mutantText } from './rules/mutants.ts';
import { doubtsAlone } from './rules/observations.ts';
import { BY_CHANCE, operandFindings } from './rules/operands.ts';
import { findPreset, VALIDATION_PRESET } from './rules/presets.ts';
import { isServiceFault } from './rules/services.ts';
import { failingOf, gradeRun, type Verdict } from './rules/verdict.ts';
import type { GuardedStep } from './run/guard.ts';
import type { CheckSetup } from './run/setup.ts';
import type { ChangedFile, RemovedFile } from './suspicion/suspicion.ts';
import { suspicionTask } from './suspicion/task.ts';

export interface GradeRequest extends Pick<Rules, 'preset' | 'max_patch' | 'repeats' | 'suspicion'> {
  diff: string;
  /** What validation knows of the task's runner; null when it was not validated. */
  baseline: IntegrityBaseline | null;
}

export interface Graded {
  verdict: GradeVerdict;
  /** Output of the tests; null when none were run. */
  log: string | null;
}

/** One run of a patch. */
interface Run extends Graded {
  /** Null when no tests were run. */
  evidence: RunEvidence | null;
}

/** Gold runs where a grade validates its task; the default of `validation.gold_runs`. */
const GOLD_RUNS = 2;

/**
 * Grades a patch of a task that was not validated. If the patch passes and has findings that may be the task's own, the task is validated
 * first, and the patch is graded again, beside the gold runs. `prepare` gives the setup for that.
 */
export async function gradeAlone(
  request: GradeRequest,
  setup: CheckSetup,
  prepare: (baseline: IntegrityBaseline) => Attempt<CheckSetup>,
): Attempt<Graded> {
  const graded = await gradePatch(request, setup);
  if (!graded.ok || setup.isSingle === true || !isQuestioned(graded.value.verdict)) return graded;
  const { validateTask } = await import('./validate.ts');
  const { rules } = findPreset(VALIDATION_PRESET)!;
  const validated = await validateTask(setup, { gold_runs: GOLD_RUNS, rules });
  if (!validated.ok) return validated;
  const { outcome, integrity: baseline } = validated.value;
  if (outcome.status !== 'ok') return graded;
  const prepared = await prepare(baseline);
  return prepared.ok ? gradePatch({ ...request, baseline }, prepared.value) : prepared;
}

/** Whether the tests pass, and gold runs may lift a finding. */
function isQuestioned({ reward, reason, integrity }: GradeVerdict): boolean {
  return (reward === 1 || reason === 'tampering' || reason === 'doubtful') && mayBeTaskOwn(integrity);
}

/** Grades a patch; a fault is no verdict. */
export async function gradePatch(request: GradeRequest, setup: CheckSetup): Attempt<Graded> {
  const { diff, repeats, suspicion } = request;
  const large = tooLarge(Buffer.byteLength(diff), request.max_patch);
  if (large !== null)
    return success(notRun(failed('patch-refused', `${large.rule}: ${large.detail}`), request, [large]));
  if (diff.trim() === '') return success(notRun(failed('empty-patch', 'the patch is empty'), request));
  const changed: ChangedFile[] = [];
  const removed: RemovedFile[] = [];
  const keep = (files: ChangedFile[], gone: RemovedFile[]) => {
    changed.push(...files);
    removed.push(...gone);
  };
  const once = await gradeOnce('patch', request, setup, suspicion === 'off' ? {} : { inspect: keep });
  if (!once.ok || once.value.verdict.reward !== 1) return once;
  const own = await judged(once.value, { changed, removed }, request, setup);
  const settled = own.verdict.reward === 1 ? await bySettings(own, request, setup) : success(own);
  if (!settled.ok || settled.value.verdict.reward !== 1) return settled;
  const first = settled.value;
  const integrity = [...first.verdict.integrity];
  for (let repeat = 1; repeat <= repeats; repeat += 1) {
    const title = `patch, repeat ${repeat} of ${repeats}`;
    const again = await (repeat === 1
      ? typed(title, changed, request, setup)
      : gradeOnce(title, request, setup));
    if (!again.ok) return again;
    const { verdict, log } = again.value;
    if (verdict.reward !== 1) return success({ verdict: disagreement(verdict, repeat), log });
    const isNew = ({ rule }: Finding) => rule === 'types-unlike-gold' || rule === 'assertions-missed';
    integrity.push(...verdict.integrity.filter(isNew));
  }
  return byMutants({ ...first, verdict: { ...first.verdict, integrity, repeats } }, request, setup);
}

/** The verdict on a patch that passed, with what mutants in its code say. */
async function byMutants(
  graded: Graded,
  { diff, preset, suspicion, baseline }: GradeRequest,
  setup: CheckSetup,
): Attempt<Graded> {
  const mutants = baseline?.mutants;
  if (mutants === undefined || suspicion === 'off') return success(graded);
  const { tryMutants } = await import('./run/mutants.ts');
  const tried = await tryMutants(setup, { title: 'patch', diff, role: 'apply' }, mutants, preset.rules);
  if (!tried.ok) return tried;
  const { runs, survivor } = tried.value ?? { runs: 'unchecked' as const, survivor: null };
  const found = survivor === null ? [] : [`${mutantText(survivor)}: its tests do not notice it`];
  const verdict: GradeVerdict = { ...graded.verdict, mutants: runs };
  return success(
    withFindings({ ...graded, verdict }, findingAbout('mutant-survives', 'masked', found), suspicion),
  );
}

/**
 * The verdict on a patch that passed, with what it comes to under the gold patch's settings of the tests where it has others. Gold's may name
 * files that only gold has, so settings as they are without a patch will do as well.
 */
async function bySettings(graded: Graded, request: GradeRequest, setup: CheckSetup): Attempt<Graded> {
  const { diff, suspicion } = request;
  if (setup.protection.settings.length === 0 || setup.isSingle === true || suspicion === 'off')
    return success(graded);
  const { placeFiles, settingsUnlikeGold } = await import('./run/settings.ts');
  const unlike = await settingsUnlikeGold(setup, { title: 'patch', diff, role: 'apply' });
  if (!unlike.ok) return unlike;
  const { gold, before } = unlike.value;
  if (gold.size === 0) return success(graded);
  const tries = [
    ['patch, with the gold patch’s settings', gold],
    ['patch, with the task’s settings', before],
  ] as const;
  for (const [title, files] of tries) {
    const again = await gradeOnce(title, request, setup, {
      change: (workspace) => placeFiles(files, workspace, setup.signal),
    });
    if (!again.ok) return again;
    if (again.value.verdict.reward === 1) return success(graded);
  }
  const what = 'it does not pass with the gold patch’s version of ';
  const finding = findingAbout('settings-unlike-gold', 'masked', [...gold.keys()], what);
  return success(withFindings(graded, finding, suspicion));
}

/** A repeat in which the kinds of values at assertions are recorded and compared with gold's. */
async function typed(
  title: string,
  changed: readonly ChangedFile[],
  request: GradeRequest,
  setup: CheckSetup,
): Attempt<Graded> {
  const { baseline, suspicion } = request;
  const gold = baseline?.operands ?? null;
  if (suspicion === 'off' || (baseline !== null && gold === null)) return gradeOnce(title, request, setup);
  const recording: CheckSetup = { ...setup, record: ['operands'] };
  const once = await gradeOnce(title, request, recording);
  if (!once.ok || once.value.verdict.reward !== 1) return once;
  const listed = listedTests(setup.instance);
  const context = { gold, solution: setup.instance.patch, changed, textOf: setup.protection.textOf };
  const findingsOf = ({ evidence }: Run) =>
    evidence === null ? [] : operandFindings(evidence, listed, context);
  let found = findingsOf(once.value);
  if (found.some(({ rule }) => BY_CHANCE.has(rule))) {
    const more = await gradeOnce(`${title}, once more`, request, recording);
    if (!more.ok) return more;
    if (findingsOf(more.value).length === 0) found = found.filter(({ rule }) => !BY_CHANCE.has(rule));
  }
  return success(withFindings(once.value, found, suspicion));
}

/** The verdict on a patch that passed, with the doubts about its code, and about what it did where gold runs do not tell. */
async function judged(
  run: Run,
  { changed, removed }: { changed: readonly ChangedFile[]; removed: readonly RemovedFile[] },
  { suspicion, baseline }: GradeRequest,
  { instance, ecosystem, protection }: CheckSetup,
): Promise<Graded> {
  const { evidence, ...graded } = run;
  if (suspicion === 'off') return graded;
  const { doubtsOf } = await import('./suspicion/suspicion.ts');
  const doubts = await doubtsOf(changed, suspicionTask(instance, ecosystem?.doubts, protection), removed);
  const found = doubts.map(({ path, line, what, code }): Finding => {
    const at = code === '' ? what : `${what}: ${code}`;
    return { rule: 'doubtful-code', detail: `${path}:${line} ${at}`, effect: 'masked' };
  });
  if (baseline === null && evidence !== null)
    found.push(...doubtsAlone(evidence.witness, listedTests(instance), changed, instance.patch));
  return withFindings(graded, found, suspicion);
}

/** With further findings about a patch that passed: if one of them masks it, there is no reward. */
function withFindings(graded: Graded, found: readonly Finding[], suspicion: Suspicion): Graded {
  const { verdict } = graded;
  const integrity = [...verdict.integrity, ...bySuspicion(found, suspicion)];
  return { ...graded, verdict: masked({ ...verdict, integrity }) };
}

/** The verdict when the last of several gradings is `last`, and those before it passed. */
function disagreement(last: GradeVerdict, repeat: number): GradeVerdict {
  // Tampering in one run counts for all of them, and so does a doubt.
  if (last.reason === 'tampering' || last.reason === 'doubtful') return { ...last, repeats: repeat };
  const times = repeat === 1 ? 'it passed once' : `it passed ${repeat} times`;
  const detail = `${times}, and then did not (${last.reason}: ${last.detail})`;
  return { ...last, reward: null, partial: false, reason: 'repeats-disagree', detail, repeats: repeat };
}

export const NOTHING: PatchSummary = { files: 0, dropped: [], findings: [] };

/** The verdict on a patch with which no tests were run. */
function notRun(
  outcome: Lost,
  { preset, diff }: GradeRequest,
  findings: Finding[] = [],
  summary = NOTHING,
): Run {
  return { verdict: unrewarded(outcome, preset, sizeOf(summary, diff), findings), log: null, evidence: null };
}

async function gradeOnce(
  title: string,
  request: GradeRequest,
  setup: CheckSetup,
  further: Pick<GuardedStep, 'inspect' | 'change'> = {},
): Attempt<Run> {
  const { diff } = request;
  let summary = NOTHING;
  const tell = (given: PatchSummary) => {
    summary = given;
  };
  const { runCheck } = await import('./run/check.ts');
  const ran = await runCheck(setup, title, { title: 'patch', diff, role: 'apply', tell, ...further });
  const { findings } = summary;
  if (!ran.ok) {
    const outcome = answerOf(ran.fault, request.baseline);
    return outcome.status === 'failed'
      ? success(notRun(outcome, request, findings, summary))
      : fault(outcome);
  }
  const { evidence } = ran.value;
  const verdict = verdictOf(evidence, sizeOf(summary, diff), findings, request, setup);
  return success({ verdict, log: evidence.log, evidence });
}

/**
 * The check was made twice: a service that is ready with the gold patch, and twice is not with this one, does not start with
 * this one's code. Without gold runs that is not known.
 */
function answerOf(end: Outcome, baseline: IntegrityBaseline | null): Outcome {
  if (baseline === null || !isServiceFault(end) || !('detail' in end)) return end;
  return failed('not-resolved', `twice, unlike with the gold patch: ${end.detail}`);
}

export function sizeOf({ files, dropped }: PatchSummary, diff: string): GradedPatch {
  return { files, bytes: Buffer.byteLength(diff), dropped };
}

/** The verdict of a patch that was run. `droppings` are the findings about the patch itself. */
export function verdictOf(
  evidence: RunEvidence,
  patch: GradedPatch,
  droppings: readonly Finding[],
  { preset, baseline, suspicion }: Pick<GradeRequest, 'preset' | 'baseline' | 'suspicion'>,
  { instance }: CheckSetup,
): GradeVerdict {
  const { rules } = preset;
  const graded = gradeRun(evidence.run, instance, rules, baseline?.reports?.log);
  const found = runFindings(evidence, listedTests(instance), rules, baseline);
  const findings = bySuspicion([...droppings, ...found], suspicion);
  const integrity = graded.resolved ? findings : ofUnresolved(findings);
  const voiding = findings.filter(({ effect }) => effect === 'voided');
  const why = graded.resolved ? tampered(voiding) : unresolved(evidence, graded);
  const lost: GradeVerdict = {
    ...unrewarded(why, preset, patch, integrity),
    partial: graded.partial && voiding.length === 0,
    tests_status: graded.tests_status,
  };
  return graded.resolved && voiding.length === 0
    ? masked({ ...lost, reward: 1, resolved: true, reason: null, detail: '' })
    : lost;
}

/** The verdict on a patch that passed: without a reward if a finding masks it. */
function masked(verdict: GradeVerdict): GradeVerdict {
  const doubts = verdict.integrity.filter(({ effect }) => effect === 'masked');
  if (doubts.length === 0) return verdict;
  const detail = named(doubts.map((finding) => finding.detail));
  return { ...verdict, reward: null, resolved: false, reason: 'doubtful', detail };
}

function tampered(findings: readonly Finding[]): Lost {
  return failed('tampering', findings.map(({ rule, detail }) => `${rule}: ${detail}`).join('; '));
}

function unresolved({ run }: RunEvidence, { gradable, tests_status, partial }: Verdict): Lost {
  if (run.timedOut) return timeout('the tests ran into their time limit');
  if (!gradable.ok && gradable.reason === 'build-failed') return failed('build-failed', gradable.detail);
  if (!gradable.ok) return failed('not-gradable', `${gradable.reason}: ${gradable.detail}`);
  if (tests_status === null) return failed('not-resolved', `exit code ${run.exitCode}`);
  const failing = failingOf(tests_status);
  const share = `${failing.length} listed ${failing.length === 1 ? 'test does' : 'tests do'} not pass`;
  return failed('not-resolved', `${share}${partial ? ' (partial)' : ''}: ${named(failing)}`);
}
