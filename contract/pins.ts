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

export interface Pins {
  datasets: Readonly<Record<string, DatasetPins>>;
  /** What environments must hold, as `pip freeze` says it, by `environments.DATASET@NAME`; null: whatever comes. */
  packages: Readonly<Record<string, readonly string[]>> | null;
  /** What installed agents must hold, by `agents.DATASET@NAME`; absent: whatever comes. */
  agents?: Readonly<Record<string, readonly string[]>>;
  /** Container image with its tag, or a Debian release as `base` writes it -> digest. */
  images?: Readonly<Record<string, string>>;
  /** Model of the hub as `ID@REVISION` -> its commit. */
  models?: Readonly<Record<string, string>>;
}
