/** A fault of discover leaves a row out of its dataset until the next build measures it. Training must not take such a dataset for complete. */
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
  const given = roles.filter((role) => reader.hasInput(role));
  return faultsOf(reader, given, 'row', 'without measured tests');
}

/** A fault while items of these inputs ended with faults; null: none did. `lack`: what such a `noun` is without. */
export function faultsOf(
  reader: PlanReader,
  roles: readonly string[],
  noun: string,
  lack: string,
): Result<never, Infra> | null {
  const entries = roles.flatMap((role) => reader.input(role).entries());
  const waiting = entries.filter(({ outcome }) => isFault(outcome)).length;
  if (waiting === 0) return null;
  return fault(infra('upstream-infra', `${plural(waiting, noun)} ${lack} yet; build again`));
}
