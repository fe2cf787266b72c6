/**
 * The ledger: code that decides answers cannot change without a raised version, or a test that shows that answers are
 * equal. Tried on a copy of the sources, with the commands that docs/contributing.md shows.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { STAGES } from '../../stages/registry.ts';
import { copyOfSources } from '../rig/sources.ts';

const LEDGER = 'stages/ledger.jsonl';
const TEST = 'test/basics/program.test.ts';
const PAGE = readFileSync(join(packageRoot(), 'docs/contributing.md'), 'utf8').split('## The ledger')[1]!;

interface Line {
  unit?: string;
  version?: number;
  same?: string[];
  modules?: Record<string, string>;
  test?: string;
  reason?: string;
  module?: string;
}

let root: string;

function ledger(...args: string[]): { status: number | null; said: string } {
  const end = spawnSync(process.execPath, ['scripts/ledger.mjs', ...args], { cwd: root, encoding: 'utf8' });
  return { status: end.status, said: end.stderr };
}

function edit(path: string, from: string, to: string): void {
  const text = readFileSync(join(root, path), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(root, path), text.replace(from, to));
}

function lines(): Line[] {
  const text = readFileSync(join(root, LEDGER), 'utf8').trim();
  return text.split('\n').map((line) => JSON.parse(line) as Line);
}

function versionOf(stage: string): string {
  return /^ {2}version: (\d+),/m.exec(readFileSync(join(root, `stages/${stage}/stage.ts`), 'utf8'))![1]!;
}

beforeAll(() => {
  root = copyOfSources([TEST]);
});

test('comments, types and format change nothing', () => {
  edit('basics/glob.ts', '/** What is wrong with a glob, or null. */', '// Says what is wrong.\n\n\n');
  edit(
    'basics/glob.ts',
    'const built = build(glob);\n  return typeof built',
    'const built = build(glob) as string | { problem: string };\n\n  return  typeof built',
  );
  edit('executors/sandbox/supervisor.py', '\nimport ', '\n# A comment.\n\nimport ');
  appendFileSync(join(root, 'grading/run/witness/start.py'), '\n# The end.\n');
  expect(ledger()).toEqual({ status: 0, said: '' });
});

test.each([
  'grading/run/witness/session.py',
  // Imported by a program of another folder than the module that runs it.
  'tasks/mutation/mutation_kinds.py',
])('a changed program is told with all units that run it: %s', (path) => {
  const before = readFileSync(join(root, path), 'utf8');
  writeFileSync(join(root, path), `${before}\nNEW = 1\n`);
  const { status, said } = ledger();
  writeFileSync(join(root, path), before);
  expect(status).toBe(1);
  expect(said).toContain(`changed: ${path}\n`);
  expect(said).toMatch(/part of .*\bgrade\b.*\bvalidate\b/);
  expect(said).not.toContain('balance');
});

test('a changed parser is told with all units that keep what it read', () => {
  const path = 'parsers/unittest.ts';
  const before = readFileSync(join(root, path), 'utf8');
  writeFileSync(join(root, path), `${before}\nexport const NEW = 1;\n`);
  const { said } = ledger();
  writeFileSync(join(root, path), before);
  for (const unit of ['discover', 'grade', 'mutate-runs', 'validate'])
    expect(said).toMatch(new RegExp(`part of .*\\b${unit}\\b`));
});

test('a library of another version is a change of the stages that use it', () => {
  const before = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const lock = JSON.parse(before) as { packages: Record<string, { version: string }> };
  lock.packages['node_modules/hyparquet']!.version = '99.0.0';
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock));
  const { said } = ledger();
  writeFileSync(join(root, 'package-lock.json'), before);
  expect(said).toMatch(/changed: npm:hyparquet\n {4}part of .*\bdataset\b/);
});

describe('the change of the page for contributors', () => {
  const command = /^\$ node scripts\/ledger\.mjs (.*)$/m.exec(PAGE)![1]!;
  const [raised, why] = /--raise (\w+) "([^"]*)"/.exec(command)!.slice(1) as [string, string];
  let before: string;

  beforeAll(() => {
    root = copyOfSources([TEST]);
    before = versionOf(raised);
    const patch = /^```diff\n(.*?)^```$/ms.exec(PAGE)![1]!;
    const applied = spawnSync('git', ['apply', '-C1'], {
      cwd: root,
      input: patch,
      encoding: 'utf8',
    });
    expect(applied.stderr).toBe('');
  });

  test('fails the check, which names the modules and the commands', () => {
    const end = spawnSync(process.execPath, ['scripts/build.mjs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(end.status).toBe(1);
    expect(end.stderr).toContain('changed: basics/glob.ts\n');
    expect(end.stderr).toContain('changed: stages/balance/choose.ts\n    part of balance\n');
    expect(end.stderr).toContain('node scripts/ledger.mjs --raise');
    expect(end.stderr).toContain('node scripts/ledger.mjs --same --test');
  });

  test('is not settled by some of its units, or without a test', () => {
    const text = readFileSync(join(root, LEDGER), 'utf8');
    const some = ledger('--raise', raised, why);
    expect(some.status).toBe(2);
    expect(some.said).toMatch(/these units are reached, too, and nothing was written: .*dataset/);
    const none = ledger('--raise', raised, why, '--same', '--test', 'test/none.test.ts', 'equal');
    expect(none).toEqual({ status: 2, said: 'test/none.test.ts is no test of this repository\n' });
    expect(readFileSync(join(root, LEDGER), 'utf8')).toBe(text);
    expect(versionOf(raised)).toBe(before);
  });

  test('is settled by its command, and the version is raised', () => {
    const earlier = new Set(lines().map((line) => JSON.stringify(line)));
    const end = spawnSync('sh', ['-c', `node scripts/ledger.mjs ${command}`], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ status: end.status, said: end.stderr }).toEqual({ status: 0, said: '' });
    expect(versionOf(raised)).toBe(String(Number(before) + 1));
    expect(lines()).toContainEqual({ unit: raised, version: Number(before) + 1, reason: why });
    // The ledger of the day may have lines of its own for the same module.
    const added = lines().filter((line) => !earlier.has(JSON.stringify(line)));
    const same = added.find(
      (line) => line.same !== undefined && line.modules!['basics/glob.ts'] !== undefined,
    )!;
    expect(same.test).toBe(TEST);
    expect(same.same).toContain('dataset');
    expect(same.same).not.toContain(raised);
    expect(ledger()).toEqual({ status: 0, said: '' });
  });

  test('a later change adds its reason to the version that nobody uses yet', () => {
    edit('stages/balance/choose.ts', 'total: 5000', 'total: 4000');
    expect(ledger('--raise', raised, 'four thousand')).toEqual({ status: 0, said: '' });
    expect(versionOf(raised)).toBe(String(Number(before) + 1));
    const reasons = lines().filter(({ unit, version }) => unit === raised && version === Number(before) + 1);
    expect(reasons.map(({ reason }) => reason)).toEqual(expect.arrayContaining([why, 'four thousand']));
  });

  test('once it is published, the next change has a number of its own', () => {
    expect(ledger('--published', '0.2.0')).toEqual({ status: 0, said: '' });
    expect(lines().some((line) => line.same !== undefined)).toBe(false);
    edit('stages/balance/choose.ts', 'total: 4000', 'total: 3000');
    expect(ledger('--raise', raised, 'three thousand')).toEqual({ status: 0, said: '' });
    expect(versionOf(raised)).toBe(String(Number(before) + 2));
  });

  test('a version that was raised by hand wants its reason', () => {
    edit('stages/golden/stage.ts', `version: ${versionOf('golden')},`, 'version: 90,');
    const { status, said } = ledger();
    expect(status).toBe(1);
    expect(said).toContain('the version of golden is 90, and stages/ledger.jsonl does not say why');
    expect(ledger('--raise', 'golden', 'by hand').status).toBe(0);
    expect(versionOf('golden')).toBe('90');
    expect(ledger()).toEqual({ status: 0, said: '' });
  });

  test('a merge may leave lines of both sides', () => {
    const text = readFileSync(join(root, LEDGER), 'utf8');
    writeFileSync(
      join(root, LEDGER),
      text.replace(/^(\{"module":"basics\/glob\.ts","code":)"/m, '$1"0000000000000000"}\n$1"'),
    );
    expect(ledger()).toEqual({ status: 0, said: '' });
    expect(ledger('--raise', 'report', 'tidy').status).toBe(0);
    expect(readFileSync(join(root, LEDGER), 'utf8')).not.toContain('0000000000000000');
  });

  test('a new stage wants a line, too', () => {
    mkdirSync(join(root, 'stages/fresh'));
    const stage = `export const freshStage = { name: 'fresh',\n  version: 1,\n  uses: [] };\n`;
    writeFileSync(join(root, 'stages/fresh/stage.ts'), stage);
    edit('stages/registry.ts', 'import ', "import { freshStage } from './fresh/stage.ts';\nimport ");
    edit('stages/registry.ts', '[\n', '[\n  freshStage,\n');
    expect(ledger().said).toContain('new: stages/fresh/stage.ts\n    part of fresh\n');
    expect(ledger('--raise', 'fresh', 'its first version').status).toBe(0);
    expect(versionOf('fresh')).toBe('1');
    expect(ledger()).toEqual({ status: 0, said: '' });
  });
});

test('every part of the machine that a stage uses has its code in the ledger, or decides nothing', async () => {
  const source = readFileSync(join(packageRoot(), 'scripts/modules.mjs'), 'utf8');
  const uses = new Set(
    STAGES.flatMap((stage) => stage.uses ?? []).filter((part) => !part.startsWith('config.')),
  );
  expect([...uses].filter((part) => !new RegExp(`^ {2}${part}: [['"]`, 'm').test(source))).toEqual([]);
});

/** Versions that need no line in the ledger. */
const OTHERS = {
  'agent/leaks/report.ts': 'golden reads it as a table',
};

test('every version in the sources is known to the ledger', async () => {
  const { execFileSync } = await import('node:child_process');
  const found = execFileSync(
    'git',
    ['grep', '-nE', '^(export )?const [A-Z_]*VERSION = [0-9]+;', '--', '*.ts', ':!test', ':!bench'],
    { cwd: packageRoot(), encoding: 'utf8' },
  );
  const source = readFileSync(join(packageRoot(), 'scripts/modules.mjs'), 'utf8');
  const unknown = found
    .trim()
    .split('\n')
    .filter((line) => {
      const [, file, , constant] = /^([^:]+):\d+:(export )?const ([A-Z_]+)/.exec(line)!;
      return (
        !Object.hasOwn(OTHERS, file!) &&
        !new RegExp(`file: '${file}',\\s+constant: '${constant}'`).test(source)
      );
    });
  expect(unknown).toEqual([]);
});
