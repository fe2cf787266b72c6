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
import type { BadRow } from '../../schemas/instance.ts';
import { infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import type { CommandIo } from '../io.ts';
import { emptyProject, MUTATED, type ProjectChoice } from '../mutation/project.ts';
import type { ProjectValues } from '../open-project.ts';
import { openSession, type Session, work } from '../session.ts';
import { shown } from '../shown.ts';
import type { Stop } from '../signals.ts';
import { type Discovered, discoveredIn } from './discover.ts';

/** A project whose rows are given from time to time. */
export interface RowsProject {
  project: ResolvedProject;
  /** Calls `use` with the opened cache, with no rows. */
  open<T>(use: (session: Session) => Promise<T>): Promise<T>;
  /** Measures the lists of rows that have none; by instance_id. */
  discover(rows: readonly RawRow[]): Promise<ReadonlyMap<string, Discovered>>;
  close(): void;
}

type Show = (event: RunEvent) => void;

const ROWS = `rows.${MUTATED}`;
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
    async discover(rows) {
      if (rows.length === 0) return new Map();
      writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const ids = rows.map(({ instance_id }) => String(instance_id));
      return open((session) => discovered(ids, session, stop, io, show));
    },
    close,
  };
}

async function discovered(
  ids: readonly string[],
  session: Session,
  stop: Stop,
  io: CommandIo,
  show: Show,
): Promise<ReadonlyMap<string, Discovered>> {
  const { cache } = session;
  const targets = [VALIDATE];
  const graph = closure(session.graph, new Set(targets));
  const selection = new Selection(graph, targets, []);
  const quietly = { jobs: null, dryRun: false, drain: stop.drain, show };
  const { nodes } = await work(session, { ...quietly, selection, graph, targets });
  for (const warning of session.deployments.warnings()) io.stderr.write(shown(`warning: ${warning}\n`));
  const [rows, measured, validate] = [ROWS, DISCOVER, VALIDATE].map((address) => nodes.get(address)!);
  const text = await readText(cache, rows!.state.record('')?.outputs['bad rows']);
  const bad = text === null ? [] : (JSON.parse(text) as BadRow[]);
  const { blocked } = measured!;
  if (blocked !== null && bad.length < ids.length && !stop.drain.aborted) throw new Blocked(asFault(blocked));
  return discoveredIn(ids, { discover: measured!.state, validate: validate!.state, bad, cache });
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
