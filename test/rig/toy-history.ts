/** A repository whose commits are fixes of small functions, each with a test, for what mines it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A commit that adds a function's test and its fix. `spins`: before it, the test never ends. */
export interface Fix {
  name: string;
  spins?: boolean;
}

/** Options for its tests by unittest, for which nothing is installed. */
export const TOY_OPTIONS = [
  ...['--install', 'true', '--test', 'python -m unittest -v 2>&1', '--parser', 'unittest'],
];

/** Makes the repository `toy` in the folder, whose newest commit is the last of `fixes`. */
export function toyHistory(folder: string, fixes: readonly Fix[]): void {
  const repository = join(folder, 'toy');
  mkdirSync(repository);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  const commit = (message: string) => {
    git('add', '-A');
    git('commit', '-q', '-m', message);
  };
  git('init', '-q', '-b', 'main');
  for (const { name, spins } of fixes)
    writeFileSync(
      join(repository, `${name}.py`),
      spins ? `def ${name}():\n    while True:\n        pass\n` : `def ${name}():\n    return 0\n`,
    );
  writeFileSync(join(repository, 'test_always.py'), testOf('always', '0, 0'));
  commit('Begin with functions that are wrong');
  for (const { name } of fixes) {
    writeFileSync(join(repository, `${name}.py`), `def ${name}():\n    return 1\n`);
    writeFileSync(join(repository, `test_${name}.py`), testOf(name, `${name}.${name}(), 1`, name));
    commit(`The function ${name} returns another number`);
  }
}

function testOf(name: string, values: string, module = 'sys'): string {
  return [
    'import unittest',
    `import ${module}`,
    'class Test(unittest.TestCase):',
    `    def test_${name}(self):`,
    `        self.assertEqual(${values})`,
    '    def test_still(self):',
    '        pass',
    '',
  ].join('\n');
}
