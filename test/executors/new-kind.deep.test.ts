/**
 * A copy of the sources with a kind of executor and a stage that the project does not have: a folder and a line of the
 * registry each, and everything else follows. The stage is the diff that docs/contributing.md shows.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { Project } from '../rig/project.ts';
import { copyOfSources } from '../rig/sources.ts';
import { tinyProject } from '../rig/tiny-project.ts';

/** A folder of executors: plain processes that say of themselves that they are a box. */
const KIND = `/** A box. */
import { success } from '../../basics/result.ts';
import { LIMITS, NETWORK } from '../keys.ts';
import type { WorkspaceKind } from '../kind.ts';

export const boxKind: WorkspaceKind = {
  opens: 'workspaces',
  name: 'box',
  title: 'the box',
  summary: 'workspaces in a box',
  keys: {
    limits: LIMITS,
    network: NETWORK,
    colour: { description: 'Of the box.', type: 'string', enum: ['red', 'blue'], default: 'red', examples: ['red'] },
  },
  isolation: 'sandbox',
  networks: ['off', 'host'],
  proxyBy: 'port',
  capacity: 3,
  base: (config) => ({ architecture: 'box', colour: String(config.colour) }),
  async open({ name, stateFolder, runId }) {
    const { createLocal } = await import('../local/local.ts');
    return success(await createLocal({ name, stateFolder, runId }));
  },
  async sweep(stateFolder) {
    const { sweepLocal } = await import('../local/sweep.ts');
    return sweepLocal(stateFolder);
  },
};
`;
/** The stage's diff has a line for it. */
const LEAVES = 'test/contract/leaves.ts';
/** The registry is sorted by hand: the import counts as part of the line. */
const REGISTERED: [string, string][] = [
  ["import { autoKind } from './auto/kind.ts';\n", "import { boxKind } from './box/kind.ts';\n"],
  ['  localKind,\n', '  boxKind,\n'],
];

/** The first diff of the page for contributors, as a patch. */
function stageOfThePage(): string {
  const page = readFileSync(join(packageRoot(), 'docs/contributing.md'), 'utf8');
  return page.match(/^```diff\n(.*?)^```$/ms)![1]!;
}

/** The sources with that kind and that stage, built. */
function copyWithKind(): string {
  const root = copyOfSources([LEAVES]);
  mkdirSync(join(root, 'executors/box'));
  writeFileSync(join(root, 'executors/box/kind.ts'), KIND);
  const path = join(root, 'executors/registry.ts');
  let registry = readFileSync(path, 'utf8');
  for (const [after, added] of REGISTERED) {
    expect(registry).toContain(after);
    registry = registry.replace(after, after + added);
  }
  writeFileSync(path, registry);
  execFileSync('git', ['apply', '-C1'], { cwd: root, input: stageOfThePage() });
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'pipe' });
  return root;
}

describe('a kind and a stage that were added', () => {
  let root: string;
  let project: Project;
  beforeAll(() => {
    root = copyWithKind();
    const { folder } = tinyProject({ instances: 1 });
    project = new Project(folder, {}, root);
    const yaml = readFileSync(project.path('p.yaml'), 'utf8');
    writeFileSync(project.path('p.yaml'), yaml.replace(/type: sandbox\n.*network.*\n/, 'type: box\n'));
  });

  test('is in the schema, the types and the reference', () => {
    const read = (name: string) => readFileSync(join(root, name), 'utf8');
    expect(read('schemas/project.schema.json')).toMatch(
      /"enum": \[\s*"auto",\s*"sandbox",\s*"local",\s*"box"/,
    );
    expect(read('schemas/generated/project.ts')).toContain("colour: 'red' | 'blue';");
    expect(read('docs/reference.md')).toContain('box: workspaces in a box.');
  });

  test('is checked by what it says that it can do', async () => {
    const check = (text: string) => {
      writeFileSync(project.path('wrong.yaml'), `${readFileSync(project.path('p.yaml'), 'utf8')}${text}`);
      return project.run('check', 'wrong.yaml');
    };
    const other = (line: string) => `profiles: { other: { deployments: { box: { ${line} } } } }\n`;
    expect((await check('')).code).toBe(0);
    expect((await check(other('network: { grade: proxy }'))).stderr).toContain(
      'a box deployment cannot enforce network grade: proxy',
    );
    expect((await check(other('allow_hosts: [a.org]'))).stderr).toContain(
      'allow_hosts has no effect on a box deployment',
    );
    expect((await check(other('type: local, colour: blue'))).stderr).toContain(
      'colour has no effect on a local deployment',
    );
    expect((await check(other('type: local'))).stderr).not.toContain('colour');
    expect((await check(other('colour: green'))).stderr).toContain('unknown colour "green"');
    // As tight as it can hold: builds would go through the proxy, which it has not.
    const shown = await project.run('show', 'p.yaml');
    expect(shown.stdout).toMatch(/build: host\b[\s\S]*rollout: off\b[\s\S]*grade: off\b/);
  });

  test('builds, and what it can change is in every key', async () => {
    const first = await project.build('p.yaml');
    expect(first).toMatchObject({ code: 0, isolation: 'sandbox', outcomes: { ok: expect.any(Number) } });
    expect(first.executed).toBeGreaterThan(0);
    expect(readdirSync(project.path('.swemake/executors'))).toContain('box');
    expect(await project.build('p.yaml')).toMatchObject({ executed: 0 });
    const plan = await project.run('plan', 'p.yaml', '--json', '--set', 'deployments.box.colour=blue');
    const { stages } = JSON.parse(plan.stdout) as { stages: Record<string, unknown>[] };
    expect(stages).toMatchObject([
      { stage: 'dataset.train', fresh: 1 },
      { stage: 'environments.train', fresh: 0, stale: 1, why: 'changed: base' },
      { stage: 'validate.train', fresh: 0 },
      { stage: 'filter.train' },
    ]);
  });

  test('the stage of the page is planned, built, explained and kept', async () => {
    const share = ['--set', 'validation.holdout.share=1'];
    expect(await project.build('p.yaml', ...share)).toMatchObject({ code: 0, executed: 1 });
    const [folder] = readdirSync(project.path('out')).filter((name) => name.includes('holdout'));
    const rows = (name: string) =>
      readFileSync(project.path(`out/${folder}/holdout.train/${name}.jsonl`), 'utf8').match(/\n/g) ?? [];
    expect([rows('held').length, rows('train').length]).toEqual([1, 0]);
    expect(await project.build('p.yaml', ...share)).toMatchObject({ executed: 0 });
    const why = await project.run(
      'why',
      'holdout.train',
      '--project',
      'p.yaml',
      '--set',
      'validation.holdout.share=0.2',
    );
    expect(why.stdout).toMatch(/config\.share\s+- 1\n\s+\+ 0\.2/);
    expect((await project.run('check', 'p.yaml', '--set', 'validation.holdout.share=2')).code).toBe(2);
  });
});
