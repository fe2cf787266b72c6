/**
 * The engine on golden, balance and sft-data, with stand-ins for rollouts and grading that answer what a test says;
 * datasets, the project file and the cache are the real ones.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../basics/digest.ts';
import { success } from '../../basics/result.ts';
import { openCache, readText, storeText } from '../../cache/cache.ts';
import { loadProject } from '../../compiler/load.ts';
import type { Services } from '../../contract/machine.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { Item, Stage } from '../../contract/stage.ts';
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
    ] as Stage[];
    const cache = await openCache(join(this.folder, '.swemake'));
    const services = {
      cache,
      config,
      projectFolder: this.folder,
      deploymentIdentity: async () => success({ kind: this.isolation, isolation: this.isolation, base: {} }),
      shared: new Map(),
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

  #validate(): Stage {
    return {
      ...standIn('validate'),
      nodes: (config) =>
        rolloutDatasets(config).map((dataset) => ({
          address: `validate.${dataset}`,
          stage: 'validate',
          dataset,
          inputs: { dataset: `dataset.${dataset}` },
          exports: false,
          config: null,
        })),
      expand: async () =>
        success(
          this.rows.map(({ instance_id: name }) => ({
            name: name as string,
            needs: { dataset: '' },
            data: null,
          })),
        ),
      parts: async (_node, { name }) => success({ name: { value: name } }),
      run: async (_node, { name }) => ({
        outcome: this.unvalidated.has(name) ? infra('executor', 'the host is gone') : { status: 'ok' },
        outputs: {},
      }),
    };
  }

  #rollouts(): Stage {
    return {
      ...standIn('rollouts'),
      nodes: (config) =>
        rolloutDatasets(config).map((dataset) => ({
          address: `rollouts.${dataset}`,
          stage: 'rollouts',
          dataset,
          inputs: { dataset: `dataset.${dataset}`, validate: `validate.${dataset}` },
          exports: false,
          config: null,
        })),
      expand: async () => success(this.#rolledOut().map((one) => item(one, { dataset: '' }))),
      parts: async (_node, { data }) =>
        success({ made: { digest: digestOf(JSON.stringify(made(data as Played))) } }),
      run: async (_node, { data }, _needs, context) => {
        if ((data as Played).broken) return { outcome: BROKEN, outputs: {} };
        if ((data as Played).fault === 'rollouts')
          return { outcome: infra('endpoint', 'the endpoint is down'), outputs: {} };
        const of = made(data as Played);
        const text = (value: unknown) => storeText(context.cache, JSON.stringify(value));
        return {
          outcome: { status: 'ok' },
          outputs: {
            trajectory: text(of),
            patch: storeText(context.cache, of.patch),
            summary: text(summaryOf(of)),
          },
        };
      },
    };
  }

  /** What validation has not passed is not rolled out. */
  #rolledOut(): Played[] {
    return this.played.filter(({ instance }) => !this.unvalidated.has(instance));
  }

  #grade(): Stage {
    return {
      ...standIn('grade'),
      nodes: (config) =>
        rolloutDatasets(config).map((dataset) => ({
          address: `grade.${dataset}`,
          stage: 'grade',
          dataset,
          exports: false,
          inputs: { rollout: `rollouts.${dataset}` },
          config: config.grading.preset,
        })),
      expand: async () =>
        success(this.#rolledOut().map((one) => item(one, { rollout: itemName(one.instance, one.sample) }))),
      parts: async (node, { name, data }) =>
        success({
          preset: { value: node.config },
          name: { value: name },
          reward: { value: rewardOf(data as Played) },
        }),
      run: async (node, { data }, _needs, context) => {
        const { fault, broken, relaxations = [] } = data as Played;
        if (broken) return { outcome: BROKEN, outputs: {} };
        if (fault === 'grade') return { outcome: infra('executor', 'the host is gone'), outputs: {} };
        const reward = rewardOf(data as Played);
        const verdict = storeText(
          context.cache,
          JSON.stringify({ reward, preset: node.config, relaxations }),
        );
        const failed: Outcome = { status: 'failed', reason: 'not-resolved', detail: 'a test fails' };
        return { outcome: reward === 1 ? { status: 'ok' } : failed, outputs: { verdict } };
      },
    };
  }
}

const BROKEN: Outcome = { status: 'failed', reason: 'environment-failed', detail: 'it does not install' };

function standIn(name: string) {
  return {
    name,
    version: 1,
    streams: [],
    surroundings: async () => success({}),
    resources: () => ({ cpu: 1 }),
  };
}

function item(played: Played, needs: Record<string, string>): Item {
  return { name: itemName(played.instance, played.sample), needs, data: played };
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
