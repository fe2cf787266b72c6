/** The code that is mutated, in a folder of its own outside of any cache: a source distribution, or a commit of a repository. */

import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasSucceeded } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { digestOfFile } from '../../cache/blobs.ts';
import type { Locks } from '../../cache/key-lock.ts';
import { infra } from '../../schemas/outcome.ts';

import { invalidRow, type SourceFault } from '../source/fault.ts';
import { exportCommit, type GitDeps, historyMirror, resolveRef } from '../source/git-mirror.ts';
import { git, gitFault, localEnv } from '../source/git-process.ts';
import type { PackageIndex } from '../source/package-index.ts';
import { findRelease, type Release, releaseName } from '../source/release.ts';
import { saveStream } from '../source/save-file.ts';
import { findSdist } from '../source/sdist.ts';
import { unpackArchive } from '../source/unpack.ts';
import { pageFault } from '../source/web-page.ts';
import type { Mutated } from './mutated.ts';

export interface MutatedSource {
  /** The code; it is `testbed` in `layer`. */
  folder: string;
  /** What workspaces show of it. */
  layer: string;
  /** Names what is in it: the digest of an archive, or a commit. */
  identity: string;
  /** How a row names it. */
  facts: { package: string; version: string; sha256: string } | { source: string; version: string };
}

export interface FetchOptions {
  index: PackageIndex;
  env: NodeJS.ProcessEnv;
  /** Relative paths of repositories start here. */
  cwd: string;
  /** Where repositories are kept. */
  sourcesFolder: string;
  locks: Locks;
  signal: AbortSignal;
}

/** Fetches what is mutated below `workFolder`. */
export async function fetchMutated(
  mutated: Mutated,
  workFolder: string,
  { index, env, cwd, sourcesFolder, locks, signal }: FetchOptions,
): Promise<Result<MutatedSource, SourceFault>> {
  await mkdir(join(workFolder, 'source'), { recursive: true });
  if (mutated.kind === 'release') return fetchRelease(mutated, workFolder, env, signal);
  return mutated.kind === 'package'
    ? fetchPackage(mutated.name, mutated.version, workFolder, index, signal)
    : fetchCommit(mutated, workFolder, { env, signal, projectFolder: cwd, sourcesFolder, locks });
}

/** The layer and its only folder. */
function placesIn(workFolder: string): Pick<MutatedSource, 'folder' | 'layer'> {
  const layer = join(workFolder, 'source');
  return { layer, folder: join(layer, 'testbed') };
}

/** Downloads and unpacks `name==version` below `workFolder`. */
async function fetchPackage(
  name: string,
  version: string,
  workFolder: string,
  index: PackageIndex,
  signal: AbortSignal,
): Promise<Result<MutatedSource, SourceFault>> {
  const files = await index.files(name, signal);
  if (!files.ok) return files;
  const sdist = findSdist(files.value, name, version);
  if (sdist === null) {
    return fault(invalidRow(`${name}==${version} has no source distribution on the package index`));
  }
  const archive = join(workFolder, 'sdist');
  const sha256 = await index.download(sdist, archive, signal);
  if (!sha256.ok) return sha256;
  const { layer, folder } = placesIn(workFolder);
  const unpacked = await unpackArchive(archive, folder, sdist.filename);
  if (!unpacked.ok) return unpacked;
  const facts = { package: name, version, sha256: sha256.value };
  return success({ folder, layer, identity: sha256.value, facts });
}

/** Downloads and unpacks a release of another registry. */
async function fetchRelease(
  release: Release,
  workFolder: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Result<MutatedSource, SourceFault>> {
  const found = await findRelease(release, env, signal);
  if (!found.ok) return found;
  const { url, headers, http } = found.value;
  const archive = join(workFolder, 'release');
  const saved = await http.get(url, { signal, headers: () => headers }, async ({ body }) =>
    body === null
      ? fault(infra('source-fetch', `${url}: an empty answer`))
      : success(await saveStream(body, archive, () => true)),
  );
  if (!saved.ok) return saved;
  const { layer, folder } = placesIn(workFolder);
  const name = releaseName(release);
  const page = await pageFault(archive, name);
  if (page !== null) return fault(page);
  const identity = await digestOfFile(archive);
  const unpacked = await unpackArchive(archive, folder, name);
  return unpacked.ok
    ? success({ folder, layer, identity, facts: { source: name, version: release.version } })
    : unpacked;
}

/** The files as a build gets them, and the history that tools ask for a version. */
async function fetchCommit(
  { url, ref, source }: Extract<Mutated, { kind: 'repository' }>,
  workFolder: string,
  deps: GitDeps,
): Promise<Result<MutatedSource, SourceFault>> {
  const commit = await resolveRef(url, ref, deps);
  if (!commit.ok) return commit;
  const mirror = await historyMirror(url, commit.value, deps);
  if (!mirror.ok) return mirror;
  const { layer, folder } = placesIn(workFolder);
  const exported = await exportCommit(url, commit.value, folder, deps);
  if (!exported.ok) return exported;
  const clone = join(workFolder, 'clone');
  const steps = [
    ['clone', '-q', '--no-checkout', '--', mirror.value, clone],
    ['-C', clone, 'update-ref', '--no-deref', 'HEAD', commit.value],
    ['-C', clone, 'reset', '-q', '--mixed'],
  ];
  for (const args of steps) {
    const end = await git(args, { env: localEnv(deps.env), signal: deps.signal });
    if (!hasSucceeded(end)) return fault(gitFault(end, `git ${args.join(' ')}`));
  }
  await rename(join(clone, '.git'), join(folder, '.git'));
  const at = commit.value;
  const facts = { source: `git+${source}@${at}`, version: at.slice(0, 8) };
  return success({ folder, layer, identity: at, facts });
}
