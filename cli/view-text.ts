/** A rollout or a validation as a text for a terminal: what was thought, done and seen, the diff, and the verdict. */

import { visible } from '../app/shown.ts';
import type { TestEvidence } from '../app/view/evidence.ts';
import type { GradeView, ItemView, RolloutView, ValidationView } from '../app/view/item-view.ts';
import type { ShownAction, ShownStep } from '../app/view/steps.ts';
import { formatCount, plural } from '../basics/plural.ts';
import type { Outcome } from '../schemas/outcome.ts';
import { formatDuration } from './duration.ts';
import { type Paint, toneOf } from './style.ts';

const INDENT = '  ';
/** Lines at the end of a log that are shown; all of it is in `logs`. */
const LOG_LINES = 40;

export interface ViewTextOptions {
  paint: Paint;
  /** Whole logs and prompts. */
  isFull: boolean;
}

export function viewText(view: ItemView, options: ViewTextOptions): string {
  const parts = view.kind === 'rollout' ? rolloutParts(view, options) : validationParts(view, options);
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function rolloutParts(view: RolloutView, options: ViewTextOptions): string[] {
  const { paint } = options;
  const { trajectory, steps, patch, grade } = view;
  return [
    [paint('strong', view.item), ...headLines(view, options)].join('\n'),
    ...(options.isFull ? firstMessages(view, paint) : []),
    ...steps.map((step) => stepText(step, steps.length, paint)),
    trajectory === null
      ? ''
      : `${paint('strong', 'exit')}  ${trajectory.exit_status}${trajectory.exit_detail === '' ? '' : `: ${visible(trajectory.exit_detail)}`}`,
    patchText(patch, paint),
    ...(grade === null ? [`${paint('strong', 'verdict')}  none yet`] : gradeParts(grade, options)),
  ];
}

function headLines(
  { outcome, isCurrent, trajectory, timings, steps }: RolloutView,
  { paint }: ViewTextOptions,
) {
  const tokens = trajectory?.calls.reduce((sum, call) => sum + (call.completion_tokens ?? 0), 0) ?? 0;
  const facts = [
    trajectory?.model?.name ?? trajectory?.agent.type ?? 'a patch that someone else wrote',
    ...(steps.length > 0 ? [plural(steps.length, 'step')] : []),
    ...(tokens > 0 ? [`${formatCount(tokens)} tokens written`] : []),
    ...(timings === null ? [] : [formatDuration(timings.total - timings.waited)]),
  ];
  return [
    visible(facts.join(' · ')),
    ...promptLines(trajectory, paint),
    ...(outcome.status === 'ok' ? [] : [outcomeText(outcome, paint)]),
    ...(isCurrent
      ? []
      : [paint('doubt', 'an earlier answer: the present project has none for this item yet')]),
  ];
}

/** With `model.render: exact`: how prompts were sent, and why some fell back. */
function promptLines(trajectory: RolloutView['trajectory'], paint: Paint): string[] {
  const calls = trajectory?.calls ?? [];
  const tokenIn = calls.filter(({ token_in }) => token_in === true).length;
  const reasons = calls.flatMap(({ fell_back }) => fell_back ?? []);
  if (tokenIn + reasons.length === 0) return [];
  const counted = [...new Set(reasons)].map(
    (reason) => `${reasons.filter((one) => one === reason).length} fell back: ${visible(reason)}`,
  );
  return [
    `${tokenIn} of ${calls.length} prompts sent as ids`,
    ...counted.map((line) => paint('doubt', line)),
  ];
}

function outcomeText(outcome: Outcome, paint: Paint): string {
  const detail = 'detail' in outcome ? ` ${outcome.reason}: ${visible(outcome.detail)}` : '';
  return paint(toneOf(outcome.status), outcome.status) + detail;
}

/** The messages before the model's first step. */
function firstMessages({ trajectory }: RolloutView, paint: Paint): string[] {
  const first = trajectory?.messages.filter(({ kind }) => kind === 'system' || kind === 'task') ?? [];
  return first.map(({ kind, content }) => `${paint('strong', kind)}\n${indented(visible(content))}`);
}

function stepText(step: ShownStep, total: number, paint: Paint): string {
  const facts = [
    ...(step.modelMs === null ? [] : [`${formatDuration(step.modelMs)} model`]),
    ...(step.actionsMs === null ? [] : [`${formatDuration(step.actionsMs)} commands`]),
    ...(step.promptTokens === null
      ? []
      : [`${formatCount(step.promptTokens)} → ${formatCount(step.completionTokens ?? 0)} tokens`]),
    ...(step.reward === null ? [] : [`judged ${step.reward}`]),
  ];
  const heading = step.line?.heading ?? null;
  const lines = [
    ...(heading === null ? [] : [paint('strong', `── ${visible(heading)} ──`)]),
    `${paint('strong', `step ${step.number}/${total}`)}${step.line === null ? '' : `  ${paint('doubt', visible(step.line.agent))}`}${facts.length === 0 ? '' : `  ${paint('faint', facts.join(' · '))}`}`,
    ...(step.reasoning === '' ? [] : [labelled('reasoning', step.reasoning, paint)]),
    ...(step.thought === '' ? [] : [labelled('thought', step.thought, paint)]),
    ...step.actions.flatMap((action) => actionLines(action, paint)),
    ...(step.complaint === ''
      ? []
      : [`${INDENT}${paint('bad', 'no action')}\n${indented(visible(step.complaint))}`]),
  ];
  return lines.join('\n');
}

function labelled(label: string, text: string, paint: Paint): string {
  const [first = '', ...rest] = visible(text).split('\n');
  const gap = ' '.repeat(10);
  return [
    `${INDENT}${paint('faint', label.padEnd(10))}${first}`,
    ...rest.map((line) => `${INDENT}${gap}${line}`),
  ].join('\n');
}

function actionLines({ tool, command, observation }: ShownAction, paint: Paint): string[] {
  const sign = tool === 'bash' ? '$' : tool;
  const [first = '', ...rest] = visible(command).split('\n');
  const shown = [
    `${INDENT}${paint('strong', `${sign} ${first}`)}`,
    ...rest.map((line) => `${INDENT}  ${line}`),
  ];
  if (observation === null) return shown;
  const { output, exit_code, timed_out, truncated } = observation;
  const end = [
    ...(timed_out ? ['time limit'] : []),
    ...(exit_code === null || exit_code === 0 ? [] : [`exit ${exit_code}`]),
    ...(truncated ? ['cut in the middle'] : []),
  ];
  return [
    ...shown,
    ...(output.trim() === '' ? [] : [indented(visible(output.replace(/\n+$/, '')))]),
    ...(end.length === 0 ? [] : [`${INDENT}${paint('bad', end.join(' · '))}`]),
  ];
}

function patchText(patch: string, paint: Paint): string {
  if (patch.trim() === '') return `${paint('strong', 'diff')}  empty`;
  const lines = visible(patch.replace(/\n$/, '')).split('\n');
  return [paint('strong', 'diff'), ...lines.map((line) => INDENT + paint(diffTone(line), line))].join('\n');
}

function diffTone(line: string): 'good' | 'bad' | 'faint' | 'plain' {
  if (/^(\+\+\+|---|diff |index )/.test(line)) return 'faint';
  if (line.startsWith('+')) return 'good';
  if (line.startsWith('-')) return 'bad';
  return line.startsWith('@@') ? 'faint' : 'plain';
}

function gradeParts(
  { verdict, tests, findings, outcome, log, isCurrent }: GradeView,
  options: ViewTextOptions,
) {
  const { paint } = options;
  const summary =
    verdict === null
      ? outcomeText(outcome, paint)
      : verdict.resolved
        ? `${paint('good', 'resolved')}, reward ${verdict.reward}`
        : `${paint('bad', 'not resolved')}${verdict.detail === '' ? '' : `: ${visible(verdict.detail)}`}`;
  const rules =
    verdict === null ? [] : [`${INDENT}rules ${[verdict.preset, ...verdict.relaxations].join('; ')}`];
  return [
    [
      `${paint('strong', 'verdict')}  ${summary}`,
      ...(isCurrent ? [] : [`${INDENT}an earlier verdict: the present project has none yet`]),
      ...rules,
      ...findings.map((one) => findingLine(one, paint)),
    ].join('\n'),
    testLines(tests, paint),
    logText(log, options),
  ];
}

function findingLine(
  { rule, effect, detail, files, steps }: GradeView['findings'][number],
  paint: Paint,
): string {
  const places = [
    ...(files.length === 0 ? [] : [`in ${files.join(', ')}`]),
    ...(steps.length === 0 ? [] : [`step ${steps.join(', ')}`]),
  ];
  const tone = effect === 'voided' || effect === 'refused' ? 'bad' : 'doubt';
  const place = places.length === 0 ? '' : `  (${places.join('; ')})`;
  return `${INDENT}${paint(tone, effect)} ${rule}: ${visible(detail + place)}`;
}

/** Tests that fail with the lines that say so; those that pass by their number. */
function testLines(tests: readonly TestEvidence[], paint: Paint): string {
  const failing = tests.filter(({ passed }) => !passed);
  const wanted = tests.filter(({ list, passed }) => list === 'FAIL_TO_PASS' && passed);
  return [...failing, ...wanted]
    .flatMap(({ test, list, passed, lines }) => [
      `${INDENT}${passed ? paint('good', 'passes') : paint('bad', 'fails ')} ${visible(test)}  ${paint('faint', list)}`,
      ...lines.map(({ number, text }) => `${INDENT}  ${paint('faint', `log ${number}`)}  ${visible(text)}`),
    ])
    .join('\n');
}

function logText(log: string, { paint, isFull }: ViewTextOptions): string {
  const lines = visible(log.replace(/\n+$/, '')).split('\n');
  if (lines.length === 1 && lines[0] === '') return '';
  const left = isFull ? 0 : Math.max(0, lines.length - LOG_LINES);
  const cut =
    left === 0 ? [] : [`${INDENT}${paint('faint', `… ${formatCount(left)} lines above; --full shows all`)}`];
  return [paint('strong', 'log'), ...cut, ...lines.slice(left).map((line) => INDENT + line)].join('\n');
}

function validationParts(view: ValidationView, options: ViewTextOptions): string[] {
  const { paint } = options;
  const groups = Object.entries(view.tests ?? {}).filter(
    ([, tests]) => Array.isArray(tests) && tests.length > 0,
  );
  return [
    [
      paint('strong', view.item),
      outcomeText(view.outcome, paint),
      ...(view.isCurrent
        ? []
        : [paint('doubt', 'an earlier answer: the present project has none for this item yet')]),
    ].join('\n'),
    ...groups.map(([name, tests]) =>
      [
        paint('strong', name.replaceAll('_', ' ')),
        ...(tests as string[]).map((test) => INDENT + visible(test)),
      ].join('\n'),
    ),
    logText(view.log, options),
  ];
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `${INDENT}${INDENT}${line}`.trimEnd())
    .join('\n');
}
