/**
 * The matrix of attacks, each really graded: none is rewarded under any preset but where upstream's own rule does so
 * and the verdict says it, each is named or fails as it should, and none takes the grader down.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EnvironmentView } from '../../executors/deployment.ts';
import { DEFAULT_PRESET } from '../../grading/rules/presets.ts';
import { giveTo, type Kind, kinds, type MadeSandbox, makeSandbox } from '../executors/sandbox-fixture.ts';
import { attackDiff } from './generator/generator.ts';
import { type AttackedTask, installedCopy, SOLVED, startedTasks, withPackages } from './generator/tasks.ts';
import { cellsOf, memberName } from './matrix.ts';
import { GradedTask, systemLayer } from './task.ts';

const TIME = { timeout: 170_000 };
const base = systemLayer('pytest==8.3.5', 'pytest-xdist==3.6.1');
if (base === null) process.stdout.write('skipped: the attacks need pip and a package index\n');
const folder = mkdtempSync(join(tmpdir(), 'swemake-matrix-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** One user's graders, which share what can be shared: the environment, and a first state for each framework. */
class Grading {
  readonly kind: Kind;
  readonly #tasks = new Map<string, GradedTask>();
  readonly #first = new Map<string, GradedTask>();
  #box: MadeSandbox | null = null;
  #environment: EnvironmentView | null = null;

  constructor(kind: Kind) {
    this.kind = kind;
  }

  async open(): Promise<void> {
    this.#box = await makeSandbox(this.kind);
    const place = join(folder, this.kind.name.replaceAll(' ', '-'));
    this.#environment = withPackages(base, installedCopy(), place)!;
    for (const layer of this.#environment.layers) await giveTo(this.kind, layer);
  }

  async grader(task: AttackedTask): Promise<GradedTask> {
    const known = this.#tasks.get(task.name);
    if (known !== undefined) return known;
    const { name, framework, options } = task;
    const grader = new GradedTask(this.#box!.deployment, this.#environment!, { timeout: 30, ...options });
    const alike = this.#first.get(framework);
    if (alike !== undefined) grader.setup.state = alike.setup.state;
    else this.#first.set(framework, grader);
    const state = await grader.setup.state();
    if (!state.ok) throw new Error(JSON.stringify(state.fault));
    if (alike === undefined) await giveTo(this.kind, state.value.view.layer);
    const usual = await grader.validate();
    expect(usual, grader.logs.join('\n')).toMatchObject({
      witness: 'tests',
      excused: [],
      observed: expect.not.objectContaining({ modified: expect.anything() }),
    });
    this.#tasks.set(name, grader);
    return grader;
  }

  async close(): Promise<void> {
    await this.#box?.cleanup();
  }
}

describe.skipIf(base === null)('the matrix of attacks', () => {
  const tasks = startedTasks();
  const users = kinds.map((kind) => new Grading(kind));
  beforeAll(async () => {
    for (const user of users) await user.open();
  });
  afterAll(async () => {
    for (const user of users) await user.close();
  });

  describe.each(tasks.map((task, way) => [task.name, task, way] as const))(
    'started by %s',
    (_, task, way) => {
      test.each(users)('an honest patch is rewarded $kind.name', TIME, async (user) => {
        const grader = await user.grader(task);
        const verdicts = await grader.gradeByAll(grader.diff({ [task.path]: SOLVED.replace('3 - 2', '1') }));
        // SWE-MiniSandbox finds no test of unittest by its id.
        for (const verdict of verdicts.filter(
          ({ preset }) => preset !== 'minisandbox-compat' || task.framework === 'pytest',
        ))
          expect(verdict, grader.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
      });

      for (const { kind, member, user } of cellsOf(way, task, users.length)) {
        const what = memberName(member);
        test(`${kind}: ${what}, ${kinds[user]!.name}`, TIME, async () => {
          const grader = await users[user]!.grader(task);
          const diff = attackDiff(task, member, what);
          for (const verdict of await grader.gradeByAll(diff)) {
            const told = `${JSON.stringify(verdict, null, 1)}\n${diff}\n${grader.logs.at(-1)}`;
            const isRelaxed = verdict.integrity.some(({ effect }) => effect === 'relaxed');
            if (kind !== 'other ends than passed' || !isRelaxed) expect(verdict.reward, told).toBe(0);
            if (verdict.reward === 1) expect(verdict.relaxations, told).not.toEqual([]);
            if (verdict.preset !== DEFAULT_PRESET) continue;
            expect(verdict.reward, told).toBe(0);
            const fails = (verdict.tests_status?.FAIL_TO_PASS.failure.length ?? 0) > 0;
            expect(fails || verdict.integrity.length > 0 || verdict.tests_status === null, told).toBe(true);
          }
        });
      }
    },
  );
});
