/** The lines in which frameworks print their numbers. */
import type { TrainerMetrics } from '../schemas/generated/project.ts';
import type { Metric, MetricsReader } from './trainer.ts';

const NUMBER = '[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?';
const PAIR = new RegExp(
  `['"]?([A-Za-z][\\w/@.-]*)['"]?\\s*[:=]\\s*(?:np\\.\\w+\\(|tensor\\()?['"]?(${NUMBER})(?![\\w.])`,
  'g',
);

/** The numbers of a line by name, as `name:1.0`, `'name': 1.0` or `name=1.0`. */
export function pairsIn(text: string): Record<string, number> {
  const values: Record<string, number> = {};
  for (const [, name, value] of text.matchAll(PAIR)) values[name!] = Number(value);
  return values;
}

/** Where else numbers go than into the log, by the names that frameworks give these places. */
export function sinksOf({ wandb, tensorboard }: TrainerMetrics): string[] {
  return [...(wandb === undefined ? [] : ['wandb']), ...(tensorboard ? ['tensorboard'] : [])];
}

/** For frameworks that otherwise write TensorBoard's files to the folder that they are started in, those of all trainings. */
export function tensorboardEnv({ tensorboard }: TrainerMetrics, output: string): Record<string, string> {
  return tensorboard ? { TENSORBOARD_DIR: `${output}/logs` } : {};
}

/** Lines that begin with their step: the expression's first group is the step, what follows are the numbers. */
export function stepLines(...forms: readonly RegExp[]): MetricsReader {
  return (line) => {
    for (const form of forms) {
      const found = form.exec(line);
      if (found === null) continue;
      const values = pairsIn(line.slice(found.index + found[0].length));
      return Object.keys(values).length === 0 ? null : { step: Number(found[1]), values };
    }
    return null;
  };
}

/** What is shown of a training while it runs. */
export interface Shown {
  step: number;
  loss: number | null;
  reward: number | null;
  tokensPerSecond: number | null;
}

const LOSS = [
  'loss',
  'train/loss',
  'Loss',
  'policy/final_loss',
  'loss/avg_final_loss',
  'actor/pg_loss',
  'train/pg_loss',
];
const REWARD = [
  'rollout/raw_reward',
  'reward/avg_raw_reward',
  'critic/score/mean',
  'critic/rewards/mean',
  'rollout/rewards',
  'reward',
];
const TOKENS = [
  'tokens_per_second_per_gpu',
  'perf/tokens_per_gpu_per_sec',
  'perf/throughput',
  'train_tokens_per_second',
];

export function shownOf({ step, values }: Metric): Shown {
  const first = (names: readonly string[]) => {
    const name = names.find((one) => one in values);
    return name === undefined ? null : values[name]!;
  };
  return { step, loss: first(LOSS), reward: first(REWARD), tokensPerSecond: first(TOKENS) };
}
