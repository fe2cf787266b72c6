/**
 * evaluate: how much of the benchmark each model, or each set of patches from elsewhere, resolves. There is an item
 * for each name. Its files have upstream's form, with the rate, its denominator and its interval beside them.
 */

import { fault, type Result, success } from '../../basics/result.ts';
import { validatedDatasets } from '../../contract/config.ts';
import { defineStage } from '../../contract/define.ts';
import type { Input } from '../../contract/input.ts';
import type { ItemReader, ItemResult, ItemResults } from '../../contract/reader.ts';
import type { ActionResult } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import type { Infra } from '../../schemas/outcome.ts';
import { infra } from '../../schemas/outcome.ts';
import { evaluationDatasets } from '../rollouts/datasets.ts';
import { splitItem } from '../rollouts/item-name.ts';
import { readPredictions } from '../rollouts/predictions.ts';
import { PATCHES } from '../rollouts/resolve-solver.ts';
import { type EvaluatedName, readEvaluatedNames } from '../rollouts/solver.ts';
import { runReport } from './buckets.ts';
import { DEFAULT_COMMAND } from './command.ts';
import {
  type Evaluated,
  evaluateOfficially,
  HARNESS,
  type Harness,
  type OfficialEvaluation,
} from './harness.ts';
import { type EvaluationMetrics, metricsOf, summaryText } from './metrics.ts';
import { evaluateNatively } from './native.ts';
import { readSamples, type Sample } from './sample.ts';

/** One name that is evaluated. */
interface EvaluateItem {
  dataset: string;
  who: EvaluatedName;
  /** Digests of someone else's files; null for an agent. */
  patches: string[] | null;
  /** null: our own grader grades. */
  harness: Harness | null;
  /** Digests of the files that its command names. */
  scripts: string[];
}

export const evaluateStage = defineStage({
  name: 'evaluate',
  version: 6,
  uses: ['cache', 'processes', 'projectFolder', 'engineOf'],
  exports: true,
  // Without models of its own it would ask the agent's model, which is the trainer's while that runs.
  besideTraining: ({ evaluation, trainer }) =>
    evaluation?.models !== undefined || (trainer?.rl?.type ?? 'none') === 'none',
  asks: [PATCHES, HARNESS],

  nodes: (config) =>
    evaluationDatasets(config).map((dataset) => ({
      dataset,
      inputs: {
        dataset: `dataset.${dataset}`,
        predict: `predict.${dataset}`,
        ...(config.evaluation!.harness === 'native' ? { grade: `grade.${dataset}` } : {}),
        ...(validatedDatasets(config).includes(dataset) ? { validate: `validate.${dataset}` } : {}),
      },
    })),

  async plan(reader) {
    const { harness: kind, command = DEFAULT_COMMAND } = (await reader.config('evaluation'))!;
    let harness: Harness | null = null;
    let scripts: string[] = [];
    if (kind === 'swebench') {
      const identity = await reader.ask(HARNESS, command);
      if (!identity.ok) return identity;
      harness = { command, version: identity.value.version };
      scripts = identity.value.scripts;
    }
    const items = [];
    for (const who of await readEvaluatedNames(reader)) {
      const patches = who.files === null ? success(null) : await reader.ask(PATCHES, who.files);
      if (!patches.ok) return patches;
      const data: EvaluateItem = { dataset: reader.dataset, who, patches: patches.value, harness, scripts };
      items.push({ name: who.name, needs: { dataset: '' }, resources: { cpu: 1 }, data });
    }
    return success(items);
  },

  inputs: (item, { dataset, who, patches, harness, scripts }) =>
    success({
      config: item.value({ name: who.name, dataset }),
      harness: item.value(harness),
      scripts: scripts.length === 0 ? item.unkeyed(scripts) : item.value(scripts),
      dataset: item.need('dataset'),
      answers: item.results('predict', ({ name }) => splitItem(name).sample === who.name),
      verdicts: given(item, 'grade', ({ name }) => splitItem(name).sample === who.name),
      validated: given(item, 'validate', () => true),
      patches: item.value(patches),
      // Their paths decide nothing, and their content is compared when they are read.
      files: item.unkeyed(who.files),
    }),

  async run({ config, harness, scripts, dataset, answers, verdicts, validated, patches, files }, tools) {
    const foreign = await foreignIds(files, patches, tools);
    if (!foreign.ok) return { outcome: foreign.fault, outputs: {} };
    const ids = foreign.value;
    const absent = (instance: string) => ids !== null && !ids.has(instance);
    const read = { dataset, predictions: answers, verdicts, validated };
    const samples = await readSamples(config.name, read, absent, tools);
    const known = new Set(samples.map(({ instance_id }) => instance_id));
    const unknown = [...(ids ?? [])].filter((id) => !known.has(id)).sort();
    return evaluate({ ...config, harness, scripts, answer: dataset, samples, unknown }, tools);
  },
});

/** Answers of an input that may not be there. */
function given(
  item: ItemReader,
  role: string,
  wanted: (entry: { name: string }) => boolean,
): Input<ItemResults | null> {
  return item.hasInput(role) ? item.results(role, wanted) : item.value(null);
}

/** The instances that someone else's files hold a patch of; null for an agent. */
async function foreignIds(
  files: string[] | null,
  digests: string[] | null,
  { machine }: Tools,
): Promise<Result<Set<string> | null, Infra>> {
  if (files === null) return success(null);
  const read = await readPredictions(files, machine, digests!);
  return read.ok ? success(new Set(read.value.keys())) : fault(infra('tool-missing', read.fault));
}

interface Evaluation {
  name: string;
  dataset: string;
  harness: Harness | null;
  scripts: readonly string[];
  answer: ItemResult;
  samples: Sample[];
  unknown: string[];
}

async function evaluate(
  { name, dataset, harness, scripts, answer, samples, unknown }: Evaluation,
  tools: Tools,
): Promise<ActionResult> {
  const { predictions, results, summary, exitStatuses } = await import('../../agent/exports/overview.ts');
  const lines = samples.flatMap(({ line }) => line ?? []);
  const preds = predictions(lines, ({ instance_id }) => instance_id).text;
  const placed = harness === null ? null : { ...harness, scripts, place: placeOf(dataset, tools) };
  const evaluated = await evaluateSamples(name, samples, preds, answer, placed, tools);
  if (!evaluated.ok) return { outcome: evaluated.fault, outputs: {} };
  const { verdicts } = evaluated.value;
  // The grader says what is resolved. A fault is no result: report.json and metrics.json name it.
  const judged = lines.flatMap((line) => {
    const { bucket, isInfra } = verdicts.get(line.instance_id)!;
    return isInfra ? [] : [{ ...line, result: { ...line.result, resolved: bucket === 'resolved' } }];
  });
  const byId = [...judged].sort((a, b) => (a.instance_id < b.instance_id ? -1 : 1));
  const kind: EvaluationMetrics['harness'] = harness === null ? 'native' : 'swebench';
  const metrics = metricsOf({
    name,
    dataset,
    harness: kind,
    samples,
    verdicts,
    unknown,
  });
  return {
    outcome: { status: 'ok' },
    outputs: {
      'preds.json': tools.store(preds),
      'report.json': tools.store(evaluated.value.report),
      'run_batch_exit_statuses.yaml': tools.store(exitStatuses(lines, ({ exit }) => exit).text),
      'metrics.json': tools.store(json(metrics)),
      'summary.md': tools.store(summaryText(metrics, verdicts)),
    },
    // Notes hold times, so they are in no key.
    notes: {
      'results.jsonl': tools.store(results(byId).text),
      'summary.json': tools.store(summary(judged, dataset).text),
      'reports.jsonl': tools.store(reportLines(evaluated.value.reports)),
      ...(evaluated.value.log === '' ? {} : { 'harness.log': tools.store(evaluated.value.log) }),
    },
  };
}

/** The deployment that the project names for the benchmark; null: none. */
function placeOf(dataset: string, { setting }: Tools): string | null {
  const named = setting('evaluation', 'deployment') ?? setting('dataset', dataset, 'deployment');
  return (named as string | undefined) ?? null;
}

async function evaluateSamples(
  name: string,
  samples: Sample[],
  preds: string,
  dataset: ItemResult,
  harness: OfficialEvaluation['harness'] | null,
  tools: Tools,
): Promise<Result<Evaluated, Infra>> {
  if (harness !== null)
    return evaluateOfficially({ name, samples, predictions: preds, dataset, harness }, tools);
  const verdicts = evaluateNatively(samples);
  const reports = samples.flatMap(({ instance_id, report }): [string, unknown][] => {
    const own = (report as Record<string, unknown> | null)?.[instance_id];
    return own === undefined ? [] : [[instance_id, own]];
  });
  return success({ verdicts, report: json(runReport(verdicts)), reports: new Map(reports), log: '' });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** report.json of every instance, one a line. */
function reportLines(reports: ReadonlyMap<string, unknown>): string {
  return [...reports].map(([id, report]) => `${JSON.stringify({ [id]: report })}\n`).join('');
}
