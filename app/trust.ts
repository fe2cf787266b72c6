/**
 * Whether a cache can be trusted, beyond the integrity of its files: who may write to it, what swemake would make in
 * another way by now, which answers rest on something that was not found, which processes hold locks without a sign of
 * life, and whether the clocks agree.
 */

import { statSync } from 'node:fs';
import type { ActionKey } from '../basics/digest.ts';
import { allRestingKeys, isOverturned, lastAsked } from '../cache/absences.ts';
import type { Cache } from '../cache/cache.ts';
import { binaryKey } from '../cache/database.ts';
import type { Waiting } from '../cache/key-lock.ts';
import type { VerifyReport } from '../cache/verify.ts';
import { STAGES } from '../stages/registry.ts';
import { soughtText } from './ask-again.ts';

interface StageAnswers {
  stage: string;
  answers: number;
}

/** Last answers of a stage's items that rest on something that was not found. */
export interface NotFound extends StageAnswers {
  /** Rows of datasets among what these answers leave out. */
  rows: number;
  questions: AskedOnce[];
}

interface AskedOnce {
  question: string;
  /** When a server was last asked, milliseconds since 1970. */
  asked: number;
  /** It has another answer by now, so a build makes again what rests on it. */
  isOverturned: boolean;
}

export interface CacheTrust {
  /** Rights by which others may have changed something. */
  rights: { kind: 'rights'; where: string; detail: string }[];
  /** Answers that are gone or damaged: a build makes them again. */
  rebuilt: StageAnswers[];
  /** Last answers of items that an earlier version of a stage gave. */
  outdated: StageAnswers[];
  notFound: NotFound[];
  /** What is no fault of the cache and worth knowing. */
  notes: string[];
}

/** Seconds by which the clocks may differ. */
const CLOCK = 60;

export function cacheTrust(cache: Cache, report: VerifyReport): CacheTrust {
  return {
    rights: rightsOf(cache),
    rebuilt: countsOf(report.removed.map((key) => stageOf(cache, key)?.stage ?? 'an unknown stage')),
    outdated: outdatedIn(cache),
    notFound: notFoundIn(cache),
    notes: [...readableBy(cache), ...silentLocks(cache), ...clockOf(cache)],
  };
}

/** The folder that keeps others out, or does not: all others lie in it. */
function rightsOf({ folder }: Cache): CacheTrust['rights'] {
  const { mode } = statSync(folder.root);
  if ((mode & 0o002) === 0) return [];
  const detail = `every user may change it (mode ${octal(mode)}); close it by chmod 0700, and repair it with --rehash`;
  return [{ kind: 'rights', where: folder.root, detail }];
}

function readableBy({ folder }: Cache): string[] {
  const { mode, uid } = statSync(folder.root);
  const notes: string[] = [];
  if ((mode & 0o005) !== 0)
    notes.push(`every user can read ${folder.root} (mode ${octal(mode)}); chmod 0700 closes it`);
  if ((mode & 0o020) !== 0) notes.push(`its group may change ${folder.root} (mode ${octal(mode)})`);
  if (process.getuid !== undefined && uid !== process.getuid())
    notes.push(`${folder.root} belongs to the user ${uid}`);
  return notes;
}

function outdatedIn(cache: Cache): StageAnswers[] {
  const versions = new Map(STAGES.map(({ name, version }) => [name, version]));
  const stages: string[] = [];
  for (const { value } of cache.database.latest.getRange({})) {
    const found = stageOf(cache, value.key);
    if (found !== null && found.version !== (versions.get(found.stage) ?? found.version))
      stages.push(found.stage);
  }
  return countsOf(stages);
}

function notFoundIn({ database }: Cache): NotFound[] {
  const found = new Map<string, NotFound & { known: Map<string, AskedOnce> }>();
  const resting = allRestingKeys(database);
  if (resting.size === 0) return [];
  for (const { value } of database.latest.getRange({})) {
    const stage = resting.get(value.key);
    const { absent = [] } = (stage && database.records.get(binaryKey(value.key))) || {};
    if (stage === undefined || absent.length === 0) continue;
    const one = found.get(stage) ?? { stage, answers: 0, rows: 0, questions: [], known: new Map() };
    found.set(stage, one);
    one.answers += 1;
    for (const absence of absent) {
      one.rows += absence.rows ?? 0;
      const question = soughtText(absence.sought);
      const { asked } = lastAsked(database, absence);
      one.known.set(question, {
        question,
        asked,
        isOverturned: isOverturned(database, { absent: [absence] }),
      });
    }
  }
  return [...found.values()]
    .map(({ known, ...one }) => ({ ...one, questions: [...known.values()] }))
    .sort((one, other) => (one.stage < other.stage ? -1 : 1));
}

function stageOf({ database }: Cache, key: ActionKey): { stage: string; version: number } | null {
  const preimage = database.preimages.get(binaryKey(key));
  return preimage === undefined ? null : { stage: preimage.stage, version: preimage.version };
}

function countsOf(stages: readonly string[]): StageAnswers[] {
  const counts = new Map<string, number>();
  for (const stage of stages) counts.set(stage, (counts.get(stage) ?? 0) + 1);
  return [...counts].sort().map(([stage, answers]) => ({ stage, answers }));
}

function silentLocks({ database, locks }: Cache): string[] {
  if (database.presence === null) return [];
  const held = new Map<string, { holder: Waiting; locks: number }>();
  for (const { holder } of locks.silent()) {
    const name = `${holder.pid} ${holder.host}`;
    held.set(name, { holder, locks: (held.get(name)?.locks ?? 0) + 1 });
  }
  return [...held.values()].map(
    ({ holder: { pid, host, since }, locks: count }) =>
      `process ${pid}${host === null ? '' : ` of host ${host}`} holds ${count} locks, the last since ${since.toISOString()}, and does not beat; a build that needs them takes them over`,
  );
}

/** The file system may be that of another machine. */
function clockOf({ database: { presence } }: Cache): string[] {
  if (presence === null) return [];
  presence.beat();
  const found = statSync(presence.path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const seconds = Math.round((Date.now() - found.mtimeMs) / 1000);
  if (Math.abs(seconds) < CLOCK) return [];
  return [
    `the clock of this machine and that of the file system differ by ${seconds} s; no age depends on it`,
  ];
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
