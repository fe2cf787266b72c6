/**
 * The quickstart as a specification: a cold run gives every expected verdict, a second run does nothing, and each
 * kind of change redoes what depends on it and nothing else. Needs a package index.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { leftovers } from '../rig/leftovers.ts';
import type { BuildResult, Project } from '../rig/project.ts';
import { hasPackageIndex, quickstart } from '../rig/quickstart.ts';

const online = hasPackageIndex();
const COLD = 600_000;
const EXPECTED = { ok: 24, failed: 4, flaky: 1, timeout: 1, infra: 0, stopped: 0, config: 0 };

const executed = (result: BuildResult) =>
  Object.fromEntries(result.stages.map(({ stage, executed: count }) => [stage.split('.')[0], count]));

const outcomes = (result: BuildResult, stage: string) =>
  result.stages.find((one) => one.stage.startsWith(stage))!.outcomes;

function edit(project: Project, change: (text: string) => string): void {
  const path = project.path('quickstart.yaml');
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

/** Three quick packages: enough to be caught at work, quick enough to run often. */
const SUBSET = ['--set', 'dataset.train.select.match=h11|schema|xmltodict'];

/** Item -> the digest that it came to last. */
const answers = (project: Project) =>
  new Map(
    project
      .events()
      .filter((event) => event.type === 'item-finished' && event.record !== undefined)
      .map((event) => [`${event.stage}@${event.item}`, (event.record as { digest: string }).digest]),
  );

/** What nobody disturbed came to, in a first build of all and a second one of the subset. */
let undisturbed: Map<string, string>;

describe.skipIf(!online)('the quickstart', () => {
  let project: Project;
  let cold: BuildResult & { code: number | null };

  beforeAll(async () => {
    project = quickstart();
    cold = await project.build('quickstart.yaml');
    const subset = await project.build('quickstart.yaml', ...SUBSET);
    expect(executed(subset)).toMatchObject({ environments: 0, validate: 0, rollouts: 0, grade: 0 });
    undisturbed = answers(project);
    // The files for the user are again those of the whole.
    expect((await project.build('quickstart.yaml')).code).toBe(0);
  }, 2 * COLD);

  test('gives every instance the status that it was made for', () => {
    expect(cold.code).toBe(0);
    expect(outcomes(cold, 'validate')).toEqual(EXPECTED);
    expect(outcomes(cold, 'environments')).toMatchObject({ ok: 6, failed: 1 });
    const statuses = readFileSync(
      project.path('out/quickstart/filter.train/run_batch_exit_statuses.yaml'),
      'utf8',
    );
    for (const [status, reason] of [
      ['failed', 'gold-fails'],
      ['failed', 'no-failing-test'],
      ['failed', 'pass-to-pass-broken'],
      ['failed', 'environment-failed'],
      ['flaky', 'repeats-disagree'],
      ['timeout', 'time-limit'],
    ]) {
      expect(statuses).toMatch(new RegExp(`${status} \\(${reason}\\):\\n +- .*expect-`));
    }
    const passed = readFileSync(project.path('out/quickstart/filter.train/passed.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(passed).toHaveLength(24);
    expect(passed.filter((line) => line.includes('expect-'))).toEqual([]);
  });

  test('the oracle solves every sound task and the noop none, and what is solved becomes data', async () => {
    expect(outcomes(cold, 'rollouts')).toMatchObject({ ok: 48, infra: 0 });
    expect(outcomes(cold, 'grade')).toMatchObject({ ok: 24, failed: 24, infra: 0 });
    const lines = (path: string) =>
      readFileSync(project.path(`out/quickstart/${path}`), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const golden = lines('golden.train/golden.jsonl');
    expect(golden).toHaveLength(24);
    expect(golden.every(({ sample, reward }) => sample === '0' && reward === 1)).toBe(true);
    const rows = lines('sft-data.train/sft.jsonl');
    expect(rows).toHaveLength(24);
    expect(rows.every(({ resolved }) => resolved === true)).toBe(true);
    expect(readFileSync(project.path('out/quickstart/sft-data.train/README.md'), 'utf8')).toContain('oracle');
  });

  test('a second run executes nothing', async () => {
    expect(await project.build('quickstart.yaml')).toMatchObject({ executed: 0, code: 0 });
    const { stdout } = await project.run('build', 'quickstart.yaml');
    expect(stdout).toMatch(/^nothing to do: [0-9]+ targets are up to date/);
  });

  test('comments, quotes and the order of keys rebuild nothing', async () => {
    edit(project, (text) =>
      text
        .replace('version: 1\nname: quickstart\n', '# a comment\n"name": \'quickstart\'\nversion: 1\n')
        .replace(
          '{ memory: 1GiB, pids: 128, disk: 1GiB, cpus: 1 }',
          '{ cpus: 1.0, pids: 128, "disk": 1024MiB, memory: "1GiB" }',
        ),
    );
    expect(await project.build('quickstart.yaml')).toMatchObject({ executed: 0 });
  });

  test(
    'an environment that is rebuilt to the same bytes stops the rebuild there',
    async () => {
      const result = await project.build('quickstart.yaml', '--force', 'environments.train@keleshev*');
      expect(executed(result)).toMatchObject({ dataset: 0, environments: 1, validate: 0, filter: 0 });
      expect(executed(result)).toMatchObject({ rollouts: 0, grade: 0, golden: 0, 'sft-data': 0 });
    },
    COLD,
  );

  test(
    'an edited recipe rebuilds its environment and what depends on it',
    async () => {
      edit(project, (text) => text.replace('wcwidth==0.2.13', 'wcwidth==0.2.12'));
      const plan = await project.run('plan', 'quickstart.yaml');
      expect(plan.stdout).toMatch(/environments\.train +7 +6 +1 +changed: recipe/);
      const result = await project.build('quickstart.yaml');
      const users = readFileSync(project.path('quickstart.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line.includes('astanin/python-tabulate'));
      expect(executed(result)).toMatchObject({
        dataset: 0,
        environments: 1,
        validate: users.length,
        filter: 1,
      });
      // One of them is broken on purpose. The oracle does what it did, so its data stays as it is.
      const sound = users.filter((line) => !line.includes('expect-')).length;
      expect(executed(result)).toMatchObject({ rollouts: 2 * sound, grade: 2 * sound, 'sft-data': 0 });
      expect(outcomes(result, 'validate')).toEqual(EXPECTED);
    },
    COLD,
  );

  test(
    'an edited row reruns that row',
    async () => {
      const path = project.path('quickstart.jsonl');
      const rows = readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const row = rows.find(
        (one) => one.repo === 'keleshev/schema' && !String(one.instance_id).includes('expect-'),
      )!;
      (row.PASS_TO_PASS as string[]).pop();
      writeFileSync(path, rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
      expect(executed(await project.build('quickstart.yaml'))).toMatchObject({
        dataset: 1,
        environments: 0,
        validate: 1,
        filter: 1,
        // Its tests are no business of the agent.
        rollouts: 0,
        grade: 2,
      });
    },
    COLD,
  );

  test('logs and status tell of it', async () => {
    const logs = await project.run('logs', 'validate.train@*expect-timeout');
    expect(logs.stdout).toMatch(/time limit/);
    const status = await project.run('status');
    expect(status.stdout).toMatch(/validate\.train +24 ok · 4 failed · 1 flaky · 1 timeout/);
  });
});

describe.skipIf(!online)('killed in the middle', () => {
  test(
    'loses only what was running, and leaves nothing behind',
    async () => {
      const killed = quickstart();
      for (const moment of [3000, 9000, 12_000]) {
        const child = killed.start(['build', 'quickstart.yaml', ...SUBSET]);
        child.stdout!.resume();
        child.stderr!.resume();
        await Promise.race([sleep(moment), new Promise((resolve) => child.once('exit', resolve))]);
        if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL');
        // The kernel ends what was below it, in its own time.
        await expect.poll(() => leftovers(killed.folder), { timeout: 60_000 }).toEqual([]);
      }
      const end = await killed.build('quickstart.yaml', ...SUBSET);
      expect(end.code).toBe(0);
      const found = answers(killed);
      expect(found.size).toBeGreaterThan(20);
      for (const [item, digest] of found) expect([item, undisturbed.get(item)]).toEqual([item, digest]);
      const finished = killed
        .events()
        .filter((event) => event.type === 'item-finished')
        .map((event) => `${event.stage}@${event.item}`);
      expect(finished.length).toBe(new Set(finished).size);
      expect(readdirSync(killed.path('.swemake/tmp'))).toEqual([]);
      expect(readdirSync(killed.path('.swemake/executors/sandbox'))).toEqual([]);
      expect((await killed.build('quickstart.yaml', ...SUBSET)).executed).toBe(0);
    },
    COLD,
  );
});
