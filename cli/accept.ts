/**
 * `accept`: uses an answer without running its action: the item's last one after a change that cannot matter, an
 * environment that was built elsewhere, or `failed` for an item that never comes to an answer. The record is marked, and
 * summaries say so. An environment from elsewhere is a new input of validation, so all verdicts on it are made again.
 */
import { resolve } from 'node:path';
import { rememberAdopted } from '../app/adopted.ts';
import { lastFaults } from '../app/finished-items.ts';
import { GIVEN_UP, mayBeGivenUp } from '../app/given-up.ts';
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { LAST_PROJECT, PROJECT_OPTIONS } from '../app/project-options.ts';
import { openSession, type Session, work } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { matchesGlob } from '../basics/glob.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { isPresent, recordDigest } from '../cache/cache.ts';
import { answersOf } from '../cache/history.ts';
import type { Preimage } from '../cache/key.ts';
import { closure, nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import { addressText, type ItemAddress } from '../engine/explain.ts';
import { openJournal } from '../engine/journal.ts';
import { publishUnder } from '../engine/publish-under.ts';
import type { RunEnd } from '../engine/run.ts';
import { Selection } from '../engine/selection.ts';
import type { Infra } from '../schemas/outcome.ts';
import type { ActionRecord } from '../schemas/record.ts';
import { plannedOf } from '../stages/environments/stage.ts';
import { joined } from '../trainers/definition.ts';
import { answerUsage, type CommandSpec, option, parseCommand, type UsageError } from './arguments.ts';
import { unknownTarget } from './unknown-target.ts';

const ACCEPT = {
  name: 'accept',
  summary:
    'Use an answer without running the item: its last answer, with --from an environment that was built elsewhere, or with --as failed the end of an item that only has faults.',
  positionals: [
    { name: 'ITEM', description: 'stage.dataset@item, globs allowed', required: true, multiple: true },
  ],
  options: {
    from: {
      ...option('PATH', 'an environment’s folder, a venv.tar.gz, or the roots of a SWE-MiniSandbox cache'),
      multiple: true,
    },
    as: option(
      'failed',
      'failed: count environments or validations as failed whose last build ended with a fault; their instances are left out',
    ),
    project: LAST_PROJECT,
    ...PROJECT_OPTIONS,
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ["swemake accept 'environments.train@pydicom*'", 'the last answers stay, though their keys changed'],
    [
      'swemake accept environments.train@pydicom --from venv.tar.gz',
      'an environment that was built elsewhere',
    ],
    ['swemake accept --as failed environments.train@pydicom', 'its build never comes to an end of its own'],
  ],
} as const satisfies CommandSpec;

export async function acceptCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(ACCEPT, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values, positionals: targets } = parsed;
  const wrong = wrongWish(values);
  if (wrong !== null) return answerUsage(wrong, io);
  const project = await openLatestProject(values.project, values, io);
  if (project === null) return 2;
  const session = await openSession(project, io, new AbortController().signal);
  try {
    const unknown = targets.find((target) => nodesOfTarget(session.graph, target).length === 0);
    if (unknown !== undefined) return answerUsage(unknownTarget(unknown, session), io);
    const { end, planned } = await planOf(session, targets);
    const from = values.from.map((path) => resolve(io.cwd, path));
    const faults = values.as === undefined ? null : await faultsOf([...planned.keys()], session);
    const accepted: { item: string; outcome: string }[] = [];
    const refused: { item: string; why: string }[] = [];
    for (const [item, { place, preimage }] of planned) {
      const made =
        faults !== null
          ? givenUp(place, end, faults.get(item), session)
          : from.length === 0
            ? lastAnswer(place, session)
            : await fromElsewhere(place, end, from, session);
      if (made.ok) {
        await adopt(place, preimage, made.value, session);
        accepted.push({ item, outcome: made.value.outcome.status });
      } else refused.push({ item, why: made.fault });
    }
    if (values.json) io.stdout.write(jsonLine({ accepted, refused }));
    else for (const { item, outcome } of accepted) io.stdout.write(shown(`accepted ${item} (${outcome})\n`));
    for (const { item, why } of refused) io.stderr.write(shown(`E005  ${item} was not accepted: ${why}\n`));
    if (planned.size === 0) io.stderr.write(shown(nothingToAccept(targets, end, session)));
    return refused.length > 0 ? 1 : planned.size === 0 ? 2 : 0;
  } finally {
    await session.close();
  }
}

/** Items that the targets mean and that a build would run, with their keys' preimages. */
async function planOf(session: Session, targets: readonly string[]) {
  const graph = closure(
    session.graph,
    new Set(targets.flatMap((target) => nodesOfTarget(session.graph, target))),
  );
  const planned = new Map<string, { place: ItemAddress; preimage: Preimage }>();
  const isMeant = ({ address, item }: ItemAddress) =>
    targets.some(
      (target) =>
        nodesOfTarget(session.graph, target).includes(address) &&
        matchesGlob(splitAddress(target)[1] ?? '*', item),
    );
  const end = await work(session, {
    jobs: null,
    selection: new Selection(graph, [], []),
    graph,
    dryRun: true,
    forKeys: true,
    targets: [],
    drain: new AbortController().signal,
    show: () => undefined,
    onPlanned: (address, item, preimage) => {
      const place = { address, item };
      if (isMeant(place)) planned.set(addressText(place), { place, preimage });
    },
  });
  return { end, planned };
}

function wrongWish({ as, from }: { as?: string | undefined; from: readonly string[] }): UsageError | null {
  if (as === undefined) return null;
  if (as !== 'failed')
    return { kind: 'usage', message: `nothing can be accepted as "${as}"`, remedy: 'write --as failed' };
  if (from.length === 0) return null;
  return { kind: 'usage', message: '--from and --as exclude each other', remedy: 'give one of them' };
}

const faultsOf = (items: readonly string[], { cache, project }: Session) =>
  lastFaults(cache.folder.runs, project.config.name, items);

/** `failed` for an item that ended with a fault: only where that leaves tasks out, and can reward nothing. */
function givenUp(
  { address }: ItemAddress,
  end: RunEnd,
  last: Infra | undefined,
  { run }: Session,
): Result<ActionRecord, string> {
  const { stage } = end.nodes.get(address)!.state.node;
  if (!mayBeGivenUp(stage))
    return fault(
      `only items of ${joined(GIVEN_UP)} can be counted as failed; elsewhere that would be a reward or a sample`,
    );
  if (last === undefined) return fault('its last build did not end with a fault, so a build can answer it');
  const detail = `counted as failed by hand after ${last.status} ${last.reason}: ${last.detail}`;
  const outcome = { status: 'failed', reason: 'given-up', detail } as const;
  const startedAt = Date.now();
  return success({
    outcome,
    outputs: {},
    notes: {},
    digest: recordDigest(outcome, {}),
    startedAt,
    durationMs: 0,
    run,
  });
}

/** The item's last answer, stored under the key that the item has now. */
function lastAnswer(place: ItemAddress, session: Session): Result<ActionRecord, string> {
  const [last] = answersOf(session.cache.database, `${session.project.config.name}/${addressText(place)}`);
  if (last === undefined) return fault('it was never answered, so there is no answer to use');
  if (!Object.values(last.record.outputs).every((output) => isPresent(session.cache, output)))
    return fault('outputs of its last answer are gone from the cache');
  return success(last.record);
}

async function fromElsewhere(
  place: ItemAddress,
  end: RunEnd,
  from: readonly string[],
  session: Session,
): Promise<Result<ActionRecord, string>> {
  const { state } = end.nodes.get(place.address)!;
  if (state.node.stage !== 'environments') return fault('--from takes environments only');
  const { dataset } = state.node;
  const record = end.nodes.get(state.node.inputs.dataset!)!.state.record('');
  if (record === null) return fault(`dataset.${dataset} is not answered yet; build it first`);
  const planned = plannedOf(state.items[state.indexOf(place.item)!]!);
  const { adoptEnvironment } = await import('../stages/environments/adopt.ts');
  const startedAt = Date.now();
  const made = await adoptEnvironment({ record, planned, from }, session.services);
  if (!made.ok) return made;
  const { outcome, outputs, notes = {} } = made.value;
  const durationMs = Date.now() - startedAt;
  return success({
    outcome,
    outputs,
    notes,
    digest: recordDigest(outcome, outputs),
    startedAt,
    durationMs,
    run: session.run,
  });
}

/** Publishes the record, and writes it to a journal of its own as a run would. */
async function adopt(
  place: ItemAddress,
  preimage: Preimage,
  found: ActionRecord,
  session: Session,
): Promise<void> {
  const project = session.project.config.name;
  const { remote: _, ...own } = found;
  const record: ActionRecord = { ...own, run: session.run, adopted: true };
  const key = await publishUnder(session.cache, `${project}/${addressText(place)}`, preimage, record);
  const journal = openJournal(session.cache.folder.runs, session.run);
  const { outcome, durationMs } = record;
  journal.write({ type: 'run-started', run: session.run, project, targets: [addressText(place)] });
  const { address: stage, item } = place;
  journal.write({ type: 'item-finished', stage, item, outcome, durationMs, key, record, preimage });
  journal.close();
  await rememberAdopted(session.cache.database, project, addressText(place), key);
}

function nothingToAccept(targets: readonly string[], end: RunEnd, session: Session): string {
  const nodes = targets.flatMap((target) => nodesOfTarget(session.graph, target));
  const waiting = nodes.find((address) => end.nodes.get(address)!.blocked !== null);
  const why =
    waiting === undefined
      ? 'each item that matches is answered already, or waits for an item of an earlier stage'
      : `${waiting} waits for something upstream`;
  return `E005  there is nothing to accept: ${why}\n      swemake why '${targets[0]}'\n`;
}
