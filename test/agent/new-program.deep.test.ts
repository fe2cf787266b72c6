/**
 * A copy of the sources with the agent by name that docs/contributing.md shows: one file. Everything else follows, and it works.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blockOfPage } from '../rig/contributing.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import { Project } from '../rig/project.ts';
import { copyOfSources, redTests } from '../rig/sources.ts';
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
  let root: string;
  let server: ModelServer;
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });

  beforeAll(async () => {
    root = copyOfSources(['test/']);
    run('git', 'init', '-q');
    run('git', 'add', '-A');
    execFileSync('git', ['apply'], { cwd: root, input: blockOfPage(PAGE, 'diff') });
    run(process.execPath, 'scripts/build.mjs');
    server = await startModelServer(solveByCalls);
  });
  afterAll(() => server.stop());

  test('is a file, and nothing else but what is generated', () => {
    const changed = run('git', 'ls-files', '-mo', '--exclude-standard', '--', ':!node_modules');
    expect(changed.trim().split('\n').sort()).toEqual(['agents/lab-agent.yaml', ...GENERATED].sort());
    expect(readFileSync(join(root, 'schemas/project.schema.json'), 'utf8')).toContain('"lab-agent"');
  });

  test('works: its patch is graded', async () => {
    const { folder } = outsideProject({ url: server.url });
    const project = new Project(folder, {}, root);
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
    expect(redTests(root, 'test/agent/golden')).toBe('');
  });

  test('is settled in the ledger by the command of the page', () => {
    const [command] = blockOfPage(PAGE, 'console').split('\n');
    execFileSync('bash', ['-c', command!.replace(/^\$ /, '')], { cwd: root, stdio: 'pipe' });
    expect(run(process.execPath, 'scripts/build.mjs', '--check')).toBe('');
  });
});
