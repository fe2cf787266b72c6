/**
 * What runs again when one value of a project is another: for every leaf of the schema, the stages that read it. What
 * follows from them is not named here; it runs as far as their answers come out different.
 */
import { keysOf, trainersOf } from '../../trainers/definition.ts';
import { findTrainer, TRAINERS } from '../../trainers/registry.ts';
import type { TrainerKind } from '../../trainers/trainer.ts';
import type { Value } from './leaf-project.ts';

const AWAY = { type: 'pool', url: 'http://head:18090', token: '${secret:KEY}', base: 'image:./image' };
const NODES = [{ name: 'one', address: 'http://one:5000', containers: 2 }];

/** One value changed. */
export interface Change {
  /** Keys between slashes. */
  place: string;
  value: Value;
  /** Stages or nodes of which all items run again, or a node with how many of its items do. */
  reruns: string[];
  /** What is set before, on both sides: values without which this one has no effect. */
  given: Record<string, Value>;
}

function change(place: string, value: Value, reruns: string[], given: Record<string, Value> = {}): Change {
  return { place, value, reruns, given };
}

/** The agent's own samples, beside those of its baseline; and those of models beside patches of others. */
const ROLLED = 'rollouts.train 3/6';
const PREDICTED = 'predict.eval 2/3';
const SAMPLES = [ROLLED, PREDICTED];
/** The card of the data says how it came to be. */
const TOLD = [...SAMPLES, 'sft-data'];

/** A remote cache is in no key, wherever it is. */
const REMOTE = { 'cache/remote/url': 'http://127.0.0.1:9' };
const CLUSTER = { ...REMOTE, 'deployments/cluster': { type: 'ray', address: 'http://head:8265' } };
const TLS = { certificate: 'own.pem', key: 'own-key.pem' };

/** Leaves of a model: those that say which replies come, and those that say where they come from. */
function modelChanges(
  at: string,
  { sampling, own, identity }: { sampling: string[]; own: string[]; identity: string[] },
  given: Record<string, Value> = {},
): Change[] {
  const of = (key: string, value: Value, reruns: string[], more: Record<string, Value> = {}) =>
    change(`${at}/${key}`, value, reruns, { ...given, ...more });
  return [
    of('identity', 'scripted@2', identity),
    of('temperature', 0.5, sampling),
    of('top_p', 0.9, sampling),
    of('top_k', 20, sampling),
    of('min_p', 0.1, sampling),
    of('repetition_penalty', 1.1, sampling),
    of('stop', ['END'], sampling),
    of('max_tokens', 512, sampling),
    of('extra', { reasoning: 'low' }, own),
    of('tokens', 'off', own),
    of('tool_format', 'hermes', own),
    of('render', 'exact', own, { [`${at}/tokenizer`]: 'tools' }),
    of('tokenizer', 'tools', own),
    of('context', 32768, own),
    // Who answers is said by its identity.
    of('base_url', 'http://127.0.0.1:9/v1', []),
    of('name', 'another', []),
    of('api_key', '${secret:KEY}', []),
    of('timeout', '9s', []),
    of('retry', '9s', []),
    of('concurrency', 3, []),
    of('serve/command', 'serve it {port}', [], { [`${at}/serve`]: SERVE }),
    of('serve/ready', '/ready', [], { [`${at}/serve`]: SERVE }),
    of('serve/timeout', '9s', [], { [`${at}/serve`]: SERVE }),
    of('serve/hang', '9s', [], { [`${at}/serve`]: SERVE }),
    of('serve/engine', 'sglang', [], { [`${at}/serve`]: ENGINE }),
    // What it serves is known by model.identity where that is written.
    of('serve/weights/id', 'a/c', [], { [`${at}/serve`]: ENGINE }),
    of('serve/weights/revision', 'other', [], { [`${at}/serve`]: ENGINE }),
    of('serve/weights/path', 'prices.json', [], {
      [`${at}/serve`]: { ...ENGINE, weights: { path: 'tools' } },
    }),
    of('serve/deployment', 'gpu', [], { [`${at}/serve`]: ENGINE, ...GPU }),
    of('serve/gpus', 1, [], { [`${at}/serve`]: ENGINE }),
    of('serve/replicas', 2, [], { [`${at}/serve`]: ENGINE }),
    of('serve/hosts', ['one'], [], { [`${at}/serve`]: ENGINE }),
    of('serve/port', 30_000, [], { [`${at}/serve`]: ENGINE }),
    of('serve/args', ['--x'], [], { [`${at}/serve`]: ENGINE }),
    of('serve/env/A', '1', [], { [`${at}/serve`]: ENGINE }),
    of('prices', 'prices.json', []),
  ];
}

const SERVE = { command: 'serve {port}' };
const ENGINE = { engine: 'vllm', weights: { id: 'a/b' } };
const USER = {
  model: { base_url: 'http://127.0.0.1:9/v1', name: 'user', identity: 'user@1' },
};
const JUDGE = {
  model: { base_url: 'http://127.0.0.1:9/v1', name: 'judge', identity: 'judge@1' },
};
const TUNED = 'evaluation/models/tuned';
/** What a local deployment can be, too. */
const OPEN = { type: 'sandbox', network: { build: 'host', rollout: 'host', grade: 'host' } };
const PROGRAMS = { type: 'process', resources: { gpu: 2 } };
/** `box` in containers; which engine it is decides nothing. */
const SHIP = { 'deployments/box': { type: 'docker', base: 'image:./image' } };
/** `box` leased. */
const LEASED = { 'deployments/box': { ...AWAY, network: { build: 'host' } } };
const TRAINED = { type: 'command', command: 'true', deployment: 'gpu', model: { path: 'tools' }, gpus: 1 };
const GPU = { 'deployments/gpu': PROGRAMS, 'deployments/gpu2': PROGRAMS };
const SFT = { ...GPU, 'trainer/sft': TRAINED };
const HEAD_TAIL = { strategy: 'head-tail', max_tokens: 16384 };
const NARROW = 'environments/recipes/0';
const HARNESS = { 'evaluation/harness': 'swebench', 'evaluation/command': 'true {dataset}' };
/** A rule that reaches one instance: its tests are run in another way. */
const ONE = ['validate.train 1/3', 'grade.train 2/6'];
/** Its environment is made in another way. */
const BUILT = ['environments.train 1/2'];
/** All that runs code. */
const CODE = ['environments', 'validate', 'rollouts', PREDICTED, 'grade'];

/** Leaves of a service. */
function serviceChanges(values: Record<string, Value>, reruns: string[]): Change[] {
  const service = { name: 'web', run: 'sleep 5', port: 80, ready: 'exit 0', timeout: '5s' };
  const given = { [`${NARROW}/background`]: [service] };
  return Object.entries(values).map(([key, value]) =>
    change(`${NARROW}/background/0/${key}`, value, reruns, given),
  );
}

/** Leaves of an agent, and of what an evaluation lays over it. */
function agentChanges(at: string, samples: string[], told: string[]): Change[] {
  const of = (key: string, value: Value, reruns = samples, given: Record<string, Value> = {}) =>
    change(`${at}/${key}`, value, reruns, given);
  const bounded = { [`${at}/context`]: HEAD_TAIL };
  return [
    of('type', 'tools', told),
    of('dialect', 'swe-rl', told),
    of('actions', 'xml', told),
    of('action_regex', '```sh\\n(.*?)```'),
    of('limits/steps', 5, told),
    of('limits/time', '9m', told),
    of('limits/command', '9s', told),
    of('limits/cost', 3, told),
    of('limits/tokens', 1000, told),
    of('limits/format_errors', 7, told),
    of('limits/repeated_commands', 3, told),
    of('context/strategy', 'head-tail', samples, { [`${at}/context/max_tokens`]: 16384 }),
    of('context/max_tokens', 8192, samples, bounded),
    of('context/max_response_tokens', 100, samples, bounded),
    of('context/head', 0.7, samples, bounded),
    of('history/last_observations', 4),
    of('history/max_observation', 5000),
    of('templates/from', 'mini.yaml'),
    // The same text elsewhere.
    of('templates/from', 'other/mini.yaml', [], { [`${at}/templates`]: { from: 'mini.yaml' } }),
    of('templates/system', 'You mend.'),
    of('templates/instance', 'Mend: {{ task }}'),
    of('templates/observation', '{{ output }}'),
    of('templates/format_error', 'One command, please.'),
    of('env/LANG', 'C.UTF-8'),
    ...outsideChanges(at, samples),
  ];
}

/** Leaves of a user, who takes the place of the agent's whole in an evaluation. */
function userChanges(at: string, samples: string[]): Change[] {
  const given = { [at]: USER };
  return [
    change(`${at}/says`, ['Now add a test.'], samples),
    ...modelChanges(`${at}/model`, { sampling: samples, own: samples, identity: samples }, given),
    change(`${at}/prompt`, 'It is small.', samples, given),
    change(`${at}/turns`, 1, samples, given),
  ];
}

/** Leaves of an agent that drives itself. */
function outsideChanges(at: string, samples: string[]): Change[] {
  const program = { protocol: 'openai-chat', run: 'true' };
  const given = (more: Record<string, Value>): Record<string, Value> => ({
    [`${at}/type`]: 'command',
    [`${at}/program`]: { ...program, ...more },
  });
  const of = (key: string, value: Value, more: Record<string, Value> = {}) =>
    change(`${at}/${key}`, value, more.install === undefined ? samples : ['agents'], given(more));
  // What is installed decides by its files alone.
  return [
    change(`${at}/tools`, ['Bash'], samples, given({ run: 'true $AGENT_TOOLS' })),
    of('program/protocol', 'openai-responses'),
    of('program/run', 'false'),
    of('program/files/a', 'b'),
    of('program/env/A', 'b'),
    of('program/leaves', ['a']),
    of('program/obeys', ['AGENTS.md']),
    of('program/install/source', 'tools', { install: { source: 'repo' } }),
    of('program/install/npm', ['a'], { install: { pip: ['b'] } }),
    of('program/install/node', '22.19.0', { install: { npm: ['b'] } }),
    of('program/install/pip', ['a'], { install: { npm: ['b'] } }),
    of('program/install/python', '3.12', { install: { pip: ['b'] } }),
    of('program/install/platforms', ['linux-x64'], { install: { pip: ['b'] } }),
    of('program/install/check', 'true', { install: { pip: ['b'] } }),
    of('args', ['--fast']),
    of('repository_settings', 'allow'),
    change(`${at}/source`, 'tools', ['agents'], { [`${at}/type`]: 'swe-agent', [`${at}/source`]: 'repo' }),
    change(`${at}/version`, '0.1.0', ['agents'], { [`${at}/type`]: 'codex' }),
    change(`${at}/as_of`, '2026-01-01', ['agents'], { [`${at}/type`]: 'codex' }),
  ];
}

/** Leaves of a trainer: those that decide what is learnt, and those that say where things are. */
function trainerChanges(
  at: 'trainer/sft' | 'trainer/rl',
  own: Record<string, Value>,
  given: Record<string, Value>,
): Change[] {
  const stage = at === 'trainer/sft' ? 'sft-train' : 'rl-train';
  const decides: Record<string, Value> = {
    ...(at === 'trainer/sft' ? { type: 'trl' } : {}),
    ...{ gpus: 2, nodes: 2, command: 'false', save_every: 7 },
    ...{ overrides: { a: 1 }, 'env/A': 'b', 'image/name': 'other', 'image/shm': '1GiB', 'image/ipc': 'host' },
    ...{
      'image/network': 'host',
      'image/ulimits/nofile': '1',
      'image/mounts': ['/a'],
      'image/privileged': true,
    },
    ...{ 'image/engine': true, ...own },
  };
  const nothing: Record<string, Value> = {
    // The commit that there is decides, and not that it is asked for.
    ...{ commit: '0123456' },
    ...{
      deployment: 'gpu2',
      folder: 'other-tools',
      timeout: '9h',
      output_folder: 'other',
      output: 'fixed',
      keep: 2,
    },
    ...{ 'metrics/wandb/project': 'p', 'metrics/wandb/name': 'n', 'metrics/wandb/api_key': '${secret:KEY}' },
    ...{ 'metrics/wandb/mode': 'offline', 'metrics/tensorboard': true },
  };
  const more = (key: string): Record<string, Value> => {
    if (key.startsWith('image/') && key !== 'image/name') return { [`${at}/image`]: { name: 'one' } };
    if (key.startsWith('metrics/wandb/') && key !== 'metrics/wandb/project')
      return { [`${at}/metrics`]: { wandb: { project: 'p' } } };
    if (key === 'folder' || key === 'module') return { [`${at}/${key}`]: 'tools' };
    if (key === 'output') return { [`${at}/output_folder`]: 'other' };
    return key === 'output_folder' ? { [`${at}/output`]: 'fixed', [`${at}/output_folder`]: 'tools' } : {};
  };
  const lines = (values: Record<string, Value>, reruns: string[]) =>
    Object.entries(values).map(([key, value]) =>
      change(`${at}/${key}`, value, reruns, { ...given, ...typeWith(at, key), ...more(key) }),
    );
  return [...lines(decides, [stage]), ...lines(nothing, [])];
}

/** The first framework that has the key, if a command has none. */
function typeWith(at: 'trainer/sft' | 'trainer/rl', place: string): Record<string, Value> {
  const which = at === 'trainer/sft' ? 'sft' : 'rl';
  const key = place.split('/')[0]!;
  const has = (kind: TrainerKind) => keysOf(which, kind).includes(key);
  if (has(findTrainer('command')!)) return {};
  return { [`${at}/type`]: trainersOf(which, TRAINERS).find(has)!.name };
}

export const CHANGES: readonly Change[] = [
  change('version', 1, []),
  change('name', 'another', []),
  change('extends', [], []),
  change('profiles/quick', { grading: { preset: 'strict' } }, []),

  change('dataset/train/source', 'other/rows.jsonl', []),
  change('dataset/train/revision', 'main', []),
  change('dataset/train/split', 'dev', ['dataset.train', 'sft-data']),
  change('dataset/eval/format', 'swe-gym', ['dataset.eval', 'rl-data']),
  // Suites of some formats get more time where the project says nothing.
  change('dataset/eval/format', 'swe-gym', ['dataset.eval', 'validate.eval', 'grade.eval', 'rl-data'], {
    'validation/timeout': null,
  }),
  change('dataset/train/inner', 'swe-smith', ['dataset.train', 'rl-data']),
  // Environments are planned from rows that were not read in this way yet; their keys stay (test/cli/discover.deep).
  change('dataset/train/discover_tests', true, [
    ...['dataset.train', 'discover', 'environments.train', 'golden', 'rl-data', 'rows'],
  ]),
  change('dataset/train/deployment', 'far', [
    ...['environments.train', 'validate.train', 'rollouts', 'grade.train'],
  ]),
  change('dataset/train/select/match', 'tiny.*', ['dataset.train', 'sft-data']),
  change('dataset/train/select/sample', 2, ['dataset.train', 'sft-data']),
  change('dataset/train/select/seed', 2, ['dataset.train', 'sft-data']),
  change('dataset/train/select/slice', ':2', ['dataset.train', 'sft-data']),
  change('dataset/train/sources/owner~other', 'pypi:other==2', ['dataset.train']),

  // Another way to make environments of the same interpreter.
  change('environments/python/provider', 'uv', ['environments']),
  change('environments/python/as_of', '2022-07-01', ['environments']),
  change('environments/python/channels', ['./other'], ['environments'], {
    'environments/python/provider': 'conda',
    'environments/python/channels': ['./channel'],
  }),
  // Who the interpreter is decides, and not where it is.
  change('environments/python/trees', 'other', []),
  change('environments/python/versions/9.9', '/usr/bin/python9', []),
  // Two instances change places: nothing is built, and what is done on an environment follows the rows that move.
  change(`${NARROW}/match/instance`, 'tiny.2', [
    'validate.train 2/3',
    'rollouts.train 4/6',
    'grade.train 4/6',
  ]),
  change(`${NARROW}/match/repo`, 'nobody/*', []),
  change(`${NARROW}/match/image`, 'none', []),
  change(`${NARROW}/match/version`, '1.*', []),
  change(`${NARROW}/python`, '3', BUILT),
  change(`${NARROW}/as_of`, 'commit', BUILT),
  // It is the default. Keys of other ecosystems hold the digest of a toolchain, which comes over the network: test/ecosystems has them.
  change(`${NARROW}/ecosystem`, 'python', []),
  // Toolchains of an ecosystem that is Python's are none.
  change(`${NARROW}/toolchain/go`, '1.22.12', []),
  change(`${NARROW}/system`, ['gcc'], BUILT),
  change(`${NARROW}/submodules`, ['vendored'], BUILT),
  change(`${NARROW}/pre_install`, ['true'], BUILT),
  change(`${NARROW}/freeze`, 'pins.txt', BUILT),
  change(`${NARROW}/packages`, ['six'], BUILT),
  change(`${NARROW}/pip`, ['six'], BUILT),
  change(`${NARROW}/install`, ['true'], BUILT),
  change(`${NARROW}/env/WHO`, 'two', BUILT),
  change(`${NARROW}/timeout`, '9m', BUILT),
  change(`${NARROW}/start_commands`, ['true'], BUILT),
  ...serviceChanges({ name: 'other', run: 'sleep 9', hosts: ['a.example'], port: 8080 }, ONE),
  ...serviceChanges({ ready: 'true', timeout: '9s' }, ONE),
  ...serviceChanges({ pip: ['six'] }, BUILT),
  change(`${NARROW}/eval_commands`, ['true'], ONE),
  change(`${NARROW}/eval_script`, true, ONE),
  // Python fetches nothing for it.
  change(`${NARROW}/install_after_patch`, false, []),
  change(`${NARROW}/build`, ['true'], ONE),
  change(`${NARROW}/build_timeout`, '9m', ONE, { [`${NARROW}/build`]: ['true'] }),
  change(`${NARROW}/test`, 'python -m unittest -q', ONE),
  change(`${NARROW}/parser`, 'pytest', ONE),
  // The default; python has no other.
  change(`${NARROW}/witness`, 'required', []),

  change('deployments/box/type', 'local', [...CODE, 'golden', 'rl-data'], { 'deployments/box': OPEN }),
  change('deployments/box/limits/memory', '3GiB', CODE),
  change('deployments/box/limits/pids', 300, CODE),
  change('deployments/box/limits/disk', '2GiB', CODE),
  change('deployments/box/limits/cpus', 2, CODE),
  change('deployments/box/network/build', 'host', ['environments']),
  change('deployments/box/network/rollout', 'proxy', ['rollouts', PREDICTED]),
  change('deployments/box/network/grade', 'proxy', ['validate', 'grade']),
  change('deployments/box/allow_hosts', ['example.org'], ['environments']),
  change('deployments/box/base', 'image:./image', CODE),
  // What an image is decides, not when its registry was asked.
  change('deployments/box/fallback', 'local', [], { 'deployments/box/type': 'auto' }),
  change('deployments/box/pull', 'always', [], { 'deployments/box/base': 'image:./image' }),
  change('deployments/box/prewarm', 2, [], { 'deployments/box/base': 'image:./image' }),
  // Which machines show it decides nothing.
  change('deployments/away/url', 'http://other:18090', [], { 'deployments/away': AWAY }),
  change('deployments/away/token', '${secret:OTHER}', [], { 'deployments/away': AWAY }),
  ...Object.entries({
    address: 'http://other:8265',
    program: '/opt/swemake',
    folder: '/scratch',
    items: 3,
    at_once: 3,
    lease: '9s',
    wait: '9s',
  }).map(([key, value]) => change(`deployments/cluster/${key}`, value, [], CLUSTER)),
  change('nodes/0/name', 'other', [], { nodes: NODES }),
  change('nodes/0/address', 'http://other:5000', [], { nodes: NODES }),
  change('nodes/0/containers', 3, [], { nodes: NODES }),
  change('nodes/0/agents', 'http://other:11000', [], { nodes: NODES }),
  change('nodes/0/program', '/opt/swemake', [], { nodes: NODES }),
  change('nodes/0/folder', '/scratch', [], { nodes: NODES }),
  change('nodes/0/roles', ['node-server', 'ray-head'], [], { nodes: NODES }),
  change('nodes/0/ssh', 'other', [], { nodes: NODES }),
  change('nodes/0/activate', 'true', [], { nodes: NODES }),
  ...['cpu', 'gpu', 'sandbox', 'sandbox_start_up', 'container', 'container_start_up', 'tar_io'].map((name) =>
    change(`nodes/0/resources/${name}`, 3, [], { nodes: NODES }),
  ),
  // What runs there says itself how many it uses, and which program it is.
  change('deployments/box/host', 'tcp://127.0.0.1:9', [], SHIP),
  change('deployments/box/backend', 'docker', CODE, LEASED),
  change('deployments/box/env/THREADS', '1', CODE, SHIP),
  change('deployments/box/args', ['--shm-size=2g'], CODE, SHIP),
  change('deployments/gpu/resources/gpu', 4, []),
  change('deployments/gpu/resources/pids', 4000, []),
  change('deployments/gpu/activate', 'true', []),
  change('deployments/box/mounts/0/from', 'other', CODE),
  change('deployments/box/mounts/0/to', '/opt/other', CODE),

  change('validation/deployment', 'far', CODE),
  // What validation knows of an instance's runner is part of what grades it.
  change('validation/dataset', 'train', ['grade.eval', 'evaluate']),
  change('validation/gold_runs', 3, ['validate']),
  change('validation/mutants', 5, ['validate', 'grade']),
  change('validation/timeout', '50s', ['validate', 'grade']),
  change('validation/min_pass', '80%', []),
  change('validation/allow_isolation', 'local', ['golden', 'rl-data']),

  ...agentChanges('agent', SAMPLES, TOLD),
  change('agent/limits/format_errors', 7, [ROLLED, 'sft-data'], {
    'evaluation/agent/limits/format_errors': 2,
  }),
  change('agent/dataset', 'train', []),
  change('agent/deployment', 'far', ['rollouts', PREDICTED]),
  change('agent/rollouts', 2, ['rollouts.train 3/9', 'sft-data']),
  change('agent/seed', 2, TOLD),
  change('agent/baselines', ['oracle', 'noop'], ['rollouts.train 3/9']),
  ...modelChanges('agent/model', {
    sampling: TOLD,
    own: SAMPLES,
    identity: [ROLLED, 'predict.eval 1/3', 'sft-data'],
  }),
  ...modelChanges(
    'agent/step_rewards/model',
    { sampling: SAMPLES, own: SAMPLES, identity: SAMPLES },
    { 'agent/step_rewards': JUDGE },
  ),
  change('agent/step_rewards/votes', 7, SAMPLES, { 'agent/step_rewards': JUDGE }),
  change('agent/step_rewards/history_steps', 3, SAMPLES, { 'agent/step_rewards': JUDGE }),
  change('agent/step_rewards/skip_submit', false, SAMPLES, { 'agent/step_rewards': JUDGE }),
  // It weighs values that are kept one by one.
  change('agent/step_rewards/coefficient', 0.5, [], { 'agent/step_rewards': JUDGE }),
  ...userChanges('agent/user', SAMPLES),

  change('grading/preset', 'swebench-4', ['grade', 'sft-data']),
  change('grading/timeout', '50s', ['grade']),
  change('grading/deployment', 'far', ['grade']),
  change('grading/max_patch', '1MiB', ['grade']),
  change('grading/protect', ['*.cfg'], ['grade']),
  change('grading/repeats', 2, ['grade']),
  change('grading/suspicion', 'note', ['grade.train']),

  change('trainer/sft/type', 'none', []),
  change('trainer/sft/golden/exit', ['submitted', 'truncated'], ['golden', 'sft-data']),
  change('trainer/sft/golden/reward', 0.5, ['golden', 'sft-data']),
  change('trainer/sft/golden/leaks', 'keep', ['golden', 'sft-data']),
  change('trainer/sft/golden/max_steps', 9, ['golden', 'sft-data']),
  change('trainer/sft/balance/policy', 'minisandbox-compat', ['balance', 'sft-data']),
  change('trainer/sft/balance/per_instance', 2, ['balance', 'sft-data']),
  change('trainer/sft/balance/total', 2, ['balance', 'sft-data']),
  change('trainer/sft/balance/seed', 2, ['balance', 'sft-data']),
  change('trainer/sft/decontaminate', false, ['sft-data']),
  change('trainer/sft/style', 'ticks', ['sft-data']),
  change('trainer/sft/train', 'agents', ['sft-data'], SFT),
  change('trainer/sft/samples', 'step', ['sft-data']),

  ...trainerChanges(
    'trainer/sft',
    {
      ...{
        'model/revision': 'c',
        recipe: 'other',
        epochs: 3,
        max_steps: 4,
        learning_rate: 0.5,
      },
      ...{
        weight_decay: 0.5,
        warmup_steps: 1,
        batch_size: 2,
        accumulation: 2,
        max_length: 100,
        dtype: 'fp32',
        seed: 3,
      },
      ...{ 'lora/rank': 3, 'lora/alpha': 3, 'lora/dropout': 0.5 },
    },
    SFT,
  ),
  change('trainer/sft/model/id', 'a/b', ['sft-train'], { ...SFT, 'trainer/sft/model': { id: 'x/y' } }),
  // Named by what is in it.
  change('trainer/sft/model/path', 'other-tools', [], SFT),
  ...Object.entries({ source: 'other/sft.jsonl', revision: 'main', split: 'a', column: 'other' }).map(
    ([key, value]) =>
      change(`trainer/sft/data/${key}`, value, key === 'split' || key === 'column' ? ['sft-train'] : [], {
        ...SFT,
        'trainer/sft/data': { source: 'sft.jsonl' },
      }),
  ),
  ...trainerChanges(
    'trainer/rl',
    {
      ...{ 'model/revision': 'c', flavor: 'minisandbox', model_args: 'a.sh' },
      ...{
        sequences: 'longest',
        train: 'agents',
        generate: 'a.b',
        reward: 'a.c',
        steps: 3,
        epochs: 2,
        batch: 2,
        samples: 2,
        updates: 2,
        learning_rate: 0.5,
      },
      ...{ weight_decay: 0.5, kl: 0.1, clip: 0.1, clip_high: 0.1, estimator: 'rloo', dynamic_history: true },
      ...{
        temperature: 0.5,
        top_p: 0.5,
        max_prompt: 9,
        max_context: 9999,
        max_response: 9,
        max_tokens_per_gpu: 9,
      },
      ...{ seed: 3, colocate: true, actor_gpus: 1, rollout_gpus: 1, engine_gpus: 2, memory_fraction: 0.5 },
      ...{ tensor_parallel: 2, pipeline_parallel: 2, context_parallel: 2 },
      ...{ 'prm/model': 'a/b', 'prm/gpus': 2, 'prm/engine_gpus': 2, 'prm/votes': 2, 'prm/coefficient': 0.5 },
      ...{ 'prm/temperature': 0.5, 'prm/max_tokens': 9 },
    },
    GPU,
  ),
  // Its rows have a form of their own.
  change('trainer/rl/type', 'verl', ['rl-data', 'rl-train'], GPU),
  change('trainer/rl/model/id', 'a/b', ['rl-train'], { ...GPU, 'trainer/rl/model': { id: 'x/y' } }),
  change('trainer/rl/model/path', 'other-tools', []),
  change('trainer/rl/model/from', 'sft', ['rl-train'], { ...SFT, 'trainer/rl/model': {} }),
  change('trainer/rl/module', 'other-tools', [], { 'trainer/rl/module': 'tools' }),
  change('trainer/rl/megatron', 'other-tools', [], { 'trainer/rl/megatron': 'tools' }),
  change('trainer/rl/ray_address', 'http://127.0.0.1:9', [], typeWith('trainer/rl', 'ray_address')),
  // Weights are converted first.
  change('trainer/rl/mode', 'raw', ['rl-model', 'rl-train'], { ...GPU, ...typeWith('trainer/rl', 'mode') }),
  change('trainer/rl/rows', 'verl', ['rl-data']),
  change('trainer/rl/data/dataset', 'train', []),
  change('trainer/rl/data/range', ':2', ['rl-data']),
  change('trainer/rl/data/seed', 2, ['rl-data']),
  change('trainer/rl/data/gold', 'drop', ['rl-data']),
  change('trainer/rl/data/source_name', 'a/b', ['rl-data']),
  // The checkpoint is known by its digest, once it is made.
  // Before anything is trained nothing is known of its items; trainers/chain.deep.test.ts shows which of them run again.
  change('evaluation/models/tuned/from', 'rl', ['predict'], {
    ...SFT,
    [`${TUNED}/from`]: 'sft',
    [`${TUNED}/serve`]: { command: 'serve {model} {port}' },
    [`${TUNED}/identity`]: null,
    [`${TUNED}/name`]: null,
  }),
  change('evaluation/dataset', 'train', [
    ...['predict', 'grade', 'evaluate'],
    // What was held back for the benchmark is rolled out now.
    ...['rollouts', 'report', 'golden', 'balance', 'sft-data', 'rl-data', 'rl-train'],
  ]),
  change('evaluation/predictions/theirs', ['other/theirs.json'], []),
  ...agentChanges('evaluation/agent', [PREDICTED], [PREDICTED]),
  ...userChanges('evaluation/agent/user', [PREDICTED]),
  change('evaluation/agent/deployment', 'far', [PREDICTED]),
  change('evaluation/agent/seed', 2, [PREDICTED]),
  ...modelChanges(TUNED, {
    sampling: ['predict.eval 1/3'],
    own: ['predict.eval 1/3'],
    identity: ['predict.eval 1/3'],
  }),
  change('evaluation/deployment', 'far', [
    ...['environments.eval', 'validate.eval', PREDICTED, 'grade.eval'],
  ]),
  // What is said of the benchmark comes before what is said of all agents, and of itself.
  change('agent/deployment', 'far', ['rollouts'], { 'evaluation/deployment': 'box' }),
  change('evaluation/agent/deployment', 'far', [PREDICTED], { 'evaluation/deployment': 'box' }),
  change('evaluation/harness', 'swebench', ['evaluate']),
  change('evaluation/command', 'false {dataset}', ['evaluate'], HARNESS),
  change('evaluation/timeout', '9m', [], HARNESS),
  change('evaluation/workers', 3, [], HARNESS),

  change('out', 'elsewhere', []),
  change('cache/folder', '.elsewhere', []),
  change('cache/max_size', '9GiB', []),
  change('cache/max_states', '9GiB', []),
  change('cache/share', 'group', []),
  change('cache/remote/url', 'http://127.0.0.1:9', []),
  change('cache/remote/path', 'shared', []),
  change('cache/remote/token', 'a:b', [], REMOTE),
  change('cache/remote/read', false, [], REMOTE),
  change('cache/remote/write', false, [], REMOTE),
  change('cache/remote/tls/ca', 'ca.pem', [], REMOTE),
  change('cache/remote/tls/certificate', 'c.pem', [], { ...REMOTE, 'cache/remote/tls': TLS }),
  change('cache/remote/tls/key', 'k.pem', [], { ...REMOTE, 'cache/remote/tls': TLS }),
  change('cache/remote/sign', 'key.pem', [], REMOTE),
  change('cache/remote/trusted', ['ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='], [], REMOTE),
  change('cache/remote/timeout', '3s', [], REMOTE),
  change('cache/remote/concurrency', 3, [], REMOTE),
  change('cache/remote/upload_wait', '3s', [], REMOTE),
  change('targets', ['filter'], []),
  change('resources/cpu', 3, []),
  change('resources/sandbox', 3, []),
  change('resources/rollout', 3, []),
  change('resources/memory', '9GiB', []),
  change('resources/sandbox_start_up', 3, []),
  change('resources/tar_io', 3, []),
];
