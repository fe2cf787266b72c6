/** `logs ITEM`: what an item's last run wrote, answered or faulty. */
import { readText } from '../cache/cache.ts';
import { binaryKey } from '../cache/database.ts';
import { splitAddress } from '../compiler/graph.ts';
import { matchesGlob } from '../schemas/glob.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';
import type { CommandIo } from './io.ts';
import { openLatestProject } from './open-project.ts';
import { PROJECT_OPTIONS } from './project-options.ts';
import { readJournal, runIds } from './run-history.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const LOGS = {
  name: 'logs',
  summary: 'Print the log of an item’s last run.',
  positionals: [
    { name: 'ITEM', description: 'stage.dataset@item, globs allowed', required: true, multiple: true },
  ],
  options: {
    project: {
      type: 'string',
      placeholder: 'FILE',
      description: 'the project (default: the last one built from this folder)',
    },
    ...PROJECT_OPTIONS,
    json: { type: 'boolean', description: 'print one JSON object a log' },
  },
} as const satisfies CommandSpec;

interface ItemLog {
  item: string;
  outcome: string;
  detail: string;
  run: string;
  log: string;
}

export async function logsCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(LOGS, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const project = await openLatestProject(parsed.values.project, parsed.values, io);
  if (project === null) return 2;
  const bench = await openWorkbench(project, io, new AbortController().signal);
  try {
    let found = 0;
    for (const target of parsed.positionals) {
      for (const log of [...(await faultLogs(bench, target)), ...(await recordedLogs(bench, target))]) {
        found += 1;
        io.stdout.write(parsed.values.json ? `${JSON.stringify(log)}\n` : logText(log));
      }
    }
    if (found > 0) return 0;
    io.stderr.write(
      `E002  no run of ${parsed.positionals.join(' ')} is known\n      items are written STAGE.DATASET@ITEM; \`swemake status\` lists the stages\n`,
    );
    return 2;
  } finally {
    await bench.close();
  }
}

function logText({ item, outcome, detail, run, log }: ItemLog): string {
  return `== ${item} · ${outcome}${detail === '' ? '' : `: ${detail}`} · run ${run}\n${log}${log.endsWith('\n') ? '' : '\n'}`;
}

function matches(target: string, address: string): boolean {
  const [stage, item] = splitAddress(target);
  const [otherStage, otherItem] = splitAddress(address);
  if (!matchesGlob(stage, otherStage) && !matchesGlob(stage, otherStage.split('.')[0]!)) return false;
  return item === null || matchesGlob(item, otherItem ?? '');
}

/** Logs of answered items, from the records that their last run left. */
async function recordedLogs(bench: Workbench, target: string): Promise<ItemLog[]> {
  const prefix = `${bench.project.config.name}/`;
  const { latest, records } = bench.cache.database;
  const logs: ItemLog[] = [];
  for (const { key: address, value } of latest.getRange({ start: prefix, end: `${prefix}\uffff` })) {
    const item = address.slice(prefix.length);
    if (!matches(target, item)) continue;
    const record = records.get(binaryKey(value.key));
    if (record === undefined) continue;
    const log = (await readText(bench.cache, record.notes.log)) ?? '(no log was kept)';
    const { outcome } = record;
    logs.push({
      item,
      outcome: outcome.status,
      detail: 'detail' in outcome ? outcome.detail : '',
      run: record.run,
      log,
    });
  }
  return logs;
}

/** Logs of items whose last run in the newest journal ended in a fault. */
async function faultLogs(bench: Workbench, target: string): Promise<ItemLog[]> {
  const { runs } = bench.cache.folder;
  const [run] = runIds(runs);
  if (run === undefined) return [];
  const logs: ItemLog[] = [];
  for await (const event of readJournal(runs, run)) {
    if (event.type !== 'item-finished' || event.outcome.status !== 'infra') continue;
    const item = `${event.stage}@${event.item}`;
    if (!matches(target, item)) continue;
    logs.push({
      item,
      outcome: 'infra',
      detail: event.outcome.detail,
      run,
      log: event.log ?? '(it wrote nothing)',
    });
  }
  return logs;
}
