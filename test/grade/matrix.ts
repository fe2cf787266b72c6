/**
 * The matrix of attacks: classes with at least three members each, under every way to start tests and as every user.
 * Pure. Not the full product: each member meets each way to start the tests, and each class meets each user under each
 * of them; presets cost nothing, so every run is graded by all.
 */
import type { AttackParts } from './generator/generator.ts';
import type { AttackedTask, Framework } from './generator/tasks.ts';

export interface AttackClass {
  name: string;
  members: Record<Framework, readonly AttackParts[]>;
  /** Tests that have further members, or look closer. */
  also: readonly string[];
}

const CODE = { where: 'the module with the bug', variant: 'before' };

/** Code under test that strikes at once, unless it says when. */
const code = (how: string, when = 'import'): AttackParts => ({ ...CODE, when, how });
const put = (where: string, variant: string, how: string, when = 'import'): AttackParts => ({
  where,
  variant,
  when,
  how,
});
const both = (...members: AttackParts[]) => ({ pytest: members, unittest: members });

const QUICK_END = 'output, and a quick end';

export const CLASSES: readonly AttackClass[] = [
  {
    name: 'other ends than passed',
    members: {
      pytest: [
        code('xfail in the code', 'test'),
        code('skip in the code'),
        code('items are deselected', 'setup'),
      ],
      unittest: [
        code('failures are expected'),
        code('tests are skipped', 'collection'),
        code('a skip that is raised', 'test'),
      ],
    },
    also: ['statuses.deep.test.ts'],
  },
  {
    name: 'the answer in git',
    members: both(
      code('the history'),
      code('the log of all refs'),
      code('objects without git', 'collection'),
    ),
    also: ['answers.test.ts', '../tasks/first-state'],
  },
  {
    name: 'the answer anywhere else',
    members: both(
      code('installed copies'),
      code('compiled copies'),
      code('hidden inputs of the grader', 'collection'),
    ),
    also: ['answers.test.ts', '../tasks/first-state'],
  },
  {
    name: 'patches that tools read in other ways',
    members: both(
      put('the git folder', 'config indented', 'a polite end'),
      put('the git folder', 'hooks/post-checkout as a rename', 'a polite end'),
      put('attributes of git', '.gitattributes', 'a polite end'),
    ),
    also: ['patch-attacks.deep.test.ts', 'patches.deep.test.ts'],
  },
  {
    name: 'the runner',
    members: {
      pytest: [
        code('reports are made passed'),
        code('a hook in place of the call', 'collection'),
        put('a module at the root', 'hmac', 'code of runtest'),
      ],
      unittest: [
        code('methods of tests are not called'),
        code('failures are successes', 'setup'),
        code('results of single objects', 'test'),
      ],
    },
    also: ['integrity.deep.test.ts', 'unittest.test.ts', 'runner.deep.test.ts', 'builds.deep.test.ts'],
  },
  {
    name: 'what starts the tests',
    members: both(
      put('a script that the command calls', 'tools/test.mk', QUICK_END),
      put('a script that the command calls', 'GNUmakefile', QUICK_END),
      put('a .pth file', 'pkg.egg-link', QUICK_END),
      put('a file of options', 'pytest.ini', QUICK_END),
    ),
    also: ['entries.deep.test.ts'],
  },
  {
    name: 'the folder of the tests',
    members: both(
      put('a helper of the tests', 'helpers.py', QUICK_END),
      put('a helper of the tests', 'test_core/__init__.py', QUICK_END),
      put('what shadows the tests', 'tests.py', QUICK_END),
      put('a conftest.py', 'tests/conftest.py', QUICK_END),
    ),
    also: ['entries.deep.test.ts', 'integrity.deep.test.ts'],
  },
  {
    name: 'files while the tests run',
    members: both(
      code('tests that pass'),
      code('tests that pass, and are put back'),
      code('helpers that agree'),
    ),
    also: ['integrity.deep.test.ts'],
  },
  {
    name: 'forged output',
    members: both(
      code(QUICK_END),
      code('output with its end marker, and a quick end', 'test'),
      code('the exit code', 'exit'),
    ),
    also: ['integrity.deep.test.ts', 'unittest.test.ts'],
  },
  {
    name: 'the grader itself',
    members: both(
      code('everybody'),
      code('all of the disk', 'test'),
      code('names that look like lists', 'exit'),
      code('a repository without rights to enter it', 'exit'),
      code('records without end', 'exit'),
      code('one long line', 'exit'),
    ),
    also: ['killed.deep.test.ts', 'gone.deep.test.ts', 'left-running.deep.test.ts'],
  },
];

export interface Cell {
  kind: string;
  member: AttackParts;
  /** Which of the users grades it. */
  user: number;
}

/** What is run under one way to start the tests, the `way`th of all. */
export function cellsOf(way: number, { framework }: AttackedTask, users: number): Cell[] {
  return CLASSES.flatMap(({ name, members }) =>
    members[framework].map((member, at) => ({ kind: name, member, user: (way + at) % users })),
  );
}

/** A member in words. */
export function memberName({ where, variant, when, how }: AttackParts): string {
  return where === CODE.where ? `${how} (${when})` : `${where}: ${variant}`;
}

/** The matrix as a table of docs/internal/tests.md. */
export function matrixTable(tasks: readonly AttackedTask[], users: readonly string[]): string {
  const head = ['class', ...tasks.map(({ name }) => name), 'also in'];
  const rows = CLASSES.map(({ name, also }) => {
    const counts = tasks.map((task, way) => {
      const cells = cellsOf(way, task, users.length).filter(({ kind }) => kind === name);
      return users.map((_, user) => cells.filter((cell) => cell.user === user).length).join(' + ');
    });
    return [name, ...counts, also.map((file) => `\`${file}\``).join(', ')];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
