/**
 * What a task hides: contents of files with its solution or its hidden tests, and what replaces them. A copy is
 * recognised by its content, at any path and with any name.
 */
import { basename } from 'node:path';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { crc32 } from '../source/crc32.ts';
import { objectId } from '../source/git-object.ts';
import type { Change } from './scratch.ts';
import { fileBytes } from './tree.ts';

export interface Secret {
  /** Where the repository has it, once the task is solved. */
  path: string;
  content: Buffer;
  /** What the task's own state has there; null: nothing. */
  substitute: Buffer | null;
  /** A test that is restored before tests are run, or a file that an agent is to change. */
  kind: 'solution' | 'test';
  sha256: Digest;
  crc: number;
  /** Its name as an object of git. */
  blob: string;
}

/** Shorter contents also occur in unrelated files. */
const MIN_CHARACTERS = 64;

export function secretOf(
  kind: Secret['kind'],
  path: string,
  content: Buffer,
  substitute: Buffer | null,
): Secret {
  const names = { sha256: digestOf(content), crc: crc32(content), blob: objectId('blob', content) };
  return { kind, path, content, substitute, ...names };
}

/** Secrets of files that differ between the task's state and the solved one; `solved` says which side of a change that is. */
export function secretsOf(
  kind: Secret['kind'],
  changes: readonly Change[],
  solved: 'before' | 'after',
): Secret[] {
  const task = solved === 'before' ? 'after' : 'before';
  return changes.flatMap((change) => {
    const content = fileBytes(change[solved]);
    const substitute = fileBytes(change[task]);
    if (content === null || substitute?.equals(content) === true) return [];
    return [secretOf(kind, change.path, content, substitute)];
  });
}

/** Finds the secret that a file is a copy of. */
export class Secrets {
  readonly all: readonly Secret[];
  readonly #byDigest = new Map<Digest, Secret[]>();
  readonly #sizes = new Set<number>();

  /** `known`: contents that the task shows anyway, for example if the solution moves a file. */
  constructor(all: readonly Secret[], known: readonly Buffer[]) {
    const shown = new Set(known.map((content) => digestOf(content)));
    this.all = all.filter((secret) => !shown.has(secret.sha256));
    for (const secret of this.all) {
      this.#sizes.add(secret.content.length);
      this.#byDigest.set(secret.sha256, [...(this.#byDigest.get(secret.sha256) ?? []), secret]);
    }
  }

  /** False for most files, at no cost. */
  hasSize(size: number): boolean {
    return this.#sizes.has(size);
  }

  bySha256(path: string, sha256: Digest): Secret | null {
    const found = this.#byDigest.get(sha256);
    return found === undefined ? null : (best(found, path) ?? null);
  }

  byContent(path: string, bytes: Buffer): Secret | null {
    if (!this.hasSize(bytes.length)) return null;
    return this.bySha256(path, digestOf(bytes));
  }

  /** By what the directory of a zip archive says. */
  byCrc(path: string, size: number, crc: number): Secret | null {
    if (!this.hasSize(size)) return null;
    return (
      best(
        this.all.filter((secret) => secret.crc === crc && secret.content.length === size),
        path,
      ) ?? null
    );
  }

  /** The secret that a compiled file was made from, by its name and the header that Python gives it. */
  byBytecode(path: string, head: Buffer): Secret | null {
    const stem = basename(path).split('.')[0]!;
    return (
      this.all.find((secret) => {
        if (basename(secret.path) !== `${stem}.py`) return false;
        const source = `${path.replace(/__pycache__\/[^/]+$/, '').replace(/[^/]+$/, '')}${stem}.py`;
        // Compiled by hash: nothing says how long the source was.
        if (head.length < 16 || (head.readUInt32LE(4) & 1) === 1) return sharedTail(source, secret.path) > 1;
        return head.readUInt32LE(12) === secret.content.length;
      }) ?? null
    );
  }
}

/** Of equal contents the one whose path is most alike, when the content or the name says enough. */
function best(found: readonly Secret[], path: string): Secret | undefined {
  return found
    .map((secret) => ({ secret, tail: sharedTail(path, secret.path) }))
    .sort((a, b) => b.tail - a.tail)
    .find(({ secret, tail }) => {
      if (tail > 1) return true;
      const length = secret.content.toString('latin1').trim().length;
      return length > 0 && (tail === 1 || length >= MIN_CHARACTERS);
    })?.secret;
}

/** How many parts two paths have in common at their ends. */
export function sharedTail(a: string, b: string): number {
  const [left, right] = [a.split('/').reverse(), b.split('/').reverse()];
  const differ = left.findIndex((part, index) => part !== right[index]);
  return differ === -1 ? left.length : differ;
}
