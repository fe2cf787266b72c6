/** `--set a.b=c`: one value laid over the project, its text read as YAML. */
import type { DiagnosticSink } from './diagnostic.ts';
import { merge } from './merge.ts';
import { parseTree } from './parse.ts';
import { sourceText } from './source-text.ts';
import { formatPath, type MapNode, type Node, type Path } from './tree.ts';

const EXAMPLE = 'write --set validation.gold_runs=3, or --set environments.recipes[0].python=\'"3.11"\'';
const SEGMENT = /(?:^|\.)(?:"((?:[^"\\]|\\.)*)"|([A-Za-z0-9_-]+))|\[(\d+)\]/y;

/** `root` with one setting applied; what is wrong with it goes to `sink`. */
export function applySetting(root: Node, setting: string, sink: DiagnosticSink): Node {
  const source = sourceText('--set', setting);
  const { path, end } = readPath(setting);
  if (path.length === 0 || setting[end] !== '=') {
    const span = { source, start: end, end: Math.max(end + 1, setting.length) };
    sink.add('E123', span, `"${setting}" is not KEY=VALUE`, EXAMPLE);
    return root;
  }
  const value = parseTree(source, sink, end + 1);
  if (value === null) return root;
  const key = { source, start: 0, end };
  return place(root, path, 0, { ...value, via: { set: setting } }, key, sink);
}

function readPath(setting: string): { path: Path; end: number } {
  const path: string[] = [];
  const segment = new RegExp(SEGMENT);
  let end = 0;
  for (let found = segment.exec(setting); found !== null; found = segment.exec(setting)) {
    path.push(found[1]?.replace(/\\(.)/g, '$1') ?? found[2] ?? found[3]!);
    end = segment.lastIndex;
  }
  return { path, end };
}

function place(
  node: Node | undefined,
  path: Path,
  at: number,
  value: Node,
  key: MapNode['span'],
  sink: DiagnosticSink,
): Node {
  const segment = path[at];
  if (segment === undefined) return node === undefined ? value : merge(node, value);
  if (node?.kind === 'list') {
    const index = Number(segment);
    if (!(index < node.items.length)) {
      const message = `${formatPath(path.slice(0, at))} has ${node.items.length} entries, and no number ${segment}`;
      sink.add('E123', key, message, 'entries count from 0; to replace the list, set it as a whole');
      return node;
    }
    const items = [...node.items];
    items[index] = place(items[index], path, at + 1, value, key, sink);
    return { ...node, items };
  }
  const map: MapNode =
    node?.kind === 'map' ? node : { kind: 'map', entries: new Map(), span: key, via: value.via };
  const below = map.entries.get(segment)?.value;
  const entries = new Map(map.entries);
  entries.set(segment, { key, value: place(below, path, at + 1, value, key, sink) });
  return { ...map, entries };
}
