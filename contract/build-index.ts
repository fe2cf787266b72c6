/**
 * The package index that builds are shown in place of the host's: one of swemake's own, which knows how the host's
 * indexes were at a moment and keeps their files.
 */
import type { Result } from '../basics/result.ts';
import type { Network } from '../executors/deployment.ts';
import type { Infra } from '../schemas/outcome.ts';

/** What the build proxy calls lost, where an index answered and not as one. */
export const INDEX_FAULT = 'the package index’s answer: ';

export interface BuildIndex {
  /**
   * Where a build with this network finds each of the host's indexes, as they were at `asOf` (null: as they are). null
   * for an index that is a folder of this machine; empty for a build without network.
   */
  urls(network: Network, asOf: string | null): Promise<readonly (string | null)[]>;
  /**
   * Where a build with this network finds npm's registry, as this machine has it; with a credential where it needs one. null for a
   * build without network.
   */
  npm(network: Network): Promise<string | null>;
  /** When the first file of a release came, in milliseconds since 1970; null when no index tells. */
  uploaded(project: string, version: string): Promise<Result<number | null, Infra>>;
  /** Projects whose pages of `asOf` were asked for since a moment of performance.now(). */
  asked(asOf: string | null, since: number): readonly string[];
  /**
   * Names of the files that the indexes show of a project, or of one version of it; none where they do not have it. An index
   * that does not answer as one is a fault.
   */
  listed(project: string, version: string | null, asOf: string | null): Promise<Result<string[], Infra>>;
  /** What a build that began at a moment of performance.now() should tell of the index that it saw. */
  notes(asOf: string | null, since: number): { project: string; text: string }[];
}
