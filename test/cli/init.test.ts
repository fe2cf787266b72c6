/** `swemake init`: what it writes passes `check`, and says what was found in the rows. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TEMPLATE_NAMES } from '../../app/init/templates.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { checkCommand } from '../../cli/check.ts';
import { initCommand } from '../../cli/init.ts';
import { FORMATS } from '../../formats/registry.ts';
import { projectFolder, resolved, run } from '../compiler/project-folder.ts';

const PATCH = 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-A = 1\n+A = 2\n';
const SMITH = {
  instance_id: 'pydicom__pydicom.7d361b3d.func__x1',
  repo: 'swesmith/pydicom__pydicom.7d361b3d',
  patch: PATCH,
  FAIL_TO_PASS: ['t::a'],
  PASS_TO_PASS: [],
  problem_statement: 'p',
};
const BENCH = {
  instance_id: 'o__r-1',
  repo: 'o/r',
  base_commit: 'a'.repeat(40),
  patch: PATCH,
  test_patch: PATCH,
  version: '1.0',
  FAIL_TO_PASS: '["t::a"]',
  PASS_TO_PASS: '[]',
};
const REBENCH = {
  ...BENCH,
  install_config: { install: 'pip install -e .', python: '3.9', test_cmd: 'pytest' },
};
const lines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('from rows', () => {
  test.each(FORMATS.map((format) => [format.name, format] as const))(
    'the format is told by the columns: %s',
    async (name, { example }) => {
      // The name of a dataset counts where its columns are those of several formats.
      const folder = projectFolder({ [`${name}.jsonl`]: lines(example.row) });
      const made = await run(initCommand, ['--from', `${name}.jsonl`, '--name', 'mine'], folder);
      expect(made, made.stderr).toMatchObject({ code: 0 });
      expect(made.stdout).toMatch(new RegExp(`format ${name}: 1 row of \\S+/\\S+\n`));
      expect(readFileSync(join(folder, 'project.yaml'), 'utf8')).toContain(`format: ${name}`);
      const checked = await run(checkCommand, ['project.yaml'], folder);
      expect(checked.stdout, checked.stderr).toMatch(/^no errors in 1 file/);
    },
  );

  test.each([
    ['known to swemake', SMITH],
    ['- match: { repo: o/r }', BENCH],
    ['brought by the rows themselves', REBENCH],
  ])('where recipes come from is said: %s', async (said, row) => {
    const folder = projectFolder({ 'rows.jsonl': lines(row) });
    await run(initCommand, ['--from', 'rows.jsonl'], folder);
    expect(readFileSync(join(folder, 'project.yaml'), 'utf8')).toContain(said);
  });

  test('no rule of the project wins over recipes that are built in', async () => {
    const folder = projectFolder({ 'rows.jsonl': lines({ ...BENCH, repo: 'psf/requests' }) });
    await run(initCommand, ['--from', 'rows.jsonl'], folder);
    const text = readFileSync(join(folder, 'project.yaml'), 'utf8');
    expect(text).toContain('The recipe of one repository is known to swemake');
    expect(text).toMatch(/^ {2}recipes: \[\]$/m);
    expect(text).toContain('evaluation: { dataset: eval');
    expect(text).not.toContain('trainer:');
  });

  test('a dataset with several splits takes the one to train on, or the one that is named', async () => {
    const folder = projectFolder({ 'data/train.jsonl': lines(SMITH), 'data/test.jsonl': lines(BENCH) });
    await run(initCommand, ['--from', 'data'], folder);
    await run(initCommand, ['test.yaml', '--from', './data', '--split', 'test'], folder);
    expect(readFileSync(join(folder, 'project.yaml'), 'utf8')).toContain('split: train, format: swe-smith');
    expect(readFileSync(join(folder, 'test.yaml'), 'utf8')).toContain('split: test, format: swe-bench');
  });

  test('rows of no format are refused with their columns, and nothing is written', async () => {
    const folder = projectFolder({
      'rows.jsonl': lines({ question: 'q', answer: 'a' }),
      'talks.jsonl': lines({ messages: [], instance_id: 'a' }),
    });
    for (const [file, said] of [
      ['rows.jsonl', 'of no format (question, answer)'],
      ['talks.jsonl', 'conversations, not tasks; trainer.sft.data.source'],
    ] as const)
      expect(await run(initCommand, ['--from', file], folder)).toMatchObject({
        ...{ code: 1, stdout: '' },
        stderr: expect.stringContaining(said),
      });
    expect(await run(initCommand, ['new/place/p.yaml', '--from', 'rows.jsonl'], folder)).toMatchObject({
      code: 1,
    });
    expect(readdirSync(folder).sort()).toEqual(['rows.jsonl', 'talks.jsonl']);
  });

  test('a path from the root stays one, unless it is below the project', async () => {
    const folder = projectFolder({ 'rows.jsonl': lines(SMITH), 'a/rows.jsonl': lines(SMITH) });
    const sources: (string | undefined)[] = [];
    for (const from of [join(folder, 'rows.jsonl'), join(folder, 'a/rows.jsonl'), 'rows.jsonl']) {
      expect(await run(initCommand, ['a', '--force', '--from', from], folder)).toMatchObject({ code: 0 });
      sources.push(/source: "?([^\s,"]+)/.exec(readFileSync(join(folder, 'a/project.yaml'), 'utf8'))![1]);
    }
    expect(sources).toEqual([join(folder, 'rows.jsonl'), 'rows.jsonl', '../rows.jsonl']);
  });

  test('a benchmark is evaluated on, and nothing is trained on it; rows to train on are trained on', async () => {
    const folder = projectFolder({ 'verified-test.jsonl': lines(BENCH), 'my-train.jsonl': lines(BENCH) });
    const written = async (from: string, file: string) => {
      const made = await run(initCommand, [file, '--from', from], folder);
      expect(made, made.stderr).toMatchObject({ code: 0 });
      return readFileSync(join(folder, file), 'utf8');
    };
    const benchmark = await written('verified-test.jsonl', 'a.yaml');
    expect(benchmark).toMatch(/^ {2}eval: \{ source: verified-test\.jsonl/m);
    expect(benchmark).toMatch(/^evaluation: \{ dataset: eval/m);
    expect(benchmark).not.toMatch(/^trainer:/m);
    const { config } = await resolved({ 'p.yaml': benchmark });
    expect(config.evaluation).toMatchObject({ dataset: 'eval' });
    const training = await written('my-train.jsonl', 'b.yaml');
    expect(training).toMatch(/^trainer:/m);
    expect(training).not.toMatch(/^evaluation:/m);
  });

  test('an endpoint becomes an agent with baselines', async () => {
    const folder = projectFolder({ 'rows.jsonl': lines(SMITH) });
    const args = ['--from', 'rows.jsonl', '--endpoint', 'http://127.0.0.1:8000/v1', '--model', 'own'];
    expect(await run(initCommand, args, folder)).toMatchObject({ code: 0 });
    const text = readFileSync(join(folder, 'project.yaml'), 'utf8');
    const { config } = await resolved({ 'p.yaml': text });
    expect(config.agent).toMatchObject({
      type: 'bash',
      baselines: ['oracle', 'noop'],
      model: { name: 'own' },
    });
  });
});

test.each([
  ['a template', ['--template', 'swe-smith']],
  ['a dataset that is known', ['--from', 'SWE-bench/SWE-bench_Lite']],
])('%s in a folder that is not there yet', async (_, words) => {
  const folder = projectFolder({});
  const made = await run(initCommand, ['new/first', ...words], folder);
  expect(made, made.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(join(folder, 'new/first')).sort()).toEqual(['.swemake', 'project.yaml']);
});

test.each(['quickstart', 'swe-smith'])('commands of a project in a folder with a space: %s', async (name) => {
  const folder = projectFolder({});
  const { stdout } = await run(initCommand, ['my work', '--template', name], folder);
  expect(stdout).toContain("next: swemake build 'my work/project.yaml'\n");
  expect(readFileSync(join(folder, 'my work/project.yaml'), 'utf8')).toContain(
    "swemake build 'my work/project.yaml'",
  );
});

test.each(TEMPLATE_NAMES)('template %s passes check, its schema beside it', async (template) => {
  const folder = projectFolder({});
  const made = await run(initCommand, ['first.yaml', '--template', template], folder);
  expect(made, made.stderr).toMatchObject({ code: 0 });
  const checked = await run(checkCommand, ['first.yaml'], folder);
  expect(checked.stdout, checked.stderr).toMatch(/^no errors in 1 file/);
  const modeline = /\$schema=(\S+)/.exec(readFileSync(join(folder, 'first.yaml'), 'utf8'))![1]!;
  const own = readFileSync(join(packageRoot(), 'schemas/editor.schema.json'), 'utf8');
  expect(readFileSync(join(folder, modeline), 'utf8')).toBe(own);
});

describe('what is said wrong', () => {
  test.each([
    [['--template', 'swesmith'], 'did you mean "swe-smith"?'],
    [['--from', 'a', '--template', 'quickstart'], 'exclude each other'],
    [['--from', 'a', '--name', 'a b'], 'letters, digits'],
    [['--from', 'a', '--count', 'x'], 'a whole number'],
    [['--from', 'a', '--endpoint', 'localhost:8000'], 'http://127.0.0.1:8000/v1'],
    [['--from', 'a', '--model', 'm'], 'where the model answers'],
    [[], 'with --template'],
  ])('%j', async (args, remedy) => {
    const made = await run(initCommand, args, projectFolder({}));
    expect(made.code).toBe(2);
    expect(made.stderr).toContain(remedy);
  });

  test('a file that is there is kept without --force', async () => {
    const folder = projectFolder({ 'project.yaml': 'mine', 'rows.jsonl': lines(SMITH) });
    expect(await run(initCommand, ['--from', 'rows.jsonl'], folder)).toMatchObject({ code: 2 });
    expect(readFileSync(join(folder, 'project.yaml'), 'utf8')).toBe('mine');
    expect(await run(initCommand, ['--from', 'rows.jsonl', '--force'], folder)).toMatchObject({ code: 0 });
  });
});

test('somebody at the terminal is asked', async () => {
  const folder = projectFolder({ 'rows.jsonl': lines(SMITH) });
  const answers = ['rows.jsonl', 'http://127.0.0.1:8000/v1', ''];
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return answers.shift()!;
  };
  const made = await run((args, io) => initCommand(args, { ...io, ask }), [], folder);
  expect(made, made.stderr).toMatchObject({ code: 0 });
  expect(asked).toHaveLength(3);
  const { config } = await resolved({ 'p.yaml': readFileSync(join(folder, 'project.yaml'), 'utf8') });
  expect(config.agent?.model).toMatchObject({ base_url: 'http://127.0.0.1:8000/v1', name: 'custom' });
});
