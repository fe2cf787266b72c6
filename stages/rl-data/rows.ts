/** The tasks as rows of the framework that is trained with, or that the project names. */
import type { Json } from '../../basics/canonical.ts';
import { RL_TRAINERS, type RlType } from '../../trainers/registry.ts';
import type { RlRowPlace, RlRows, RlTask } from '../../trainers/trainer.ts';

export interface RlRowSettings extends Omit<RlRowPlace, 'index'> {
  /** drop: no row has the column patch. */
  gold: 'keep' | 'drop';
}

/** The form of rows of a framework that has one. */
export function rowsOf(form: RlType): RlRows {
  const { rows } = RL_TRAINERS[form];
  if (rows === null) throw new Error(`${form} has no form of rows`);
  return rows;
}

/** A row of each task, in their order. */
export function rlRows(
  form: RlType,
  tasks: readonly RlTask[],
  { source, split, gold }: RlRowSettings,
): Record<string, Json>[] {
  const { row } = rowsOf(form);
  return tasks.map((task, index) =>
    row(gold === 'keep' ? task : withoutGold(task), { source, split, index }),
  );
}

function withoutGold({ problem, row: { patch: _, ...row } }: RlTask): RlTask {
  return { problem, row };
}
