/** Programs for a tox that runs in the environment itself. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toxPrograms } from '../../grading/logs/tox-programs.ts';
import { temporaryFolder } from '../rig/folder.ts';

test.each([
  ['tox --current-env -epy39 -v --', ['.tox/py39/bin']],
  ['cd docs && tox -v --current-env -e py310,lint -- tests', ['.tox/py310/bin', '.tox/lint/bin']],
  ['tox --env=py3 --current-env; tox --current-env -e py3', ['.tox/py3/bin']],
  ['tox -e py39', []],
  ['pytest --current-env -e py39', []],
])('%s', (command, folders) => {
  expect(toxPrograms(command).map((line) => /mkdir -p (\S+);/.exec(line)![1])).toEqual(folders);
});

test('they start the environment’s own programs, and leave others alone', () => {
  const folder = temporaryFolder();
  const tools = join(folder, 'env/bin');
  mkdirSync(tools, { recursive: true });
  for (const name of ['python', 'python3', 'python3.9', 'python3-config']) {
    writeFileSync(join(tools, name), `#!/bin/sh\necho ${name} "$@"\n`);
    chmodSync(join(tools, name), 0o755);
  }
  mkdirSync(join(folder, '.tox/py39/bin'), { recursive: true });
  writeFileSync(join(folder, '.tox/py39/bin/python3'), 'theirs');
  const [command] = toxPrograms('tox --current-env -epy39');
  execFileSync('bash', ['-uc', command!.replaceAll('/opt/env', join(folder, 'env'))], { cwd: folder });
  const run = (name: string) =>
    execFileSync(join(folder, '.tox/py39/bin', name), ['-m', 'a b'], { encoding: 'utf8' });
  expect([run('python'), run('python3.9')]).toEqual(['python -m a b\n', 'python3.9 -m a b\n']);
  expect(readFileSync(join(folder, '.tox/py39/bin/python3'), 'utf8')).toBe('theirs');
  expect(() => run('python3-config')).toThrow();
});
