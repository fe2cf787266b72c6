/** A tree laid over another one: what overlayfs shows, as a list of entries. */
import { type LayerEntry, sortEntries } from './layer-manifest.ts';

/** `below` without what is `removed` (paths; of a folder, all below it), and `above` in place of what was there. */
export function mergeEntries(
  below: readonly LayerEntry[],
  removed: readonly string[],
  above: readonly LayerEntry[],
): LayerEntry[] {
  const replaced = new Map(above.map((entry) => [entry.path, entry]));
  const gone = new Set(removed);
  for (const { type, path } of above) if (type !== 'folder') gone.add(path);
  const stays = (path: string) => !replaced.has(path) && !gone.has(path) && !ancestors(path).some(isGone);
  const isGone = (path: string) => gone.has(path);
  // A folder takes the place of a file or a link without a word; what it merges with keeps what is below it.
  return sortEntries([...below.filter(({ path }) => stays(path)), ...above]);
}

/** The entries of `tree` that are not in `base`, and the files of `base` that the tree has otherwise or lacks. */
export function compareEntries(
  base: readonly LayerEntry[],
  tree: readonly LayerEntry[],
): { added: LayerEntry[]; changed: string[] } {
  const known = new Map(base.map((entry) => [entry.path, entry]));
  const added = tree.filter(({ path }) => !known.has(path));
  const now = new Map(tree.map((entry) => [entry.path, entry]));
  const changed = base
    .filter((entry) => entry.type !== 'folder' && !isSame(entry, now.get(entry.path)))
    .map(({ path }) => path);
  return { added, changed };
}

function isSame(one: LayerEntry, other: LayerEntry | undefined): boolean {
  if (other === undefined || one.type !== other.type) return false;
  if (one.type === 'link') return one.target === (other as typeof one).target;
  if (one.type === 'folder') return true;
  const { digest, executable } = other as typeof one;
  return one.digest === digest && one.executable === executable;
}

function ancestors(path: string): string[] {
  const found: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    found.push(path.slice(0, at));
  return found;
}
