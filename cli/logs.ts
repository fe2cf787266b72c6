/** `logs ITEM`: what an item's last run wrote, answered or faulty. */

import { AnswerOwners } from '../app/answer-owner.ts';
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { planItems } from '../app/plan-items.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { newestRun, readJournal } from '../app/run-history.ts';
import { openWorkbench, type Workbench } from '../app/workbench.ts';
import type { ActionKey } from '../basics/digest.ts';
import { matchesGlob } from '../basics/glob.ts';
import { readText } from '../cache/cache.ts';
import { binaryKey } from '../cache/database.ts';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import { addressText } from '../engine/explain.ts';
import { addressOf } from '../engine/run.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';
import { unknownTarget } from './unknown-target.ts';

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
      description: 'the project (default: the one last used from this folder)',
    },
    ...PROJECT_OPTIONS,
    json: { type: 'boolean', description: 'print one JSON object a log' },
  },
  examples: [
    ["swemake logs 'validate.train@*h11*'", 'what the checks of some instances printed'],
    ['swemake logs dataset.train', 'rows that were left out, and why'],
  ],
} as const satisfies CommandSpec;

interface ItemLog {
  item: string;
  outcome: string;
  detail: string;
  run: string;
  /** The item whose answer it took, as their keys are the same; null: its own, or nobody knows. */
  answerOf: string | null;
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
      for (const log of await logsOf(bench, target)) {
        found += 1;
        io.stdout.write(parsed.values.json ? `${JSON.stringify(log)}\n` : logText(log));
      }
    }
    if (found > 0) return 0;
    const unknown = parsed.positionals.find((target) => nodesOfTarget(bench.graph, target).length === 0);
    if (unknown !== undefined) return answerUsage(unknownTarget(unknown, bench), io);
    io.stderr.write(
      `E002  no run of ${parsed.positionals.join(' ')} is known\n      items are written STAGE.DATASET@ITEM; \`swemake status\` lists the stages\n`,
    );
    return 2;
  } finally {
    await bench.close();
  }
}

function logText({ item, outcome, detail, run, answerOf, log }: ItemLog): string {
  const what = `${outcome}${detail === '' ? '' : `: ${detail}`}`;
  const whose = answerOf === null ? '' : ` · answer of ${answerOf}, which has the same key`;
  return `== ${item} · ${what} · run ${run}${whose}\n${log}${log.endsWith('\n') ? '' : '\n'}`;
}

function matches(target: string, address: string): boolean {
  const [stage, item] = splitAddress(target);
  const [otherStage, otherItem] = splitAddress(address);
  if (!matchesGlob(stage, otherStage) && !matchesGlob(stage, otherStage.split('.')[0]!)) return false;
  return item === null || matchesGlob(item, otherItem ?? '');
}

async function logsOf(bench: Workbench, target: string): Promise<ItemLog[]> {
  const faults = await faultLogs(bench, target);
  const remembered = [...rememberedAnswers(bench, target)];
  const known = faults.length + remembered.length > 0;
  return [...faults, ...(await recordedLogs(bench, known ? remembered : await foundAnswers(bench, target)))];
}

interface Answered {
  item: string;
  key: ActionKey;
}

/** Items that were answered one by one. */
function* rememberedAnswers(bench: Workbench, target: string): Generator<Answered> {
  const prefix = `${bench.project.config.name}/`;
  const { latest } = bench.cache.database;
  for (const { key: address, value } of latest.getRange({ start: prefix, end: `${prefix}\uffff` })) {
    const item = address.slice(prefix.length);
    if (matches(target, item)) yield { item, key: value.key };
  }
}

/** Items whose stage was found answered as a whole, by what another project made. */
async function foundAnswers(bench: Workbench, target: string): Promise<Answered[]> {
  const addresses = nodesOfTarget(bench.graph, target);
  if (addresses.length === 0) return [];
  const { end } = await planItems(bench, [target]);
  return addresses.flatMap((address) =>
    end.nodes
      .get(address)!
      .state.entries()
      .flatMap(({ name, key }) => {
        const item = addressText({ address, item: name });
        return key !== null && matches(target, item) ? [{ item, key }] : [];
      }),
  );
}

async function recordedLogs(bench: Workbench, answered: readonly Answered[]): Promise<ItemLog[]> {
  const project = `${bench.project.config.name}/`;
  const owners = new AnswerOwners(bench.cache.folder.runs);
  const logs: ItemLog[] = [];
  for (const { item, key } of answered) {
    const record = bench.cache.database.records.get(binaryKey(key));
    if (record === undefined) continue;
    const { outcome, run } = record;
    const owner = await owners.of(key, run);
    logs.push({
      item,
      outcome: outcome.status,
      detail: 'detail' in outcome ? outcome.detail : '',
      run,
      answerOf: owner === null || owner === `${project}${item}` ? null : owner.replace(project, ''),
      log: (await readText(bench.cache, record.notes.log)) ?? '(no log was kept)',
    });
  }
  return logs;
}

/** Logs of items whose last run in the newest journal ended in a fault. */
async function faultLogs(bench: Workbench, target: string): Promise<ItemLog[]> {
  const { runs } = bench.cache.folder;
  const run = await newestRun(runs, bench.project.config.name);
  if (run === null) return [];
  const logs: ItemLog[] = [];
  for await (const event of readJournal(runs, run)) {
    if (event.type !== 'item-finished' || event.outcome.status !== 'infra') continue;
    const item = addressOf(event.stage, event.item);
    if (!matches(target, item)) continue;
    logs.push({
      item,
      outcome: 'infra',
      detail: event.outcome.detail,
      run,
      answerOf: null,
      log: event.log ?? '(it wrote nothing)',
    });
  }
  return logs;
}
