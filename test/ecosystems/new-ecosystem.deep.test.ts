/**
 * A copy of the sources with the ecosystem that docs/contributing.md shows: a folder and a line of the registry. Its tasks are built and graded.
 */
import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { SourcesWith } from '../rig/contributing.ts';
import { Project } from '../rig/project.ts';
import { redTests } from '../rig/sources.ts';
import { makeRepository } from '../tasks/source/helpers.ts';
import { diff } from './graded.ts';

const PAGE = 'A new ecosystem';
/** The command for the ledger names it. */
const CONTRACT = 'test/ecosystems/python.test.ts';
const GENERATED = [
  'docs/reference.md',
  'schemas/editor.schema.json',
  'schemas/generated/project.ts',
  'schemas/generated/validate.js',
  'schemas/project.schema.json',
];

const MAIN = 'echo 1\n';
const TEST = (value: number) => `[ "$(sh main.sh | tail -n 1)" = ${value} ]\n`;
const PATCHES = {
  gold: diff('main.sh', MAIN, 'echo 2\n'),
  lie: diff('main.sh', MAIN, 'echo "ok 1 tests/value.sh" >&2; echo 1\n'),
  'another solution': diff('main.sh', MAIN, 'expr 1 + 1\n'),
};

describe('the ecosystem of the page', () => {
  let sources: SourcesWith;

  beforeAll(() => {
    sources = new SourcesWith(PAGE);
  });

  test('touches its folder, the registry and what is generated', () => {
    expect(sources.changed()).toEqual(
      ['ecosystems/registry.ts', 'ecosystems/shell/kind.ts', ...GENERATED].sort(),
    );
  });

  test('has the right types', () => {
    expect(sources.typeErrors('ecosystems')).toBe('');
  });

  test('is in the schema and the reference', () => {
    expect(sources.read('schemas/project.schema.json')).toMatch(/"cmake",\s*"shell"/);
    expect(sources.read('docs/reference.md')).toContain(
      'shell: programs of the shell, whose tests are scripts',
    );
  });

  test('its tasks are validated and graded: what is printed does not count without the witness', async () => {
    const project = new Project(undefined, {}, sources.root);
    const files = { 'main.sh': MAIN, 'tests/value.sh': TEST(1), 'tests/other.sh': 'true\n' };
    const commit = makeRepository(project.folder, 'repo', files).at(-1)!;
    const lines = (objects: object[]) => objects.map((one) => `${JSON.stringify(one)}\n`).join('');
    const row = {
      ...{ instance_id: 's.1', repo: 'owner/s', source: `git+./repo@${commit}`, patch_role: 'fix' },
      ...{ problem_statement: 'value is 1', patch: PATCHES.gold },
      test_patch: diff('tests/value.sh', files['tests/value.sh'], TEST(2)),
      ...{ FAIL_TO_PASS: ['tests/value.sh'], PASS_TO_PASS: ['tests/other.sh'] },
    };
    writeFileSync(project.path('rows.jsonl'), lines([row]));
    const models = Object.entries(PATCHES).map(([name, model_patch], at) => {
      const given = { instance_id: 's.1', model_name_or_path: `p${at}`, model_patch };
      writeFileSync(project.path(`p${at}.jsonl`), lines([given]));
      return `    p${at}: [p${at}.jsonl] # ${name}`;
    });
    writeFileSync(
      project.path('p.yaml'),
      `version: 1
name: s
dataset:
  bench: { source: rows.jsonl, format: custom }
environments:
  recipes:
    - { match: {}, ecosystem: shell }
deployments:
  box: { type: sandbox, limits: { memory: 1GiB, pids: 128 }, network: { build: proxy, rollout: off, grade: off } }
validation: { deployment: box, dataset: bench, gold_runs: 2, timeout: 60s }
evaluation:
  dataset: bench
  predictions:
${models.join('\n')}
`,
    );
    await project.run('build', 'p.yaml', 'grade.bench');
    const outcome = (stage: string, item: string) =>
      project
        .events()
        .find((event) => event.type === 'item-finished' && event.stage === stage && event.item === item)
        ?.outcome;
    expect(outcome('validate.bench', 's.1')).toEqual({ status: 'ok' });
    expect(outcome('grade.bench', 's.1#p0')).toEqual({ status: 'ok' });
    expect(outcome('grade.bench', 's.1#p1')).toMatchObject({ status: 'failed' });
    expect(outcome('grade.bench', 's.1#p2')).toEqual({ status: 'ok' });
  });

  test('agrees with what other tests expect', () => {
    expect(redTests(sources.root, CONTRACT, 'test/contract/leaves')).toBe('');
  });

  test('is settled in the ledger by the command of the page', () => {
    expect(sources.unsettled()).toBe('');
  });
});
