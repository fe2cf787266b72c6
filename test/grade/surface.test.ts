/** What the witness says of names, functions and hooks that were changed: the same in each Python, however it compares them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';

const PARTS = ['code', 'items'].map((name) => join(packageRoot(), `grading/run/witness/${name}.py`));
const PROGRAM = join(packageRoot(), 'test/grade/surface.py');

/** Said twice of a change that is there, and nothing when it is undone. */
const seen = (...labels: string[]) => [labels, labels, [], []];
const CHANGES = {
  nothing: seen(),
  'another function': seen('runner.first'),
  'an object that is equal to all': seen('runner.first'),
  'a method': seen('runner.Runner.run'),
  'a method that is gone': seen('runner.Runner.run'),
  'a number of a class': seen(),
  'a name that is gone': seen('runner.last'),
  'a new name': seen(),
  'names exchanged': seen('runner.first', 'runner.second'),
  'a name that claims to be another one': seen('runner.first'),
  'a function for a name': seen('runner.first', 'runner.last', 'runner.second'),
  code: seen('runner.first'),
};

/** Told at first, when nothing has changed, after the change, and when nothing has changed since; of a second hook, too. */
const told = (first: string[], changed: string[][]) => [[first, []], [], changed, []];
const both = ['function', 'method'];
const HOOKS = {
  nothing: told(both, []),
  function: told(both, [['another', 'method'], []]),
  code: told(both, [['another', 'method'], []]),
  method: told(both, [['another', 'function'], []]),
  callable: told(['function', 'method', 'other'], [['another', 'function', 'method'], []]),
  more: told(both, [['another', 'function', 'method'], []]),
  less: told(both, [['function'], []]),
  moved: told(both, [['function'], [], ['method'], []]),
  words: told(both, []),
};

function pythons(): string[] {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const managed = existsSync(versions) ? readdirSync(versions).filter((name) => name.startsWith('3.')) : [];
  return ['python3', ...managed.map((name) => join(versions, name, 'bin/python3'))];
}

test.each(pythons())('%s', (python) => {
  const said = JSON.parse(execFileSync(python, ['-I', PROGRAM, ...PARTS], { encoding: 'utf8' }));
  expect(said).toEqual({
    changes: CHANGES,
    hooks: HOOKS,
    'becomes code': [[], [], ['runner.value']],
    accepted: [[], ['runner.first']],
  });
});
