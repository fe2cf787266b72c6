/**
 * A model that is made from another one, with an address of its own, does not take its secrets along: a key belongs to
 * the origin that it was written beside. A model elsewhere brings its own key, or is asked without one.
 */
import type { ModelConfig } from '../../schemas/generated/project.ts';

/** How a secret begins that is not revealed yet. */
const PLACEHOLDER = '${secret:';

/** Whether a text names a secret of the project. */
export function namesSecret(text: string): boolean {
  return text.includes(PLACEHOLDER);
}

/** `merged`, which was made of `from` and `own`: with the secrets of `from` only if it is asked at the same origin. */
export function withoutForeignKeys(
  merged: ModelConfig,
  from: ModelConfig,
  own: { readonly [key in 'api_key' | 'extra']?: unknown },
): ModelConfig {
  if (placeOf(merged) === placeOf(from)) return merged;
  const { api_key: key, extra, ...rest } = merged;
  const kept = own.extra === undefined ? withoutSecrets(extra) : extra;
  return {
    ...rest,
    ...(own.api_key === undefined || key === undefined ? {} : { api_key: key }),
    ...(kept === undefined ? {} : { extra: kept as NonNullable<ModelConfig['extra']> }),
  };
}

/** The origin where a model is asked; a server that swemake starts is a place of its own. */
function placeOf({ base_url: url, serve }: ModelConfig): string {
  const origin = url === undefined ? '' : new URL(url).origin;
  return serve === undefined ? origin : `served ${origin}`;
}

/** `value` without the texts that name a secret, however deep. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => !isSecret(one)).map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, one]) => !isSecret(one));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutSecrets(one)]));
}

function isSecret(value: unknown): boolean {
  return typeof value === 'string' && namesSecret(value);
}
