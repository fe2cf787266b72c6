/**
 * A key together with the origin (scheme, host and port) that it was written beside. Only a request to that origin gets
 * it: a key is no text that any function may send, and an address that changes in between gets none. It shows itself
 * nowhere, whether printed, logged or written as JSON.
 */
import { inspect } from 'node:util';
import { digestOf } from './digest.ts';

/** Shorter secrets are not looked for in texts: they would hide ordinary words. */
export const SHORTEST_SECRET = 4;

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

  /** `text` with the key replaced, unless the key is too short. */
  hide(text: string): string {
    return this.#text.length < SHORTEST_SECRET ? text : text.replaceAll(this.#text, '(key)');
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
