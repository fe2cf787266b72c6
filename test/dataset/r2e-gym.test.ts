/** Rows of R2E-Gym: what a commit changes becomes a task that begins at the commit before, with tests from the logs. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guessFormat } from '../../formats/guess.ts';
import { r2eRow } from '../../formats/r2e-gym/convert.ts';
import type { DatasetConfig } from '../../schemas/generated/project.ts';
import type { Instance } from '../../schemas/instance.ts';
import type { SourceDeps } from '../../tasks/source/deps.ts';
import { writeTree } from '../rig/folder.ts';
import { git, makeDeps, temporaryFolder } from '../tasks/source/helpers.ts';
import { loadDataset } from './load-dataset.ts';

let root: string;
let repo: string;
let deps: SourceDeps;
let hash: string;
let before: string;

const TEST =
  'from mod import double\n\n\ndef test_old():\n    assert double(1) == 2\n\n\ndef test_new():\n    assert double(2) == 4';

beforeAll(() => {
  root = temporaryFolder();
  deps = makeDeps(root);
  repo = join(root, 'repo');
  mkdirSync(repo);
  git(repo, 'init', '-q', '-b', 'main');
  writeTree(repo, {
    'mod.py': 'def double(x):\n    return 2\n',
    'old.py': 'x = 1\n',
    'tests/test_a.py': '1\n',
  });
  git(repo, 'add', '.');
  git(repo, 'commit', '-qm', 'one');
  before = git(repo, 'rev-parse', 'HEAD');
  writeTree(repo, {
    'mod.py': 'def double(x):\n    return 2 * x',
    'new.py': 'y = 1\n',
    'tests/test_a.py': '2\n',
    'notes.txt': 'n\n',
  });
  git(repo, 'rm', '-q', 'old.py');
  git(repo, 'add', '.');
  git(repo, 'commit', '-qm', 'two');
  hash = git(repo, 'rev-parse', 'HEAD');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** As the dataset's own tools take a diff apart: its empty last line is taken for one of the context. */
function takenApart(diff: string): object[] {
  const files: { header: { file: { path: string }; misc_line: string | null }; hunks: object[] }[] = [];
  let hunk = null as { line_group: { all_lines: object[] } } | null;
  for (const line of diff.split('\n')) {
    const head = /^diff --git a\/(\S+) /.exec(line);
    const file = files.at(-1) as Record<string, unknown> | undefined;
    const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)/.exec(line);
    if (head !== null) {
      files.push({ header: { file: { path: head[1]! }, misc_line: null }, hunks: [] });
      hunk = null;
    } else if (range !== null) {
      const at = (start: string, length: string | undefined) => ({
        start: Number(start),
        length: length === undefined ? null : Number(length),
      });
      const descriptor = {
        old_range: at(range[1]!, range[2]),
        new_range: at(range[3]!, range[4]),
        section: range[5]!.trimStart(),
      };
      const made = { descriptor, line_group: { all_lines: [] } };
      hunk = made;
      (file!.hunks as object[]).push(made);
    } else if (hunk === null) {
      if (line.startsWith('index')) {
        const [, hashes = '', mode = ''] = line.split(' ');
        const [old_commit_hash, new_commit_hash] = hashes.split('..');
        file!.index_line = { old_commit_hash, new_commit_hash, mode };
      } else if (/^(new|deleted) file mode/.test(line))
        (file!.header as { misc_line: string }).misc_line = line;
      else if (line.startsWith('--- ')) file!.minus_file = { path: line.slice(4) };
      else if (line.startsWith('+++ ')) file!.plus_file = { path: line.slice(4) };
    } else {
      const type = { '-': 'deleted', '+': 'added', '\\': 'note' }[line[0] ?? ''] ?? 'context';
      hunk.line_group.all_lines.push({ content: line.slice(type === 'note' ? 2 : 1), type });
    }
  }
  return files;
}

const log = (lines: string) =>
  `============ test session starts ============\ncollected 2 items\n\nr2e_tests/test_1.py ..\n\n\x1b[36m============ short test summary info ============\x1b[0m\n${lines}\n============ 2 passed in 0.01s ============\n`;

function row(more: object = {}): Record<string, unknown> {
  const diff = execFileSync('git', ['diff', before, hash], { cwd: repo, encoding: 'utf8' });
  return {
    repo_name: 'numpy',
    docker_image: `namanjain12/numpy_final:${hash}`,
    commit_hash: hash,
    parsed_commit_content: JSON.stringify({
      file_diffs: takenApart(diff),
      old_commit_hash: `${hash}^`,
      new_commit_hash: hash,
      commit_message: 'two',
    }),
    execution_result_content: JSON.stringify({
      test_file_names: ['test_1.py'],
      test_file_codes: [TEST],
      new_commit_res_stdout: log(
        'PASSED r2e_tests/test_1.py::test_old\n\x1b[32mPASSED\x1b[0m r2e_tests/test_1.py::\x1b[1mtest_new\x1b[0m',
      ),
      old_commit_res_stdout: log(
        'PASSED r2e_tests/test_1.py::test_old\nFAILED r2e_tests/test_1.py::test_new - assert 2 == 4',
      ),
    }),
    expected_output_json: JSON.stringify({
      test_old: 'PASSED',
      '\x1b[1mtest_new\x1b[0m': 'PASSED',
      test_gone: 'FAILED',
    }),
    prompt: 'the answer is in here',
    problem_statement: 'Write an issue.\n[ISSUE]\nIt does not double.\n[/ISSUE]\nBe brief.',
    relevant_files: ['mod.py'],
    ...more,
  };
}

async function load(...rows: object[]): Promise<{ instances: Instance[]; bad: unknown[] }> {
  writeFileSync(join(root, 'r2e.jsonl'), rows.map((one) => JSON.stringify(one)).join('\n'));
  const config: DatasetConfig = {
    source: 'r2e.jsonl',
    format: 'r2e-gym',
    select: { seed: 0 },
    sources: { 'numpy/*': 'git+./repo@{commit}' },
  };
  const loaded = await loadDataset({ config, projectFolder: root, deps });
  if (!loaded.ok) throw new Error(loaded.fault.detail);
  return loaded.value;
}

test('a commit is a task: the code before it, its Python files as the fix, tests by its logs', async () => {
  const { instances, bad } = await load(row());
  expect(bad).toEqual([]);
  const [instance] = instances as [Instance];
  expect(instance).toMatchObject({
    instance_id: `numpy__${hash}`,
    repo: 'numpy/numpy',
    source: { digest: `git:${before}` },
    patch_role: 'fix',
    FAIL_TO_PASS: ['r2e_tests/test_1.py::test_new'],
    PASS_TO_PASS: ['r2e_tests/test_1.py::test_old'],
    problem_statement: 'It does not double.',
    raw: { docker_image: `namanjain12/numpy_final:${hash}` },
  });
  expect(Object.keys(instance.raw)).not.toContain('parsed_commit_content');
  expect(JSON.stringify(instance.raw)).not.toContain('the answer is in here');
  // Both diffs are what git takes for them, on the code before.
  git(repo, 'checkout', '-q', before);
  for (const [name, text] of [
    ['fix', instance.patch],
    ['tests', instance.test_patch],
  ] as const) {
    const file = join(root, `${name}.diff`);
    writeFileSync(file, text);
    git(repo, 'apply', file);
  }
  expect(readFileSync(join(repo, 'mod.py'), 'utf8')).toBe('def double(x):\n    return 2 * x');
  expect(readFileSync(join(repo, 'r2e_tests/test_1.py'), 'utf8')).toBe(TEST);
  expect(
    git(repo, 'status', '--short')
      .split('\n')
      .map((line) => line.trim())
      .sort(),
  ).toEqual(['D old.py', 'M mod.py', '?? new.py', '?? r2e_tests/'].sort());
});

test('a commit before that is named stands as it is', () => {
  const content = JSON.parse(row().parsed_commit_content as string);
  const named = row({ parsed_commit_content: JSON.stringify({ ...content, old_commit_hash: before }) });
  expect(r2eRow({ line: 1, row: named })).toMatchObject({ row: { base_commit: before } });
});

test.each<[string, object, string]>([
  ['no commit', { commit_hash: 'abc' }, 'commit_hash'],
  ['another commit for it', { parsed_commit_content: '{"a": 1' }, 'parsed_commit_content'],
  ['no tests', { execution_result_content: '{}' }, 'execution_result_content'],
  [
    'a path for a test',
    { execution_result_content: JSON.stringify({ test_file_names: ['../a.py'], test_file_codes: [''] }) },
    'execution_result_content',
  ],
  ['nothing expected', { expected_output_json: '[]' }, 'expected_output_json'],
  ['a repository of no owner that is known', { repo_name: 'other' }, 'repo'],
  ['nothing that was broken', { expected_output_json: '{"test_old": "PASSED"}' }, 'FAIL_TO_PASS'],
])('a row with %s is told', async (_what, more, field) => {
  const { instances, bad } = await load(row(more));
  expect(instances).toEqual([]);
  expect(bad).toMatchObject([{ line: 1, field }]);
});

test('a commit that nothing comes before', async () => {
  const { instances, bad } = await load({ ...row(), commit_hash: before });
  expect(instances).toEqual([]);
  expect(bad).toMatchObject([{ field: 'source', message: expect.stringContaining('nothing before') }]);
});

test('the columns tell it', () => expect(guessFormat(row(), 'rows')?.name).toBe('r2e-gym'));

test('the short names of all of its repositories are known', async () => {
  const { r2eRow } = await import('../../formats/r2e-gym/convert.ts');
  const repoOf = (repo_name: string) => {
    const made = r2eRow({ line: 1, row: row({ repo_name }) });
    return 'row' in made ? made.row.repo : made;
  };
  const names =
    'aiohttp bokeh coveragepy datalad mypy numpy orange3 pandas pillow pyramid scrapy statsmodels sympy tornado';
  for (const name of names.split(' ')) expect(repoOf(name)).toMatch(/^[\w-]+\/[\w-]+$/);
  expect(repoOf('mypy')).toBe('python/mypy');
  expect(repoOf('Pillow')).toBe('python-pillow/Pillow');
  expect(repoOf('owner/other')).toBe('owner/other');
});
