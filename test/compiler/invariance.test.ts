/** The config depends on what a file means, never on how it is written. */
import { describe, expect, test } from 'vitest';
import { load, resolved } from './project-folder.ts';

const YAML = `version: 1
name: demo
dataset:
  train: { source: owner/rows, format: swe-smith, select: { sample: 4 } }
  eval: { source: owner/test, format: swe-bench }
environments:
  recipes:
    - match: { repo: "a/*" }
      install: ["pip install -e .", "true"]
      env: { B: x, A: y }
      test: |
        cd x
        pytest
deployments: { box: { type: sandbox, limits: { pids: 64 } } }
validation: { deployment: box }
`;

const expected = async () => JSON.stringify((await resolved({ 'p.yaml': YAML })).config);
const bytes = (text: string) => new TextEncoder().encode(text);

describe('written otherwise', () => {
  test.each<[string, string | Uint8Array]>([
    ['CRLF', YAML.replaceAll('\n', '\r\n')],
    ['CR', YAML.replaceAll('\n', '\r')],
    ['a byte order mark', bytes(`\ufeff${YAML}`)],
    [
      'comments',
      YAML.replace('name: demo', '# first\nname: demo # second').replaceAll(
        '  - match',
        '  # third\n    - match',
      ),
    ],
    ['trailing spaces', YAML.replaceAll('demo\n', 'demo   \n').replaceAll('rows', 'rows')],
    [
      'quotes',
      YAML.replace('name: demo', "name: 'demo'")
        .replace('sandbox', '"sandbox"')
        .replace('format:', '"format":'),
    ],
    [
      'numbers',
      YAML.replace('version: 1', 'version: 1.0').replace('sample: 4', 'sample: 4e0').replace('64', '0x40'),
    ],
    ['key order', reordered(YAML)],
    [
      'flow and block',
      YAML.replace('validation: { deployment: box }', 'validation:\n  deployment:\n    box'),
    ],
    [
      'anchors',
      YAML.replace('deployments: { box', 'deployments: { &n box').replace(
        'deployment: box',
        'deployment: *n',
      ),
    ],
    ['merge keys', YAML.replace('{ B: x, A: y }', '{ <<: [{ A: y, B: no }, { A: no }], B: x }')],
    ['a document start and end', `---\n${YAML}...\n`],
    ['explicit defaults', `${YAML}cache: { folder: .swemake }\n`],
    ['explicit nulls', `${YAML}cache:\nresources: null\n`],
    ['explicit tags', YAML.replace('name: demo', 'name: !!str demo')],
  ])('%s', async (_, text) => {
    expect(JSON.stringify((await resolved({ 'p.yaml': text })).config)).toBe(await expected());
  });
});

test('the config is plain JSON data', async () => {
  const { config } = await resolved({ 'p.yaml': YAML });
  expect(JSON.parse(JSON.stringify(config))).toEqual(config);
});

test('keys named like built-in properties are data', async () => {
  const yaml = YAML.replace('{ B: x, A: y }', '{ __proto__: p, constructor: c, B: x }');
  const { config } = await resolved({ 'p.yaml': yaml });
  expect(Object.entries(config.environments.recipes[0]!.env!)).toEqual([
    ['B', 'x'],
    ['__proto__', 'p'],
    ['constructor', 'c'],
  ]);
  expect(Object.getPrototypeOf(config.environments.recipes[0]!.env)).toBe(Object.prototype);
  const { diagnostics } = await load({ 'p.yaml': `${YAML}__proto__: { polluted: 1 }\n` });
  expect(diagnostics).toMatchObject([{ code: 'E103', message: 'unknown key "__proto__"' }]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

/** Top-level blocks in reverse, and some inner keys swapped. */
function reordered(yaml: string): string {
  const blocks = yaml.split(/\n(?=[a-z])/).map((block) => block.trimEnd());
  return `${blocks.reverse().join('\n')}\n`
    .replace('{ B: x, A: y }', '{ A: y, B: x }')
    .replace('source: owner/rows, format: swe-smith', 'format: swe-smith, source: owner/rows');
}
