/** `status`: how far a project is, from the cache and the last journal. Runs nothing and waits for nobody. */

import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { newestRun, readJournal } from '../app/run-history.ts';
import { openWorkbench, survey, type Workbench } from '../app/workbench.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';
import { planRows } from './plan-table.ts';
import { countsText } from './summary.ts';

const STATUS = {
  name: 'status',
  summary: 'Say how far a project is: answers by stage, what is stale, and how the last run ended.',
  positionals: [
    { name: 'PROJECT', description: 'the project (default: the one last used from this folder)' },
  ],
  options: { ...PROJECT_OPTIONS, json: { type: 'boolean', description: 'print one JSON object' } },
  examples: [['swemake status project.yaml', 'how far the last build came']],
} as const satisfies CommandSpec;

interface LastRun {
  run: string;
  startedAt: string;
  /** running or stopped early when no end was written. */
  state: 'finished' | 'unfinished';
  executed: number;
}

export async function statusCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(STATUS, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const project = await openLatestProject(parsed.positionals[0], parsed.values, io);
  if (project === null) return 2;
  const bench = await openWorkbench(project, io, new AbortController().signal);
  try {
    const end = await survey(bench);
    const rows = planRows(end);
    const last = await lastRun(bench);
    const stages = rows.map((row) => ({ ...row, outcomes: end.nodes.get(row.stage)!.state.counts }));
    if (parsed.values.json) {
      io.stdout.write(`${JSON.stringify({ project: project.config.name, lastRun: last, stages })}\n`);
      return 0;
    }
    for (const { stage, items, stale, new: unseen, outcomes } of stages) {
      const waiting = stale + unseen;
      const text = items === null ? 'not known yet' : countsText(outcomes);
      io.stdout.write(`${stage.padEnd(20)} ${text}${waiting > 0 ? ` · ${waiting} to run` : ''}\n`);
    }
    io.stdout.write(last === null ? 'no run yet\n' : lastRunText(last));
    return 0;
  } finally {
    await bench.close();
  }
}

function lastRunText({ run, startedAt, state, executed }: LastRun): string {
  const how =
    state === 'finished' ? `${executed} actions run` : `${executed} actions run so far, or stopped there`;
  return `last run ${run}, started ${startedAt}: ${how}\n`;
}

async function lastRun(bench: Workbench): Promise<LastRun | null> {
  const { runs } = bench.cache.folder;
  const run = await newestRun(runs, bench.project.config.name);
  if (run === null) return null;
  const last: LastRun = { run, startedAt: '', state: 'unfinished', executed: 0 };
  for await (const event of readJournal(runs, run)) {
    if (event.type === 'run-started') last.startedAt = event.at;
    if (event.type === 'item-finished' && event.record !== undefined) last.executed += 1;
    if (event.type === 'run-finished') last.state = 'finished';
  }
  return last;
}
