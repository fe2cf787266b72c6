/** `status`: the progress of a project, from the cache and the last journal, and whether a build still runs. Runs nothing and waits for nothing. */

import { setTimeout as sleep } from 'node:timers/promises';
import { toolchainDisk } from '../app/environment-disk.ts';
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { newestRun } from '../app/run-history.ts';
import { type RunState, runState } from '../app/run-state.ts';
import { openSession, type Session, survey } from '../app/session.ts';
import { jsonLine, redrawn, shown } from '../app/shown.ts';
import { formatCount, plural } from '../basics/plural.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';
import { formatDuration } from './duration.ts';
import { planRows, toolchainsText } from './plan-table.ts';
import { cut } from './progress.ts';
import { fold, screenOf } from './screen.ts';
import { isTerminal } from './style.ts';
import { countsText } from './summary.ts';

const STATUS = {
  name: 'status',
  summary: 'Show the progress of a project: answers by stage, what is stale, and how the last run ended.',
  positionals: [
    { name: 'PROJECT', description: 'the project (default: the one last used from this folder)' },
  ],
  options: {
    ...PROJECT_OPTIONS,
    watch: { type: 'boolean', description: 'follow a build that runs until it ends' },
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake status project.yaml', 'how far the last build came'],
    ['swemake status --watch', 'what a build in another terminal is at'],
  ],
} as const satisfies CommandSpec;

export async function statusCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(STATUS, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { watch, json } = parsed.values;
  const project = await openLatestProject(parsed.positionals[0], parsed.values, io);
  if (project === null) return 2;
  const session = await openSession(project, io, new AbortController().signal);
  try {
    const last = await lastRun(session);
    if (last?.state === 'running') return await tellRunning(session, last, { watch, json }, io);
    return await tellStanding(session, last, json, io);
  } finally {
    await session.close();
  }
}

/** Pause between two looks at a build that runs. */
const WATCH_MS = 1000;

/** Shows a running build; with `watch` until it has ended, and how it ended. */
async function tellRunning(
  session: Session,
  first: RunState,
  { watch, json }: { watch: boolean; json: boolean },
  io: CommandIo,
): Promise<number> {
  let last: RunState | null = first;
  let drawn = 0;
  while (last?.state === 'running') {
    if (json) io.stdout.write(jsonLine({ project: session.project.config.name, lastRun: last }));
    else {
      const lines = runningLines(last, Date.now());
      // The lines of before are overwritten if the terminal allows it.
      if (drawn > 0 && isTerminal(io)) io.stdout.write(redrawn(drawn));
      io.stdout.write(shown(lines.map((line) => `${cut(line, (io.stdout.columns ?? 80) - 1)}\n`).join('')));
      drawn = lines.length;
    }
    if (!watch) return 0;
    await sleep(WATCH_MS);
    last = await lastRun(session);
  }
  return tellStanding(session, last, json, io);
}

/** Shows how far the project is, by its answers. */
async function tellStanding(
  session: Session,
  last: RunState | null,
  json: boolean,
  io: CommandIo,
): Promise<number> {
  const end = await survey(session);
  const stages = planRows(end).map((row) => ({ ...row, outcomes: end.nodes.get(row.stage)!.state.counts }));
  const toolchains = await toolchainDisk(session, end);
  if (json) {
    const some = toolchains.length === 0 ? {} : { toolchains };
    io.stdout.write(jsonLine({ project: session.project.config.name, lastRun: last, stages, ...some }));
    return 0;
  }
  for (const { stage, items, stale, new: unseen, outcomes } of stages) {
    const waiting = stale + unseen;
    const text = items === null ? 'not known yet' : countsText(outcomes);
    io.stdout.write(shown(`${stage.padEnd(20)} ${text}${waiting > 0 ? ` · ${waiting} to run` : ''}\n`));
  }
  io.stdout.write(shown(toolchainsText(toolchains)));
  io.stdout.write(
    last === null
      ? shown('no run yet\n')
      : shown(`${fold(lastRunText(last), screenOf(io).width).join('\n')}\n`),
  );
  return 0;
}

const ENDS: Readonly<Record<RunState['state'] | 'stopped', string>> = {
  running: 'running',
  ended: 'it finished',
  stopped: 'it was stopped before its end; a build goes on where it was',
  dead: 'it was killed; finished work is kept',
  unknown: 'its journal does not say how it ended',
};

function lastRunText({ run, startedAt, state, executed, counts }: RunState): string {
  const what = executed === 0 ? '0 actions run' : `${plural(executed, 'action')} run: ${countsText(counts)}`;
  return `last run ${run}, started ${startedAt}: ${what}; ${ENDS[state === 'ended' && counts.stopped > 0 ? 'stopped' : state]}`;
}

function runningLines({ run, startedAt, pid, stages }: RunState, now: number): string[] {
  const took = formatDuration(now - Date.parse(startedAt));
  const open = stages.filter(({ isFinished }) => !isFinished);
  return [
    `running since ${startedAt} (${pid === null ? run : `process ${pid}`}), ${took} so far`,
    ...open.flatMap(({ stage, items, counts, running, waiting }) => [
      `${stage.padEnd(20)} ${items === null ? '' : `of ${formatCount(items)}: `}${countsText(counts)}${running.length > 0 ? ` · ${running.length} running` : ''}`,
      ...running
        .slice(0, 4)
        .map(({ item, since }) => `    ${item}  ${formatDuration(now - Date.parse(since))}`),
      ...waiting.slice(0, 4).map((one) => `    ${stage === '' ? '' : `${one.item} `}${one.for}`),
    ]),
  ];
}

async function lastRun(session: Session): Promise<RunState | null> {
  const { runs } = session.cache.folder;
  const run = await newestRun(runs, session.project.config.name);
  return run === null ? null : runState(runs, run);
}
