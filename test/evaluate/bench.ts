/**
 * The engine on evaluate and report, with stand-ins for validation, rollouts and grading that answer what a test
 * says; datasets, the project file, processes and the cache are the real ones.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RolloutTimings } from '../../agent/rollout.ts';
import { createEngines } from '../../app/engines.ts';
import { success } from '../../basics/result.ts';
import { openCache, readText } from '../../cache/cache.ts';
import { loadProject } from '../../compiler/load.ts';
import { defineStage, type PlannedItem } from '../../contract/define.ts';
import type { Services } from '../../contract/machine.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { AnyStage } from '../../contract/stage.ts';
import { createProcessRunner } from '../../executors/process/runner.ts';
import { KINDS } from '../../executors/registry.ts';
import type { Finding } from '../../grading/rules/findings.ts';
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
import { said } from '../rig/said.ts';
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

export const ROLLED = `agent: { type: bash, model: { base_url: "http://127.0.0.1:1/v1", name: m, identity: "m@1" } }\n`;

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
      engineOf: createEngines(KINDS, config, this.env),
      shared: {},
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

  #validate(): AnyStage {
    const invalid = said('invalid', () => this.invalid);
    return defineStage({
      name: 'validate',
      version: 1,
      exports: false,
      asks: [invalid],
      nodes: () => [{ dataset: 'train', inputs: { dataset: 'dataset.train' } }],
      plan: async (reader) => {
        const bad = await reader.ask(invalid, null);
        if (!bad.ok) return bad;
        return success(
          this.rows.map(({ instance_id }) => {
            const name = `${instance_id}`;
            const data = { name, bad: bad.value.includes(name) };
            return { name, needs: {}, resources: { cpu: 1 }, data };
          }),
        );
      },
      inputs: (item, data) => success({ what: item.value(data) }),
      run: async ({ what }) => ({ outcome: what.bad ? GOLD_FAILS : { status: 'ok' }, outputs: {} }),
    });
  }

  #rollouts(): AnyStage[] {
    const scored = said('scored', () => decidingText(this.scored));
    const of = (name: string, datasets: typeof rolloutDatasets): AnyStage =>
      defineStage({
        name,
        version: 1,
        exports: false,
        asks: [scored],
        nodes: (config) =>
          datasets(config).map((dataset) => ({ dataset, inputs: { dataset: `dataset.${dataset}` } })),
        plan: async (reader) => {
          await reader.ask(scored, null);
          return success(this.scored.map((one) => planned(one, { dataset: '' })));
        },
        inputs: (item, data) =>
          success({
            name: item.value(itemName(data.instance, data.sample)),
            made: item.value(decidingText([data])),
            scored: item.unkeyed(data),
          }),
        run: async ({ scored: one }, tools) => {
          if (one.isBroken) return { outcome: BROKEN, outputs: {} };
          if (one.fault === 'rollouts') return { outcome: DOWN, outputs: {} };
          const made = { ...trajectory(one), ...patchOf(one) };
          const text = (value: unknown) => tools.store(JSON.stringify(value));
          const summary = { ...(one.isForeign ? foreign(one) : summaryOf(made)), ...one.summary };
          return {
            outcome: { status: 'ok' },
            outputs: {
              ...(one.isForeign ? {} : { trajectory: text(made) }),
              patch: tools.store(made.patch),
              summary: text(summary),
            },
            ...(one.timings == null ? {} : { notes: { timings: text({ ...NO_TIME, ...one.timings }) } }),
          };
        },
      });
    return [of('rollouts', rolloutDatasets), of('predict', evaluationDatasets)];
  }

  #grade(): AnyStage {
    const scored = said('scored', () => decidingText(this.scored));
    return defineStage({
      name: 'grade',
      version: 1,
      exports: false,
      asks: [scored],
      nodes: (config) => [
        ...rolloutDatasets(config).map((dataset) => ({
          dataset,
          inputs: { rollout: `rollouts.${dataset}` },
        })),
        ...evaluationDatasets(config).map((dataset) => ({
          dataset,
          inputs: { rollout: `predict.${dataset}` },
        })),
      ],
      plan: async (reader) => {
        await reader.ask(scored, null);
        return success(
          this.scored.map((one) => planned(one, { rollout: itemName(one.instance, one.sample) })),
        );
      },
      inputs: (item, data) =>
        success({
          name: item.value(itemName(data.instance, data.sample)),
          patch: item.output('rollout', 'patch'),
          reason: item.value(data.reason ?? ''),
          scored: item.unkeyed(data),
        }),
      run: async ({ scored: one }, tools) => {
        const { fault, isBroken, reason = null, integrity = [], partial = false, hint, instance } = one;
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
        const text = (value: unknown) => tools.store(JSON.stringify(value));
        return {
          outcome: outcomeOf(reason),
          outputs: { verdict: text(verdict) },
          notes: { report: text({ [instance]: report }) },
        };
      },
    });
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
const LOST: Infra = infra('workspace-lost', 'the host is gone');
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

/** Of what a test says, all that decides an answer. */
function decidingText(all: readonly Scored[]): string {
  return JSON.stringify(all.map((one) => ({ ...one, timings: null, fault: null })));
}

function planned(one: Scored, needs: Record<string, string>): PlannedItem<Scored> {
  return { name: itemName(one.instance, one.sample), needs, resources: { cpu: 1 }, data: one };
}
