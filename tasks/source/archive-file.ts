/** Archives on the disk: downloaded ones are kept by their sha256, local ones are used where they lie. */

import { mkdir, rename, rm } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whenAbsent } from '../../basics/absent.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { absenceOf } from '../../schemas/absence.ts';
import { infra, isFault } from '../../schemas/outcome.ts';
import type { SourceDeps } from './deps.ts';
import { diskFault, notFound, type SourceFault, withoutCredentials } from './fault.ts';
import type { IndexFile } from './package-index.ts';
import { findRelease, releaseName } from './release.ts';
import { fileSha256, saveStream } from './save-file.ts';
import { findSdist } from './sdist.ts';
import type { SourceSpec } from './spec.ts';
import { pageFault } from './web-page.ts';

type Archive = Exclude<SourceSpec, { kind: 'git' }>;
type ArchiveDeps = Pick<
  SourceDeps,
  'sourcesFolder' | 'projectFolder' | 'index' | 'http' | 'signal' | 'temporaryPath' | 'env'
>;

/** The sha256 of what `spec` names now, from the index where it has it, else from the file. */
export async function archiveSha256(spec: Archive, deps: ArchiveDeps): Promise<Result<string, SourceFault>> {
  if (spec.kind === 'pypi') {
    const file = await sdistOf(spec, deps);
    if (!file.ok) return file;
    if (file.value.sha256 !== null) return success(file.value.sha256);
  } else if (spec.kind === 'archive') {
    if (spec.sha256 !== null) return success(spec.sha256);
    const path = localPath(spec.place, deps);
    if (path !== null) return localSha256(path, spec.place);
  }
  return obtain(spec, deps);
}

/** Path of the archive that has exactly this sha256. */
export async function archivePath(
  spec: Archive,
  sha256: string,
  deps: ArchiveDeps,
): Promise<Result<string, SourceFault>> {
  const local = spec.kind === 'archive' ? localPath(spec.place, deps) : null;
  const path = local ?? keptPath(sha256, deps);
  if (local === null && (await fileSha256(path)) === sha256) return success(path);
  const found = local === null ? await obtain(spec, deps) : await localSha256(local, shown(spec));
  if (!found.ok) return found;
  if (found.value === sha256) return success(path);
  return fault(
    infra('source-fetch', `${shown(spec)} has changed: its sha256 is ${found.value}, pinned was ${sha256}`),
  );
}

/** How a message names the archive. */
export function shown(spec: Archive): string {
  if (spec.kind === 'pypi') return `pypi:${spec.name}==${spec.version}`;
  return spec.kind === 'release' ? releaseName(spec) : withoutCredentials(spec.place);
}

/** The source distribution of a version on the package index. */
export async function sdistOf(
  spec: Extract<Archive, { kind: 'pypi' }>,
  deps: ArchiveDeps,
): Promise<Result<IndexFile, SourceFault>> {
  const sought = { kind: 'sdist', project: spec.name, version: spec.version } as const;
  const files = await deps.index.files(spec.name, deps.signal);
  if (!files.ok) return isFault(files.fault) ? files : fault({ ...files.fault, absent: [absenceOf(sought)] });
  const file = findSdist(files.value, spec.name, spec.version);
  if (file !== null) return success(file);
  const detail = `${shown(spec)}: the package index has no source distribution of this version`;
  return fault(notFound(detail, sought));
}

/** Downloads the archive, keeps it under its sha256 and returns that. */
async function obtain(spec: Archive, deps: ArchiveDeps): Promise<Result<string, SourceFault>> {
  const temporary = deps.temporaryPath();
  try {
    await mkdir(join(deps.sourcesFolder, 'archives'), { recursive: true });
    const got = await download(spec, temporary, deps);
    const page = got.ok ? await pageFault(temporary, shown(spec)) : null;
    if (page !== null) return fault(page);
    if (got.ok) await rename(temporary, keptPath(got.value, deps));
    return got;
  } catch (error) {
    return fault(diskFault(error));
  } finally {
    await rm(temporary, { force: true });
  }
}

async function download(
  spec: Archive,
  toPath: string,
  deps: ArchiveDeps,
): Promise<Result<string, SourceFault>> {
  if (spec.kind === 'pypi') {
    const file = await sdistOf(spec, deps);
    return file.ok ? deps.index.download(file.value, toPath, deps.signal) : file;
  }
  const { env, signal } = deps;
  const found =
    spec.kind === 'release'
      ? await findRelease(spec, env, signal)
      : success({ url: spec.place, headers: {}, http: deps.http });
  if (!found.ok) return found;
  const { url, headers, http } = found.value;
  return http.get(url, { signal, headers: () => headers }, async (response) =>
    response.body === null
      ? fault(infra('source-fetch', `${shown(spec)}: an empty answer`))
      : success(await saveStream(response.body, toPath, () => true)),
  );
}

async function localSha256(path: string, place: string): Promise<Result<string, SourceFault>> {
  const sha256 = await fileSha256(path).catch(whenAbsent(null));
  if (sha256 !== null) return success(sha256);
  // It may be there the next time.
  return fault(infra('source-fetch', `archive ${place}: there is no such file`));
}

function keptPath(sha256: string, deps: ArchiveDeps): string {
  return join(deps.sourcesFolder, 'archives', sha256);
}

/** null for what has to be downloaded. */
function localPath(place: string, deps: ArchiveDeps): string | null {
  if (/^https?:\/\//i.test(place)) return null;
  const path = /^file:\/\//i.test(place) ? fileURLToPath(place) : place;
  return isAbsolute(path) ? path : resolve(deps.projectFolder, path);
}
