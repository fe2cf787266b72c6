/** Defaults that depend on other values, which a schema cannot express. */
import { find, isNull, type MapNode, type Node, namesIn, type Path, type Scalar } from './tree.ts';

/** `root` with these defaults where nothing is written. */
export function withDerived(root: Node): Node {
  if (root.kind !== 'map') return root;
  const names = namesIn(root, 'deployments');
  let filled = names.length === 0 ? fill(root, ['deployments', 'default', 'type'], 'auto') : root;
  // With several, the project has to say which one.
  if (names.length < 2) filled = fill(filled, ['validation', 'deployment'], names[0] ?? 'default');
  for (const name of names.filter((one) => isLocal(root, one)))
    for (const stage of ['build', 'rollout', 'grade'])
      filled = fill(filled, ['deployments', name, 'network', stage], 'host');
  return filled;
}

function isLocal(root: MapNode, name: string): boolean {
  const type = find(root, ['deployments', name, 'type']);
  return type?.kind === 'scalar' && type.value === 'local';
}

/** Sets the value at `path` unless one is written there, or something that is no map stands in the way. */
function fill(map: MapNode, path: Path, value: Scalar): MapNode {
  const [key = '', ...rest] = path;
  const written = map.entries.get(key);
  const absent = written === undefined || isNull(written.value);
  const place = { span: map.span, via: { isDefault: true } };
  let below: Node | undefined;
  if (rest.length > 0) {
    const inner: Node = absent ? { kind: 'map', entries: new Map(), ...place } : written.value;
    if (inner.kind === 'map') below = fill(inner, rest, value);
  } else if (absent) below = { kind: 'scalar', value, text: String(value), ...place };
  if (below === undefined) return map;
  return { ...map, entries: new Map(map.entries).set(key, { key: written?.key ?? map.span, value: below }) };
}
