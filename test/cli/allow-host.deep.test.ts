/** A repository whose installation asks a host that builds may not ask: the command names itself with the option that helps. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initCommand } from '../../cli/init.ts';
import { mutateCommand } from '../../cli/mutate.ts';
import { run } from '../compiler/project-folder.ts';
import { temporaryFolder } from '../rig/folder.ts';

const SETUP = `import urllib.request
urllib.request.urlopen("https://files.example.org/x", timeout=60)
from setuptools import setup
setup(name="mine", version="1", py_modules=["mine"])
`;

test('init and mutate name the command with --allow-host', { timeout: 300_000 }, async () => {
  const folder = temporaryFolder();
  const repository = join(folder, 'mine');
  mkdirSync(repository);
  writeFileSync(join(repository, 'setup.py'), SETUP);
  writeFileSync(
    join(repository, 'mine.py'),
    'def top(a, b):\n    if a > b:\n        return a\n    return b\n',
  );
  writeFileSync(
    join(repository, 'test_mine.py'),
    'from mine import top\n\n\ndef test_top():\n    assert top(1, 2) == 2\n',
  );
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args]);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'all');
  const made = await run(initCommand, ['--from', './mine', '--count', '1'], folder);
  expect([made.code, made.stderr]).toEqual([
    1,
    expect.stringContaining(
      'if its builds may fetch from there: swemake init --from ./mine --count 1 --allow-host files.example.org\n',
    ),
  ]);
  expect(made.stderr).not.toContain('asks for');
  expect(existsSync(join(folder, 'project.yaml'))).toBe(false);
  const mutated = await run(mutateCommand, ['./mine', '-o', 'rows.jsonl'], folder);
  expect(mutated.stderr).toContain(
    'if its builds may fetch from there: swemake mutate ./mine -o rows.jsonl --allow-host files.example.org\n',
  );
  // It may be asked then: what fails is something else, since there is no such host.
  const allowed = ['--from', './mine', '--count', '1', '--allow-host', 'files.example.org'];
  expect((await run(initCommand, allowed, folder)).stderr).not.toContain('the build proxy refused');
});
