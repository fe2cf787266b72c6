/**
 * How a layer is transferred: large files one by one, small ones in packs, since a request costs more than a small
 * file. The files themselves decide where a pack ends. So layers that share a package share its packs, and a host
 * that has every file of a pack does not request it.
 */
import type { Digest } from '../../basics/digest.ts';
import type { Blob } from '../blobs.ts';
import type { LayerEntry } from '../layer-manifest.ts';
import { blobOf, digest, list, members, number } from './entry.ts';

export type LayerFile = Extract<LayerEntry, { type: 'file' }>;

/** A file inside a pack; the pack is the contents in this order. */
export interface PackedFile extends Blob {
  executable: boolean;
}

export interface Pack extends Blob {
  files: PackedFile[];
}

export interface Shipment {
  manifest: Blob;
  packs: Pack[];
}

/** Bytes up to which a file is small. */
const SMALL = 128 * 1024;
/** Bytes and files at which a pack ends at the latest. */
const MAX_BYTES = 4 * 1024 ** 2;
const MAX_FILES = 512;
/** One file in so many ends a pack. */
const ONE_IN = 64;

/** The distinct files of a layer: groups that travel together, and those that travel alone. */
export function groupFiles(entries: readonly LayerEntry[]): { groups: LayerFile[][]; single: LayerFile[] } {
  const seen = new Set<string>();
  const groups: LayerFile[][] = [];
  const single: LayerFile[] = [];
  let open: LayerFile[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (entry.type !== 'file') continue;
    const name = `${entry.digest}${entry.executable}`;
    if (seen.has(name)) continue;
    seen.add(name);
    if (entry.size > SMALL) {
      single.push(entry);
      continue;
    }
    open.push(entry);
    bytes += entry.size;
    if (open.length < MAX_FILES && bytes < MAX_BYTES && !endsPack(entry.digest)) continue;
    groups.push(open);
    open = [];
    bytes = 0;
  }
  if (open.length > 0) groups.push(open);
  return { groups, single };
}

function endsPack(digest: Digest): boolean {
  return Number.parseInt(digest.slice(0, 6), 16) % ONE_IN === 0;
}

export function shipmentText({ manifest, packs }: Shipment): string {
  const lists = packs.map(({ digest, size, files }) => ({
    digest,
    size,
    files: files.map((file) => [file.digest, file.size, file.executable ? 'x' : '']),
  }));
  return JSON.stringify({ manifest, packs: lists });
}

/** @throws when the text is not what {@link shipmentText} writes. */
export function parseShipment(text: string): Shipment {
  const { manifest, packs } = members(JSON.parse(text));
  return { manifest: blobOf(manifest), packs: list(packs).map(packOf) };
}

function packOf(value: unknown): Pack {
  const files = list(members(value).files).map((file) => {
    const [name, size, executable] = list(file);
    return { digest: digest(name), size: number(size), executable: executable === 'x' };
  });
  const pack = { ...blobOf(value), files };
  if (files.reduce((sum, { size }) => sum + size, 0) !== pack.size)
    throw new Error('a pack with another size');
  return pack;
}

/** Every path lies inside the tree, in a folder that the layer has itself: nothing is written through a link. */
export function isSoundTree(entries: readonly LayerEntry[]): boolean {
  const folders = new Set(['']);
  const paths = new Set<string>();
  for (const entry of entries) {
    const { path } = entry;
    const parts = path.split('/');
    if (parts.some((part) => part === '' || part === '.' || part === '..') || path.includes('\0'))
      return false;
    if (paths.has(path) || !folders.has(parts.slice(0, -1).join('/'))) return false;
    paths.add(path);
    if (entry.type === 'folder') folders.add(path);
    else if (entry.type === 'file') {
      if (!/^[0-9a-f]{64}$/.test(entry.digest) || !Number.isSafeInteger(entry.size) || entry.size < 0)
        return false;
    } else if (typeof entry.target !== 'string' || entry.target === '' || entry.target.includes('\0'))
      return false;
  }
  return true;
}
