/** Rows that wait for their lists of tests: a fault kept these from being measured, so the dataset is without them until the next build. */
import { plural } from '../../basics/plural.ts';
import { fault, type Result } from '../../basics/result.ts';
import { discoveredDatasets, type ResolvedConfig } from '../../contract/config.ts';
import type { PlanReader } from '../../contract/reader.ts';
import { type Infra, infra, isFault } from '../../schemas/outcome.ts';

/** The input, named `role`, of stages that must not take a dataset for complete while rows wait. */
export function discoverInput(
  config: ResolvedConfig,
  dataset: string | undefined,
  role: string,
): Record<string, string> {
  return dataset !== undefined && discoveredDatasets(config).includes(dataset)
    ? { [role]: `discover.${dataset}` }
    : {};
}

/** A fault while rows wait; null: none does. */
export function unmeasured(reader: PlanReader, ...roles: readonly string[]): Result<never, Infra> | null {
  const entries = roles.flatMap((role) => (reader.hasInput(role) ? reader.input(role).entries() : []));
  const waiting = entries.filter(({ outcome }) => isFault(outcome)).length;
  if (waiting === 0) return null;
  const rows = `${plural(waiting, 'row')} without measured tests`;
  return fault(infra('upstream-infra', `${rows} yet; build again`));
}
