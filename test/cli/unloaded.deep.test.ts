/** A repository of whose tests some modules do not load: `mutate`, `init` and `mine` name them, with the cause and what would help. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../cli/main.ts';
import { temporaryFolder } from '../rig/folder.ts';

const MANIFEST = `[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "toy"
version = "1"
[project.optional-dependencies]
static = ["six"]
[tool.setuptools]
py-modules = ["toy"]
`;
const CLAMP = 'def clamp(value, low=0, high=10):\n    return max(value, low)\n';
const FIXED = 'def clamp(value, low=0, high=10):\n    return min(max(value, low), high)\n';
const LOW =
  'import toy\n\ndef test_low():\n    assert toy.clamp(-1) == 0\n\ndef test_in():\n    assert toy.clamp(5) == 5\n';
const HIGH = 'def test_high():\n    assert toy.clamp(11) == 10\n';
/** Nothing tells before it is run that it needs six. */
const LACKS = 'if True:\n    import six\nimport toy\n\n';

interface Ran {
  code: number;
  out: string;
  text: string;
}

class Repository {
  readonly folder = temporaryFolder();

  constructor(files: Record<string, string>) {
    mkdirSync(join(this.folder, 'toy'));
    this.git('init', '-q', '-b', 'main');
    this.commit('Begin', { 'pyproject.toml': MANIFEST, ...files });
  }

  private git(...args: string[]): void {
    const own = ['-C', join(this.folder, 'toy'), '-c', 'user.name=a', '-c', 'user.email=a@b.org'];
    execFileSync('git', [...own, ...args]);
  }

  commit(message: string, files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.folder, 'toy', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    this.git('add', '-A');
    this.git('commit', '-q', '-m', message);
  }

  async run(...args: string[]): Promise<Ran> {
    const ran = { code: 0, out: '', text: '' };
    const stdout = { write: (more: string) => (ran.out += more) };
    const stderr = { write: (more: string) => (ran.text += more) };
    const env = { ...process.env, XDG_CACHE_HOME: join(this.folder, 'home-cache') };
    ran.code = await main(args, { stdout, stderr, env, cwd: this.folder, isTTY: false });
    return ran;
  }
}

const LIMIT = { timeout: 600_000 };

test('mine leaves out a commit whose tests do not load, and keeps their log', LIMIT, async () => {
  const repository = new Repository({ 'toy.py': CLAMP, 'tests/test_low.py': LOW });
  const change = { 'toy.py': FIXED, 'tests/test_lacks.py': `${LACKS}${HIGH}` };
  repository.commit('Clamp forgets its upper bound', change);
  const ran = await repository.run(
    'mine',
    './toy',
    '--count',
    '1',
    '-o',
    'r.jsonl',
    '--left-out',
    'left.jsonl',
  );
  expect(ran.code, ran.text).toBe(1);
  const detail =
    'no test ran with the gold patch: tests/test_lacks.py does not load: ' +
    "ModuleNotFoundError: No module named 'six'; what would help: " +
    '`install: ["python -m pip install -e .[static]"]` in the recipe, ' +
    'since the extra "static" of pyproject.toml has six';
  const left = readFileSync(join(repository.folder, 'left.jsonl'), 'utf8').trimEnd().split('\n');
  const all = left.map((line) => JSON.parse(line) as Record<string, string>);
  const one = all.find(({ subject }) => subject === 'Clamp forgets its upper bound')!;
  expect(one).toMatchObject({ reason: 'no-tests-ran', detail });
  expect(ran.text).toContain(`Clamp forgets its upper bound: no-tests-ran, ${detail}; log: ${one.log}\n`);
  expect(readFileSync(join(repository.folder, one.log!), 'utf8')).toMatch(
    /^== gold patch, with tracebacks · (?:.*\n)+?E {3}ModuleNotFoundError: No module named 'six'$/m,
  );
});

test('mutate goes on with the modules that load, and names the others', LIMIT, async () => {
  const repository = new Repository({
    'toy.py': FIXED,
    'tests/test_low.py': LOW,
    'tests/test_lacks.py': `${LACKS}${HIGH}`,
  });
  const ran = await repository.run('mutate', './toy', '--count', '1', '-o', 'rows.jsonl');
  expect(ran.code, ran.text).toBe(0);
  expect(ran.text).toMatch(/^2 tests pass on the clean source$/m);
  expect(ran.text).toContain(
    'warning: 1 of 2 modules of tests left out: tests/test_lacks.py does not load: ' +
      "ModuleNotFoundError: No module named 'six'; what would help: " +
      '`install: ["python -m pip install -e .[static]"]` in the recipe, ' +
      'since the extra "static" of pyproject.toml has six\n',
  );
  const row = JSON.parse(readFileSync(join(repository.folder, 'rows.jsonl'), 'utf8')) as Record<
    string,
    string[]
  >;
  expect([...row.FAIL_TO_PASS!, ...row.PASS_TO_PASS!].join()).not.toContain('test_lacks');
  // What was measured holds in a build, which runs the modules of the listed tests alone.
  writeFileSync(
    join(repository.folder, 'p.yaml'),
    'version: 1\nname: p\ndataset:\n  train: { source: rows.jsonl, format: mutation }\ndeployments:\n  box: { type: auto }\nvalidation: { deployment: box }\n',
  );
  const built = await repository.run('build', 'p.yaml', 'filter', '--json');
  expect(built.code, built.text).toBe(0);
});

test('init says which modules do not load where no test passes', LIMIT, async () => {
  const repository = new Repository({ 'toy.py': FIXED, 'tests/test_lacks.py': `${LACKS}${HIGH}` });
  const ran = await repository.run('init', 'p.yaml', '--from', './toy', '--count', '1');
  expect(ran.code, ran.text).toBe(1);
  expect(ran.text).toMatch(
    /E004 .*no test passes twice with "pytest .*": tests\/test_lacks\.py does not load: /,
  );
  expect(ran.text).toContain("No module named 'six'; what would help: `install: [");
  expect(ran.text).not.toMatch(/does it hold its tests|asks for/);
  expect(readFileSync(join(repository.folder, '.swemake', 'init.log'), 'utf8')).toContain(
    "E   ModuleNotFoundError: No module named 'six'",
  );
  expect(existsSync(join(repository.folder, 'p.yaml'))).toBe(true);
});
