/**
 * A key together with the origin (scheme, host and port) that it was written beside. Only a request to that origin gets
 * it: a key is no text that any function may send, and an address that changes in between gets none. It shows itself
 * nowhere, whether printed, logged or written as JSON.
 */
import { inspect } from 'node:util';
import { digestOf } from './digest.ts';

/** Shorter secrets are not looked for in texts. */
const MIN_LENGTH = 4;
/** What people give to servers that want no key: vLLM's and SGLang's guides say EMPTY. */
const MADE_UP = /^(?:empty|none|null|dummy|fake|test|token|secret)$/i;

/** Whether a secret is taken out of texts. One that is short or made up is an ordinary word, which replies and code may hold. */
export function isRedacted(secret: string): boolean {
  return secret.length >= MIN_LENGTH && !MADE_UP.test(secret);
}

export class Credential {
  readonly origin: string;
  readonly #text: string;
  readonly #value: string;

  private constructor(text: string, value: string, address: string) {
    this.#text = text;
    this.#value = value;
    this.origin = new URL(address).origin;
  }

  /** `text` as a bearer token for the origin of `address`. */
  static bearer(text: string, address: string): Credential {
    const key = text.trim();
    return new Credential(key, `Bearer ${key}`, address);
  }

  /** `NAME:PASSWORD` as basic authorisation, anything else as a bearer token. */
  static login(text: string, address: string): Credential {
    if (!text.includes(':')) return Credential.bearer(text, address);
    return new Credential(text, `Basic ${Buffer.from(text).toString('base64')}`, address);
  }

  /** The header with the key for a request to `url`; none when that is another origin. */
  headers(url: string | URL): Record<string, string> {
    return new URL(url).origin === this.origin ? { authorization: this.#value } : {};
  }

  /** `text` with the key replaced, if it is one that is redacted. */
  hide(text: string): string {
    return isRedacted(this.#text) ? text.replaceAll(this.#text, '(key)') : text;
  }

  /** Whether an HTTP header can carry it. */
  get isSendable(): boolean {
    return !/[^\x21-\x7e]/.test(this.#text);
  }

  /** The same for the same key. */
  get digest(): string {
    return digestOf(this.#value);
  }

  toString(): string {
    return `(key of ${this.origin})`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}
