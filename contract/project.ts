/**
 * The project as questions: a stage names the value that it reads, and gets what of it decides results. Keys that only
 * say where things are or how long to wait for them decide nothing; a run gets those from its tools.
 */
import type { Json } from '../basics/canonical.ts';
import { success } from '../basics/result.ts';
import type { ResolvedConfig } from './config.ts';
import type { QuestionKind } from './question.ts';

/** Places of the project that decide no result, dots between keys. `*` is any key. */
const UNDECIDING: readonly string[] = [
  'version',
  'name',
  'extends',
  'profiles',
  'cache',
  'resources',
  'targets',
  'nodes',
  // What lies there is named by its digest.
  'dataset.*.source',
  'dataset.*.revision',
  // Stages that work on it ask for its places.
  'dataset.*.deployment',
  // The identity of the interpreter decides, and not its place.
  'environments.python.trees',
  'environments.python.versions',
  ...[
    'agent.model',
    'agent.step_rewards.model',
    'agent.user.model',
    'evaluation.agent.user.model',
    'evaluation.models.*',
  ].flatMap((model) =>
    ['base_url', 'name', 'api_key', 'timeout', 'retry', 'concurrency', 'serve', 'tokenizer', 'prices'].map(
      (key) => `${model}.${key}`,
    ),
  ),
  // It weighs values that are kept one by one.
  'agent.step_rewards.coefficient',
  'evaluation.timeout',
  'evaluation.workers',
  // Stages that work on the benchmark ask for its places; which engine its harness uses decides nothing.
  'evaluation.deployment',
  // A program says itself how many GPUs it uses and which one it is.
  'deployments.*.resources',
  'deployments.*.activate',
  // Where items run, and how they are sent there.
  ...['address', 'program', 'folder', 'items', 'at_once', 'lease', 'wait'].map(
    (key) => `deployments.*.${key}`,
  ),
  // What an image is decides, not when its registry was asked.
  'deployments.*.pull',
  ...['trainer.sft', 'trainer.rl'].flatMap((trainer) =>
    [
      ...[
        'deployment',
        'folder',
        'commit',
        'metrics',
        'timeout',
        'output',
        'output_folder',
        'keep',
        'ray_address',
        'megatron',
      ],
      // Named by what is in them.
      ...['module', 'model.path', 'data.source', 'data.revision', 'gpus'],
    ].map((key) => `${trainer}.${key}`),
  ),
];

/** The value at a place of the project without what decides nothing; null when it is not there. */
export const PROJECT: QuestionKind<string[], Json> = {
  name: 'project',
  changes: false,
  answer: async (path, { config }) => success(decidingAt(config, path)),
};

/** What of the value at `path` decides results; null when it is not there. */
export function decidingAt(config: ResolvedConfig, path: readonly string[]): Json {
  const value = valueAt(config, path);
  return value === undefined || isUndeciding(path) ? null : deciding(value, path.reduce(below, PATTERNS));
}

/** The value at `path`, whole; for tools, which give a run only what decides nothing. */
export function valueAt(config: ResolvedConfig, path: readonly string[]): unknown {
  let value: unknown = config;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return value;
}

/** True for a place that decides nothing, itself or one above it. */
export function isUndeciding(path: readonly string[]): boolean {
  let patterns: readonly Pattern[] = PATTERNS;
  for (const key of path) {
    patterns = below(patterns, key);
    if (isEnd(patterns)) return true;
  }
  return false;
}

/** The keys of a place of {@link UNDECIDING} that are still to be met. */
type Pattern = readonly string[];

const PATTERNS: readonly Pattern[] = UNDECIDING.map((place) => place.split('.'));

/** What is left of the patterns below `key`. */
function below(patterns: readonly Pattern[], key: string): readonly Pattern[] {
  return patterns.filter(([first]) => first === '*' || first === key).map(([, ...rest]) => rest);
}

function isEnd(patterns: readonly Pattern[]): boolean {
  return patterns.some((pattern) => pattern.length === 0);
}

function deciding(value: unknown, patterns: readonly Pattern[]): Json {
  if (Array.isArray(value))
    return value.map((one, index) => deciding(one ?? null, below(patterns, String(index))));
  if (typeof value !== 'object' || value === null) return value as Json;
  const kept = Object.entries(value).flatMap(([key, one]): [string, Json][] => {
    const inner = below(patterns, key);
    return one === undefined || isEnd(inner) ? [] : [[key, deciding(one, inner)]];
  });
  return Object.fromEntries(kept);
}
