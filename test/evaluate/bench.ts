/**
 * The engine on evaluate and report, with stand-ins for validation, rollouts and grading that answer what a test
 * says; datasets, the project file, processes and the cache are the real ones.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RolloutTimings } from '../../agent/rollout.ts';
import { success } from '../../basics/result.ts';
import { openCache, readText, storeText } from '../../cache/cache.ts';
import { loadProject } from '../../compiler/load.ts';
import type { Services } from '../../contract/machine.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { Item, Stage } from '../../contract/stage.ts';
import { createProcessRunner } from '../../executors/process/runner.ts';
import type { Finding } from '../../grading/findings.ts';
import { type FailedReason, type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { datasetStage } from '../../stages/dataset/stage.ts';
import { evaluateStage } from '../../stages/evaluate/stage.ts';
import { reportStage } from '../../stages/report/stage.ts';
import { evaluationDatasets, rolloutDatasets } from '../../stages/rollouts/datasets.ts';
import { itemName } from '../../stages/rollouts/item-name.ts';
import { type RolloutSummary, summaryOf } from '../../stages/rollouts/summary.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { runStages } from '../rig/run-stages.ts';
import { row } from '../sft-data/bench.ts';
import { type Maker, trajectory } from '../sft-data/trajectories.ts';

/** A rollout as the stand-ins answer it; without a reason it is resolved. */
export interface Scored extends Maker {
  instance: string;
  sample: string;
  patch?: string;
  reason?: FailedReason | 'time-limit';
  partial?: boolean;
  /** No trajectory: a patch that someone else wrote. */
  isForeign?: boolean;
  fault?: 'rollouts' | 'grade';
  /** The environment failed. */
  isBroken?: boolean;
  integrity?: Finding[];
  /** What the log looks like. */
  hint?: { tier: 'environment' | 'ambiguous'; reason: string };
  /** null: none are kept. */
  timings?: (Partial<RolloutTimings> & { open?: number; queued?: number }) | null;
  summary?: Partial<RolloutSummary>;
}

export const ROLLED = `agent: { type: oracle }\n`;

export class Bench {
  readonly folder = temporaryFolder();
  rows: Record<string, unknown>[] = [];
  scored: Scored[] = [];
  /** Instances that did not pass validation. */
  invalid: string[] = [];
  /** Further YAML of the project. */
  yaml = ROLLED;
  env: NodeJS.ProcessEnv = process.env;

  addInstances(...names: string[]): void {
    for (const name of names) this.rows.push(row(name, { commit: this.rows.length + 1 }));
  }

  addInstance(name: string, repo: string): void {
    this.rows.push(row(name, { commit: this.rows.length + 1, repo }));
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  /** Runs all stages; `text` gives an output or note of an item. */
  async run(...set: string[]) {
    this.write('rows.jsonl', this.rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
    this.write('p.yaml', `${HEAD}${this.yaml}`);
    const loaded = await loadProject('p.yaml', { env: {}, cwd: this.folder, set });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault, null, 1));
    const { config } = loaded.value;
    const stages = [
      datasetStage,
      this.#validate(),
      ...this.#rollouts(),
      this.#grade(),
      evaluateStage,
      reportStage,
    ];
    const cache = await openCache(join(this.folder, '.swemake'));
    const secrets = createSecrets(new Map(), {});
    const processes = createProcessRunner({
      stateFolder: join(cache.folder.executors, 'process'),
      env: this.env,
      secrets,
    });
    const services = {
      cache,
      config,
      projectFolder: this.folder,
      processes,
      shared: new Map(),
      secrets,
      signal: new AbortController().signal,
      env: this.env,
    } as unknown as Services;
    const end = await runStages(stages, services);
    await processes.close();
    const texts = new Map<string, string>();
    for (const { state } of end.nodes.values())
      for (const { name: item } of state.entries()) {
        const { outputs = {}, notes = {} } = state.record(item) ?? {};
        for (const [name, output] of Object.entries({ ...outputs, ...notes }))
          texts.set(`${state.address}@${item} ${name}`, (await readText(cache, output)) ?? '');
      }
    await cache.close();
    const text = (address: string, item: string, output: string): string => {
      const found = texts.get(`${address}@${item} ${output}`);
      if (found === undefined) throw new Error(`no ${output}: ${JSON.stringify(outcome(address, item))}`);
      return found;
    };
    const outcome = (address: string, item: string): Outcome | undefined =>
      end.nodes.get(address)!.blocked ?? end.nodes.get(address)!.state.entry(item)?.outcome;
    return {
      ran: Object.fromEntries([...end.nodes].map(([address, { state }]) => [address, state.executed])),
      outcome,
      text,
      json: (address: string, item: string, output: string) => JSON.parse(text(address, item, output)),
    };
  }

  #validate(): Stage {
    const invalid = new Set(this.invalid);
    return {
      ...standIn('validate'),
      nodes: () => [node('validate', 'train', { dataset: 'dataset.train' }, this.invalid)],
      expand: async () =>
        success(this.rows.map(({ instance_id }) => ({ name: `${instance_id}`, needs: {}, data: null }))),
      parts: async (_node, { name }) => success({ name: { value: name }, bad: { value: invalid.has(name) } }),
      run: async (_node, { name }) => ({
        outcome: invalid.has(name) ? GOLD_FAILS : { status: 'ok' },
        outputs: {},
      }),
    };
  }

  #rollouts(): Stage[] {
    const of = (name: string, datasets: typeof rolloutDatasets): Stage => ({
      ...standIn(name),
      nodes: (config) =>
        datasets(config).map((dataset) =>
          node(name, dataset, { dataset: `dataset.${dataset}` }, this.scored),
        ),
      expand: async () => success(this.scored.map((one) => item(one, { dataset: '' }))),
      parts: async (_node, { data, name: of }) =>
        success({
          name: { value: of },
          made: { value: JSON.stringify({ ...(data as Scored), timings: null, fault: null }) },
        }),
      run: async (_node, { data }, _needs, context) => {
        const scored = data as Scored;
        if (scored.isBroken) return { outcome: BROKEN, outputs: {} };
        if (scored.fault === 'rollouts') return { outcome: DOWN, outputs: {} };
        const made = { ...trajectory(scored), ...patchOf(scored) };
        const text = (value: unknown) => storeText(context.cache, JSON.stringify(value));
        const summary = { ...(scored.isForeign ? foreign(scored) : summaryOf(made)), ...scored.summary };
        return {
          outcome: { status: 'ok' },
          outputs: {
            ...(scored.isForeign ? {} : { trajectory: text(made) }),
            patch: storeText(context.cache, made.patch),
            summary: text(summary),
          },
          ...(scored.timings == null ? {} : { notes: { timings: text({ ...NO_TIME, ...scored.timings }) } }),
        };
      },
    });
    return [of('rollouts', rolloutDatasets), of('predict', evaluationDatasets)];
  }

  #grade(): Stage {
    return {
      ...standIn('grade'),
      nodes: (config) => [
        ...rolloutDatasets(config).map((dataset) =>
          node('grade', dataset, { rollout: `rollouts.${dataset}` }, this.scored),
        ),
        ...evaluationDatasets(config).map((dataset) =>
          node('grade', dataset, { rollout: `predict.${dataset}` }, this.scored),
        ),
      ],
      expand: async () =>
        success(this.scored.map((one) => item(one, { rollout: itemName(one.instance, one.sample) }))),
      parts: async (_node, { data, name }, needs) =>
        success({
          name: { value: name },
          patch: { value: needs.rollout!.outputs.patch?.digest ?? '' },
          reason: { value: (data as Scored).reason ?? '' },
        }),
      run: async (_node, { data }, _needs, context) => {
        const {
          fault,
          isBroken,
          reason = null,
          integrity = [],
          partial = false,
          hint,
          instance,
        } = data as Scored;
        if (isBroken) return { outcome: BROKEN, outputs: {} };
        if (fault === 'grade') return { outcome: LOST, outputs: {} };
        const reward = reason === null ? 1 : 0;
        const verdict = {
          ...{ reward, resolved: reward === 1, partial, preset: 'swebench-5', relaxations: [], reason },
          ...{
            detail: reason ?? '',
            tests_status: null,
            integrity,
            patch: { files: 1, bytes: 9, dropped: [] },
          },
        };
        const report = {
          ...{ patch_is_None: false, patch_exists: true, resolved: reward === 1 },
          infra_failure: hint?.tier === 'environment',
          ...(hint === undefined ? {} : { infra_failure_reason: hint.reason }),
        };
        const text = (value: unknown) => storeText(context.cache, JSON.stringify(value));
        return {
          outcome: outcomeOf(reason),
          outputs: { verdict: text(verdict) },
          notes: { report: text({ [instance]: report }) },
        };
      },
    };
  }
}

const HEAD = `version: 1
name: bench
dataset:
  train: { source: rows.jsonl, format: swe-bench }
deployments: { box: { type: sandbox } }
validation: { deployment: box }
`;

const BROKEN: Outcome = { status: 'failed', reason: 'environment-failed', detail: 'it does not install' };
const GOLD_FAILS: Outcome = { status: 'failed', reason: 'gold-fails', detail: '' };
const DOWN: Infra = infra('endpoint', 'the endpoint is down');
const LOST: Infra = infra('executor', 'the host is gone');
const NO_TIME = { total: 0, waited: 0, calls: [], steps: [], diff: 0, open: 0, queued: 0 };

function outcomeOf(reason: Scored['reason'] | null): Outcome {
  if (reason == null) return { status: 'ok' };
  if (reason === 'time-limit') return { status: 'timeout', reason, detail: 'the tests took too long' };
  return { status: 'failed', reason, detail: `it is ${reason}` };
}

function patchOf({ patch, instance, sample }: Scored): Pick<Trajectory, 'patch' | 'patch_source'> {
  const text = patch ?? `diff --git a/${instance} b/${instance}\n+${sample}\n`;
  return { patch: text, patch_source: text === '' ? 'none' : 'workspace' };
}

function foreign({ instance, sample }: Scored): RolloutSummary {
  return {
    ...{ instance_id: instance, sample, exit_status: null, steps: 0, calls: 0, actions: 0 },
    ...{ prompt_tokens: null, completion_tokens: null, cost: null, model: null, final_step_reward: null },
  };
}

function standIn(name: string) {
  return {
    name,
    version: 1,
    streams: [],
    surroundings: async () => success({}),
    resources: () => ({ cpu: 1 }),
  };
}

function node(stage: string, dataset: string, inputs: Record<string, string>, decides: unknown) {
  return {
    address: `${stage}.${dataset}`,
    stage,
    dataset,
    inputs,
    exports: false,
    config: JSON.stringify(decides),
  };
}

function item(scored: Scored, needs: Record<string, string>): Item {
  return { name: itemName(scored.instance, scored.sample), needs, data: scored };
}
