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
   * Where a build with this network finds the registry of a dialect (`npm`; tasks/index/registry.ts lists them), as it was at `asOf` (null: as
   * it is). null for a build without network.
   */
  registry(dialect: string, network: Network, asOf: string | null): Promise<Registry | null>;
  /** Versions of a package that a dialect's registry had at `asOf`; none where it had no such package. */
  versions(dialect: string, name: string, asOf: string | null): Promise<Result<string[], Infra>>;
  /** What was asked for since a moment of performance.now() and was not there, of all dialects but Python's. */
  missing(asOf: string | null, since: number): MissingPackage[];
  /**
   * Why something that was asked for since a moment of performance.now() could not be had, not even when it was asked for again; null: all was answered.
   * `dialect` null: of any registry.
   */
  lost(dialect: string | null, since: number): string | null;
  /** When the first file of a release came, in milliseconds since 1970; null when no index has it. */
  uploaded(project: string, version: string): Promise<Result<number | null, Infra>>;
  /** Projects whose pages of `asOf` were asked for since a moment of performance.now(). */
  asked(asOf: string | null, since: number): readonly string[];
  /**
   * Names of the files that the indexes show of a project, or of one version of it; none where they do not have it. An index
   * that does not answer as one is a fault.
   */
  listed(project: string, version: string | null, asOf: string | null): Promise<Result<string[], Infra>>;
  /** Notes about the index for a build that began at a moment of performance.now(). */
  notes(asOf: string | null, since: number): IndexNote[];
}

export interface IndexNote {
  project: string;
  text: string;
}

/** The registry of a dialect as a build reaches it. */
export interface Registry extends ClientSettings {
  /** Without a slash at its end. With the host's network it holds a credential: see `origin`. */
  url: string;
  /** The server with its credential, for `buildSettings`: it is asked without a proxy, and the credential is kept out of logs. */
  origin: string;
}

/** What makes a registry's clients use it. */
export interface ClientSettings {
  variables: Record<string, string>;
  /** Text of files by their path below the home folder. */
  files: Record<string, string>;
  /** Lines of bash before a command that runs a client; empty for clients that need none. */
  prelude: string;
}

/** A package that a registry does not have, or did not have yet. */
export interface MissingPackage {
  dialect: string;
  name: string;
  /** null: no version of it. */
  version: string | null;
  /** A sentence with the name, the version and the reason. */
  why: string;
}
