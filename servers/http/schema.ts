/** Pieces of the schemas of bodies and answers. */
import type { Json } from '../../basics/canonical.ts';

/** Texts for programs cannot contain a NUL character. */
export const TEXT: Json = { type: 'string', pattern: '^[^\\u0000]*$' };
export const NAME: Json = { type: 'string', minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]+$' };
export const PATH: Json = { type: 'string', minLength: 1, maxLength: 4096, pattern: '^/[^\\u0000]*$' };

/** Seconds; whole numbers may come as text. */
export const SECONDS: Json = {
  anyOf: [
    { type: 'number', exclusiveMinimum: 0, maximum: 604_800 },
    { type: 'string', pattern: '^[1-9][0-9]{0,5}$' },
  ],
};

/** Null stands for none. */
export const VARIABLES: Json = {
  type: ['object', 'null'],
  propertyNames: { pattern: '^[^=\\u0000]+$' },
  additionalProperties: { type: ['string', 'number', 'boolean'], pattern: '^[^\\u0000]*$' },
};

/**
 * What a machine must have to be given a container: the backend that `serve node --backend` named, and its processor
 * architecture.
 */
export const NEEDS: Json = {
  type: 'object',
  properties: { architecture: NAME, backend: NAME, held: { type: 'object', additionalProperties: NAME } },
  required: ['architecture', 'backend'],
};

/** Requirements for a machine. */
export interface Needs {
  architecture: string;
  backend: string;
  /** How each limit is enforced, since an answer may depend on that. */
  held?: Readonly<Record<string, string>>;
}

/** The requirements that a machine does not meet; null: it meets all. What it does not report counts as met. */
export function unmet(own: Needs, needs: Needs): string | null {
  if (own.backend !== needs.backend || own.architecture !== needs.architecture)
    return `it opens containers with ${own.backend} on ${own.architecture || 'another one'}, and ${needs.backend} on ${needs.architecture} is asked for`;
  for (const [name, value] of Object.entries(needs.held ?? {})) {
    const actual = own.held?.[name] ?? value;
    if (actual !== value) return `${name} is ${actual} there, and ${value} is asked for`;
  }
  return null;
}

export const OK: Json = { type: 'object', required: ['ok'], properties: { ok: { const: true } } };

/** An object with these keys; those of `required` must be there. Further keys are let through and have no effect. */
export function objectOf(properties: Readonly<Record<string, Json>>, required: readonly string[] = []): Json {
  return { type: 'object', properties: { ...properties }, required: [...required] };
}

/** An answer with these keys beside `ok`. */
export function answerOf(properties: Readonly<Record<string, Json>>): Json {
  return objectOf({ ok: { const: true }, ...properties }, ['ok', ...Object.keys(properties)]);
}

export function secondsOf(value: unknown, otherwise: number): number {
  return value === undefined ? otherwise : Number(value);
}

export function textOf(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

export function variablesOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)]));
}
