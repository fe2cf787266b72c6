/**
 * The day of the index that fits the tables of a package: the day of its release, since every version that the tables
 * pin existed then. Later releases go on, but the rows of SWE-bench stay as they were validated: with newer packages,
 * tests of sphinx find a docutils without `roman`, and tests of xarray a numba that refuses their numpy.
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
  // The day of the fork's first commit.
  'swe-gym': { '2.0.13': '2024-12-08' },
  swesmith: {
    '0.0.4': '2025-06-07',
    '0.0.5': '2025-07-09',
    '0.0.6': '2025-07-22',
    '0.0.7': '2025-09-12',
    '0.0.8': '2026-01-16',
    '0.0.9': '2026-02-27',
  },
  'multi-swe-bench': { '1.1.1': '2025-10-24', '1.1.2': '2025-12-18' },
};

/**
 * The latest day that is used. For swebench it is before releases that break the rows (Pygments 2.19 of 2025-01-05, numba
 * 0.61 of 2025-01-20, docutils 0.22 of 2025-07). The rows of SWE-smith are from the spring of 2025, at commits up to
 * 2025-04-07; pytest 9 of 2025-11 cannot run the tests of some of them, nor of some
 * that classes of multi-swe-bench describe.
 */
const LATEST: Readonly<Record<string, string>> = {
  swebench: '2025-01-04',
  swesmith: '2025-05-01',
  'multi-swe-bench': '2025-10-24',
};

/** The day of the index for the tables of a release; undefined for a release that is not known. */
export function releaseDay(name: string, version: string): string | undefined {
  const day = DAYS[name]?.[version];
  const latest = LATEST[name];
  return day === undefined || latest === undefined || day < latest ? day : latest;
}
