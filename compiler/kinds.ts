/**
 * What the schema says about the kinds of executors. Checks ask here what a deployment's type can do, and never
 * compare its name.
 */
import type { KindFacts } from '../executors/definition.ts';
import { type Isolation, isIsolatedEnough } from '../executors/deployment.ts';
import { schemaAt } from './schema.ts';

export type { KindFacts };

const TYPE = schemaAt(['deployments', 'any', 'type'])!;
const KINDS = TYPE['x-kinds'] as unknown as Record<string, KindFacts>;

/** The type of a deployment that names none. */
export const DEFAULT_TYPE = TYPE.default as string;

/** Undefined for an unknown type; the check by the schema has reported it. */
export function kindOf(type: unknown): KindFacts | undefined {
  return typeof type === 'string' && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
}

/**
 * The types that do it, for a remedy: `use type: sandbox`. A choice is left out where others do it too, since it may come
 * to another.
 */
export function typesThat(does: (kind: KindFacts) => boolean): string {
  const all = Object.keys(KINDS).filter((name) => does(KINDS[name]!));
  const plain = all.filter((name) => !KINDS[name]!.isChoice);
  const names = plain.length > 0 ? plain : all;
  const last = names.at(-1);
  return names.length < 2 ? `type: ${last}` : `type: ${names.slice(0, -1).join(', ')} or ${last}`;
}

/** Whether what runs on a deployment of this type is surely isolated less than `least`. */
export function isWeaker(type: unknown, least: Isolation): boolean {
  const kind = kindOf(type);
  return kind !== undefined && !isIsolatedEnough(kind.isolation, least);
}

export function typesAsIsolatedAs(least: Isolation): string {
  return typesThat(({ isolation }) => isIsolatedEnough(isolation, least));
}
