/** The tasks as rows of the framework that is trained with, or that the project names. */
import type { Json } from '../../basics/canonical.ts';
import { isHubId } from '../../schemas/dataset-source.ts';
import type { Instance } from '../../schemas/instance.ts';
import { imageOf } from '../../tasks/images/instance-image.ts';
import { RL_TRAINERS, type RlType } from '../../trainers/registry.ts';
import type { RlRowPlace, RlRows, RlTask } from '../../trainers/trainer.ts';

export interface RlRowSettings extends Omit<RlRowPlace, 'index'> {
  /** drop: no row has the column patch. */
  gold: 'keep' | 'drop';
}

/** Where rows are from: what `data_source` says of them, and how their images are called. */
export interface Origin {
  /** Hub id of the dataset; its name in the project where its rows lie in a folder. */
  source: string;
  format: string;
  inner: string | null;
}

/** `name`: the dataset's name in the project. No path is in a row, so that it is the same on every machine. */
export function originOf(
  name: string,
  { source, format, inner }: { source: string; format: string; inner?: string | null | undefined },
): Origin {
  return { source: isHubId(source) ? source : name, format, inner: inner ?? null };
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

/** A `mutation` names the place of the bug. */
function withoutGold({ problem, row: { patch: _, mutation: __, ...row } }: RlTask): RlTask {
  return { problem, row };
}

/**
 * The row with the column `image_name`, from which the rollout functions of swe-rl, SkyRL and Miles take the container. Without it
 * they derive the image from `data_source`, and raise for a dataset that they do not know.
 */
export function withImage(
  row: Record<string, Json>,
  instance: Pick<Instance, 'instance_id' | 'raw'>,
  origin: Origin,
): Record<string, Json> {
  if (typeof row.image_name === 'string' && row.image_name !== '') return row;
  const { inner: within, ...rest } = origin;
  const image = imageOf(instance, { ...rest, inner: within ?? undefined });
  return image === null ? row : { ...row, image_name: image };
}
