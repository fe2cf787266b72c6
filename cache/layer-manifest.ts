/**
 * A layer's manifest: one line per entry, sorted by path, with nothing in it that differs between two equal
 * trees (no times, owners or permission bits but the executable one). The layer's digest is the manifest's.
 */

import { byCodeUnit } from '../basics/canonical.ts';
import type { Digest } from '../basics/digest.ts';
import { digestOfList } from './key.ts';

export type LayerEntry =
  | { type: 'folder'; path: string }
  | { type: 'link'; path: string; target: string }
  | { type: 'file'; path: string; digest: Digest; executable: boolean; size: number };

/** Entries in the order that every manifest has: by path, so parents come before their children. */
export function sortEntries(entries: LayerEntry[]): LayerEntry[] {
  return entries.sort((a, b) => byCodeUnit(a.path, b.path));
}

export function layerDigest(entries: LayerEntry[]): Digest {
  return digestOfList('layer', entries.map(entryLine));
}

/** JSON arrays, one a line: `["d",path]`, `["l",path,target]`, `["f",path,digest,"x" or "",size]`. */
export function manifestText(entries: LayerEntry[]): string {
  return entries.map((entry) => `${entryLine(entry)}\n`).join('');
}

function entryLine(entry: LayerEntry): string {
  switch (entry.type) {
    case 'folder':
      return JSON.stringify(['d', entry.path]);
    case 'link':
      return JSON.stringify(['l', entry.path, entry.target]);
    case 'file':
      return JSON.stringify(['f', entry.path, entry.digest, entry.executable ? 'x' : '', entry.size]);
  }
}

/** Reads what {@link manifestText} wrote. */
export function parseManifest(text: string): LayerEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [type, path, third, executable, size] = JSON.parse(line) as [
        string,
        string,
        string,
        string,
        number,
      ];
      if (type === 'd') return { type: 'folder', path };
      if (type === 'l') return { type: 'link', path, target: third };
      return { type: 'file', path, digest: third as Digest, executable: executable === 'x', size };
    });
}
