/**
 * Submodules that an installation in the official images fetches by itself, and that no table names: its `setup.py` asks
 * git for them.
 */
interface Known {
  paths: readonly string[];
  /** The last major version that has them. */
  until: number;
}

/** By `owner/name` in lower case. */
const SUBMODULES: Readonly<Record<string, Known>> = {
  'astropy/astropy': { paths: ['astropy_helpers'], until: 3 },
};

/** The submodules that all of these versions need. */
export function submodulesOf(repo: string, versions: readonly string[]): string[] {
  const known = SUBMODULES[repo.toLowerCase()];
  const has = (version: string) => known !== undefined && Number.parseInt(version, 10) <= known.until;
  return versions.every(has) ? [...known!.paths] : [];
}
