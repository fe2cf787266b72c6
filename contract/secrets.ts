/**
 * Secrets of a project: placeholders in its configuration, values only in the environment of this process. They
 * are put in where a command is run, and taken out of everything that is written down.
 */

import { isRedacted } from '../basics/credential.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { type Infra, infra } from '../schemas/outcome.ts';

export interface Secrets {
  /** `values` with every placeholder replaced; a fault names the variable that is not set. */
  reveal(values: Readonly<Record<string, string>>): Result<Record<string, string>, Infra>;
  /** `text` with the value of every secret that is redacted replaced by its placeholder. */
  redact(text: string): string;
  /** True when one of them stands in these bytes. */
  holds(bytes: Uint8Array): boolean;
}

/** Values shorter than this are not looked for in bytes of any kind, where they stand by chance. */
const SHORTEST_IN_BYTES = 8;

/** `value` with every placeholder in its texts replaced, however deep. */
export function revealIn<T>(value: T, secrets: Pick<Secrets, 'reveal'>): Result<T, Infra> {
  let missing: Infra | null = null;
  const visit = (one: unknown): unknown => {
    if (typeof one === 'string') {
      const revealed = secrets.reveal({ one });
      if (revealed.ok) return revealed.value.one;
      missing ??= revealed.fault;
      return one;
    }
    if (Array.isArray(one)) return one.map(visit);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, below]) => [key, visit(below)]));
  };
  const done = visit(value) as T;
  return missing === null ? success(done) : fault(missing);
}

/**
 * `placeholders` maps the text in the configuration to a variable's name. `withheld` says why none is revealed; null:
 * they are.
 */
export function createSecrets(
  placeholders: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
  withheld: string | null = null,
): Secrets {
  const known = [...placeholders].map(([placeholder, name]) => ({ placeholder, name, value: env[name] }));
  return {
    reveal(values) {
      const revealed: Record<string, string> = {};
      for (const [key, text] of Object.entries(values)) {
        let value = text;
        for (const secret of known) {
          if (!value.includes(secret.placeholder)) continue;
          if (withheld !== null) return fault(infra('secret-missing', `${withheld} (${secret.name})`));
          if (secret.value === undefined)
            return fault(infra('secret-missing', `the variable ${secret.name} is not set; export it`));
          value = value.replaceAll(secret.placeholder, secret.value);
        }
        revealed[key] = value;
      }
      return success(revealed);
    },
    redact(text) {
      let clean = text;
      for (const { placeholder, value } of known) {
        if (value === undefined || !isRedacted(value)) continue;
        clean = clean.replaceAll(value, placeholder);
        // As JSON writes it.
        clean = clean.replaceAll(JSON.stringify(value).slice(1, -1), placeholder);
      }
      return clean;
    },
    holds(bytes) {
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return known.some(
        ({ value }) =>
          value !== undefined &&
          value.length >= SHORTEST_IN_BYTES &&
          (content.includes(value) || content.includes(JSON.stringify(value).slice(1, -1))),
      );
    },
  };
}
