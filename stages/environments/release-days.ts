/**
 * The days on which the packages were released whose tables are imported. On that day the tables worked, and every release
 * that they pin was there: so it is the day of the index that fits them.
 */

const DAYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  swebench: {
    '2.0.13': '2024-08-20',
    '2.1.0': '2024-10-08',
    '2.1.8': '2025-01-11',
    '3.0.15': '2025-03-02',
    '3.0.16': '2025-04-09',
    '3.0.17': '2025-04-18',
    '4.0.3': '2025-05-07',
    '4.0.4': '2025-07-17',
    '4.0.5': '2025-09-03',
    '4.1.0': '2025-09-11',
  },
  swesmith: {
    '0.0.4': '2025-06-07',
    '0.0.5': '2025-07-09',
    '0.0.6': '2025-07-22',
    '0.0.7': '2025-09-12',
    '0.0.8': '2026-01-16',
    '0.0.9': '2026-02-27',
  },
};

/** The day of the index for the tables of a release; undefined for a release that is not known. */
export function releaseDay(name: string, version: string): string | undefined {
  return DAYS[name]?.[version];
}
