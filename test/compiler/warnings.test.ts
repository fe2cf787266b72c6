/** Warnings: right, but probably not what was meant. They never fail. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadProject } from '../../compiler/load.ts';
import { load, MINIMAL } from './project-folder.ts';

const box = (keys: string) => `${MINIMAL}deployments: { box: { ${keys} } }\n`;
const agent = (keys: string, model = '') =>
  `${MINIMAL}agent: { model: { base_url: "http://h/v1", name: m, ${model} }, ${keys} }\n`;
const recipes = (...list: string[]) =>
  `${MINIMAL}environments:\n  recipes:\n${list.map((one) => `    - ${one}\n`).join('')}`;

const trainer = (keys: string) =>
  `${MINIMAL}agent: { type: noop }\ndeployments: { box: {}, gpu: { type: process, resources: { gpu: 1 } } }\ntrainer: { sft: { type: trl, ${keys} } }\n`;

test.each([
  ['a missing file', MINIMAL.replace('owner/rows', 'none.jsonl'), 'W201', 'source: "none.jsonl"'],
  [
    'a revision of a file',
    MINIMAL.replace('owner/rows', './p.yaml, revision: main'),
    'W202',
    'a file has no revision',
  ],
  [
    'a seed without sample',
    MINIMAL.replace('format:', 'select: { seed: 3 }, format:'),
    'W202',
    'a seed without sample has no effect',
  ],
  [
    'turns of a user with texts',
    `${MINIMAL}agent: { type: noop }\n`.replace(
      'type: noop',
      'model: { base_url: "http://h/v1", name: m }, user: { says: [a], turns: 2 }',
    ),
    'W202',
    'turns has no effect without a model',
  ],
  [
    'an inner format of plain rows',
    MINIMAL.replace('format:', 'inner: custom, format:'),
    'W202',
    'only nested rows',
  ],
  [
    'tests that cannot be measured in rows of a format',
    MINIMAL.replace(/format: [\w-]+/, 'discover_tests: true, format: swe-polybench'),
    'W202',
    'no tests can be measured for rows of the format swe-polybench',
  ],
  [
    'tests of a benchmark that is not validated',
    `version: 1
name: demo
dataset:
  train: { source: owner/rows, format: swe-smith }
  eval: { source: owner/others, format: swe-bench, discover_tests: true }
validation: { dataset: train }
agent: { type: noop }
evaluation: { dataset: eval }
`,
    'W202',
    'tests are measured where a dataset is validated, and only train is',
  ],
  [
    'memory of rollouts that have no limit',
    `${MINIMAL}resources: { memory: 48GiB }\n`,
    'W202',
    'no deployment has a limit of memory by which rollouts count',
  ],
  [
    'conda trees that are not there',
    `${MINIMAL}environments: { python: { trees: none } }\n`,
    'W201',
    '"none" does not exist',
  ],
  ['an empty recipe', recipes('match: { repo: a/b }'), 'W202', 'the recipe has no key beside match'],
  [
    'hosts without proxy',
    box('allow_hosts: [a.org], network: { build: off }'),
    'W202',
    'no stage uses the proxy',
  ],
  ['one gold run', `${MINIMAL}validation: { gold_runs: 1 }\n`, 'W203', 'one run cannot show'],
  [
    'an unreachable recipe',
    recipes('{ match: { repo: "a/*" }, test: x }', '{ match: { repo: a/b }, test: y }'),
    'W204',
    'recipes[0] matches all',
  ],
  ['too little memory', box('limits: { memory: 1MiB }'), 'W205', 'too little memory'],
  ['a local deployment', box('type: local'), 'W206', 'will not be used for training data'],
  [
    'a local grader',
    `${MINIMAL}deployments: { box: {}, bare: { type: local } }\nvalidation: { deployment: box }\ngrading: { deployment: bare }\n`,
    'W206',
    'the local deployment "bare"',
  ],
  ['many at temperature 0', agent('rollouts: 4', 'temperature: 0'), 'W209', '4 rollouts at temperature 0'],
  ['many of the oracle', `${MINIMAL}agent: { type: oracle, rollouts: 2 }\n`, 'W209', 'are all the same'],
  ['a missing template file', agent('templates: { from: none.yaml }'), 'W201', '"none.yaml"'],
  ['a missing tokenizer', agent('', 'tokenizer: none'), 'W201', '"none" does not exist'],
  ['a missing price table', agent('', 'prices: none.json'), 'W201', '"none.json" does not exist'],
  ['costs without prices', agent('limits: { cost: 3 }'), 'W202', 'without prices'],
  [
    'a bound that nobody looks at',
    agent('context: { max_tokens: 9000 }'),
    'W202',
    'max_tokens has no effect',
  ],
  [
    'an expression for tool calls',
    agent('actions: tool-calls, action_regex: "(x)"'),
    'W202',
    'action_regex has no effect',
  ],
  [
    'nothing but the benchmark',
    `${agent('')}trainer: { sft: {} }\nevaluation: { dataset: train }\n`,
    'W208',
    'nothing to learn from',
  ],
  [
    'a command that is not run',
    `${agent('')}evaluation: { dataset: train, command: x }\n`,
    'W202',
    'command has no effect on the native harness',
  ],
  [
    'a model of the hub without a commit',
    trainer('model: { id: a/b }'),
    'W212',
    'may change the model under this name',
  ],
  [
    'a model of the hub by a branch',
    trainer('model: { id: a/b, revision: main }'),
    'W212',
    'may change the model under this name',
  ],
  [
    'a container with all rights',
    trainer('model: { path: "." }, image: { name: i, privileged: true }'),
    'W213',
    'all rights over the host',
  ],
  [
    'a container with the engine’s socket',
    trainer('model: { path: "." }, image: { name: i, engine: true }'),
    'W213',
    'all rights over the host',
  ],
  [
    'a context that the engine of the trainer does not count',
    `${MINIMAL}agent: { model: { base_url: "http://h/v1", name: m }, context: { strategy: head-tail, max_tokens: 9000 } }\ndeployments: { box: {}, gpu: { type: process, resources: { gpu: 8 } } }\ntrainer: { rl: { type: slime, folder: ".", model: { path: "." } } }\n`,
    'W215',
    'SGLang, by which this trainer serves the model, counts no messages',
  ],
  [
    'other people’s code without isolation',
    `${MINIMAL}deployments: { box: { type: auto, fallback: local } }\n`,
    'W214',
    'code of the rows of "train" will do whatever you can',
  ],
  [
    'a fallback of what has none',
    `${MINIMAL}deployments: { box: { type: sandbox, fallback: local } }\n`,
    'W202',
    'fallback has no effect on a sandbox deployment',
  ],
  [
    'missing predictions',
    `${MINIMAL}evaluation: { dataset: train, predictions: { a: [none.json] } }\n`,
    'W201',
    '"none.json" does not exist',
  ],
])('%s', async (_, yaml, code, text) => {
  const { project, diagnostics } = await load({ 'p.yaml': yaml });
  expect(project).not.toBeNull();
  expect(diagnostics.map((one) => one.code)).toEqual([code]);
  expect(`${diagnostics[0]!.message} ${diagnostics[0]!.text}`).toContain(
    text.replace('source: "none.jsonl"', '"none.jsonl" does not exist'),
  );
});

test('a recipe with a key of its own is reachable', async () => {
  const yaml = recipes(
    '{ match: { repo: "a/*" }, test: x }',
    '{ match: { repo: a/b }, test: y, python: "3.9" }',
  );
  expect((await load({ 'p.yaml': yaml })).diagnostics).toEqual([]);
});

test('a file that the command will write need not be there', async () => {
  const files = { 'p.yaml': MINIMAL.replace('owner/rows', 'none.jsonl') };
  const { folder, diagnostics } = await load(files);
  expect(diagnostics).toHaveLength(1);
  const written = [join(folder, 'none.jsonl')];
  const loaded = await loadProject('p.yaml', { env: {}, cwd: folder, written });
  expect(loaded).toMatchObject({ ok: true, value: { warnings: [] } });
});

test('allowed isolation silences the warning about local', async () => {
  const yaml = `${box('type: local')}validation: { allow_isolation: local }\n`;
  expect((await load({ 'p.yaml': yaml })).diagnostics).toEqual([]);
});

test('a project that only evaluates is nothing to warn about', async () => {
  const yaml = `${agent('')}evaluation: { dataset: train, models: { a: {}, b: { name: n } } }\n`;
  expect((await load({ 'p.yaml': yaml })).diagnostics).toEqual([]);
});

test('keys of an agent may be there for the type of the evaluation’s', async () => {
  const yaml = `${agent('type: noop, templates: { system: x }')}evaluation: { dataset: train, agent: { type: bash } }\n`;
  expect((await load({ 'p.yaml': yaml })).diagnostics).toEqual([]);
});

test('tools may be called by tool calls', async () => {
  for (const yaml of [
    agent('type: tools, actions: tool-calls'),
    `${agent('type: tools')}evaluation: { dataset: train, agent: { actions: tool-calls } }\n`,
  ])
    expect((await load({ 'p.yaml': yaml })).diagnostics).toEqual([]);
});

test('a split of a file of rows', async () => {
  const codes = async (source: string) => {
    const files = { 'p.yaml': MINIMAL.replace('owner/rows', `${source}, split: train`) };
    const { diagnostics } = await load({ ...files, 'rows.jsonl': '', 'rows.json': '{}' });
    return diagnostics.map(({ code, message }) => `${code} ${message}`);
  };
  expect(await codes('rows.jsonl')).toEqual(['W202 a file of rows has no splits']);
  // Lists by split may be in there.
  expect(await codes('rows.json')).toEqual([]);
});
