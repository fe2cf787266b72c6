/**
 * `why`: what would make an item run, or made it run last, down to the changed line, and where that comes from. It
 * plans without running anything and reads the cache, so it works beside a build.
 */
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { planItems } from '../app/plan-items.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { newestRun, readJournal } from '../app/run-history.ts';
import { openWorkbench, type Workbench } from '../app/workbench.ts';
import { matchesGlob } from '../basics/glob.ts';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import { addressText, explain, type ItemAddress } from '../engine/explain.ts';
import { knownItems } from '../engine/known-items.ts';
import type { RunEnd } from '../engine/run.ts';
import { isFault } from '../schemas/outcome.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';
import { unknownItem, unknownTarget } from './unknown-target.ts';
import type { Explained } from './why-text.ts';
import { explanationText, groupText } from './why-text.ts';

const WHY = {
  name: 'why',
  summary:
    'Say why an item would run, or why it last ran: what its key is made of now, compared with its last success.',
  positionals: [
    {
      name: 'ITEM',
      description: 'stage.dataset@item or a stage, globs allowed',
      required: true,
      multiple: true,
    },
  ],
  options: {
    project: {
      type: 'string',
      placeholder: 'FILE',
      description: 'the project (default: the one last used from this folder)',
    },
    ...PROJECT_OPTIONS,
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ["swemake why 'validate.train@*h11*'", 'some instances'],
    ['swemake why rollouts --set agent.rollouts=8', 'a stage, if a setting were another'],
  ],
} as const satisfies CommandSpec;

/** Items that are explained; of more, those that would run come first. */
const MOST = 50;

export async function whyCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(WHY, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const project = await openLatestProject(parsed.values.project, parsed.values, io);
  if (project === null) return 2;
  const bench = await openWorkbench(project, io, new AbortController().signal);
  try {
    const targets = parsed.positionals;
    const unknown = targets.find((target) => nodesOfTarget(bench.graph, target).length === 0);
    if (unknown !== undefined) return answerUsage(unknownTarget(unknown, bench), io);
    const { places, explained, end } = await explainTargets(bench, targets);
    if (places.length === 0) {
      const named = targets.find((target) => splitAddress(target)[1] !== null);
      const remedy =
        named === undefined ? '`swemake status` lists the stages' : unknownItem(named, bench, end).remedy;
      io.stderr.write(`E002  there is no item ${targets.join(' ')}\n      ${remedy}\n`);
      return 2;
    }
    const more = places.length - explained.length;
    if (parsed.values.json) io.stdout.write(`${JSON.stringify({ items: explained, more })}\n`);
    else
      io.stdout.write(
        explained.length <= 3 ? explained.map(explanationText).join('') : groupText(explained, more),
      );
    return 0;
  } finally {
    await bench.close();
  }
}

async function explainTargets(
  bench: Workbench,
  targets: readonly string[],
): Promise<{ places: ItemAddress[]; explained: Explained[]; end: RunEnd }> {
  const { named, end, planned } = await planItems(bench, targets);
  const plan = { project: bench.project.config.name, end, planned, services: bench.services };
  const known = knownItems(plan);
  const places = inOrder(matching(named, end, bench), end);
  const faults = await lastFaults(bench);
  const explained: Explained[] = [];
  for (const place of places.slice(0, MOST)) {
    const found = await explain(place, known);
    explained.push({
      ...found,
      lastFault: found.standing === 'fresh' ? null : (faults.get(found.item) ?? null),
    });
  }
  return { places, explained, end };
}

/** Items of the plan, and those that were answered before, that the targets mean. */
function matching(targets: readonly string[], end: RunEnd, bench: Workbench): ItemAddress[] {
  const found = new Map<string, ItemAddress>();
  for (const target of targets) {
    const glob = splitAddress(target)[1]!;
    for (const address of nodesOfTarget(bench.graph, target)) {
      const { state, blocked } = end.nodes.get(address)!;
      const names = state.items.map((item) => item.name);
      if (blocked !== null) names.push(...answeredNames(address, bench));
      else if (!names.includes(glob))
        names.push(...answeredNames(address, bench).filter((name) => name === glob));
      for (const item of names)
        if (matchesGlob(glob, item)) found.set(addressText({ address, item }), { address, item });
    }
  }
  return [...found.values()];
}

function answeredNames(address: string, bench: Workbench): string[] {
  const start = `${bench.project.config.name}/${address}`;
  const { latest } = bench.cache.database;
  const names = [...latest.getKeys({ start: `${start}@`, end: `${start}@\uffff` })].map((key) =>
    key.slice(start.length + 1),
  );
  return latest.get(start) === undefined && names.length > 0 ? names : [...names, ''];
}

/** What would run first. */
function inOrder(places: ItemAddress[], end: RunEnd): ItemAddress[] {
  const isFresh = ({ address, item }: ItemAddress) =>
    end.nodes.get(address)!.state.entry(item) === null ? 0 : 1;
  return [...places].sort((a, b) => isFresh(a) - isFresh(b));
}

/** Items whose last try, in the newest run, ended in a fault. */
async function lastFaults(bench: Workbench): Promise<Map<string, { run: string; detail: string }>> {
  const faults = new Map<string, { run: string; detail: string }>();
  const { runs } = bench.cache.folder;
  const run = await newestRun(runs, bench.project.config.name);
  if (run === null) return faults;
  for await (const event of readJournal(runs, run)) {
    if (event.type !== 'item-finished') continue;
    const item = addressText({ address: event.stage, item: event.item });
    const { outcome } = event;
    if (isFault(outcome)) faults.set(item, { run, detail: `${outcome.reason}: ${outcome.detail}` });
    else faults.delete(item);
  }
  return faults;
}
