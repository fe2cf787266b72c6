/**
 * npm’s document of a package: its versions, when each came, and which of them its tags mean. The forms are those of npm’s
 * registry: the whole document, and the abbreviated one that installers ask for.
 */
import { jsonObject } from '../../../basics/json.ts';
import { compareVersions, highest, isRelease, type Version, versionOf } from '../semver.ts';

export interface Packument {
  name?: string;
  'dist-tags'?: Record<string, string>;
  /** When each version came, beside `created` and `modified`. */
  time?: Record<string, string>;
  versions: Record<string, PackumentVersion>;
}

export interface PackumentVersion {
  optionalDependencies?: Record<string, string>;
  scripts?: Record<string, unknown>;
  dist: { tarball: string; integrity?: string; shasum?: string; unpackedSize?: number };
}

/** Of the abbreviated form. */
export const ABBREVIATED = 'application/vnd.npm.install-v1+json';

/** null: it is no such document. */
export function parsePackument(bytes: Buffer): Packument | null {
  const read = jsonObject<Packument>(bytes.toString('utf8'));
  if (typeof read?.versions !== 'object' || read.versions === null) return null;
  const isFine = Object.values(read.versions).every((found) => typeof found?.dist?.tarball === 'string');
  return isFine ? read : null;
}

/** When a version came, in milliseconds; null: the registry does not say. */
export function timeOf({ time }: Packument, version: string): number | null {
  const at = Date.parse(time?.[version] ?? '');
  return Number.isNaN(at) ? null : at;
}

export interface PackumentAsOf {
  /** With no version where none was there. */
  packument: Packument;
  /** Versions that are kept because the registry does not say when they came. */
  untimed: number;
  /** When the first version came, where none was there; null otherwise. */
  first: number | null;
}

/** The package as it was before `moment`. */
export function packumentAsOf(read: Packument, moment: number): PackumentAsOf {
  const all = Object.keys(read.versions).map((version) => ({ version, at: timeOf(read, version) }));
  const there = all.filter(({ at }) => at === null || at < moment);
  const untimed = there.filter(({ at }) => at === null).length;
  const names = there.map(({ version }) => version);
  const times = there.flatMap(({ at }) => at ?? []);
  const packument: Packument = {
    ...read,
    'dist-tags': tagsAsOf(read['dist-tags'] ?? {}, names),
    versions: Object.fromEntries(names.map((version) => [version, read.versions[version]!])),
  };
  if (read.time !== undefined) packument.time = timesOf(read.time, names, times);
  const first = names.length === 0 && all.length > 0 ? Math.min(...all.map(({ at }) => at!)) : null;
  return { packument, untimed, first };
}

function timesOf(
  time: Record<string, string>,
  names: readonly string[],
  times: readonly number[],
): Record<string, string> {
  const modified = times.length === 0 ? {} : { modified: new Date(Math.max(...times)).toISOString() };
  const kept = names.flatMap((version) => (time[version] === undefined ? [] : [[version, time[version]]]));
  return {
    ...(time.created === undefined ? {} : { created: time.created }),
    ...modified,
    ...Object.fromEntries(kept),
  };
}

/**
 * Tags have no history. One whose version was there by then is believed. Otherwise it was the highest version of the same line: of pre-releases
 * of one name (`beta`), or of releases of one major version. `latest` was the highest release, or where there was none, the highest version.
 */
function tagsAsOf(tags: Record<string, string>, names: readonly string[]): Record<string, string> {
  const dated: Record<string, string> = {};
  for (const [tag, target] of Object.entries(tags)) {
    const found = names.includes(target) ? target : lineOf(tag, target, names);
    if (found !== null) dated[tag] = found;
  }
  return dated;
}

function lineOf(tag: string, target: string, names: readonly string[]): string | null {
  if (tag === 'latest') return highest(names, isRelease) ?? highest(names, () => true);
  const wanted = versionOf(target);
  if (wanted === null) return null;
  const isOfLine = (version: Version) =>
    isRelease(wanted)
      ? isRelease(version) && version.numbers[0] === wanted.numbers[0]
      : version.pre[0] === wanted.pre[0];
  return highest(names, (version) => isOfLine(version) && compareVersions(version, wanted) < 0);
}

/** Fields of a version that installers read. */
const INSTALLED = [
  'name',
  'version',
  'deprecated',
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'bundleDependencies',
  'bundledDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'acceptDependencies',
  'bin',
  'directories',
  'dist',
  'engines',
  'cpu',
  'os',
  'libc',
  'funding',
  'hasInstallScript',
  '_hasShrinkwrap',
];

/** The abbreviated form of a whole document. The times stay, since some installers read them. */
export function abbreviated(read: Packument): Packument {
  const versions = Object.entries(read.versions).map(([version, whole]) => {
    const fields = INSTALLED.flatMap((field) =>
      field in whole ? [[field, whole[field as keyof PackumentVersion]] as const] : [],
    );
    const scripts = hasInstallScript(whole) ? [['hasInstallScript', true] as const] : [];
    return [version, Object.fromEntries([...fields, ...scripts]) as unknown as PackumentVersion] as const;
  });
  const { name, time } = read;
  return {
    ...(name === undefined ? {} : { name }),
    'dist-tags': read['dist-tags'] ?? {},
    ...(time === undefined ? {} : { modified: time.modified, time }),
    versions: Object.fromEntries(versions),
  };
}

function hasInstallScript({ scripts }: PackumentVersion): boolean {
  return ['preinstall', 'install', 'postinstall'].some((name) => typeof scripts?.[name] === 'string');
}

/** Name of the file of a version, as npm’s registry names it. */
function tarballName(name: string, version: string): string {
  return `${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
}

/** The document with addresses below `base`. */
export function withOwnTarballs(read: Packument, name: string, base: string): Packument {
  const versions = Object.entries(read.versions).map(([version, found]) => {
    const tarball = `${base}/${name}/-/${tarballName(name, version)}`;
    return [version, { ...found, dist: { ...found.dist, tarball } }] as const;
  });
  return { ...read, versions: Object.fromEntries(versions) };
}

/** The version whose file has this name here or at its registry; null: there is none. */
export function versionOfTarball(read: Packument, name: string, file: string): string | null {
  const versions = Object.keys(read.versions);
  const own = versions.find((version) => tarballName(name, version) === file);
  const theirs = (version: string) => read.versions[version]!.dist.tarball.replace(/[?#].*$/, '');
  return own ?? versions.find((version) => theirs(version).endsWith(`/${file}`)) ?? null;
}
