/**
 * Rows that were made or completed here, validated as a build validates them: in the environments, workspaces and cache of
 * a project, which then has what was built.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readText } from '../../cache/cache.ts';
import { closure } from '../../compiler/graph.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import { Selection } from '../../engine/selection.ts';
import type { FormatKind } from '../../formats/kind.ts';
import type { RawRow } from '../../formats/row.ts';
import type { BadRow } from '../../schemas/instance.ts';
import { type Infra, infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import type { CommandIo } from '../io.ts';
import { MUTATED, mutationProject, type ProjectChoice } from '../mutation/project.ts';
import type { ProjectValues } from '../open-project.ts';
import { openSession, type Session, work } from '../session.ts';
import { shown } from '../shown.ts';
import type { Stop } from '../signals.ts';

/** What became of a row. */
export interface ValidatedRow {
  outcome: Outcome;
  /** What its checks wrote; null: they did not begin. */
  log: string | null;
}

/** A project whose rows are given from time to time. */
export interface RowsProject {
  project: ResolvedProject;
  /** Calls `use` with the opened cache, with no rows. */
  open<T>(use: (session: Session) => Promise<T>): Promise<T>;
  /** Validates rows; by instance_id. Rows that a stop left out are missing. */
  validate(rows: readonly RawRow[]): Promise<ReadonlyMap<string, ValidatedRow>>;
  close(): void;
}

const VALIDATE = `validate.${MUTATED}`;

/** Null after the project's errors were printed. */
export async function openRowsProject(
  choice: ProjectChoice,
  format: FormatKind,
  values: ProjectValues,
  stop: Stop,
  io: CommandIo,
): Promise<RowsProject | null> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-rows-'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  const file = join(folder, 'rows.jsonl');
  let project: ResolvedProject | null = null;
  try {
    project = await mutationProject(choice, values, file, io, format);
  } finally {
    if (project === null) close();
  }
  if (project === null) return null;
  const resolved = project;
  const open = async <T>(use: (session: Session) => Promise<T>): Promise<T> => {
    const session = await openSession(resolved, io, stop.abort);
    try {
      return await use(session);
    } finally {
      await session.close();
    }
  };
  return {
    project,
    open,
    validate(rows) {
      writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      return open((session) => validated(session, stop, io));
    },
    close,
  };
}

async function validated(
  session: Session,
  stop: Stop,
  io: CommandIo,
): Promise<ReadonlyMap<string, ValidatedRow>> {
  const targets = [VALIDATE];
  const graph = closure(session.graph, new Set(targets));
  const selection = new Selection(graph, targets, []);
  const quietly = { jobs: null, dryRun: false, drain: stop.drain, show: () => undefined };
  const { nodes } = await work(session, { ...quietly, selection, graph, targets });
  for (const warning of session.deployments.warnings()) io.stderr.write(shown(`warning: ${warning}\n`));
  const found = new Map<string, ValidatedRow>();
  const dataset = nodes.get(`dataset.${MUTATED}`)!;
  const bad = await readText(session.cache, dataset.state.record('')?.outputs['bad rows']);
  for (const { instance_id: id, field, message } of bad === null ? [] : (JSON.parse(bad) as BadRow[])) {
    const outcome: Outcome = { status: 'failed', reason: 'invalid-row', detail: `${field} ${message}` };
    if (id !== null) found.set(id, { outcome, log: null });
  }
  const { state, blocked } = nodes.get(VALIDATE)!;
  if (blocked !== null && !stop.drain.aborted) throw new Blocked(asFault(blocked));
  for (const { name, outcome } of blocked === null ? state.entries() : []) {
    const log = await readText(session.cache, state.record(name)?.notes.log);
    found.set(name, { outcome, log });
  }
  return found;
}

/** No row was validated. */
export class Blocked extends Error {
  readonly outcome: Infra | Outcome;

  constructor(outcome: Infra | Outcome) {
    super('detail' in outcome ? outcome.detail : outcome.status);
    this.outcome = outcome;
  }
}

function asFault(outcome: Outcome): Infra | Outcome {
  return isFault(outcome) || outcome.status !== 'ok' ? outcome : infra('internal', 'no row was validated');
}
