/** The validator's findings as diagnostics: what is wrong in the user's words, where, and what to write instead. */

import { closest } from '../basics/suggest.ts';
import type { SchemaError } from '../schemas/generated/validate.js';
import type { DiagnosticSink } from './diagnostic.ts';
import { expand, type Schema, schemaAt, schemaOfChild, typesOf } from './schema.ts';
import { child, find, formatPath, isNull, type MapNode, type Node, type Path, spanOf } from './tree.ts';

interface Finding {
  code: string;
  /** The key or value that is wrong. */
  path: Path;
  at: 'key' | 'value';
  message: string;
  remedy: string | null;
}

/** Reports `errors` about `root` (but not at `silent` places) and returns the paths of the wrong values. */
export function reportSchemaErrors(
  errors: readonly SchemaError[],
  root: Node,
  silent: readonly Path[],
  sink: DiagnosticSink,
): Path[] {
  const wrong: Path[] = [];
  const isKnown = sink.errorsUntilNow();
  for (const error of errors) {
    const path = pathOf(error.instancePath);
    if (silent.some((one) => one.every((key, index) => path[index] === key))) continue;
    const finding = explain(error, path, root);
    if (finding === null) continue;
    const span = spanOf(root, finding.path, finding.at);
    if (!isKnown(span)) sink.add(finding.code, span, finding.message, finding.remedy);
    if (error.keyword !== 'required') wrong.push(finding.path);
  }
  return wrong;
}

/** Reports misspelt top-level keys. Returns the project with each of them under the closest name. */
export function asMeant(root: Node, sink: DiagnosticSink): Node {
  const schema = schemaAt([]);
  if (root.kind !== 'map' || schema === undefined) return root;
  const known = Object.keys(schema.properties ?? {});
  const entries: MapNode['entries'] = new Map();
  for (const [key, entry] of root.entries) {
    const free = known.filter((one) => !root.entries.has(one) && !entries.has(one));
    const near = known.includes(key) ? null : closest(key, free);
    if (near !== null) sink.add('E103', entry.key, `unknown key "${key}"`, `did you mean "${near}"?`);
    entries.set(near ?? key, entry);
  }
  return { ...root, entries };
}

function pathOf(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function explain(error: SchemaError, path: Path, root: Node): Finding | null {
  const schema = schemaAt(path) ?? {};
  const node = find(root, path);
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownKey(path, String(error.params.additionalProperty), schema);
    case 'required':
      return missingKey(path, String(error.params.missingProperty), schema, root);
    case 'propertyNames':
      return wrongName(path, String(error.params.propertyName), schema);
    case 'type':
      return wrongType(path, schema, node);
    case 'enum':
      return unknownValue(path, schema, node);
    case 'const':
      return {
        code: 'E131',
        path,
        at: 'value',
        message: `${nameOf(path)} must be ${schema.const}`,
        remedy: `write ${nameOf(path)}: ${schema.const}`,
      };
    case 'pattern':
      return error.propertyName === undefined ? wrongForm(path, schema, node) : null;
    default:
      return outOfBounds(error, path, schema);
  }
}

function unknownKey(path: Path, key: string, schema: Schema): Finding {
  const known = Object.keys(schema.properties ?? {});
  const near = closest(key, known);
  const inside = known.find((one) => Object.hasOwn(schemaOfChild(schema, one)?.properties ?? {}, key));
  const where = path.length === 0 ? '' : ` in ${formatPath(path)}`;
  let remedy = `known keys${where}: ${known.join(', ')}`;
  if (inside !== undefined) remedy = `did you mean "${inside}.${key}"?`;
  if (near !== null) remedy = `did you mean "${near}"?`;
  return { code: 'E103', path: [...path, key], at: 'key', message: `unknown key "${key}"${where}`, remedy };
}

function missingKey(path: Path, key: string, schema: Schema, root: Node): Finding {
  const parent = find(root, path);
  const written = parent && child(parent, key);
  const { examples, enum: values = [] } = schemaOfChild(schema, key) ?? {};
  const example = examples?.[0] ?? values[0];
  const others = values.filter((value) => value !== example).map(short);
  const or = others.length === 0 ? '' : ` (or ${others.join(', ')})`;
  const write = `${key}: ${example === undefined ? '…' : short(example)}${or}`;
  if (written !== undefined && isNull(written)) {
    return {
      code: 'E104',
      path: [...path, key],
      at: 'key',
      message: `${key} has no value`,
      remedy: `write ${write}`,
    };
  }
  const where = path.length === 0 ? 'the project' : formatPath(path);
  return { code: 'E104', path, at: 'key', message: `${where} has no ${key}`, remedy: `add ${write}` };
}

function wrongName(path: Path, name: string, schema: Schema): Finding {
  const form = expand(schema.propertyNames ?? {})['x-form'] ?? 'another name';
  const message = `"${name}" cannot be a name in ${formatPath(path)}`;
  return { code: 'E106', path: [...path, name], at: 'key', message, remedy: `use ${form}` };
}

function wrongType(path: Path, schema: Schema, node: Node | undefined): Finding {
  const types = typesOf(schema);
  const wanted = types.map((type) => WORDS[type] ?? type).join(' or ');
  const name = schema['x-version'] ?? nameOf(path);
  const isText = types.length === 1 && types[0] === 'string';
  if (isText && node?.kind === 'scalar' && node.value !== null) {
    const text = node.text === '' ? String(node.value) : node.text;
    const reads =
      text === String(node.value)
        ? `${text} is ${KINDS[typeof node.value]}`
        : `${text} reads as the ${typeof node.value} ${node.value}`;
    const code = schema['x-version'] === undefined ? 'E105' : 'E107';
    const message = `${name} must be a string: ${reads}`;
    return { code, path, at: 'value', message, remedy: `write "${text}"` };
  }
  const got = node === undefined ? 'missing' : describe(node);
  const remedy = remedyForType(types, schema, node);
  return { code: 'E105', path, at: 'value', message: `${name} must be ${wanted}, not ${got}`, remedy };
}

function remedyForType(types: string[], schema: Schema, node: Node | undefined): string | null {
  if (node?.kind === 'scalar' && node.value !== null) {
    if (types.includes('array')) return `write [${JSON.stringify(node.value)}]`;
    const quotedNumber = typeof node.value === 'string' && /^-?\d+(\.\d+)?$/.test(node.value);
    if (quotedNumber && (types.includes('integer') || types.includes('number')))
      return `write ${node.value} without quotes`;
    if (types.includes('boolean')) return 'write true or false';
  }
  if (schema.properties !== undefined) return `it may hold ${Object.keys(schema.properties).join(', ')}`;
  const example = schema.examples?.[0];
  return example === undefined ? null : `for example ${short(example)}`;
}

function unknownValue(path: Path, schema: Schema, node: Node | undefined): Finding {
  const value = node?.kind === 'scalar' ? String(node.value) : '';
  const known = schema.enum ?? [];
  const near = closest(value, known);
  const remedy = near === null ? `one of ${known.join(', ')}` : `did you mean "${near}"?`;
  const noun = schema['x-noun'] ?? nameOf(path);
  return { code: 'E102', path, at: 'value', message: `unknown ${noun} "${value}"`, remedy };
}

function wrongForm(path: Path, schema: Schema, node: Node | undefined): Finding {
  const value = node?.kind === 'scalar' ? String(node.value) : '';
  const unit = schema['x-unit'];
  if (unit !== undefined) {
    const [what, remedy] =
      unit === 'seconds'
        ? ['time', 'write 20s, 5m, 2h or a number of seconds']
        : ['size', 'write 512MiB, 4GiB or a number of bytes'];
    return { code: 'E112', path, at: 'value', message: `"${value}" is not a ${what}`, remedy };
  }
  return {
    code: 'E106',
    path,
    at: 'value',
    message: `${nameOf(path)} cannot be "${value}"`,
    remedy: `write ${schema['x-form'] ?? 'another value'}`,
  };
}

function outOfBounds(error: SchemaError, path: Path, schema: Schema): Finding {
  const name = nameOf(path);
  if (error.keyword === 'minProperties')
    return {
      code: 'E106',
      path,
      at: 'key',
      message: `${name} is empty`,
      remedy: `for example ${short(schema.examples?.[0] ?? {})}`,
    };
  const limit = error.params.limit;
  if (error.keyword === 'exclusiveMinimum')
    return {
      code: 'E130',
      path,
      at: 'value',
      message: `${name} must be more than ${limit}`,
      remedy: 'write more, or leave it out',
    };
  return {
    code: 'E106',
    path,
    at: 'value',
    message: `${name} must be at least ${limit}`,
    remedy: `write ${limit} or more`,
  };
}

function nameOf(path: Path): string {
  const last = path.at(-1) ?? 'the project';
  return /^\w+$/.test(last) && !/^\d+$/.test(last) ? last : formatPath(path.slice(-2));
}

function describe(node: Node): string {
  if (node.kind === 'map') return 'a map';
  if (node.kind === 'list') return 'a list';
  return node.value === null
    ? 'empty'
    : typeof node.value === 'string'
      ? `the text "${node.value}"`
      : `${KINDS[typeof node.value]}`;
}

const WORDS: Record<string, string> = {
  string: 'text',
  array: 'a list',
  object: 'a map',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};
const KINDS: Record<string, string> = { number: 'a number', boolean: 'true or false' };

function short(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
