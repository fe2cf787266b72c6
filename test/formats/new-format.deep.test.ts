/**
 * A copy of the sources with the dataset format that docs/contributing.md shows: a folder and a line of the registry.
 * Everything else follows, and its rows are recognised, read and built on.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { blockOfPage } from '../rig/contributing.ts';
import { Project } from '../rig/project.ts';
import { copyOfSources, redTests } from '../rig/sources.ts';
import { tinyProject } from '../rig/tiny-project.ts';

/** The command for the ledger names it. */
const CONTRACT = 'test/formats/contract.test.ts';
const PAGE = 'A new dataset format';
/** What `npm run build` writes. */
const GENERATED = [
  'docs/dataset.md',
  'docs/reference.md',
  'schemas/editor.schema.json',
  'schemas/generated/project.ts',
  'schemas/generated/validate.js',
  'schemas/project.schema.json',
];

describe('the format of the page', () => {
  let root: string;
  let project: Project;
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });

  beforeAll(() => {
    root = copyOfSources(['test/']);
    run('git', 'init', '-q');
    run('git', 'add', '-A');
    execFileSync('git', ['apply', '-C1'], { cwd: root, input: blockOfPage(PAGE, 'diff') });
    run(process.execPath, 'scripts/build.mjs');
    project = ticketsProject(root);
  });

  test('touches its folder, the registry and what is generated', () => {
    const changed = run('git', 'ls-files', '-mo', '--exclude-standard', '--', ':!node_modules');
    expect(changed.trim().split('\n').sort()).toEqual(
      ['formats/registry.ts', 'formats/tickets/kind.ts', ...GENERATED].sort(),
    );
  });

  test('has the right types', () => {
    const config = { extends: './tsconfig.json', include: ['formats'] };
    writeFileSync(join(root, 'tsconfig.formats.json'), JSON.stringify(config));
    const types = [join(packageRoot(), 'node_modules/typescript/bin/tsc'), '--noEmit', '-p'];
    expect(run(process.execPath, ...types, 'tsconfig.formats.json')).toBe('');
  });

  test('is in the schema, the types and the reference', () => {
    const read = (name: string) => readFileSync(join(root, name), 'utf8');
    expect(read('schemas/project.schema.json')).toMatch(/"r2e-gym",\s*"tickets",\s*"multi-swe-bench"/);
    expect(read('schemas/generated/project.ts')).toContain("'tickets'");
    expect(read('docs/reference.md')).toContain('tickets: a fix of a ticket in each row');
    expect(read('docs/dataset.md')).toContain('| `tickets` | is the fix |');
    expect(read('docs/reference.md')).toContain('2 minutes for datasets of the format tickets');
  });

  test('is recognised by init, and read into instances by a build', async () => {
    const made = await project.run('init', 'mine.yaml', '--from', 'tickets.jsonl');
    expect(made.stdout, made.stderr).toContain('format tickets: 1 row of owner/tiny');
    writeFileSync(
      project.path('p.yaml'),
      `version: 1\nname: t\ndataset:\n  train: { source: tickets.jsonl, format: tickets, sources: { "*": "git+./repo@{commit}" } }\n`,
    );
    expect(await project.run('check', 'p.yaml')).toMatchObject({ code: 0 });
    expect(await project.build('p.yaml', 'dataset.train')).toMatchObject({ code: 0, executed: 1 });
    const why = await project.run('logs', 'dataset.train', '--project', 'p.yaml');
    expect(why.stdout).toContain('dataset.train · ok');
    expect(await project.build('p.yaml', 'dataset.train')).toMatchObject({ executed: 0 });
    const other = await project.run(
      'build',
      'p.yaml',
      'dataset.train',
      '--set',
      'dataset.train.format=swe-bench',
    );
    expect(`${other.stdout}${other.stderr}`).toContain('by its columns it is of format tickets');
  });

  test('agrees with what other tests expect', () => {
    expect(redTests(root, CONTRACT)).toBe('');
  });

  test('is settled in the ledger by the command of the page', () => {
    const [command] = blockOfPage(PAGE, 'console').split('\n');
    execFileSync('bash', ['-c', command!.replace(/^\$ /, '')], { cwd: root, stdio: 'pipe' });
    expect(run(process.execPath, 'scripts/build.mjs', '--check')).toBe('');
  });
});

/** A project whose rows are those of the tiny one as tickets. */
function ticketsProject(root: string): Project {
  const { folder } = tinyProject({ instances: 1, isCold: true });
  const project = new Project(folder, {}, root);
  const row = JSON.parse(readFileSync(project.path('rows.jsonl'), 'utf8').split('\n')[0]!);
  const { instance_id: ticket, repo, source, patch: fix, FAIL_TO_PASS: shown_by } = row;
  const base_commit = String(source).split('@').at(-1);
  writeFileSync(
    project.path('tickets.jsonl'),
    `${JSON.stringify({ ticket, repo, base_commit, fix, shown_by })}\n`,
  );
  return project;
}
