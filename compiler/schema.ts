/**
 * The project schema as data, for what validation alone does not give: which keys a place knows, their defaults,
 * units and marks. The schema keeps to a small part of JSON Schema, so that a place has one description.
 */
import schemaFile from '../schemas/project.schema.json' with { type: 'json' };
import type { Data, Path } from './tree.ts';

export interface Schema {
  $ref?: string;
  /** One reference, to which this schema adds. */
  allOf?: Schema[];
  type?: string | string[];
  description?: string;
  enum?: string[];
  const?: unknown;
  default?: Data;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  required?: string[];
  minimum?: number;
  examples?: Data[];
  /** What the allowed values are called in messages. */
  'x-noun'?: string;
  /** What the pattern asks for, in words. */
  'x-form'?: string;
  'x-unit'?: 'seconds' | 'bytes';
  /** kept: a name with null means something, and is no name that is left out. */
  'x-null'?: 'kept';
  /** May hold `${secret:NAME}`. */
  'x-secret'?: boolean;
  /** Text that is often written as a number by mistake, and what it is called. */
  'x-version'?: string;
  /** What each kind of executor can do, see executors/definition.ts. */
  'x-kinds'?: Data;
  /** Flags that are known, with what their values are; null for one that stands by itself. */
  'x-flags'?: Record<string, string | null>;
  /** What to do in place of some other flags. */
  'x-elsewhere'?: Record<string, string>;
  /** Relative to the file that names it; `source` only when it is no hub id, `archive` only behind `archive:`. */
  'x-path'?: 'path' | 'source' | 'archive';
}

interface SchemaFile extends Schema {
  definitions: Record<string, Schema>;
}

// The cast is the one place where the file's literal type becomes the general one.
const file = schemaFile as unknown as SchemaFile;

/** The schema of a whole project. */
export const PROJECT_SCHEMA: Schema = file;

/** The keys with `x-secret`, for messages. */
export const SECRET_KEYS =
  'environments.recipes[].env, model.api_key, model.extra, cache.remote.token and token of a deployment';

/** The schema of one profile. */
export const PROFILE_SCHEMA: Schema = expand({ $ref: '#/definitions/profile' });

/** A schema with its reference followed; its own keywords win. */
export function expand(schema: Schema): Schema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference === undefined) return schema;
  const target = expand(file.definitions[reference.slice('#/definitions/'.length)]!);
  const { $ref: _reference, allOf: _references, ...own } = schema;
  return { ...target, ...own };
}

/** The schema of the values below `key`; undefined where nothing is allowed. */
export function schemaOfChild(schema: Schema, key: string): Schema | undefined {
  const properties = schema.properties;
  if (properties !== undefined && Object.hasOwn(properties, key)) return expand(properties[key]!);
  if (typeof schema.additionalProperties === 'object') return expand(schema.additionalProperties);
  if (schema.additionalProperties === true) return freeForm(schema);
  return schema.items === undefined ? undefined : expand(schema.items);
}

/** Below a map that takes anything, anything goes, however deep; secrets where the map takes them. */
function freeForm(schema: Schema): Schema {
  return { additionalProperties: true, ...(schema['x-secret'] === true ? { 'x-secret': true } : {}) };
}

export function schemaAt(path: Path): Schema | undefined {
  let schema: Schema | undefined = PROJECT_SCHEMA;
  for (const key of path) schema = schema && schemaOfChild(schema, key);
  return schema;
}

/** The schema's `type` as a list. */
export function typesOf(schema: Schema): string[] {
  return schema.type === undefined ? [] : [schema.type].flat();
}
