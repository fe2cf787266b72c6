/** Rollouts as three tables for data frames: one row a rollout, one a step, one a test. */
import type { ExportedRollout } from '../../agent/exports/rollout.ts';
import { isBaseline } from '../../agent/kinds/registry.ts';
import type { Json } from '../../basics/canonical.ts';
import type { TrajectoryStep } from '../../schemas/trajectory.ts';
import { summaryOf } from '../../stages/rollouts/summary.ts';
import type { ExportFolder } from './folder.ts';
import { type Columns, ParquetFile, type TableRow } from './parquet-file.ts';

/** Which rollout a row is about: the same columns in all tables, by which they are joined. */
const KEY = { stage: 'string', instance_id: 'string', sample: 'string' } as const satisfies Columns;

/** Types are fixed, so that a column without values has one too. */
const TABLES = {
  rollouts: {
    ...KEY,
    repo: 'string',
    model: 'string',
    is_baseline: 'boolean',
    exit_status: 'string',
    reward: 'number',
    resolved: 'boolean',
    partial: 'boolean',
    reason: 'string',
    detail: 'string',
    preset: 'string',
    findings: { list: 'string' },
    steps: 'integer',
    calls: 'integer',
    actions: 'integer',
    prompt_tokens: 'integer',
    completion_tokens: 'integer',
    cost: 'number',
    step_reward: 'number',
    started_at: 'time',
    seconds: 'number',
    waited_seconds: 'number',
    seed: 'integer',
    patch: 'string',
  },
  steps: {
    ...KEY,
    step: 'integer',
    call: 'integer',
    agent: 'string',
    reply: 'string',
    reasoning: 'string',
    finish_reason: 'string',
    truncated: 'boolean',
    tools: { list: 'string' },
    commands: { list: 'string' },
    outputs: { list: 'string' },
    exit_codes: { list: 'integer' },
    timed_out: 'boolean',
    prompt_tokens: 'integer',
    completion_tokens: 'integer',
    cost: 'number',
    step_reward: 'number',
    model_seconds: 'number',
    command_seconds: 'number',
    weights: 'string',
  },
  tests: { ...KEY, test: 'string', list: 'string', passed: 'boolean' },
} as const satisfies Record<string, Columns>;

type Table = keyof typeof TABLES;
/** All columns of a table: one that is forgotten is an error of types. */
type RowOf<Name extends Table> = Record<Exclude<keyof (typeof TABLES)[Name], keyof typeof KEY>, Json>;

/** Where a rollout is from. */
export interface RolloutPlace {
  stage: string;
  /** null: not known. */
  repo: string | null;
}

/** The files of an export while they are written. */
export class TableFiles {
  readonly #files: Record<Table, ParquetFile>;
  readonly #finish: () => Promise<void>;

  private constructor(files: Record<Table, ParquetFile>, finish: () => Promise<void>) {
    this.#files = files;
    this.#finish = finish;
  }

  static async open(folder: ExportFolder): Promise<TableFiles> {
    const names = Object.keys(TABLES) as Table[];
    const places = names.map((name) => folder.beside(`${name}.parquet`));
    const files = await Promise.all(
      names.map(async (name, index) => [
        name,
        await ParquetFile.create(places[index]!.temporary, TABLES[name]),
      ]),
    );
    const finish = async () => {
      for (const place of places) await place.finish();
    };
    return new TableFiles(Object.fromEntries(files) as Record<Table, ParquetFile>, finish);
  }

  async add(rollout: ExportedRollout, place: RolloutPlace): Promise<void> {
    const { instance_id, sample } = rollout;
    const key: TableRow = { stage: place.stage, instance_id, sample };
    await this.#files.rollouts.add({ ...key, ...rolloutRow(rollout, place) });
    for (const row of stepRows(rollout)) await this.#files.steps.add({ ...key, ...row });
    for (const row of testRows(rollout)) await this.#files.tests.add({ ...key, ...row });
  }

  /** Puts the files in their places. Returns how many rows each has. */
  async finish(): Promise<Record<Table, number>> {
    for (const file of Object.values(this.#files)) await file.finish();
    await this.#finish();
    const { rollouts, steps, tests } = this.#files;
    return { rollouts: rollouts.count, steps: steps.count, tests: tests.count };
  }
}

function rolloutRow(rollout: ExportedRollout, { repo }: RolloutPlace): RowOf<'rollouts'> {
  const { sample, trajectory, verdict, findings, timings, startedAt, patch } = rollout;
  const summary = trajectory === null ? null : summaryOf(trajectory);
  const waited = timings?.waited ?? null;
  return {
    repo,
    model: summary?.model ?? null,
    is_baseline: isBaseline(sample),
    exit_status: summary?.exit_status ?? null,
    reward: verdict?.reward ?? null,
    resolved: verdict?.resolved ?? null,
    partial: findings?.partial ?? null,
    reason: findings?.reason ?? null,
    detail: verdict?.detail ?? null,
    preset: findings?.preset ?? null,
    findings: (findings?.integrity ?? []).map(({ rule, effect }) => `${rule}, ${effect}`),
    steps: summary?.steps ?? null,
    calls: summary?.calls ?? null,
    actions: summary?.actions ?? null,
    prompt_tokens: summary?.prompt_tokens ?? null,
    completion_tokens: summary?.completion_tokens ?? null,
    cost: summary?.cost ?? null,
    step_reward: summary?.final_step_reward ?? null,
    started_at: startedAt,
    seconds: timings === null || waited === null ? null : (timings.total - waited) / 1000,
    waited_seconds: waited === null ? null : waited / 1000,
    seed: trajectory?.seed ?? null,
    patch,
  };
}

function stepRows({ trajectory, timings }: ExportedRollout): RowOf<'steps'>[] {
  if (trajectory === null) return [];
  const seconds = (milliseconds: number | undefined) =>
    milliseconds === undefined ? null : milliseconds / 1000;
  return trajectory.steps.map((step: TrajectoryStep, index) => {
    const call = trajectory.calls[step.call]!;
    const message = call.reply === null ? null : trajectory.messages[call.reply]!;
    const { actions, observations, reward } = step;
    return {
      step: index,
      call: step.call,
      agent: call.agent ?? 'main',
      reply: message?.content ?? null,
      reasoning: message?.reasoning ?? null,
      finish_reason: call.finish_reason,
      truncated: call.truncated,
      tools: actions.map(({ tool }) => tool),
      commands: actions.map(({ command }) => command),
      outputs: observations.map(({ output }) => output),
      exit_codes: observations.map(({ exit_code }) => exit_code),
      timed_out: observations.some(({ timed_out }) => timed_out),
      prompt_tokens: call.prompt_tokens,
      completion_tokens: call.completion_tokens,
      cost: call.cost,
      step_reward: reward?.value ?? null,
      model_seconds: seconds(timings?.calls[step.call]?.took),
      command_seconds: seconds(timings?.steps[index]),
      weights: call.weights ?? null,
    };
  });
}

function testRows({ findings }: ExportedRollout): RowOf<'tests'>[] {
  const lists = Object.entries(findings?.tests_status ?? {});
  return lists.flatMap(([list, { success, failure }]) => [
    ...success.map((test) => ({ test, list, passed: true })),
    ...failure.map((test) => ({ test, list, passed: false })),
  ]);
}
