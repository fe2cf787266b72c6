/**
 * What Go's module proxies serve, as `go help goproxy` and the reference of Go modules describe it: lists of versions, and of each when it came.
 */
import { jsonObject } from '../../../basics/json.ts';
import { highest, isRelease, versionOf } from '../semver.ts';

/** What `.info` and `@latest` hold. */
export interface ModuleInfo {
  Version: string;
  /** When the commit was made. */
  Time?: string;
}

/** What a path below a proxy asks for. */
export type AskedModule =
  | { kind: 'list' | 'latest'; module: string }
  | { kind: 'info' | 'mod' | 'zip'; module: string; version: string }
  /** A checksum database, as the proxy passes it on. */
  | { kind: 'sums'; path: string };

/** Module and version are as they stand there: capital letters are written `!x`. null: it is no path of a proxy. */
export function parseModulePath(path: string): AskedModule | null {
  const sums = /^sumdb\/([\w.-]+(?:\/[\w.+=!@/-]+)?)$/.exec(path);
  if (sums !== null) return hasDots(path) ? null : { kind: 'sums', path };
  const [, module = '', rest = ''] = /^([a-z0-9!._~/-]+)\/(@latest|@v\/[^/]+)$/.exec(path) ?? [];
  if (module === '' || hasDots(module)) return null;
  if (rest === '@latest') return { kind: 'latest', module };
  if (rest === '@v/list') return { kind: 'list', module };
  const [, version, kind] = /^@v\/([^/]+)\.(info|mod|zip)$/.exec(rest) ?? [];
  return version === undefined ? null : { kind: kind as 'info' | 'mod' | 'zip', module, version };
}

function hasDots(path: string): boolean {
  return path.split('/').some((part) => part === '' || part === '.' || part === '..');
}

/** A module or version as people write it. */
export function unescaped(text: string): string {
  return text.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A module as addresses have it. */
export function escaped(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

/** null: it is no list. */
export function parseList(bytes: Buffer): string[] | null {
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s/, 1)[0]!)
    .filter(Boolean);
  return lines.every((line) => versionOf(line) !== null) ? lines : null;
}

/** null: it is no such document. */
export function parseInfo(bytes: Buffer): ModuleInfo | null {
  const read = jsonObject<ModuleInfo>(bytes.toString('utf8'));
  return typeof read?.Version === 'string' ? read : null;
}

/** In milliseconds; null: it does not say. */
export function timeOfInfo({ Time = '' }: ModuleInfo): number | null {
  const at = Date.parse(Time);
  return Number.isNaN(at) ? null : at;
}

/** What never changes; everything else is a branch, a tag or a commit. */
export function isExact(version: string): boolean {
  return version.startsWith('v') && versionOf(version) !== null;
}

/** What `go get MODULE` takes: the highest release, or the highest pre-release where there is no release. Null: the list is empty. */
export function latestOf(versions: readonly string[]): string | null {
  return highest(versions, isRelease) ?? highest(versions, () => true);
}

/** Proxies of a value of GOPROXY, in their order, without slashes at their ends. `direct` and `off` are none. */
export function proxiesOf(goproxy: string): string[] {
  const words = goproxy.split(/[,|]/).map((word) => word.trim().replace(/\/+$/, ''));
  const end = words.indexOf('off');
  return (end < 0 ? words : words.slice(0, end)).filter((word) => /^https?:\/\//i.test(word));
}
