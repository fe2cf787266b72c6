/**
 * Content in pieces: blobs that make it up when they are joined, and a blob that lists them. If one row of sixty
 * thousand changes, one piece and the list are new. Pieces exist only in the cache: users get one file.
 */
import type { Digest } from '../basics/digest.ts';
import { readableText } from '../basics/readable.ts';
import type { Output } from '../schemas/record.ts';
import type { Blob, BlobStore } from './blobs.ts';

/** The pieces in their order as one output; they must be stored already. */
export function storePieces(blobs: BlobStore, pieces: readonly Blob[]): Output {
  const [only, ...others] = pieces;
  if (only !== undefined && others.length === 0)
    return { kind: 'blob', digest: only.digest, size: only.size };
  const lines = pieces.map(({ digest, size }) => `${JSON.stringify([digest, size])}\n`);
  return { kind: 'pieces', ...blobs.write(lines.join('')) };
}

/** The pieces that the list names; null when it is gone or damaged. */
export function readPieces(blobs: BlobStore, list: Digest): Blob[] | null {
  const text = blobs.read(list)?.toString('utf8');
  return text === undefined ? null : parsePieces(text);
}

/** The pieces in the text of a list, which may be damaged: then none. */
export function parsePieces(text: string): Blob[] {
  try {
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => {
      const [digest, size] = JSON.parse(line) as [Digest, number];
      return { digest, size };
    });
  } catch {
    // What is damaged may be any text.
    return [];
  }
}

/** The blobs that an output is made of, their content not checked. */
export function blobsOfOutput({ blobs }: { blobs: BlobStore }, output: Output): Blob[] {
  if (output.kind === 'blob') return [output];
  if (output.kind !== 'pieces') return [];
  return [output, ...parsePieces(readableText(blobs.path(output.digest)))];
}
