/**
 * A copy of the sources with the dataset format that docs/contributing.md shows: a folder and a line of the registry.
 * Everything else follows, and its rows are recognised, read and built on.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { SourcesWith } from '../rig/contributing.ts';
import { Project } from '../rig/project.ts';
import { redTests } from '../rig/sources.ts';
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
  let sources: SourcesWith;
  let project: Project;

  beforeAll(() => {
    sources = new SourcesWith(PAGE);
    project = ticketsProject(sources.root);
  });

  test('touches its folder, the registry and what is generated', () => {
    expect(sources.changed()).toEqual(
      ['formats/registry.ts', 'formats/tickets/kind.ts', ...GENERATED].sort(),
    );
  });

  test('has the right types', () => {
    expect(sources.typeErrors('formats')).toBe('');
  });

  test('is in the schema, the types and the reference', () => {
    expect(sources.read('schemas/project.schema.json')).toMatch(
      /"r2e-gym",\s*"tickets",\s*"multi-swe-bench"/,
    );
    expect(sources.read('schemas/generated/project.ts')).toContain("'tickets'");
    expect(sources.read('docs/reference.md')).toContain('tickets: a fix of a ticket in each row');
    expect(sources.read('docs/dataset.md')).toContain('| `tickets` | is the fix |');
    expect(sources.read('docs/reference.md')).toContain('2 minutes for datasets of the format tickets');
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
    expect(redTests(sources.root, CONTRACT)).toBe('');
  });

  test('is settled in the ledger by the command of the page', () => {
    expect(sources.unsettled()).toBe('');
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
