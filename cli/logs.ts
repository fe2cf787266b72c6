/** `logs ITEM`: what was written while the item's answer was made, or while it failed to get one. */

import { AnswerOwners } from '../app/answer-owner.ts';
import { type Answer, answersOf } from '../app/answers.ts';
import { newestFirst } from '../app/finished-items.ts';
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { LAST_PROJECT, PROJECT_OPTIONS } from '../app/project-options.ts';
import { knownRun, newestRun, readJournal, runIds, type StoredEvent } from '../app/run-history.ts';
import { runState } from '../app/run-state.ts';
import { openSession, type Session } from '../app/session.ts';
import { content, jsonLine, type Shown, shown } from '../app/shown.ts';
import { matchesGlob } from '../basics/glob.ts';
import { readText } from '../cache/cache.ts';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import { addressOf, type RunEnd } from '../engine/run.ts';
import { answerUsage, type CommandSpec, option, parseCommand, type UsageError } from './arguments.ts';
import { formatDuration } from './duration.ts';
import { page } from './pager.ts';
import { unknownItem, unknownTarget } from './unknown-target.ts';

const LOGS = {
  name: 'logs',
  summary:
    'Print the log of an item’s present answer; for an item without an answer, the log of its last fault.',
  positionals: [
    { name: 'ITEM', description: 'stage.dataset@item, globs allowed', required: true, multiple: true },
  ],
  options: {
    project: LAST_PROJECT,
    ...PROJECT_OPTIONS,
    run: option('RUN', 'of an earlier run, as `swemake status` names it'),
    json: { type: 'boolean', description: 'print one JSON object a log' },
  },
  examples: [
    ["swemake logs 'validate.train@*h11*'", 'what the checks of some instances printed'],
    ['swemake logs dataset.train', 'rows that were left out, and why'],
  ],
} as const satisfies CommandSpec;

/** Runs that are looked through at most for the fault of an item. */
const RUNS = 30;

type Recorded = Pick<Answer, 'item' | 'key' | 'record' | 'isCurrent'>;

interface ItemLog {
  item: string;
  outcome: string;
  detail: string;
  run: string;
  /** False: an earlier answer, since the item has none with the present configuration. */
  isCurrent: boolean;
  /** The item whose answer it uses, since their keys are the same; null: its own, or not known. */
  answerOf: string | null;
  log: string;
}

export async function logsCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(LOGS, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const project = await openLatestProject(parsed.values.project, parsed.values, io);
  if (project === null) return 2;
  const session = await openSession(project, io, new AbortController().signal);
  try {
    const { run, json } = parsed.values;
    const named = run === undefined ? null : knownRun(session.cache.folder.runs, run);
    if (run !== undefined && named === null) return answerUsage(unknownRun(run, session), io);
    const logs: ItemLog[] = [];
    for (const target of parsed.positionals)
      logs.push(
        ...(named === null ? await logsOf(session, target) : await logsOfRun(session, named, target)),
      );
    if (logs.length === 0 && named === null) logs.push(...(await earlierFaults(session, parsed.positionals)));
    const texts = logs.map((log) => (json ? jsonLine(log) : content(logText(log), io)));
    if (texts.length > 0) {
      const all = texts.join('') as Shown;
      if (json) io.stdout.write(all);
      else page(all, io);
      return 0;
    }
    return await tellNone(parsed.positionals, session, io);
  } finally {
    await session.close();
  }
}

/** Why there is no log: a name is wrong, the item runs now, or it was never run. */
async function tellNone(targets: readonly string[], session: Session, io: CommandIo): Promise<number> {
  const unknown = targets.find((target) => nodesOfTarget(session.graph, target).length === 0);
  if (unknown !== undefined) return answerUsage(unknownTarget(unknown, session), io);
  const running = await runningNow(targets, session);
  for (const { item, since } of running) {
    const took = formatDuration(session.now() - Date.parse(since));
    io.stderr.write(
      shown(
        `E002  ${item} has no log yet: it is running since ${since}, ${took} so far\n      its log is kept when it ends; then \`swemake logs '${item}'\` prints it\n`,
      ),
    );
  }
  if (running.length > 0) return 2;
  const { end } = await answersOf(session, [...targets]);
  const unmatched = targets.find((target) => !isNamed(target, session, end));
  if (unmatched !== undefined) return answerUsage(unknownItem(unmatched, session, end), io);
  io.stderr.write(
    shown(
      `E002  no run of ${targets.join(' ')} is known\n      build it first; \`swemake status\` lists the stages\n`,
    ),
  );
  return 2;
}

/** Whether an item of a stage that could be opened has the name, or none is asked for. */
function isNamed(target: string, session: Session, { nodes }: RunEnd): boolean {
  const item = splitAddress(target)[1];
  if (item === null) return true;
  return nodesOfTarget(session.graph, target).some((address) => {
    const node = nodes.get(address);
    return (
      node === undefined ||
      node.blocked !== null ||
      node.state.items.some(({ name }) => matchesGlob(item, name))
    );
  });
}

/** Items of the targets that a build of this project runs at the moment. */
async function runningNow(targets: readonly string[], session: Session) {
  const { runs } = session.cache.folder;
  const newest = await newestRun(runs, session.project.config.name);
  const state = newest === null ? null : await runState(runs, newest);
  if (state?.state !== 'running') return [];
  return state.stages
    .flatMap(({ stage, running }) =>
      running.map(({ item, since }) => ({ item: addressOf(stage, item), since })),
    )
    .filter(({ item }) => targets.some((target) => matches(target, item)));
}

function unknownRun(run: string, session: Session): UsageError {
  const known = runIds(session.cache.folder.runs);
  const recent = known.slice(0, 3).join(', ');
  return {
    kind: 'usage',
    message: `no one run is named "${run}"`,
    remedy: recent === '' ? 'none was made yet' : `the newest are ${recent}`,
  };
}

function logText({ item, outcome, detail, run, isCurrent, answerOf, log }: ItemLog): string {
  const what = `${outcome}${detail === '' ? '' : `: ${detail}`}`;
  const whose = answerOf === null ? '' : ` · answer of ${answerOf}, which has the same key`;
  const age = isCurrent ? '' : ' · an earlier answer: the present project has none for this item yet';
  return `== ${item} · ${what} · run ${run}${whose}${age}\n${log}${log.endsWith('\n') ? '' : '\n'}`;
}

function matches(target: string, address: string): boolean {
  const [stage, item] = splitAddress(target);
  const [otherStage, otherItem] = splitAddress(address);
  if (!matchesGlob(stage, otherStage) && !matchesGlob(stage, otherStage.split('.')[0]!)) return false;
  return item === null || matchesGlob(item, otherItem ?? '');
}

/** Logs of what the project resolves to now; of items without an answer, that of their last fault. */
async function logsOf(session: Session, target: string): Promise<ItemLog[]> {
  if (nodesOfTarget(session.graph, target).length === 0) return [];
  const { answers } = await answersOf(session, [target]);
  const answered = new Set(answers.filter(({ isCurrent }) => isCurrent).map(({ item }) => item));
  const run = await newestRun(session.cache.folder.runs, session.project.config.name);
  const ends = run === null ? [] : await faultLogs(session, run, target);
  const faults = ends.filter(({ item }) => !answered.has(item));
  const faulty = new Set(faults.map(({ item }) => item));
  const shown = answers.filter(({ item }) => !faulty.has(item));
  return [...faults, ...(await recordedLogs(session, shown))];
}

async function recordedLogs(session: Session, answers: readonly Recorded[]): Promise<ItemLog[]> {
  const project = `${session.project.config.name}/`;
  const owners = new AnswerOwners(session.cache.folder.runs);
  const logs: ItemLog[] = [];
  for (const { item, key, record, isCurrent } of answers) {
    const { outcome, run } = record;
    const owner = await owners.of(key, run);
    logs.push({
      item,
      outcome: outcome.status,
      detail: 'detail' in outcome ? outcome.detail : '',
      run,
      isCurrent,
      answerOf: owner === null || owner === `${project}${item}` ? null : owner.replace(project, ''),
      log: (await readText(session.cache, record.notes.log)) ?? '(no log was kept)',
    });
  }
  return logs;
}

type Finished = Extract<StoredEvent, { type: 'item-finished' }>;

/** The ends of items of the target in a run's journal. */
async function endsIn(session: Session, run: string, target: string): Promise<Finished[]> {
  const ends = new Map<string, Finished>();
  for await (const event of readJournal(session.cache.folder.runs, run)) {
    if (event.type !== 'item-finished') continue;
    const item = addressOf(event.stage, event.item);
    if (matches(target, item)) ends.set(item, event);
  }
  return [...ends.values()];
}

function faultLog(run: string, { stage, item, outcome, log }: Finished): ItemLog {
  return {
    item: addressOf(stage, item),
    outcome: outcome.status,
    detail: 'detail' in outcome ? outcome.detail : '',
    run,
    isCurrent: true,
    answerOf: null,
    log: log ?? '(it wrote nothing)',
  };
}

/** Logs of items that ended without an answer in the run. */
async function faultLogs(session: Session, run: string, target: string): Promise<ItemLog[]> {
  const ends = await endsIn(session, run, target);
  return ends.filter(({ record }) => record === undefined).map((end) => faultLog(run, end));
}

/** Those of the last run that tried some of the items; none while a build tries them now. */
async function earlierFaults(session: Session, targets: readonly string[]): Promise<ItemLog[]> {
  if ((await runningNow(targets, session)).length > 0) return [];
  const { runs } = session.cache.folder;
  let looked = 0;
  for await (const run of newestFirst(runs, session.project.config.name)) {
    looked += 1;
    if (looked > RUNS) break;
    const logs = await Promise.all(targets.map((target) => faultLogs(session, run, target)));
    if (logs.flat().length > 0) return logs.flat();
  }
  return [];
}

/** What items wrote in a run of before. */
async function logsOfRun(session: Session, run: string, target: string): Promise<ItemLog[]> {
  const logs: ItemLog[] = [];
  for (const end of await endsIn(session, run, target)) {
    const { key, record } = end;
    if (record === undefined || key === undefined) logs.push(faultLog(run, end));
    else
      logs.push(
        ...(await recordedLogs(session, [
          { item: addressOf(end.stage, end.item), key, record, isCurrent: true },
        ])),
      );
  }
  return logs;
}
