/**
 * Attacks composed from a seed, each really graded in a sandbox: none is rewarded, and none takes the grader down. A hit
 * prints the seed and the patch. ATTACK_SEED and ATTACK_COUNT choose others; minutes long, so not among the fast tests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GradeVerdict } from '../../grading/grade-verdict.ts';
import { isTried } from '../rig/sampled.ts';
import { HOW } from './generator/attacks.ts';
import { type ComposedAttack, codeOf, composeAttacks } from './generator/generator.ts';
import { attackedTasks, BUGGY, runnerTasks } from './generator/tasks.ts';
import { WHEN } from './generator/when.ts';
import { WHERE } from './generator/where.ts';
import { diffOf, GradedTask, gradingSandbox, pytestLayer, sourceLayer } from './task.ts';

const SEED = Number(process.env.ATTACK_SEED ?? 1);
const COUNT = Number(process.env.ATTACK_COUNT ?? 330);
/** Workspaces at once. */
const LANES = Number(process.env.ATTACK_LANES ?? 3);
/** What the grader itself might leave: nothing of the kind is anywhere else. */
const HIDDEN = 'hidden inputs of the grader';
const MINUTES = 10 * 60_000;

const hasIndex = pytestLayer('pytest==8.3.5') !== null;
const box = hasIndex ? await gradingSandbox() : null;
if (!hasIndex) process.stdout.write('skipped: grading needs pip and a package index\n');
const folder = mkdtempSync(join(tmpdir(), 'swemake-attacks-'));
afterAll(async () => {
  await box?.cleanup();
  rmSync(folder, { recursive: true, force: true });
});

interface Graded {
  attack: ComposedAttack;
  verdict: GradeVerdict | { fault: string };
  log: string;
}

describe.skipIf(box === null)('composed attacks', () => {
  const tasks = [...attackedTasks(folder), ...runnerTasks()];
  const attacks = composeAttacks(SEED, COUNT, tasks);
  const graders = new Map<string, GradedTask>();

  beforeAll(async () => {
    for (const task of tasks) {
      const environment = task.environment();
      if (environment === null) throw new Error(`no environment for ${task.name}`);
      const grader = new GradedTask(box!.deployment, environment, { timeout: 20, ...task.options });
      await grader.validate();
      graders.set(task.name, grader);
    }
  }, MINUTES);

  test('are at least 300 over at least 5 tasks, and hold every value of each axis', () => {
    const used = (axis: (attack: ComposedAttack) => string) => new Set(attacks.map(axis));
    expect(COUNT).toBeGreaterThanOrEqual(300);
    expect(used(({ task }) => task.name).size).toBeGreaterThanOrEqual(5);
    expect(used(({ where }) => where)).toEqual(new Set(Object.keys(WHERE)));
    expect(used(({ when }) => when)).toEqual(new Set(Object.keys(WHEN)));
    expect(used(({ how }) => how)).toEqual(new Set(Object.keys(HOW)));
    const composed = ({ task, where, variant, when, how }: ComposedAttack) =>
      [task.name, where, variant, when, how].join();
    expect(used(composed).size).toBeGreaterThan(COUNT * 0.97);
  });

  test('hold their code, are no solution, and are the same for the same seed', { timeout: MINUTES }, () => {
    for (const { diff, mark } of attacks) {
      expect(diff).toContain(mark);
      expect(diff).not.toContain('return 3 - 2');
    }
    const again = composeAttacks(SEED, 40, tasks);
    expect(again.map(({ diff }) => diff)).toEqual(attacks.slice(0, 40).map(({ diff }) => diff));
  });

  test('are on tasks that their solution solves, and nothing else does', { timeout: MINUTES }, async () => {
    for (const { name, options } of tasks) {
      const grader = graders.get(name)!;
      const solved = await grader.grade(diffOf(options.solution!, options.files));
      expect(solved, `${name}: ${grader.logs.at(-1)}`).toMatchObject({ reward: 1, integrity: [] });
      const { baseline } = grader;
      grader.baseline = null;
      const alone = await grader.grade(diffOf(options.solution!, options.files));
      grader.baseline = baseline;
      expect(alone, `${name} without gold runs: ${grader.logs.at(-1)}`).toMatchObject({ reward: 1 });
      const idle = await grader.grade(diffOf({ 'NOTES.md': 'x\n' }, options.files));
      expect(idle, name).toMatchObject({ reward: 0, reason: 'not-resolved' });
    }
  });

  const readers = Object.keys(HOW).filter((name) => HOW[name]!.kind === 'read' && name !== HIDDEN);
  test.each(readers)(
    'that read the solution from %s find it where it lies open',
    { timeout: MINUTES },
    async (how) => {
      const task = tasks.find(({ name }) => name === 'installed')!;
      const { environment, limits } = graders.get(task.name)!.setup;
      const source = sourceLayer({ ...task.options.files, ...task.options.solution });
      const options = { limits, network: 'off', storage: 'memory' } as const;
      const opened = await box!.deployment.open(environment, { layer: source }, options);
      if (!opened.ok) throw new Error(opened.fault.detail);
      await opened.value.write(`/testbed/${task.path}`, `${BUGGY}\n\n${codeOf(task, 'import', how, 'mark')}`);
      const ran = await opened.value.exec(`python -c 'import pkg.core; print(pkg.core.value())'`, {
        timeout: 60,
      });
      await opened.value.close();
      expect(ran).toMatchObject({ ok: true, value: { stdout: '1\n' } });
    },
  );

  test('score nothing and take nothing down', { timeout: 4 * MINUTES }, async () => {
    const tried = attacks.filter(({ number }) => isTried(`${number}`));
    const graded = await gradeAll(tried, graders);
    process.stdout.write(`seed ${SEED}: ${tally(graded)}\n`);
    const hits = graded.filter(({ verdict }) => 'fault' in verdict || verdict.reward === 1);
    expect(hits.map(told)).toEqual([]);
    // Attacks that do nothing would pass as well: some must have brought the tests to pass, and been found out.
    const voided = graded.filter(({ verdict }) => 'reason' in verdict && verdict.reason === 'tampering');
    expect(voided.length).toBeGreaterThan(tried.length / 30);
  });
});

async function gradeAll(attacks: ComposedAttack[], graders: Map<string, GradedTask>): Promise<Graded[]> {
  const graded: Graded[] = [];
  const queue = [...attacks];
  const lane = async () => {
    for (let attack = queue.shift(); attack !== undefined; attack = queue.shift()) {
      const grader = graders.get(attack.task.name)!;
      const lines: string[] = [];
      const verdict = await grader
        .grade(attack.diff, undefined, undefined, (text) => lines.push(text))
        .catch((error: unknown) => ({
          fault: String(error),
        }));
      graded.push({ attack, verdict, log: lines.join('') });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return graded;
}

/** Everything that is needed to see a hit again. */
function told({ attack, verdict, log }: Graded): string {
  const { number, task, where, variant, when, how, diff } = attack;
  const what = 'fault' in verdict ? verdict.fault : JSON.stringify(verdict.integrity);
  return `ATTACK_SEED=${SEED}, number ${number} on ${task.name}: ${how}, ${when}, in ${where} (${variant})\n${what}\n${diff}\n${log}`;
}

function tally(graded: readonly Graded[]): string {
  const counts = new Map<string, number>();
  for (const { verdict } of graded) {
    const reason = 'fault' in verdict ? 'fault' : (verdict.reason ?? 'rewarded');
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `${count} ${reason}`).join(', ');
}
