/**
 * Brings a file of the hub to this disk, checked against what the hub says it is. An interrupted download continues where
 * it ended, also after the process was killed; a file is at its place only when it is whole.
 */
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fault, type Result, success } from '../../../basics/result.ts';
import { type Locks, sourceLock } from '../../../cache/key-lock.ts';
import { infra, isFault } from '../../../schemas/outcome.ts';
import { diskFault, type SourceFault } from '../../../tasks/source/fault.ts';
import { type HubDeps, type HubFile, hubFileUrl, hubGet } from './hub-api.ts';

export interface Download {
  id: string;
  commit: string;
  file: HubFile;
  /** Where the unfinished file is kept, the same for the same file. */
  part: string;
  /** Where the whole file goes, by its sha256. */
  place: (sha256: string) => string;
}

/** Downloads of a file whose content was wrong, before it is given up. */
const TRIES = 2;

/** Downloads the file and returns its sha256. One process at a time works on a file. */
export async function downloadHubFile(
  job: Download,
  deps: HubDeps & { locks: Locks },
): Promise<Result<string, SourceFault>> {
  await mkdir(dirname(job.part), { recursive: true });
  const cancelled = infra('cancelled', `${job.id}: the download of ${job.file.path} was cancelled`);
  const lock = await deps.locks.wait(sourceLock(job.part), deps);
  if (lock === null) return fault(cancelled);
  try {
    for (let count = 1; ; count++) {
      const got = await fillPart(job, deps);
      if (!got.ok) return got;
      const { sha256, problem } = await checkPart(job);
      if (problem === null) {
        await rename(job.part, job.place(sha256));
        return success(sha256);
      }
      await rm(job.part, { force: true });
      if (count === TRIES) return fault(infra('source-fetch', `${job.id}: ${job.file.path} ${problem}`));
    }
  } catch (error) {
    return fault(diskFault(error));
  } finally {
    lock.unlock();
  }
}

/** Goes on while each connection brings something; the client has its own tries for those that bring nothing. */
async function fillPart(job: Download, deps: HubDeps): Promise<Result<null, SourceFault>> {
  const { id, commit, file, part } = job;
  const url = hubFileUrl(id, commit, file.path, deps.env);
  const range = (): Record<string, string> => {
    const from = resumeAt(job);
    // A range counts the bytes that are sent, and those must not be packed ones.
    return { 'accept-encoding': 'identity', ...(from === 0 ? {} : { range: `bytes=${from}-` }) };
  };
  for (;;) {
    const before = resumeAt(job);
    if (file.size !== null && before === file.size && before > 0) return success(null);
    const got = await hubGet(url, { id, revision: commit }, deps, { more: range }, async (response) => {
      const flags = response.status === 206 && isAt(response.headers.get('content-range'), job) ? 'a' : 'w';
      await append(response.body ?? [], part, flags);
      return success(null);
    });
    const isCut = !got.ok && isFault(got.fault) && got.fault.reason === 'network';
    if (isCut && resumeAt(job) > before) continue;
    return got;
  }
}

/** Writes piece by piece, so that a connection that breaks loses nothing of what came before. */
async function append(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
  flags: 'a' | 'w',
): Promise<void> {
  const file = await open(path, flags);
  try {
    for await (const piece of bytes) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Bytes that are there already; 0 where it is unknown whether they are the beginning of the file. */
function resumeAt({ file, part }: Download): number {
  const size = statSync(part, { throwIfNoEntry: false })?.size ?? 0;
  return file.size !== null && size <= file.size ? size : 0;
}

/** A server may answer with another range than it was asked for. */
function isAt(range: string | null, job: Download): boolean {
  return Number(/^bytes (\d+)-/.exec(range ?? '')?.[1]) === resumeAt(job);
}

/** What is wrong with the finished part, or null. */
async function checkPart({ file, part }: Download): Promise<{ sha256: string; problem: string | null }> {
  const { size } = statSync(part);
  const [sha256Hash, blobHash] = [createHash('sha256'), createHash('sha1').update(`blob ${size}\0`)];
  for await (const bytes of createReadStream(part)) {
    sha256Hash.update(bytes as Buffer);
    blobHash.update(bytes as Buffer);
  }
  const [sha256, blob] = [sha256Hash.digest('hex'), blobHash.digest('hex')];
  if (file.size !== null && file.size !== size)
    return { sha256, problem: `has ${size} bytes, the hub says ${file.size}` };
  if (file.sha256 !== null && file.sha256 !== sha256)
    return { sha256, problem: `has the sha256 ${sha256}, the hub says ${file.sha256}` };
  if (file.sha256 === null && file.blob !== null && file.blob !== blob)
    return { sha256, problem: `has the git object id ${blob}, the hub says ${file.blob}` };
  return { sha256, problem: null };
}
