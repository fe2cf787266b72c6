/**
 * Composed tree -> plain config: times in seconds, sizes in bytes, paths relative to the project's folder,
 * defaults filled in. The result depends on what the file means only: keys come in the schema's order, names in
 * code-unit order. Beside it, where every value came from.
 */
import { isAbsolute, join, relative } from 'node:path';
import { parseDuration, parseSize } from '../basics/units.ts';
import { isHubId } from '../schemas/dataset-source.ts';
import type { DiagnosticSink } from './diagnostic.ts';
import { PROJECT_SCHEMA, type Schema, schemaOfChild } from './schema.ts';
import { positionOf } from './source-text.ts';
import {
  type Data,
  formatPath,
  isNull,
  type MapEntry,
  type MapNode,
  type Node,
  type Path,
  type Via,
} from './tree.ts';

/** Where a value of the resolved project came from. */
export type Origin =
  | ({ kind: 'file'; file: string; line: number; column: number } & Pick<Via, 'profile' | 'env'>)
  | { kind: 'set'; setting: string; env?: string[] }
  | { kind: 'default' };

export interface Resolved {
  config: Data;
  /** Path of a leaf (`environments.recipes[0].python`) -> its origin. Empty maps and lists are leaves. */
  origins: Map<string, Origin>;
}

/** Resolves a tree; `folder` is the project's. Values that the schema forbids must have been taken out. */
export function resolveTree(root: Node, folder: string, sink: DiagnosticSink): Resolved {
  const resolver = new Resolver(folder, sink);
  const config = resolver.map(PROJECT_SCHEMA, root.kind === 'map' ? root : undefined, []);
  return { config, origins: resolver.origins };
}

class Resolver {
  readonly origins = new Map<string, Origin>();
  readonly #folder: string;
  readonly #sink: DiagnosticSink;

  constructor(folder: string, sink: DiagnosticSink) {
    this.#folder = folder;
    this.#sink = sink;
  }

  /** A map with known keys; without a node it is a default. */
  map(schema: Schema, node: MapNode | undefined, path: Path): Data {
    const config: [string, Data][] = [];
    for (const key of Object.keys(schema.properties ?? {})) {
      const below = schemaOfChild(schema, key)!;
      const written = node?.entries.get(key)?.value;
      const at = [...path, key];
      if (written !== undefined && !isNull(written)) config.push([key, this.#value(below, written, at)]);
      else if (below.default !== undefined) config.push([key, this.#default(below, at)]);
    }
    if (config.length === 0) this.origins.set(formatPath(path), originOf(node));
    return Object.fromEntries(config);
  }

  #value(schema: Schema, node: Node, path: Path): Data {
    if (node.kind === 'map')
      return schema.properties ? this.map(schema, node, path) : this.#names(schema, node, path);
    if (node.kind === 'scalar') return this.#scalar(schema, node, path);
    if (node.items.length === 0) this.origins.set(formatPath(path), originOf(node));
    const below = schemaOfChild(schema, '0') ?? {};
    return node.items.map((item, index) => this.#value(below, item, [...path, `${index}`]));
  }

  #names(schema: Schema, node: MapNode, path: Path): Data {
    const isSet = ([, { value }]: [string, MapEntry]) => schema['x-null'] === 'kept' || !isNull(value);
    const set = [...node.entries].filter(isSet);
    if (set.length === 0) this.origins.set(formatPath(path), originOf(node));
    const sorted = set.sort(([a], [b]) => (a < b ? -1 : 1));
    const below = (key: string) => schemaOfChild(schema, key) ?? {};
    return Object.fromEntries(
      sorted.map(([key, { value }]) => [key, this.#value(below(key), value, [...path, key])]),
    );
  }

  #default(schema: Schema, path: Path): Data {
    if (schema.properties !== undefined) return this.map(schema, undefined, path);
    this.origins.set(formatPath(path), { kind: 'default' });
    const { default: value, 'x-unit': unit } = schema;
    if (unit !== undefined && (typeof value === 'string' || typeof value === 'number'))
      return unit === 'seconds' ? parseDuration(value) : parseSize(value);
    return structuredClone(value!);
  }

  #scalar(schema: Schema, node: Node & { kind: 'scalar' }, path: Path): Data {
    this.origins.set(formatPath(path), originOf(node));
    const { value } = node;
    if (schema['x-unit'] !== undefined && (typeof value === 'string' || typeof value === 'number'))
      return this.#amount(schema['x-unit'], value, node, path);
    if (schema['x-path'] !== undefined && typeof value === 'string')
      return this.#path(schema['x-path'], value, node.span.source.folder ?? this.#folder);
    return value;
  }

  #amount(unit: 'seconds' | 'bytes', value: string | number, node: Node, path: Path): Data {
    const amount = unit === 'seconds' ? parseDuration(value) : parseSize(value);
    if (amount === null)
      this.#sink.add(
        'E112',
        node.span,
        `"${value}" is not a usable ${unit === 'seconds' ? 'time' : 'size'}`,
        null,
      );
    if (amount === 0)
      this.#sink.add('E130', node.span, `${path.at(-1)} must be more than 0`, 'write more, or leave it out');
    return amount;
  }

  /**
   * In the file a relative path starts from the file that names it; in the config all paths start from the project's
   * folder.
   */
  #path(kind: 'path' | 'source' | 'archive', value: string, from: string): string {
    const prefix = kind === 'archive' ? 'archive:' : '';
    const path = value.slice(prefix.length);
    const elsewhere = !value.startsWith(prefix) || /^[a-z][a-z0-9+.-]+:\/\//i.test(path) || isAbsolute(path);
    // A secret holds the content itself.
    if (value.includes('${secret:')) return value;
    if (elsewhere || from === this.#folder || (kind === 'source' && isHubId(value))) return value;
    const moved = join(relative(this.#folder, from), path);
    return prefix + (kind === 'source' && isHubId(moved) ? `./${moved}` : moved);
  }
}

function originOf(node: Node | undefined): Origin {
  if (node === undefined || node.via.isDefault === true) return { kind: 'default' };
  const { env, profile, set } = node.via;
  const inserted = env === undefined ? {} : { env };
  if (set !== undefined) return { kind: 'set', setting: set, ...inserted };
  const position = positionOf(node.span.source, node.span.start);
  const named = profile === undefined ? {} : { profile };
  return { kind: 'file', file: node.span.source.name, ...position, ...named, ...inserted };
}
