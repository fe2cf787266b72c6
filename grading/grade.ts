/**
 * Makes the verdict on a patch: the patch is inspected, files that it may not change are taken out, it is run in a
 * fresh workspace, and the result is compared with the gold runs. A patch that passed is run again, since a patch
 * that passes only sometimes earns no reward.
 */

import { named } from '../basics/named.ts';
import { fault, type Result, success } from '../basics/result.ts';
import type { Infra, Outcome } from '../schemas/outcome.ts';
import { type GradedPatch, type GradeVerdict, unrewarded } from './grade-verdict.ts';
import { type PatchSummary, tooLarge } from './rules/candidate.ts';
import { bySuspicion, type Finding, type Suspicion } from './rules/findings.ts';
import { type IntegrityBaseline, type RunEvidence, runFindings } from './rules/integrity.ts';
import { mutantText } from './rules/mutants.ts';
import { doubtsAlone } from './rules/observations.ts';
import { BY_CHANCE, operandFindings, solvedOperands } from './rules/operands.ts';
import { relaxations, type UsedPreset } from './rules/presets.ts';
import { isServiceFault } from './rules/services.ts';
import { gradeRun, type Verdict } from './rules/verdict.ts';
import type { CheckSetup } from './run/setup.ts';
import type { ChangedFile } from './suspicion/suspicion.ts';
import { suspicionTask } from './suspicion/task.ts';

export interface GradeRequest {
  diff: string;
  preset: UsedPreset;
  maxPatch: number;
  /** How many times more a patch that passed is graded. */
  repeats: number;
  /** What happens to a patch that passes and whose code is doubtful. */
  suspicion: Suspicion;
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

/** Grades a patch; a fault is no verdict. */
export async function gradePatch(
  request: GradeRequest,
  setup: CheckSetup,
): Promise<Result<Graded, Infra | Outcome>> {
  const { preset, diff, repeats } = request;
  const unread = whyUnread(diff, request.maxPatch);
  if (unread !== null) {
    const patch = sizeOf(NOTHING, diff);
    return success({ verdict: unrewarded(unread.outcome, preset, patch, unread.findings), log: null });
  }
  const changed: ChangedFile[] = [];
  const keep = (files: ChangedFile[]) => void changed.push(...files);
  const once = await gradeOnce('patch', request, setup, request.suspicion === 'off' ? undefined : keep);
  if (!once.ok || once.value.verdict.reward !== 1) return once;
  const first = success(await judged(once.value, changed, request, setup));
  if (first.value.verdict.reward !== 1) return first;
  const integrity = [...first.value.verdict.integrity];
  for (let repeat = 1; repeat <= repeats; repeat += 1) {
    const title = `patch, repeat ${repeat} of ${repeats}`;
    const again = await repeated(title, repeat === 1, changed, request, setup);
    if (!again.ok) return again;
    const { verdict, log } = again.value;
    if (verdict.reward !== 1) return success({ verdict: disagreement(verdict, repeat), log });
    const isNew = ({ rule }: Finding) => rule === 'types-unlike-gold' || rule === 'assertions-missed';
    integrity.push(...verdict.integrity.filter(isNew));
  }
  return byMutants(
    { ...first.value, verdict: { ...first.value.verdict, integrity, repeats } },
    request,
    setup,
  );
}

/** The verdict on a patch that passed, with what mutants in its code say. */
async function byMutants(
  graded: Graded,
  { diff, preset, suspicion, baseline }: GradeRequest,
  setup: CheckSetup,
): Promise<Result<Graded, Infra | Outcome>> {
  const mutants = baseline?.mutants;
  if (mutants === undefined || suspicion === 'off') return success(graded);
  const { tryMutants } = await import('./run/mutants.ts');
  const tried = await tryMutants(setup, { title: 'patch', diff, role: 'apply' }, mutants, preset.rules);
  if (!tried.ok) return tried;
  const { verdict } = graded;
  if (tried.value.kind === 'unchecked')
    return success({ ...graded, verdict: { ...verdict, mutants: 'unchecked' } });
  const { runs, survivor } = tried.value;
  const detail = survivor === null ? '' : `${mutantText(survivor)}: its tests do not notice it`;
  const findings: Finding[] =
    survivor === null ? [] : [{ rule: 'mutant-survives', detail, effect: 'masked' }];
  const integrity = [...verdict.integrity, ...bySuspicion(findings, suspicion)];
  return success({ ...graded, verdict: masked({ ...verdict, integrity, mutants: runs }) });
}

/** One repeat. In the first one the kinds of values at assertions are recorded and compared with gold's. */
async function repeated(
  title: string,
  isTyped: boolean,
  changed: readonly ChangedFile[],
  request: GradeRequest,
  setup: CheckSetup,
): Promise<Result<Graded, Infra | Outcome>> {
  const { baseline, suspicion } = request;
  const known = baseline === null ? solvedOperands(setup.instance.patch) : baseline.operands;
  if (!isTyped || suspicion === 'off' || known === null) return gradeOnce(title, request, setup);
  const recording: CheckSetup = { ...setup, record: ['operands'] };
  const once = await gradeOnce(title, request, recording);
  if (!once.ok) return once;
  if (once.value.verdict.reward !== 1) return once;
  const { FAIL_TO_PASS, PASS_TO_PASS } = setup.instance;
  const listed = [...FAIL_TO_PASS, ...PASS_TO_PASS];
  const findingsOf = ({ evidence }: Run) =>
    evidence === null ? [] : operandFindings(evidence, listed, known, changed, setup.protection.textOf);
  let found = findingsOf(once.value);
  if (found.some(({ rule }) => BY_CHANCE.has(rule))) {
    const more = await gradeOnce(`${title}, once more`, request, recording);
    if (!more.ok) return more;
    if (findingsOf(more.value).length === 0) found = found.filter(({ rule }) => !BY_CHANCE.has(rule));
  }
  if (found.length === 0) return once;
  const { verdict } = once.value;
  const integrity = [...verdict.integrity, ...bySuspicion(found, suspicion)];
  return success({ ...once.value, verdict: masked({ ...verdict, integrity }) });
}

/** The verdict on a patch that passed, with the doubts about its code, and about what it did where gold runs do not tell. */
async function judged(
  { evidence, ...graded }: Run,
  changed: readonly ChangedFile[],
  { suspicion, baseline }: GradeRequest,
  { instance, ecosystem }: CheckSetup,
): Promise<Graded> {
  if (suspicion === 'off') return graded;
  const { doubtsOf } = await import('./suspicion/suspicion.ts');
  const doubts = await doubtsOf(changed, suspicionTask(instance, ecosystem?.doubts));
  const listed = [...instance.FAIL_TO_PASS, ...instance.PASS_TO_PASS];
  const alone =
    baseline === null && evidence !== null
      ? doubtsAlone(evidence.witness, listed, changed, instance.patch)
      : [];
  if (doubts.length + alone.length === 0) return graded;
  const findings = doubts.map(
    ({ path, line, what, code }): Finding => ({
      rule: 'doubtful-code',
      detail: `${path}:${line} ${what}: ${code}`,
      effect: 'masked',
    }),
  );
  const integrity = [...graded.verdict.integrity, ...bySuspicion([...findings, ...alone], suspicion)];
  return { ...graded, verdict: masked({ ...graded.verdict, integrity }) };
}

interface Unread {
  outcome: Extract<Outcome, { status: 'failed' }>;
  findings: Finding[];
}

function whyUnread(diff: string, maxPatch: number): Unread | null {
  const large = tooLarge(Buffer.byteLength(diff), maxPatch);
  if (large !== null) {
    const detail = `${large.rule}: ${large.detail}`;
    return { outcome: { status: 'failed', reason: 'patch-refused', detail }, findings: [large] };
  }
  if (diff.trim() !== '') return null;
  return { outcome: { status: 'failed', reason: 'empty-patch', detail: 'the patch is empty' }, findings: [] };
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

async function gradeOnce(
  title: string,
  request: GradeRequest,
  setup: CheckSetup,
  inspect?: (files: ChangedFile[]) => void,
): Promise<Result<Run, Infra | Outcome>> {
  const { diff, preset } = request;
  let summary = NOTHING;
  const tell = (given: PatchSummary) => {
    summary = given;
  };
  const { runCheck } = await import('./run/check.ts');
  const ran = await runCheck(setup, title, {
    title: 'patch',
    diff,
    role: 'apply',
    tell,
    ...(inspect === undefined ? {} : { inspect }),
  });
  const patch = sizeOf(summary, diff);
  if (!ran.ok) {
    const outcome = answerOf(ran.fault, request.baseline);
    if (outcome.status !== 'failed') return fault(outcome);
    return success({
      verdict: unrewarded(outcome, preset, patch, summary.findings),
      log: null,
      evidence: null,
    });
  }
  const { evidence } = ran.value;
  const verdict = verdictOf(evidence, patch, summary.findings, request, setup);
  return success({ verdict, log: evidence.log, evidence });
}

/**
 * The check was made twice: a service that is ready with the gold patch, and twice is not with this one, does not start with
 * this one's code. Without gold runs that is not known.
 */
function answerOf(end: Infra | Outcome, baseline: IntegrityBaseline | null): Infra | Outcome {
  if (baseline === null || !isServiceFault(end) || !('detail' in end)) return end;
  return {
    status: 'failed',
    reason: 'not-resolved',
    detail: `twice, unlike with the gold patch: ${end.detail}`,
  };
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
  const lists = { failToPass: instance.FAIL_TO_PASS, passToPass: instance.PASS_TO_PASS };
  const listed = [...lists.failToPass, ...lists.passToPass];
  const graded = gradeRun(evidence.run, lists, preset.rules, baseline?.reports?.log);
  const integrity = bySuspicion(
    [...droppings, ...runFindings(evidence, listed, preset.rules, baseline)],
    suspicion,
  );
  const voiding = integrity.filter(({ effect }) => effect === 'voided');
  const isTampered = graded.resolved && voiding.length > 0;
  const why = isTampered ? tampered(voiding) : unresolved(evidence, graded);
  const resolved = graded.resolved && !isTampered;
  const verdict: GradeVerdict = {
    reward: resolved ? 1 : 0,
    resolved,
    partial: graded.partial && voiding.length === 0,
    preset: preset.name,
    relaxations: relaxations(preset.rules),
    ...(resolved ? { reason: null, detail: '' } : why),
    tests_status: graded.tests_status,
    integrity,
    patch,
    repeats: 0,
  };
  return resolved ? masked(verdict) : verdict;
}

/** The verdict on a patch that passed: without a reward if a finding masks it. */
function masked(verdict: GradeVerdict): GradeVerdict {
  const doubts = verdict.integrity.filter(({ effect }) => effect === 'masked');
  if (doubts.length === 0) return verdict;
  const detail = named(doubts.map((finding) => finding.detail));
  return { ...verdict, reward: null, resolved: false, reason: 'doubtful', detail };
}

type Why = Pick<GradeVerdict, 'reason' | 'detail'>;

function tampered(findings: readonly Finding[]): Why {
  const detail = findings.map((finding) => `${finding.rule}: ${finding.detail}`).join('; ');
  return { reason: 'tampering', detail };
}

function unresolved({ run }: RunEvidence, { gradable, tests_status, partial }: Verdict): Why {
  if (run.timedOut) return { reason: 'time-limit', detail: 'the tests ran into their time limit' };
  if (!gradable.ok && gradable.reason === 'build-failed')
    return { reason: 'build-failed', detail: gradable.detail };
  if (!gradable.ok) return { reason: 'not-gradable', detail: `${gradable.reason}: ${gradable.detail}` };
  if (tests_status === null) return { reason: 'not-resolved', detail: `exit code ${run.exitCode}` };
  const { FAIL_TO_PASS, PASS_TO_PASS } = tests_status;
  const failing = [...FAIL_TO_PASS.failure, ...PASS_TO_PASS.failure];
  const share = `${failing.length} listed ${failing.length === 1 ? 'test does' : 'tests do'} not pass`;
  return { reason: 'not-resolved', detail: `${share}${partial ? ' (partial)' : ''}: ${named(failing)}` };
}
