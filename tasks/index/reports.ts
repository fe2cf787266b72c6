/**
 * What builds report about the registries that they saw: packages that are not quite as they were at their moment, and packages that were asked
 * for and are missing.
 */
import type { IndexNote, MissingPackage } from '../../contract/build-index.ts';
import type { Reporter } from './dialect.ts';

/** Of each kind: builds may ask for any number. */
const MAX = 10_000;

interface Kept<T> {
  asOf: string | null;
  at: number;
  value: T;
}

export class IndexReports {
  readonly #notes = new Map<string, Kept<IndexNote>>();
  readonly #missing = new Map<string, Kept<MissingPackage>>();

  /** By which a dialect reports. */
  of(dialect: string): Reporter {
    return {
      note: (name, asOf, text) => {
        const key = JSON.stringify([dialect, name, asOf]);
        if (text === null) this.#notes.delete(key);
        else keep(this.#notes, key, asOf, { project: `${name} (${dialect})`, text });
      },
      missing: (name, version, asOf, why) =>
        keep(this.#missing, JSON.stringify([dialect, name, version, asOf]), asOf, {
          dialect,
          name,
          version,
          why,
        }),
    };
  }

  /** Of packages that were asked for since a moment of performance.now(), by name. */
  notes(asOf: string | null, since: number): IndexNote[] {
    return sortedBy(valuesOf(this.#notes, asOf, since), ({ project }) => project);
  }

  missing(asOf: string | null, since: number): MissingPackage[] {
    return sortedBy(valuesOf(this.#missing, asOf, since), (one) => JSON.stringify(one));
  }
}

function keep<T>(map: Map<string, Kept<T>>, key: string, asOf: string | null, value: T): void {
  map.delete(key);
  map.set(key, { asOf, at: performance.now(), value });
  if (map.size > MAX) map.delete(map.keys().next().value!);
}

function valuesOf<T>(map: ReadonlyMap<string, Kept<T>>, asOf: string | null, since: number): T[] {
  return [...map.values()].filter((one) => one.asOf === asOf && one.at >= since).map(({ value }) => value);
}

function sortedBy<T>(values: T[], nameOf: (value: T) => string): T[] {
  return values.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
