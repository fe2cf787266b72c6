/**
 * The column "content of what it names" of the table of leaves: for every leaf whose value names a file, a folder, a program
 * or an image, the stages that run again when that content is another and the value is the same, or why none does.
 */
import type { Value } from './leaf-project.ts';

/** A place in the project whose value names `file`, with what must be set for it to count. */
export interface NamedContent {
  kind: 'counts';
  place: string;
  value: Value;
  given: Record<string, Value>;
  /** The file that is changed, in the project's folder; no other line names it. */
  file: string;
  before: string;
  after: string;
  reruns: string[];
}

/** Its content is in no key. */
interface Unnamed {
  kind: 'decides nothing';
  place: string;
  why: string;
}

const GPU = { 'deployments/gpu': { type: 'process', resources: { gpu: 2 } } };
const TRAINED = { type: 'command', command: 'true', deployment: 'gpu', model: { path: 'tools' }, gpus: 1 };
const SFT: Record<string, Value> = { ...GPU, 'trainer/sft': TRAINED };
const RL: Record<string, Value> = GPU;
const PREDICTED = 'predict.eval 2/3';
const SAMPLES = ['rollouts.train 3/6', PREDICTED];
const TUNED = 'evaluation/models/tuned';
const CODE = ['environments', 'validate', 'rollouts', PREDICTED, 'grade'];

let count = 0;

/** `value`: what names the file, made of its path. */
function counts(
  place: string,
  reruns: string[],
  given: Record<string, Value> = {},
  { value = (path) => path, name = 'file', before = 'one\n', after = 'two\n' }: How = {},
): NamedContent {
  count += 1;
  const folder = `named/${count}`;
  const file = `${folder}/${name}`;
  return { kind: 'counts', place, value: value(file, folder), given, file, before, after, reruns };
}

interface How {
  value?: (file: string, folder: string) => Value;
  name?: string;
  before?: string;
  after?: string;
}

const inFolder = (file: string, folder: string): Value => (file === '' ? '' : folder);
const none = (place: string, why: string): Unnamed => ({ kind: 'decides nothing', place, why });

/** A server that says itself which weights it has would have to run for this; its address is not asked while a plan is made. */
const SERVED = {
  command: 'serve {port}',
  weights: { path: 'prices.json' },
};

function ofModel(
  at: string,
  reruns: string[],
  given: Record<string, Value> = {},
  ofServer = reruns,
): (NamedContent | Unnamed)[] {
  const served = (serve: Record<string, Value>) => ({
    ...given,
    [`${at}/identity`]: null,
    [`${at}/serve`]: { ...SERVED, ...serve },
  });
  return [
    counts(`${at}/tokenizer`, reruns, given, { name: 'tokenizer.json', value: inFolder }),
    counts(`${at}/serve/weights/path`, ofServer, served({})),
    counts(`${at}/serve/command`, ofServer, served({}), { value: (file) => `sh ./${file} {port}` }),
    counts(`${at}/serve/args`, ofServer, served({}), { value: (file) => ['--chat-template', file] }),
    counts(`${at}/serve/env/TEMPLATE`, ofServer, served({})),
    none(
      `${at}/prices`,
      'prices count by their numbers for this model, where a limit on the cost ends rollouts',
    ),
  ];
}

export const CONTENTS: readonly (NamedContent | Unnamed)[] = [
  none('dataset/*/source', 'rows count one by one; see dataset/changed.test.ts'),
  none('dataset/*/sources/*', 'an archive is pinned by its digest with the row; see dataset/changed.test.ts'),
  none('environments/python/trees', 'which interpreter it is counts; see tasks/python/interpreter.test.ts'),
  none(
    'environments/python/versions/*',
    'which interpreter it is counts; see tasks/python/interpreter.test.ts',
  ),
  none(
    'environments/python/channels',
    'packages are pinned by the digests of their files; see environments/conda-channel.deep.test.ts',
  ),
  counts(
    'environments/recipes/0/freeze',
    ['environments.train 1/2'],
    {},
    { before: 'six==1.16.0\n', after: 'six==1.15.0\n' },
  ),
  counts('deployments/box/mounts/0/from', CODE, {}, { value: inFolder }),
  none('deployments/*/base', 'an image counts by its digest; see tasks/images'),
  none('deployments/*/activate', 'what it leads to counts: versions, and programs by their content'),
  none(
    'nodes/*/activate',
    'it leads to the programs of servers; what decides an answer is told by what asks them',
  ),
  counts(
    'agent/templates/from',
    SAMPLES,
    {},
    {
      before: 'agent: { step_limit: 9, system_template: "a" }\n',
      after: 'agent: { step_limit: 9, system_template: "b" }\n',
    },
  ),
  counts(
    'evaluation/agent/templates/from',
    [PREDICTED],
    {},
    {
      before: 'agent: { step_limit: 9, system_template: "a" }\n',
      after: 'agent: { step_limit: 9, system_template: "b" }\n',
    },
  ),
  ...['agent', 'evaluation/agent'].flatMap((agent) => [
    counts(
      `${agent}/program/install/source`,
      ['agents'],
      {
        [`${agent}/type`]: 'command',
        [`${agent}/program`]: { protocol: 'openai-chat', run: 'true', install: {} },
      },
      { value: inFolder },
    ),
    counts(`${agent}/source`, ['agents'], { [`${agent}/type`]: 'swe-agent' }, { value: inFolder }),
  ]),
  // The other model of the evaluation has an identity of its own, which stands for all of its server.
  ...ofModel('agent/model', SAMPLES, {}, ['rollouts.train 3/6', 'predict.eval 1/3']),
  ...ofModel('agent/step_rewards/model', SAMPLES, {
    'agent/step_rewards': {
      model: { base_url: 'http://127.0.0.1:9/v1', name: 'judge', identity: 'judge@1' },
    },
  }),
  ...['agent/user', 'evaluation/agent/user'].flatMap((user) =>
    ofModel(`${user}/model`, user === 'agent/user' ? SAMPLES : [PREDICTED], {
      [user]: { model: { base_url: 'http://127.0.0.1:9/v1', name: 'user', identity: 'user@1' } },
    }),
  ),
  ...ofModel(TUNED, ['predict.eval 1/3']),
  counts(
    'evaluation/predictions/theirs',
    ['predict.eval 1/3', 'evaluate.eval 1/3'],
    {},
    {
      value: (file) => [file],
      before: '{"tiny.3":{"model_patch":""}}',
      after: '{"tiny.3":{"model_patch":"x"}}',
    },
  ),
  counts(
    'evaluation/command',
    ['evaluate'],
    { 'evaluation/harness': 'swebench' },
    { value: (file) => `sh ${file} {dataset}` },
  ),
  counts('trainer/sft/data/source', ['sft-train'], SFT, {
    name: 'a.jsonl',
    before: '{"messages":[{"role":"user","content":"a"}]}\n',
    after: '{"messages":[{"role":"user","content":"b"}]}\n',
  }),
  counts('trainer/sft/model/path', ['sft-train'], SFT, { value: inFolder }),
  counts('trainer/sft/folder', ['sft-train'], SFT, { value: inFolder, name: 'a.yaml' }),
  counts('trainer/sft/command', ['sft-train'], SFT, { value: (file) => `bash ./${file}` }),
  counts('trainer/rl/model/path', ['rl-train'], RL, { value: inFolder }),
  counts('trainer/rl/folder', ['rl-train'], RL, { value: inFolder, name: 'a.yaml' }),
  counts('trainer/rl/module', ['rl-train'], RL, { value: inFolder, name: 'a.py' }),
  counts('trainer/rl/megatron', ['rl-train'], RL, { value: inFolder, name: 'a.py' }),
  counts('trainer/rl/model_args', ['rl-train'], RL),
  counts('trainer/rl/command', ['rl-train'], RL, { value: (file) => `bash ./${file}` }),
  none(
    'trainer/sft/image/name',
    'a tag counts as what the lock says that it means; see cli/locked-training.deep.test.ts',
  ),
  none(
    'trainer/rl/image/name',
    'a tag counts as what the lock says that it means; see cli/locked-training.deep.test.ts',
  ),
  none(
    'trainer/sft/image/mounts',
    'volumes of a training’s own container; the training’s folders count by their own keys',
  ),
  none(
    'trainer/rl/image/mounts',
    'volumes of a training’s own container; the training’s folders count by their own keys',
  ),
  none('trainer/sft/output_folder', 'what is made is written there'),
  none('trainer/rl/output_folder', 'what is made is written there'),
  none('out', 'what is made is written there'),
  none('cache/folder', 'what was made is kept there'),
  none('cache/remote/path', 'what was made is kept there, and checked by its digests'),
  none('cache/remote/sign', 'it says who answers'),
  none('cache/remote/tls/ca', 'it says whom to trust'),
  none('cache/remote/tls/certificate', 'it says who asks'),
  none('cache/remote/tls/key', 'it says who asks'),
];
