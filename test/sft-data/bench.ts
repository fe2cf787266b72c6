/**
 * The engine on golden, balance and sft-data, with stand-ins for rollouts and grading that answer what a test says;
 * datasets, the project file and the cache are the real ones.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../basics/digest.ts';
import { success } from '../../basics/result.ts';
import { openCache, readText } from '../../cache/cache.ts';
import { loadProject } from '../../compiler/load.ts';
import { defineStage, type PlannedItem } from '../../contract/define.ts';
import type { Services } from '../../contract/machine.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { AnyStage } from '../../contract/stage.ts';
import type { RunEnd } from '../../engine/run.ts';
import { infra, type Outcome } from '../../schemas/outcome.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { balanceStage } from '../../stages/balance/stage.ts';
import { datasetStage } from '../../stages/dataset/stage.ts';
import { goldenStage } from '../../stages/golden/stage.ts';
import { rolloutDatasets } from '../../stages/rollouts/datasets.ts';
import { itemName } from '../../stages/rollouts/item-name.ts';
import { summaryOf } from '../../stages/rollouts/summary.ts';
import { sftDataStage } from '../../stages/sft-data/stage.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { runStages } from '../rig/run-stages.ts';
import { said } from '../rig/said.ts';
import { type Maker, trajectory } from './trajectories.ts';

/** A rollout as the stand-ins answer it. */
export interface Played extends Maker {
  instance: string;
  sample: string;
  reward?: 0 | 1;
  /** No answer from this stage. */
  fault?: 'rollouts' | 'grade';
  relaxations?: string[];
  /** Its environment failed. */
  broken?: boolean;
  /** Changed after it was made. */
  edit?: (of: Trajectory) => void;
}

export interface BenchRun {
  end: RunEnd;
  /** How many items each stage ran. */
  ran: Record<string, number>;
  outcome(address: string): Outcome;
  /** Text of an output. */
  text(address: string, output: string): Promise<string>;
  lines<T = Record<string, unknown>>(address: string, output: string): Promise<T[]>;
}

export class Bench {
  readonly folder = temporaryFolder();
  rows: Record<string, unknown>[] = [];
  evaluation: Record<string, unknown>[] = [];
  played: Played[] = [];
  isolation: 'sandbox' | 'local' = 'sandbox';
  /** Instances that validation has no answer for. */
  unvalidated = new Set<string>();

  /** Instances `names` of one repository, each at a commit of its own. */
  addInstances(...names: string[]): void {
    for (const name of names) this.rows.push(row(name, { commit: this.rows.length + 1 }));
  }

  /** Runs everything; `set` is laid over the project. */
  async run(...set: string[]): Promise<BenchRun> {
    this.#write();
    const loaded = await loadProject('p.yaml', { env: {}, cwd: this.folder, set });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault, null, 1));
    const { config } = loaded.value;
    const stages = [
      datasetStage,
      this.#validate(),
      this.#rollouts(),
      this.#grade(),
      goldenStage,
      balanceStage,
      sftDataStage,
    ];
    const cache = await openCache(join(this.folder, '.swemake'));
    const services = {
      cache,
      config,
      projectFolder: this.folder,
      deploymentIdentity: async () => success({ kind: this.isolation, isolation: this.isolation, base: {} }),
      shared: {},
      secrets: createSecrets(new Map(), {}),
      signal: new AbortController().signal,
      env: {},
    } as unknown as Services;
    const end = await runStages(stages, services);
    const outcome = (address: string): Outcome => {
      const { state, blocked } = end.nodes.get(address)!;
      return blocked ?? state.entries()[0]!.outcome;
    };
    // Records are read while the cache is open, texts when somebody asks for them.
    const nodes = [...end.nodes].map(
      ([address, { state }]) => [address, state.record('')?.outputs ?? {}] as const,
    );
    const outputs = new Map(nodes);
    await cache.close();
    const text = async (address: string, output: string) => {
      const again = await openCache(join(this.folder, '.swemake'));
      const found = await readText(again, outputs.get(address)?.[output]);
      await again.close();
      if (found === null) throw new Error(`${address} has no ${output}: ${JSON.stringify(outcome(address))}`);
      return found;
    };
    return {
      end,
      ran: Object.fromEntries([...end.nodes].map(([address, { state }]) => [address, state.executed])),
      outcome,
      text,
      lines: async <T>(address: string, output: string) =>
        (await text(address, output))
          .split('\n')
          .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T])),
    };
  }

  #write(): void {
    mkdirSync(this.folder, { recursive: true });
    const jsonl = (rows: readonly unknown[]) => rows.map((one) => `${JSON.stringify(one)}\n`).join('');
    writeFileSync(join(this.folder, 'rows.jsonl'), jsonl(this.rows));
    if (this.evaluation.length > 0) writeFileSync(join(this.folder, 'eval.jsonl'), jsonl(this.evaluation));
    writeFileSync(join(this.folder, 'p.yaml'), yaml(this.evaluation.length > 0));
  }

  #validate(): AnyStage {
    return defineStage({
      name: 'validate',
      version: 1,
      exports: false,
      nodes: (config) =>
        rolloutDatasets(config).map((dataset) => ({ dataset, inputs: { dataset: `dataset.${dataset}` } })),
      plan: async () =>
        success(
          this.rows.map(({ instance_id }) => {
            const name = instance_id as string;
            return { name, needs: { dataset: '' }, resources: { cpu: 1 }, data: name };
          }),
        ),
      inputs: (item, name) => success({ name: item.value(name) }),
      run: async ({ name }) => ({
        outcome: this.unvalidated.has(name) ? infra('workspace-lost', 'the host is gone') : { status: 'ok' },
        outputs: {},
      }),
    });
  }

  #rollouts(): AnyStage {
    const played = said('played', () => this.#rolledOut().map((one) => JSON.stringify(made(one))));
    return defineStage({
      name: 'rollouts',
      version: 1,
      exports: false,
      asks: [played],
      nodes: (config) =>
        rolloutDatasets(config).map((dataset) => ({
          dataset,
          inputs: { dataset: `dataset.${dataset}`, validate: `validate.${dataset}` },
        })),
      plan: async (reader) => {
        await reader.ask(played, null);
        return success(this.#rolledOut().map((one) => planned(one, { dataset: '' })));
      },
      inputs: (item, one) =>
        success({ made: item.named(digestOf(JSON.stringify(made(one)))), played: item.unkeyed(one) }),
      run: async ({ played: one }, tools) => {
        if (one.broken) return { outcome: BROKEN, outputs: {} };
        if (one.fault === 'rollouts')
          return { outcome: infra('endpoint', 'the endpoint is down'), outputs: {} };
        const of = made(one);
        const text = (value: unknown) => tools.store(JSON.stringify(value));
        return {
          outcome: { status: 'ok' },
          outputs: { trajectory: text(of), patch: tools.store(of.patch), summary: text(summaryOf(of)) },
        };
      },
    });
  }

  /** What validation has not passed is not rolled out. */
  #rolledOut(): Played[] {
    return this.played.filter(({ instance }) => !this.unvalidated.has(instance));
  }

  #grade(): AnyStage {
    const rewards = said('rewards', () => this.#rolledOut().map(rewardOf));
    return defineStage({
      name: 'grade',
      version: 1,
      exports: false,
      asks: [rewards],
      nodes: (config) =>
        rolloutDatasets(config).map((dataset) => ({
          dataset,
          exports: false,
          inputs: { rollout: `rollouts.${dataset}` },
        })),
      plan: async (reader) => {
        await reader.ask(rewards, null);
        const preset = await reader.config('grading', 'preset');
        return success(
          this.#rolledOut().map((one) => {
            const { data, ...item } = planned(one, { rollout: itemName(one.instance, one.sample) });
            return { ...item, data: { played: data, preset } };
          }),
        );
      },
      inputs: (item, { played, preset }) =>
        success({
          preset: item.value(preset),
          name: item.value(itemName(played.instance, played.sample)),
          reward: item.value(rewardOf(played)),
          played: item.unkeyed(played),
        }),
      run: async ({ preset, played, reward }, tools) => {
        const { fault, broken, relaxations = [] } = played;
        if (broken) return { outcome: BROKEN, outputs: {} };
        if (fault === 'grade') return { outcome: infra('workspace-lost', 'the host is gone'), outputs: {} };
        const verdict = tools.store(JSON.stringify({ reward, preset, relaxations }));
        const failed: Outcome = { status: 'failed', reason: 'not-resolved', detail: 'a test fails' };
        return { outcome: reward === 1 ? { status: 'ok' } : failed, outputs: { verdict } };
      },
    });
  }
}

const BROKEN: Outcome = { status: 'failed', reason: 'environment-failed', detail: 'it does not install' };

function planned(one: Played, needs: Record<string, string>): PlannedItem<Played> {
  return { name: itemName(one.instance, one.sample), needs, resources: { cpu: 1 }, data: one };
}

function made(played: Played): Trajectory {
  const of = trajectory(played);
  played.edit?.(of);
  return of;
}

function rewardOf({ reward = 1 }: Played): number {
  return reward;
}

export interface RowOptions {
  repo?: string;
  /** Its digits are the commit's. */
  commit?: number;
  issue?: string;
  patch?: string;
}

/** A row of format swe-bench. */
export function row(name: string, { repo = 'owner/tool', commit = 1, issue, patch }: RowOptions = {}) {
  return {
    instance_id: name,
    repo,
    base_commit: commit.toString(16).padStart(8, '0').padEnd(40, 'a'),
    patch: patch ?? 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-return 1\n+return 2\n',
    test_patch: '',
    FAIL_TO_PASS: ['test_a.py::test_a'],
    PASS_TO_PASS: [],
    problem_statement: issue ?? `${name} is wrong`,
  };
}

function yaml(hasEvaluation: boolean): string {
  return `version: 1
name: bench
dataset:
  train: { source: rows.jsonl, format: swe-bench }
${hasEvaluation ? '  eval: { source: eval.jsonl, format: swe-bench }\nevaluation: { dataset: eval }' : ''}
deployments:
  box: { type: sandbox }
validation: { deployment: box }
agent: { type: oracle }
trainer:
  sft: { style: ticks }
`;
}
