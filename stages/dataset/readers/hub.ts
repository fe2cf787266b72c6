/**
 * Datasets of the hub as files: a revision is pinned to a commit, the commit's files are listed, and they are
 * fetched when they are read. What a commit holds never changes, so all of it is remembered: with the files
 * in the cache no network is needed, and a dataset whose rows are in the cache is not even downloaded again.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '../../../basics/digest.ts';
import { mapLimit } from '../../../basics/map-limit.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import { UnreadableFile } from '../../../formats/row.ts';
import type { SourceDeps } from '../../../tasks/source/deps.ts';
import { invalidRow, type SourceFault } from '../../../tasks/source/fault.ts';
import { fileSha256 } from '../../../tasks/source/save-file.ts';
import { type HubFile, hubEndpoint, hubFileHead, hubRevision } from './hub-api.ts';
import { downloadHubFile } from './hub-download.ts';
import { type HubConfig, readConfigs, splitPaths } from './hub-split.ts';
import { kindOf, oneKind, type RowFiles, suffixOf } from './row-files.ts';

/** The files of one split. */
export interface HubDataset {
  /** Where the files are once they are fetched. */
  files: RowFiles;
  /** sha256 of each of `files.paths`. */
  sha256s: string[];
  commit: string;
  /** Fetches what is missing or damaged. */
  fetch(): Promise<Result<null, SourceFault>>;
}

export interface HubAsk {
  /** OWNER/NAME. */
  id: string;
  /** Default: main. */
  revision: string | undefined;
  split: string | undefined;
}

const PARALLEL = 4;
/** Raise it when the same commit would give another listing. */
const LISTING_VERSION = 1;
const COMMIT = /^[0-9a-f]{40}$/;

/** The files of a split, found without fetching the large ones. */
export async function hubDataset(ask: HubAsk, deps: SourceDeps): Promise<Result<HubDataset, SourceFault>> {
  try {
    const commit = await hubCommit(ask, deps);
    if (!commit.ok) return commit;
    const listing = await hubListing(ask.id, commit.value, deps);
    if (!listing.ok) return listing;
    const { files, configs } = listing.value;
    const paths = splitPaths(
      files.map(({ path }) => path),
      configs,
      ask.split,
    );
    const kind = oneKind(paths);
    const chosen = paths.map((path) => files.find((file) => file.path === path)!);
    const named = await mapLimit(chosen, PARALLEL, (file) => withSha256(ask.id, commit.value, file, deps));
    const sha256s: string[] = [];
    for (const sha256 of named) {
      if (!sha256.ok) return sha256;
      sha256s.push(sha256.value);
    }
    const places = paths.map((path, index) => placeOf(path, sha256s[index]!, deps));
    return success({
      files: { kind, paths: places },
      sha256s,
      commit: commit.value,
      fetch: () => fetchMissing(ask.id, commit.value, chosen, sha256s, deps),
    });
  } catch (error) {
    if (error instanceof UnreadableFile) return fault(invalidRow(`dataset ${ask.id}: ${error.message}`));
    throw error;
  }
}

/**
 * The commit that a revision stands for. A branch or tag is looked up once per cache and remembered, so that a
 * dataset stays what it is until the project names another revision; `again` asks the hub anew.
 */
export async function hubCommit(
  { id, revision = 'main' }: Pick<HubAsk, 'id' | 'revision'>,
  deps: SourceDeps,
  again = false,
): Promise<Result<string, SourceFault>> {
  if (COMMIT.test(revision)) return success(revision);
  const name = memoName('revision', hubEndpoint(deps.env), id, revision);
  const known = again ? undefined : await deps.memo.get(name);
  if (known !== undefined) return success(known);
  const found = await hubRevision({ id, revision }, deps);
  if (!found.ok) return found;
  await deps.memo.set(name, found.value.commit);
  return success(found.value.commit);
}

interface Listing {
  /** Files that rows can be read from. */
  files: HubFile[];
  configs: HubConfig[];
}

async function hubListing(
  id: string,
  commit: string,
  deps: SourceDeps,
): Promise<Result<Listing, SourceFault>> {
  const name = memoName('listing', `${LISTING_VERSION}`, id, commit);
  const known = await deps.memo.get(name);
  if (known !== undefined) return success(JSON.parse(known) as Listing);
  const found = await hubRevision({ id, revision: commit }, deps);
  if (!found.ok) return found;
  const readme = found.value.files.find((file) => file.path === 'README.md');
  let configs: HubConfig[] = [];
  if (readme !== undefined) {
    const sha256 = await fetchFile(id, commit, readme, deps);
    if (!sha256.ok) return sha256;
    configs = await readConfigs(await readFile(placeOf(readme.path, sha256.value, deps), 'utf8'));
  }
  const listing: Listing = { files: found.value.files.filter(({ path }) => kindOf(path) !== null), configs };
  await deps.memo.set(name, JSON.stringify(listing));
  return success(listing);
}

/** The file's sha256: as the listing or its headers say it, else by having the file. */
async function withSha256(
  id: string,
  commit: string,
  file: HubFile,
  deps: SourceDeps,
): Promise<Result<string, SourceFault>> {
  if (file.sha256 !== null) return success(file.sha256);
  const name = memoName('file', id, commit, file.path);
  const known = await deps.memo.get(name);
  if (known !== undefined) return success(known);
  const found = file.blob === null ? await hubFileHead(id, commit, file.path, deps) : success(file);
  if (!found.ok) return found;
  const sha256 =
    found.value.sha256 === null
      ? await fetchFile(id, commit, found.value, deps)
      : success(found.value.sha256);
  if (sha256.ok) await deps.memo.set(name, sha256.value);
  return sha256;
}

async function fetchMissing(
  id: string,
  commit: string,
  files: readonly HubFile[],
  sha256s: readonly string[],
  deps: SourceDeps,
): Promise<Result<null, SourceFault>> {
  const fetched = await mapLimit(files, PARALLEL, async (file, index) => {
    const wanted = sha256s[index]!;
    if ((await fileSha256(placeOf(file.path, wanted, deps))) === wanted) return success(wanted);
    return fetchFile(id, commit, { ...file, sha256: wanted }, deps);
  });
  return fetched.find((one) => !one.ok) ?? success(null);
}

async function fetchFile(
  id: string,
  commit: string,
  file: HubFile,
  deps: SourceDeps,
): Promise<Result<string, SourceFault>> {
  const part = join(hubFolder(deps), `${digestOf(JSON.stringify([id, commit, file.path]))}.part`);
  const place = (sha256: string) => placeOf(file.path, sha256, deps);
  return deps.sharedWork.share(`hub ${part}`, () => downloadHubFile({ id, commit, file, part, place }, deps));
}

/** By content, with the ending by which readers recognise it. */
function placeOf(path: string, sha256: string, deps: SourceDeps): string {
  return join(hubFolder(deps), `${sha256}${suffixOf(path)}`);
}

function hubFolder(deps: SourceDeps): string {
  return join(deps.sourcesFolder, 'hub');
}

/** Short, whatever the names are: memos have keys of limited length. */
function memoName(what: string, ...parts: string[]): string {
  return `hub ${what} ${digestOf(JSON.stringify(parts))}`;
}
