/**
 * A copy of the sources with the agent by name that docs/contributing.md shows: one file. Everything else follows, and it works.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SourcesWith } from '../rig/contributing.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import { Project } from '../rig/project.ts';
import { redTests } from '../rig/sources.ts';
import { outsideProject, solveByCalls, trajectoryOf } from './outside/rig.ts';

const PAGE = 'A new agent by name';
/** What `npm run build` writes. */
const GENERATED = [
  'docs/agent.md',
  'docs/reference.md',
  'schemas/editor.schema.json',
  'schemas/generated/agents.ts',
  'schemas/generated/project.ts',
  'schemas/generated/validate.js',
  'schemas/project.schema.json',
];

describe('the agent by name of the page', () => {
  let sources: SourcesWith;
  let server: ModelServer;

  beforeAll(async () => {
    sources = new SourcesWith(PAGE);
    server = await startModelServer(solveByCalls);
  });
  afterAll(() => server.stop());

  test('is a file, and nothing else but what is generated', () => {
    expect(sources.changed()).toEqual(['agents/lab-agent.yaml', ...GENERATED].sort());
    expect(sources.read('schemas/project.schema.json')).toContain('"lab-agent"');
  });

  test('works: its patch is graded', async () => {
    const { folder } = outsideProject({ url: server.url });
    const project = new Project(folder, {}, sources.root);
    const text = readFileSync(project.path('p.yaml'), 'utf8');
    const named = text.replace('type: command', 'type: lab-agent').replace(/^ {2}program: .*\n/m, '');
    writeFileSync(project.path('p.yaml'), named);
    const built = await project.build('p.yaml', 'grade');
    expect(built).toMatchObject({ code: 0, outcomes: { infra: 0, failed: 0 } });
    expect(await trajectoryOf(project)).toMatchObject({
      agent: { type: 'lab-agent' },
      exit_status: 'submitted',
    });
  });

  test('agrees with what other tests expect', () => {
    expect(redTests(sources.root, 'test/agent/golden')).toBe('');
  });

  test('is settled in the ledger by the command of the page', () => {
    expect(sources.unsettled()).toBe('');
  });
});
