/**
 * A copy of the sources with the agent type that docs/contributing.md shows: a folder, a line of the registry, the digest of its
 * settings, and lines of the table of keys. Everything else follows, and it works.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { SourcesWith } from '../rig/contributing.ts';
import { Project } from '../rig/project.ts';
import { redTests } from '../rig/sources.ts';
import { tinyProject } from '../rig/tiny-project.ts';

/** The diff has lines for them; the command for the ledger names the first. */
const TESTS = ['test/agent/golden.test.ts', 'test/contract/leaves.ts'];
/** What reads those lines. */
const TABLES = ['test/agent/golden', 'test/contract/leaves'];
const PAGE = 'A new agent type';
/** What `npm run build` writes. */
const GENERATED = [
  'docs/agent.md',
  'docs/reference.md',
  'schemas/editor.schema.json',
  'schemas/generated/project.ts',
  'schemas/generated/validate.js',
  'schemas/project.schema.json',
];
const MEND = `sed -i 's/^VALUE = .*/VALUE = 0/' m0.py`;

describe('the agent type of the page', () => {
  let sources: SourcesWith;
  let project: Project;
  const write = (name: string, agent: string) =>
    writeFileSync(
      project.path(name),
      readFileSync(project.path('p.yaml'), 'utf8').replace(/^agent: .*/m, agent),
    );

  beforeAll(() => {
    sources = new SourcesWith(PAGE);
    const { folder } = tinyProject({ instances: 1 });
    project = new Project(folder, {}, sources.root);
    appendFileSync(project.path('p.yaml'), 'agent: { type: oracle }\n');
  });

  test('touches its folder, the registry, two tables of tests and what is generated', () => {
    expect(sources.changed()).toEqual(
      ['agent/kinds/macro/kind.ts', 'agent/kinds/registry.ts', ...TESTS, ...GENERATED].sort(),
    );
  });

  test('has the right types', () => {
    expect(sources.typeErrors('agent', 'stages')).toBe('');
  });

  test('is in the schema, the types, the reference and the page of agents', () => {
    expect(sources.read('schemas/project.schema.json')).toMatch(/"macro",\s*"oracle"/);
    expect(sources.read('schemas/generated/project.ts')).toContain('commands: string[];');
    expect(sources.read('docs/reference.md')).toContain('Shell commands that run in turn. For macro.');
    expect(sources.read('docs/agent.md')).toContain('| `macro` |');
  });

  test('has its key alone, and other types do not have it', async () => {
    const check = async (agent: string) => {
      write('wrong.yaml', agent);
      return project.run('check', 'wrong.yaml');
    };
    expect(await check('agent: { type: macro, commands: [ls] }')).toMatchObject({ code: 0 });
    expect((await check('agent: { type: oracle, commands: [ls] }')).stderr).toMatch(
      /^wrong\.yaml:\d+:\d+ +E103 .*"commands"/m,
    );
    expect((await check('agent: { type: macro, limits: { steps: 3 } }')).stderr).toMatch(/E103 .*"limits"/);
    expect((await check('agent: { type: macro, commands: ls }')).stderr).toMatch(/E105 +commands/);
  });

  test('works: its patch solves the task, and another value of its key is another sample', async () => {
    write('p.yaml', `agent: { type: macro, commands: ["${MEND}"] }`);
    const built = await project.build('p.yaml', 'grade');
    expect(built).toMatchObject({ code: 0, outcomes: { infra: 0, failed: 0 } });
    expect(await project.build('p.yaml', 'grade')).toMatchObject({ executed: 0 });
    write('p.yaml', 'agent: { type: macro, commands: ["true"] }');
    expect(await project.build('p.yaml', 'grade')).toMatchObject({
      executed: 2,
      outcomes: { infra: 0, failed: 1 },
    });
  });

  test('what other types did keeps its key', async () => {
    write('p.yaml', 'agent: { type: oracle }');
    const old = new Project(project.folder, {}, packageRoot());
    expect((await old.build('p.yaml', 'grade')).executed).toBeGreaterThan(0);
    expect(await project.build('p.yaml', 'grade')).toMatchObject({ code: 0, executed: 0 });
  });

  test('agrees with the tables of the page', () => {
    expect(redTests(sources.root, ...TABLES)).toBe('');
  });

  test('is settled in the ledger by the command of the page', () => {
    expect(sources.unsettled()).toBe('');
  });
});
