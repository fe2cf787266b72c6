/**
 * A YAML document as a tree of plain values that remember where they were written. Composing works on trees, so
 * the origin of every value of the resolved project is known without bookkeeping.
 */
import type { Span } from './source-text.ts';

export type Scalar = string | number | boolean | null;
export type Data = Scalar | Data[] | { [key: string]: Data };

/** How a value got to its place, when there is more to say than where it is written. */
export interface Via {
  profile?: string;
  /** Environment variables that were inserted. */
  env?: string[];
  /** It comes from this --set argument. */
  set?: string;
  /** The file does not have it. */
  isDefault?: boolean;
}

interface Written {
  span: Span;
  via: Via;
}

export interface ScalarNode extends Written {
  kind: 'scalar';
  value: Scalar;
  /** The text as it was written, `3.10` for the number 3.1. */
  text: string;
}

interface ListNode extends Written {
  kind: 'list';
  items: Node[];
}

export interface MapEntry {
  key: Span;
  value: Node;
}

export interface MapNode extends Written {
  kind: 'map';
  entries: Map<string, MapEntry>;
}

export type Node = ScalarNode | ListNode | MapNode;

/** Keys and list indexes (as text) from the root to a value. */
export type Path = readonly string[];

/** A path as people write it: `environments.recipes[0].python`. */
export function formatPath(path: Path): string {
  let text = '';
  for (const segment of path) {
    if (/^\d+$/.test(segment) && text !== '') text += `[${segment}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(segment)) text += text === '' ? segment : `.${segment}`;
    else text += `${text === '' ? '' : '.'}${JSON.stringify(segment)}`;
  }
  return text;
}

/** The value below `key` of a map or list. */
export function child(node: Node, key: string): Node | undefined {
  if (node.kind === 'map') return node.entries.get(key)?.value;
  if (node.kind === 'list') return node.items[Number(key)];
  return undefined;
}

export function find(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root;
  for (const key of path) node = node && child(node, key);
  return node;
}

/** Names that are set in the map at `path`. */
export function namesIn(root: Node, ...path: string[]): string[] {
  const map = find(root, path);
  if (map?.kind !== 'map') return [];
  return [...map.entries].filter(([, entry]) => !isNull(entry.value)).map(([name]) => name);
}

/** Where to point at for `path`: at its value or key, else at the nearest key above that is written somewhere. */
export function spanOf(root: Node, path: Path, what: 'key' | 'value'): Span {
  const node = find(root, path);
  const last = path.at(-1);
  const parent = last === undefined ? undefined : find(root, path.slice(0, -1));
  const key = parent?.kind === 'map' && last !== undefined ? parent.entries.get(last)?.key : undefined;
  if (what === 'value' && node?.kind === 'scalar' && node.span.end > node.span.start) return node.span;
  if (key !== undefined) return key;
  if (node !== undefined && path.length > 0) return node.span;
  return path.length > 0 ? spanOf(root, path.slice(0, -1), 'key') : { ...root.span, end: root.span.start };
}

/** The plain value; keys whose value is null are left out, for null deletes. */
export function toData(node: Node): Data {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toData);
  const kept = [...node.entries].filter(([, entry]) => !isNull(entry.value));
  return Object.fromEntries(kept.map(([key, entry]) => [key, toData(entry.value)]));
}

export function isNull(node: Node): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** A copy without the values at `paths`; a list keeps its length, with null in their places. */
export function without(root: Node, paths: Iterable<Path>): Node {
  const drop = new Set([...paths].map((path) => JSON.stringify(path)));
  if (drop.size === 0) return root;
  const copy = (node: Node, path: Path): Node => {
    if (drop.has(JSON.stringify(path)))
      return { kind: 'scalar', value: null, text: '', span: node.span, via: {} };
    if (node.kind === 'scalar') return node;
    if (node.kind === 'list')
      return { ...node, items: node.items.map((one, i) => copy(one, [...path, `${i}`])) };
    const entries = [...node.entries].map(
      ([key, entry]) => [key, { ...entry, value: copy(entry.value, [...path, key]) }] as const,
    );
    return { ...node, entries: new Map(entries) };
  };
  return copy(root, []);
}
