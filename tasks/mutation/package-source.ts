/** Fetches the source distribution of a package into a folder of its own, outside of any cache. */
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { invalidRow, type SourceFault } from '../source/fault.ts';
import type { PackageIndex } from '../source/package-index.ts';
import { findSdist } from '../source/sdist.ts';
import { unpackArchive } from '../source/unpack.ts';

export interface PackageSource {
  folder: string;
  /** Of the source distribution. */
  sha256: string;
}

/** Downloads and unpacks `name==version` below `workFolder`. */
export async function fetchPackage(
  name: string,
  version: string,
  workFolder: string,
  index: PackageIndex,
  signal?: AbortSignal,
): Promise<Result<PackageSource, SourceFault>> {
  const files = await index.files(name, signal);
  if (!files.ok) return files;
  const sdist = findSdist(files.value, name, version);
  if (sdist === null) {
    return fault(invalidRow(`${name}==${version} has no source distribution on the package index`));
  }
  const archive = join(workFolder, 'sdist');
  const sha256 = await index.download(sdist, archive, signal);
  if (!sha256.ok) return sha256;
  const folder = join(workFolder, 'source');
  const unpacked = await unpackArchive(archive, folder, sdist.filename);
  return unpacked.ok ? success({ folder, sha256: sha256.value }) : unpacked;
}
