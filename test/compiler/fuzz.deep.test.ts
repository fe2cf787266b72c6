/** No input whatever ends in an exception: broken files give diagnostics, and so does rubbish. */
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../../cli/check.ts';
import { projectFolder, run } from './project-folder.ts';

const YAML = `version: 1
name: demo
extends: &x [base.yaml]
profiles: { q: { name: q } }
dataset:
  train: { source: rows.jsonl, format: custom, select: { match: "^a(b)", slice: "1:-1" } }
environments:
  recipes:
    - match: { repo: "a/{b,c}[!d]*" }
      env: { T: "\${secret:T}", U: "\${env:HOME:-x}", <<: { V: "1" } }
      timeout: 5m
deployments: { box: { type: sandbox, limits: { memory: 4GiB }, mounts: [{ from: /, to: /mnt }] } }
agent:
  type: bash
  model: { base_url: "http://h/v1", name: m, temperature: 0, extra: { a: [{ b: "\${secret:T}" }] }, serve: { command: "x {port}" } }
  rollouts: 2
  context: { strategy: head-tail, max_tokens: 9000, max_response_tokens: 100 }
  action_regex: "(a)"
  templates: { from: t.yaml }
  step_rewards: { model: { base_url: "http://h/v1", name: j } }
grading: { protect: ["a/**"], deployment: box }
trainer: { sft: { balance: { total: 5 } } }
evaluation:
  dataset: train
  models: { base: { name: n } }
  predictions: { p: [x.json] }
  agent: { limits: { cost: 1 } }
  command: x
`;

async function check(content: string | Uint8Array): Promise<void> {
  const folder = projectFolder({ 'p.yaml': content, 'base.yaml': 'validation: { gold_runs: 3 }\n' });
  const { code, stderr, stdout } = await run(checkCommand, ['p.yaml', '--json'], folder);
  expect([0, 2]).toContain(code);
  expect(stderr).toBe('');
  const { errors } = JSON.parse(stdout) as { errors: number };
  expect(errors > 0).toBe(code === 2);
}

/** A small deterministic generator, so that a failure can be repeated. */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test('files cut off anywhere', async () => {
  for (let length = 0; length <= YAML.length; length += 7) await check(YAML.slice(0, length));
});

test('random bytes', async () => {
  const next = random(1);
  for (let round = 0; round < 150; round++)
    await check(Uint8Array.from({ length: next(200) }, () => next(256)));
});

test('random YAML punctuation', async () => {
  const next = random(2);
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ':',
    ' ',
    '\n',
    '- ',
    '? ',
    '&a ',
    '*a',
    '<<: ',
    '|',
    '>',
    '"',
    "'",
    '#',
    '!!',
    '%',
    '---\n',
    ',',
    'name',
    '1',
    '\t',
    '${env:',
    '}',
    '~',
  ];
  for (let round = 0; round < 400; round++) {
    const text = Array.from({ length: next(30) }, () => pieces[next(pieces.length)]).join('');
    await check(round % 2 === 0 ? text : `version: 1\nname: demo\ndataset: ${text}`);
  }
});

test('one character changed', async () => {
  const next = random(3);
  for (let round = 0; round < 300; round++) {
    const at = next(YAML.length);
    await check(YAML.slice(0, at) + String.fromCharCode(32 + next(95)) + YAML.slice(at + 1));
  }
});

test('a value of the wrong kind at every key', async () => {
  const keys = [...YAML.matchAll(/([a-z_]+): /g)];
  for (const key of keys)
    for (const value of ['1', '[]', '{}', '"x"', 'null', 'true', '[[1]]', '{ a: { b: 1 } }', '-1.5']) {
      const rest = YAML.slice(key.index + key[0].length);
      await check(`${YAML.slice(0, key.index)}${key[1]}: ${value}${/[,}\n].*/s.exec(rest)?.[0] ?? ''}`);
    }
});

describe('bombs', () => {
  test.each([
    ['brackets', `a: ${'['.repeat(20_000)}`],
    ['maps', `a: ${'{a: '.repeat(20_000)}`],
    ['deep blocks', Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    [
      'aliases',
      `a: &a0 [x, x]\n${Array.from({ length: 40 }, (_, i) => `k${i}: &a${i + 1} [*a${i}, *a${i}]`).join('\n')}`,
    ],
    [
      'merges',
      `a: &a0 { k: 1 }\n${Array.from({ length: 40 }, (_, i) => `k${i}: &a${i + 1} { <<: [*a${i}, *a${i}], x${i}: *a${i} }`).join('\n')}`,
    ],
    ['a long line', `name: ${'x'.repeat(1_000_000)}`],
    ['many keys', Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n')],
    ['a data file', 'x'.repeat(5_000_000)],
  ])('%s', async (_, text) => {
    await check(text);
  });
});
