/** The stage in a build: the oracle is rewarded, the empty patch is not, and other rules grade again and no more. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import type { BuildResult, Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const TIME = { timeout: 300_000 };

function agentProject(more = ''): Project {
  const project = tinyProject({ instances: 2 });
  appendFileSync(project.path('p.yaml'), `agent: { type: oracle, rollouts: 2, baselines: [noop] }\n${more}`);
  return project;
}

const build = (project: Project, ...args: string[]) =>
  commandJson<BuildResult>(project, 'build', 'p.yaml', ...args);

const executed = (result: BuildResult) =>
  Object.fromEntries(
    result.stages.filter((stage) => stage.executed > 0).map(({ stage, executed: count }) => [stage, count]),
  );

const outcomes = (result: BuildResult, stage: string) =>
  result.stages.find((one) => one.stage === stage)?.outcomes;

/** Instances and digests of what the last build graded. Of equal patches any one is graded. */
function lastGraded(project: Project): string[] {
  const events = project.events();
  return events
    .slice(events.findLastIndex(({ type }) => type === 'run-started'))
    .filter(({ type, stage, record }) => type === 'item-finished' && stage === 'grade.train' && record)
    .map(({ item, record }) => `${String(item).split('#')[0]} ${(record as { digest: string }).digest}`)
    .sort();
}

describe('grade', () => {
  test('rewards the oracle and not the empty patch; other rules grade again and no more', TIME, async () => {
    const project = agentProject();
    const first = await build(project, 'grade.train');
    expect(first.outcomes.infra).toBe(0);
    expect(outcomes(first, 'grade.train')).toMatchObject({ ok: 4, failed: 2 });
    // Two oracles hand in the same patch, which is graded once.
    expect(executed(first)['grade.train']).toBe(4);
    const before = lastGraded(project);
    expect(before).toHaveLength(4);
    expect((await build(project, 'grade.train')).executed).toBe(0);

    const logs = await command(project, 'logs', 'grade.train@tiny.0#?');
    expect(logs.stdout, logs.stderr).toMatch(/reward 1/);

    const preset = ['--set', 'grading.preset=swebench-4'];
    const again = await build(project, 'grade.train', ...preset);
    expect(Object.keys(executed(again))).toEqual(['grade.train']);
    expect(outcomes(again, 'grade.train')).toMatchObject({ ok: 4, failed: 2 });
    const laxer = await command(project, 'logs', 'grade.train@tiny.0#?', ...preset);
    expect(laxer.stdout).toContain('the exit code is not cross-checked');

    const unrepeated = ['--set', 'grading.repeats=0'];
    const once = await build(project, 'grade.train', ...unrepeated);
    expect(Object.keys(executed(once))).toEqual(['grade.train']);
    expect(logs.stdout).toContain('repeats: 1');
    const single = await command(project, 'logs', 'grade.train@tiny.0#?', ...unrepeated);
    expect(single.stdout).toMatch(/reward 1/);
    expect(single.stdout).not.toContain('repeats:');

    // Graded anew, the same patch has the same answer to the last byte.
    await build(project, '--force', 'grade.train@*', 'grade.train');
    expect(lastGraded(project)).toEqual(before);
  });

  test('patches that others wrote are graded on the evaluation dataset', TIME, async () => {
    const project = agentProject('evaluation: { dataset: bench, predictions: { theirs: [theirs.jsonl] } }\n');
    const yaml = readFileSync(project.path('p.yaml'), 'utf8').replace(
      'dataset:\n',
      'dataset:\n  bench: { source: rows.jsonl, format: custom }\n',
    );
    writeFileSync(project.path('p.yaml'), yaml);
    const fix = (index: number) =>
      `diff --git a/m${index}.py b/m${index}.py\n--- a/m${index}.py\n+++ b/m${index}.py\n@@ -1 +1 @@\n-VALUE = -1\n+VALUE = ${index}\n`;
    const rows = [
      { instance_id: 'tiny.0', model_name_or_path: 'theirs', model_patch: fix(0) },
      { instance_id: 'tiny.1', model_name_or_path: 'theirs', model_patch: fix(7) },
    ];
    writeFileSync(project.path('theirs.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const built = await build(project, 'grade.bench');
    expect(outcomes(built, 'grade.bench')).toEqual({
      ok: 1,
      failed: 1,
      flaky: 0,
      timeout: 0,
      infra: 0,
      stopped: 0,
      config: 0,
    });
    expect((await command(project, 'logs', 'grade.bench@tiny.1#theirs')).stdout).toMatch(
      /patch-does-not-apply/,
    );
  });
});
