/**
 * The action for workflows, run as a runner runs a composite one: its steps in order, each with its own variables, in the
 * folder of a repository; and the hook for pre-commit.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../basics/package-root.ts';
import { COMMANDS, main } from '../../cli/main.ts';
import { isMeantAsProject } from '../../compiler/project-file.ts';
import { projectFolder, run } from '../compiler/project-folder.ts';

interface Step {
  name: string;
  run: string;
  shell: string;
  if?: string;
  env?: Record<string, string>;
}

interface Action {
  inputs: Record<string, { default: string; description: string }>;
  runs: { using: string; steps: Step[] };
}

const action = parse(readFileSync(join(packageRoot(), 'action.yml'), 'utf8')) as Action;
const ROW = {
  instance_id: 'o__r-1',
  repo: 'o/r',
  source: `git+https://example.org/x@${'c'.repeat(40)}`,
  patch: 'diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n',
  FAIL_TO_PASS: ['t'],
  PASS_TO_PASS: [],
};
const GOOD = `version: 1
name: good
dataset: { train: { source: ./rows.jsonl, format: custom } }
`;

/** Runs the steps; a step that fails is the last one. */
function runAction(
  files: Record<string, string>,
  given: Record<string, string>,
): { code: number; said: string } {
  const cwd = projectFolder(files);
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [name, given[name] ?? input.default]),
  );
  const filled = (text: string) =>
    text.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name) => inputs[name] ?? '');
  let said = '';
  for (const step of action.runs.steps) {
    const condition = /^inputs\.(\w+) == '(.*)'$/.exec(step.if ?? '');
    if (step.if !== undefined && inputs[condition![1]!] !== condition![2]) continue;
    const own = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text)]),
    );
    const ran = spawnSync(step.shell, ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        HOME: cwd,
        GITHUB_ACTION_PATH: packageRoot(),
        GITHUB_ACTIONS: 'true',
        ...own,
      },
    });
    said += ran.stdout + ran.stderr;
    if (ran.status !== 0) return { code: ran.status ?? 1, said };
  }
  return { code: 0, said };
}

describe('the action', () => {
  test('is a composite one whose steps are whole', () => {
    expect(action.runs.using).toBe('composite');
    for (const step of action.runs.steps)
      expect(step).toMatchObject({ shell: 'bash', run: expect.any(String) });
    const called = action.runs.steps.flatMap(({ run }) =>
      [...run.matchAll(/swemake\.js" (\w+)/g)].map(([, name]) => name!),
    );
    expect(called.sort()).toEqual(['check', 'plan']);
    for (const name of called) expect(Object.keys(COMMANDS)).toContain(name);
  });

  test('checks the files that a glob means, and plans where that is asked', () => {
    const files = {
      'a/one.yaml': GOOD,
      'a/two.yaml': GOOD.replace('good', 'two'),
      'a/rows.jsonl': JSON.stringify(ROW),
    };
    const { code, said } = runAction(files, { files: 'a/*.yaml', plan: 'true' });
    expect(said).toContain('dataset.train');
    expect(code).toBe(0);
  });

  test('fails where a file is wrong, and says in which line', () => {
    const { code, said } = runAction({ 'project.yaml': GOOD.replace('format', 'fromat') }, {});
    expect(code).toBe(2);
    expect(said).toContain('project.yaml');
    expect(said).toContain('fromat');
  });
});

test('the hook for pre-commit calls a command that there is', () => {
  const [hook] = parse(readFileSync(join(packageRoot(), '.pre-commit-hooks.yaml'), 'utf8')) as {
    entry: string;
    files: string;
  }[];
  const [program, command] = hook!.entry.split(' ');
  expect(program).toBe('swemake');
  expect(Object.keys(COMMANDS)).toContain(command);
  // Every name of a project that our own pages use, and the projects that we ship.
  const pattern = new RegExp(hook!.files);
  for (const name of [
    'project.yaml',
    'projects/quickstart.yaml',
    'mine.yaml',
    'smith.yml',
    'projects/swe-rl/8b-2-nodes.yaml',
  ])
    expect(pattern.test(name), name).toBe(true);
});

test('of all YAML files the hook checks the projects, also one with a mistake, and passes over the others', async () => {
  const shipped = ['quickstart.yaml', 'swe-rl/8b-2-nodes.yaml', 'miles/qwen3-4b-swe-gym.yaml'];
  for (const name of shipped)
    expect(isMeantAsProject(readFileSync(join(packageRoot(), 'projects', name), 'utf8')), name).toBe(true);
  const folder = projectFolder({
    'mine.yaml': 'version: 1\nname: a\ndatset: { t: { source: r.jsonl, format: mutation } }\n',
    'broken.yaml': 'version: 1\nname: b\ndataset: { t: [\n',
    'deploy.yaml': 'apiVersion: v1\nkind: Pod\nname: c\n',
    'logging.yaml': 'version: 1\nhandlers: {}\n',
    'workflow.yml': 'name: ci\non: push\njobs: {}\n',
    'compose.yaml': "version: '3'\nname: d\nservices: {}\n",
  });
  const files = ['mine.yaml', 'broken.yaml', 'deploy.yaml', 'logging.yaml', 'workflow.yml', 'compose.yaml'];
  const end = await run(main, ['check', '--projects-only', ...files], folder);
  expect(end.code).toBe(2);
  expect(end.stderr).toContain('mine.yaml:3:1  E103');
  expect(end.stderr).toMatch(/^broken\.yaml:\d+:\d+ {2}E101/m);
  expect(end.stderr).toContain('in 2 files');
  const none = await run(main, ['check', '--projects-only', ...files.slice(2)], folder);
  expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('no errors in 0 files')]);
});
