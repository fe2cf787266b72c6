/** What a lock file says, as far as stages obey it: a moving name means what it meant when it was locked. */

export interface DatasetPins {
  /** As the project wrote them when it was locked. */
  source: string;
  revision: string | null;
  /** The hub's commit that the revision stood for. */
  commit: string | null;
  /** Spec as rows write it -> digest. */
  sources: Readonly<Record<string, string>>;
}

/** All that is installed of an agent. */
export interface AgentPins {
  /** A line for each package. */
  packages: readonly string[];
  /** Lines of npm's `package-lock.json`; absent: no package is npm's, or the lock does not have it. */
  npm_lock?: readonly string[];
}

export interface Pins {
  datasets: Readonly<Record<string, DatasetPins>>;
  /** What environments must hold, as `pip freeze` says it, by `environments.DATASET@NAME`; null: whatever comes. */
  packages: Readonly<Record<string, readonly string[]>> | null;
  /** What installed agents must hold, by `agents.DATASET@NAME`; absent: whatever comes. */
  agents?: Readonly<Record<string, AgentPins>>;
  /** Container image with its tag, or a Debian release as `base` writes it -> digest. */
  images?: Readonly<Record<string, string>>;
  /** Model of the hub as `ID@REVISION` -> its commit. */
  models?: Readonly<Record<string, string>>;
}
