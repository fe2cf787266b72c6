/**
 * Builds that are disturbed at random moments, compared with an undisturbed one: the same digests, no finished action repeated,
 * nothing left behind, a cache that `verify --rehash` calls sound.
 */
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ActionRecord } from '../../schemas/record.ts';
import { answersIn } from './answers.ts';
import { leftovers } from './leftovers.ts';
import { pause, treeOf } from './pausing.ts';
import { Project } from './project.ts';
import { randomNumbers } from './random.ts';

/** Kills of one round, so that builds get to every part of the work. */
const KILLS = 8;

export interface StormOptions {
  /** Whole builds that SIGKILL ends, and single processes of builds that stand still for 1 to 20 seconds. */
  kills?: number;
  pauses?: number;
  /** Of the moments, the processes and how long they stand still. */
  seed?: number;
  /** Further words of `swemake build`. */
  words?: readonly string[];
}

export interface StormReport {
  kills: number;
  pauses: number;
  rounds: number;
  /** Flaky items of which other tests disagreed: chance, and a part of their answer. */
  chance: number;
  /** What is not as in the undisturbed build. */
  differing: string[];
  repeated: string[];
  unsound: string[];
  left: string[];
}

/** What a storm must find. */
export const CALM = { differing: [], repeated: [], unsound: [], left: [] };

/** Disturbs builds of copies of `project`, each round with a fresh cache. */
export async function storm(project: Project, file: string, options: StormOptions): Promise<StormReport> {
  const { kills = 0, pauses = 0, seed = 1, words = [] } = options;
  const random = randomNumbers(seed);
  const build = ['build', file, ...words];
  const report: StormReport = { kills: 0, pauses: 0, rounds: 0, chance: 0, ...structuredClone(CALM) };

  const undisturbed = copyOf(project);
  const before = Date.now();
  expect(await undisturbed.run(...build)).toMatchObject({ code: 0 });
  const duration = Date.now() - before;
  const expected = await answersIn(undisturbed.path('.swemake'));

  /** Kills builds; ends when one of them has ended before. */
  const kill = async (copy: Project) => {
    for (let count = 0; count < KILLS && report.kills < kills; count += 1) {
      const child = started(copy, build);
      const after = sleep(Math.floor(random() * duration * 0.6));
      if (await Promise.race([child.ended.then(() => true), after.then(() => false)])) return;
      process.kill(-child.pid, 'SIGKILL');
      await child.ended;
      report.kills += 1;
      // The kernel ends what was below it, in its own time.
      await expect.poll(() => leftovers(copy.folder), { timeout: 60_000 }).toEqual([]);
    }
  };

  /** One build; from its start to its end one process after the other stands still. */
  const stop = async (copy: Project) => {
    const child = started(copy, build);
    let isEnded = false;
    void child.ended.then(() => {
      isEnded = true;
    });
    while (!isEnded) {
      await sleep(200 + Math.floor(random() * 800));
      const tree = treeOf(child.pid);
      const pid = tree[Math.floor(random() * tree.length)]!;
      if (isEnded || report.pauses >= pauses) continue;
      report.pauses += 1;
      await pause([pid], 1000 + Math.floor(random() ** 3 * 19_000));
    }
  };

  while (report.kills < kills || report.pauses < pauses) {
    report.rounds += 1;
    const copy = copyOf(project);
    await (report.kills < kills ? kill : stop)(copy);
    await copy.run(...build);
    await compare(copy, expected, report);
    const { code, stdout, stderr } = await copy.run('verify', file, '--rehash');
    if (code !== 0) report.unsound.push(`${stdout}${stderr}`);
    console.log(`round ${report.rounds}: ${JSON.stringify(report)}`);
  }
  return report;
}

/** A process group of its own, which can be killed as a whole. */
function started(project: Project, words: string[]): { pid: number; ended: Promise<unknown> } {
  const child = project.start(words);
  child.stdout!.resume();
  child.stderr!.resume();
  return { pid: child.pid!, ended: new Promise((resolve) => child.once('close', resolve)) };
}

function copyOf({ folder }: Project): Project {
  const copy = new Project();
  const skipped = ['.swemake', 'out', 'home-cache'];
  const filter = (path: string) => !skipped.includes(basename(path));
  cpSync(folder, copy.folder, { recursive: true, filter });
  return copy;
}

async function compare(project: Project, expected: Map<string, ActionRecord>, report: StormReport) {
  const cache = project.path('.swemake');
  // Before the database is opened here, which removes leases of processes that have ended.
  for (const name of ['tmp', 'locks', 'records.mdb.users', 'executors/sandbox', 'executors/local']) {
    const path = join(cache, name);
    if (existsSync(path)) report.left.push(...readdirSync(path).map((entry) => `${name}/${entry}`));
  }
  const now = await answersIn(cache);
  for (const item of new Set([...expected.keys(), ...now.keys()])) {
    const [one, other] = [expected.get(item), now.get(item)];
    if (one?.digest === other?.digest) continue;
    const isChance = one?.outcome.status === 'flaky' && other?.outcome.status === 'flaky';
    if (isChance) report.chance += 1;
    else
      report.differing.push(
        `${item}: ${JSON.stringify(one?.outcome)}, and now ${JSON.stringify(other?.outcome)}`,
      );
  }
  const finished = project
    .events()
    .filter(({ type, record }) => type === 'item-finished' && record !== undefined)
    .map(({ stage, item }) => `${stage}@${item}`);
  report.repeated.push(...finished.filter((item, index) => finished.indexOf(item) !== index));
}
