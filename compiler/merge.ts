/** Deep merge of trees: maps merge, lists and plain values replace, and null stands for "not set". */
import type { MapEntry, MapNode, Node, Via } from './tree.ts';

/** `over` laid on `base`; values keep their origins. */
export function merge(base: Node, over: Node): Node {
  if (base.kind !== 'map' || over.kind !== 'map') return over;
  const entries = new Map<string, MapEntry>(base.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key);
    entries.set(
      key,
      below === undefined ? entry : { key: entry.key, value: merge(below.value, entry.value) },
    );
  }
  return { ...over, entries };
}

/** A copy in which every value is marked as having come by `via`. */
export function mark(node: Node, via: Via): Node {
  const marked = { ...node.via, ...via };
  if (node.kind === 'scalar') return { ...node, via: marked };
  if (node.kind === 'list') return { ...node, via: marked, items: node.items.map((item) => mark(item, via)) };
  return { ...node, via: marked, entries: mapValues(node, (value) => mark(value, via)) };
}

/** The map's entries with changed values. */
export function mapValues(node: MapNode, change: (value: Node, key: string) => Node): Map<string, MapEntry> {
  const entries = [...node.entries];
  return new Map(entries.map(([key, entry]) => [key, { key: entry.key, value: change(entry.value, key) }]));
}
