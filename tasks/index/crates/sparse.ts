/**
 * The sparse index of Cargo: one file a crate, one line of JSON a version, as the reference of Cargo describes it. `pubtime` says when a version
 * came; crates.io has it for all of them.
 */
import { jsonObject } from '../../../basics/json.ts';

interface CrateLine {
  name: string;
  vers: string;
  /** sha256 of the archive. */
  cksum: string;
  yanked?: boolean;
  pubtime?: string;
}

export interface CrateVersion {
  /** As the registry wrote it. */
  line: string;
  name: string;
  version: string;
  sha256: string;
  /** In milliseconds; null: the registry does not say. */
  at: number | null;
}

/** What `config.json` says of archives. */
export interface CratesConfig {
  dl: string;
}

/** null: it is no file of an index. */
export function parseCrate(bytes: Buffer): CrateVersion[] | null {
  const lines = bytes.toString('utf8').split('\n').filter(Boolean);
  const versions = lines.map(parseLine);
  return lines.length > 0 && versions.every((one) => one !== null) ? (versions as CrateVersion[]) : null;
}

function parseLine(line: string): CrateVersion | null {
  const { name, vers, cksum, pubtime = '' } = jsonObject<Partial<CrateLine>>(line) ?? {};
  if (typeof name !== 'string' || typeof vers !== 'string') return null;
  if (typeof cksum !== 'string' || !/^[0-9a-f]{64}$/i.test(cksum)) return null;
  const at = Date.parse(pubtime);
  return { line, name, version: vers, sha256: cksum.toLowerCase(), at: Number.isNaN(at) ? null : at };
}

/** null: it is no configuration of an index. */
export function parseConfig(bytes: Buffer): CratesConfig | null {
  const read = jsonObject<CratesConfig>(bytes.toString('utf8'));
  return typeof read?.dl === 'string' && /^https?:\/\//i.test(read.dl) ? read : null;
}

/** Path of a crate's file, in lower case. */
export function pathOf(name: string): string {
  const lower = name.toLowerCase();
  return `${prefixOf(lower)}/${lower}`;
}

function prefixOf(name: string): string {
  if (name.length < 3) return String(name.length);
  return name.length === 3 ? `3/${name[0]}` : `${name.slice(0, 2)}/${name.slice(2, 4)}`;
}

/** The crate whose file this is; null: there is none of this name. */
export function crateOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return isCrate(name) && path.toLowerCase() === pathOf(name) ? name : null;
}

export function isCrate(name: string): boolean {
  return /^[a-z][a-z0-9_-]*$/i.test(name);
}

/** Address of an archive by the template of `config.json`. */
export function archiveUrl({ dl }: CratesConfig, { name, version, sha256 }: CrateVersion): string {
  if (!/\{(?:crate|version|prefix|lowerprefix|sha256-checksum)\}/.test(dl))
    return `${dl.replace(/\/+$/, '')}/${name}/${version}/download`;
  return dl
    .replaceAll('{crate}', name)
    .replaceAll('{version}', version)
    .replaceAll('{prefix}', prefixOf(name))
    .replaceAll('{lowerprefix}', prefixOf(name.toLowerCase()))
    .replaceAll('{sha256-checksum}', sha256);
}
