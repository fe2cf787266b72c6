/**
 * Rows that were made here, or that lack lists of tests: they are measured and validated as a build does it, in the environments,
 * workspaces and cache of a project, which then has what was built.
 */
import { writeFileSync } from 'node:fs';
import { readText } from '../../cache/cache.ts';
import { closure } from '../../compiler/graph.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { RunEvent } from '../../engine/events.ts';
import { Selection } from '../../engine/selection.ts';
import type { FormatKind } from '../../formats/kind.ts';
import type { RawRow } from '../../formats/row.ts';
import type { BadRow, TestLists } from '../../schemas/instance.ts';
import { infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import type { CommandIo } from '../io.ts';
import { emptyProject, MUTATED, type ProjectChoice } from '../mutation/project.ts';
import type { ProjectValues } from '../open-project.ts';
import { openSession, type Session, type WorkOptions, work } from '../session.ts';
import { shown } from '../shown.ts';
import type { Stop } from '../signals.ts';
import { type Discovered, discoveredIn } from './discover.ts';
import { RunLimit } from './run-limit.ts';

/** A project whose rows are given from time to time. */
export interface RowsProject {
  project: ResolvedProject;
  /** Calls `use` with the opened cache, with no rows. */
  open<T>(use: (session: Session) => Promise<T>): Promise<T>;
  /** Measures the lists of rows that have none; by instance_id. */
  discover(rows: readonly RawRow[], how?: Measuring): Promise<ReadonlyMap<string, Discovered>>;
  close(): void;
}

/** How rows are measured. */
export interface Measuring {
  /** Actions at once; null, or absent: as many as there are processors. */
  jobs?: number | null;
  /** Told of a row that is sound as soon as it is known, and at the end of those that were not told of before. */
  found?: (id: string, lists: TestLists) => void;
  /** Ends rows whose tests take too long; absent: only the project's own limit does. */
  limit?: RunLimit | null;
}

/** A limit for rows whose project says none. */
export function runLimit(): RunLimit {
  return new RunLimit([DISCOVER, VALIDATE]);
}

type Show = (event: RunEvent) => void;

const ROWS = `rows.${MUTATED}`;
const ENVIRONMENTS = `environments.${MUTATED}`;
const DISCOVER = `discover.${MUTATED}`;
const VALIDATE = `validate.${MUTATED}`;

/** Null after the project's errors were printed. */
export async function openRowsProject(
  choice: ProjectChoice,
  format: FormatKind,
  values: ProjectValues,
  stop: Stop,
  io: CommandIo,
  show: Show,
): Promise<RowsProject | null> {
  const made = await emptyProject(choice, values, io, format);
  if (made === null) return null;
  const { project, rows: file, remove: close } = made;
  const open = async <T>(use: (session: Session) => Promise<T>): Promise<T> => {
    const session = await openSession(project, io, stop.abort);
    try {
      return await use(session);
    } finally {
      await session.close();
    }
  };
  return {
    project,
    open,
    async discover(rows, how = {}) {
      if (rows.length === 0) return new Map();
      writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const ids = rows.map(({ instance_id }) => String(instance_id));
      return open((session) => discovered(ids, session, stop, io, { show, ...how }));
    },
    close,
  };
}

async function discovered(
  ids: readonly string[],
  session: Session,
  stop: Stop,
  io: CommandIo,
  { show, jobs = null, found = () => undefined, limit = null }: Measuring & { show: Show },
): Promise<ReadonlyMap<string, Discovered>> {
  const { cache } = session;
  const targets = [VALIDATE];
  const graph = closure(session.graph, new Set(targets));
  const selection = new Selection(graph, targets, []);
  const begun = new Set<string>();
  const told = new Map<string, Promise<void>>();
  const lists = new Map<string, ActionRecord>();
  const tell = async (id: string, record: ActionRecord | undefined) => {
    const text = await readText(cache, record?.outputs.lists);
    if (text !== null) found(id, JSON.parse(text) as TestLists);
  };
  const learnt: Promise<void>[] = [];
  const learn = async (record: ActionRecord | null) => {
    limit?.learn((await readText(cache, record?.notes.log)) ?? '');
  };
  const how: Omit<WorkOptions, 'selection' | 'graph' | 'targets'> = {
    ...{ jobs, dryRun: false, drain: stop.drain },
    show(event) {
      if (event.type === 'item-started' && event.stage === DISCOVER) begun.add(event.item);
      limit?.follow(event);
      show(event);
    },
    onAnswered(stage, id, record) {
      if (stage === DISCOVER) {
        lists.set(id, record);
        if (limit !== null) learnt.push(learn(record));
      }
      if (stage === VALIDATE && record.outcome.status === 'ok' && lists.has(id))
        told.set(id, tell(id, lists.get(id)));
    },
    signalOf: (stage, item) => limit?.signalOf(stage, item) ?? null,
  };
  limit?.expect(ids);
  const { nodes } = await work(session, { ...how, selection, graph, targets });
  for (const warning of session.deployments.warnings()) io.stderr.write(shown(`warning: ${warning}\n`));
  const [rows, measured, validate] = [ROWS, DISCOVER, VALIDATE].map((address) => nodes.get(address)!);
  const text = await readText(cache, rows!.state.record('')?.outputs['bad rows']);
  const bad = text === null ? [] : (JSON.parse(text) as BadRow[]);
  const { blocked } = measured!;
  if (blocked !== null && bad.length < ids.length && !stop.drain.aborted) throw new Blocked(asFault(blocked));
  const all = await discoveredIn(ids, {
    ...{ discover: measured!.state, validate: validate!.state, bad, cache },
    ...{ begun, environments: nodes.get(ENVIRONMENTS)!.state },
  });
  // onAnswered is not called for rows whose answers are found by whole chunks.
  for (const id of ids) if (limit !== null && !lists.has(id)) learnt.push(learn(measured!.state.record(id)));
  await Promise.all([...told.values(), ...learnt]);
  for (const [id, one] of all) if (one.isMeasured && !told.has(id)) found(id, one);
  return all;
}

/** No row was measured. */
export class Blocked extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super('detail' in outcome ? outcome.detail : outcome.status);
    this.outcome = outcome;
  }
}

function asFault(outcome: Outcome): Outcome {
  return isFault(outcome) || outcome.status !== 'ok' ? outcome : infra('internal', 'no row was measured');
}
