/**
 * Trials of one way to run tests: a task, attacks on it that are never rewarded, and honest patches that always are, with
 * what validation learns and without. A patch that is masked is not rewarded.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { EnvironmentView } from '../../executors/deployment.ts';
import type { Further } from './further.ts';
import {
  type Files,
  GradedTask,
  gradingSandbox,
  pytestLayer,
  REPOSITORY,
  SOLUTION,
  type TaskOptions,
  versionLayer,
} from './task.ts';

export interface Trial {
  options: TaskOptions;
  /** The rules by which the tests are judged; default: the strict ones. */
  preset?: string;
  /** Name of an attack -> the changes that it makes. */
  attacks: Record<string, Files>;
  /** Whether the attacks are tried without gold runs, too. */
  isSafeWithoutGold?: boolean;
  /** What is graded without gold runs, with doubts: attacks are never rewarded, honest patches always are. */
  alone?: { attacks: Record<string, Files>; honest: Record<string, Files> };
  /** Those that are rewarded then: a limit that docs/internal/integrity-catalogue.md names. */
  limits?: readonly string[];
  /** Attacks that are rewarded also with gold runs: limits that the same page names. */
  admitted?: Record<string, Files>;
  /** Name of an honest patch -> the changes; the solution is always one. */
  honest: Record<string, Files>;
  /** The task's own solution, which is also graded without gold runs. */
  solution: Files;
  /** The solution itself is not graded: other trials do so. */
  isBrief?: boolean;
}

/** Programs that run tests by other ways than pytest alone. One environment has them all. */
export const RUNNERS = [
  'pytest==8.3.5',
  'tox==4.23.2',
  'tox-current-env==0.0.14',
  'behave==1.2.6',
  'setuptools==75.6.0',
  'twisted==24.11.0',
  'testtools==2.7.2',
];

/** The module with the bug. */
export const BUGGY = REPOSITORY['pkg/core.py'] as string;

/** Puts code into the module with the bug, before `rest`. */
export const code = (text: string, rest = BUGGY): Files => ({ 'pkg/core.py': `${text}\n\n\n${rest}` });

const TIME = { timeout: 170_000 };

/** The text of a file. */
export const lines = (...text: string[]): string => `${text.join('\n')}\n`;

/** Where trials are made: a sandbox, and an environment with these packages. */
export type Place = NonNullable<Awaited<ReturnType<typeof trialPlace>>>;

/** Null, and a line that says why, without pip, a package index or a sandbox. The sandbox is closed after the tests of the file. */
export async function trialPlace(...packages: string[]) {
  return placeWith(pytestLayer(...packages));
}

/** The same on that version of Python; null as well where there is none. */
export async function trialPlaceOn(version: string, ...packages: string[]) {
  return placeWith(versionLayer(version, ...packages));
}

async function placeWith(environment: EnvironmentView | null) {
  if (environment === null) {
    process.stdout.write('skipped: grading needs pip and a package index\n');
    return null;
  }
  const box = await gradingSandbox();
  if (box === null) return null;
  afterAll(() => box.cleanup());
  return { environment, deployment: box.deployment };
}

/** Tests of all patches of a trial. What a rollout meets by default is on: code is judged, values are recorded, one repeat. */
export function tryPatches(name: string, { deployment, environment }: Place, trial: Trial): void {
  const made = () => new GradedTask(deployment, environment, { solution: trial.solution, ...trial.options });
  describe(name, () => {
    let ready: Promise<GradedTask> | null = null;
    const validated = async () => {
      const task = made();
      task.isTyped = true;
      task.repeats = 1;
      await task.validate();
      task.suspicion = 'mask';
      return task;
    };
    const task = () => (ready ??= validated());

    test('the task validates', TIME, async () => {
      const { baseline, logs } = await task();
      expect(baseline, logs.join('\n')).toMatchObject({ excused: [] });
    });

    const own: Record<string, Files> = trial.isBrief === true ? {} : { 'the solution': trial.solution };
    test.each(Object.entries({ ...own, ...trial.honest }))('honest: %s', TIME, async (_, changes) => {
      const one = await task();
      const verdict = await one.grade(one.diff(changes), trial.preset);
      expect(verdict.reward, told(verdict, one)).toBe(1);
    });

    test.skipIf(trial.isBrief === true)('honest: the solution without gold runs', TIME, async () => {
      const one = made();
      const verdict = await one.grade(one.diff(trial.solution), trial.preset);
      expect(verdict.reward, told(verdict, one)).toBe(1);
    });

    const unvalidated = trial.isSafeWithoutGold === true ? Object.entries(trial.attacks) : [];
    test.each(unvalidated)('attack without gold runs: %s', TIME, async (_, changes) => {
      const one = made();
      const verdict = await one.grade(one.diff(changes), trial.preset);
      const isLimit = trial.limits?.includes(_) === true;
      expect(verdict.reward === 1, told(verdict, one)).toBe(isLimit);
    });

    const { attacks = {}, honest = {} } = trial.alone ?? {};
    const alone = [
      ...Object.entries(attacks).map(([of, changes]) => ['attack', of, changes] as const),
      ...Object.entries(honest).map(([of, changes]) => ['honest', of, changes] as const),
    ];
    test.each(alone)('%s, with doubts, without gold runs: %s', TIME, async (kind, _, changes) => {
      const one = made();
      one.suspicion = 'mask';
      one.repeats = 1;
      const verdict = await one.grade(one.diff(changes), trial.preset);
      expect(verdict.reward === 1, told(verdict, one)).toBe(kind === 'honest');
    });

    test.each(Object.entries(trial.admitted ?? {}))('admitted: %s', TIME, async (_, changes) => {
      const one = await task();
      const verdict = await one.grade(one.diff(changes), trial.preset);
      expect(verdict.reward, told(verdict, one)).toBe(1);
    });

    test.each(Object.entries(trial.attacks))('attack: %s', TIME, async (_, changes) => {
      const one = await task();
      const verdict = await one.grade(one.diff(changes), trial.preset);
      expect(verdict.reward, told(verdict, one)).not.toBe(1);
    });
  });
}

function told(verdict: unknown, task: GradedTask): string {
  return `${JSON.stringify(verdict, null, 1)}\n${task.logs.at(-1)}`;
}

/** Trials of tasks by their names; each has an environment of its own. */
export async function tryLater(tasks: Readonly<Record<string, Further>>): Promise<void> {
  for (const [name, { packages = ['pytest==8.3.5'], files, options, ...trial }] of Object.entries(tasks)) {
    const place = await trialPlace(...packages);
    describe.skipIf(place === null)('', () => {
      tryPatches(name, place!, {
        solution: SOLUTION,
        honest: {},
        ...trial,
        options: {
          test: 'python -m pytest -rA -v -p no:cacheprovider',
          ...(files === undefined ? {} : { files }),
          ...options,
        },
      });
    });
  }
}
