/** The files of a dataset, and the digest of their contents: the only question in a run with nothing to do. */
import { resolve } from 'node:path';
import type { Digest } from '../../../basics/digest.ts';
import { type Result, success } from '../../../basics/result.ts';
import { digestOfList } from '../../../cache/key.ts';
import { isHubId } from '../../../schemas/dataset-source.ts';
import type { DatasetConfig } from '../../../schemas/generated/project.ts';
import type { SourceDeps } from '../../../tasks/source/deps.ts';
import type { SourceFault } from '../../../tasks/source/fault.ts';
import { findRowFiles, type RowFiles } from './row-files.ts';

export interface DatasetFiles extends RowFiles {
  /** Digests of the files, where they are known without reading them. */
  digests?: string[];
  /** Commit of a hub dataset. */
  commit?: string;
  /** Brings files to this disk that are not on it yet. */
  fetch?(): Promise<Result<null, SourceFault>>;
}

/** The files that a dataset consists of. Those of a hub are named here, and come with `fetch`. */
export async function datasetFiles(
  config: Pick<DatasetConfig, 'source' | 'split' | 'revision'>,
  projectFolder: string,
  deps: SourceDeps,
): Promise<Result<DatasetFiles, SourceFault>> {
  const { source, split, revision } = config;
  if (!isHubId(source)) return findRowFiles(resolve(projectFolder, source), split);
  const { hubDataset } = await import('./hub.ts');
  const found = await hubDataset({ id: source, revision, split }, deps);
  if (!found.ok) return found;
  const { files, sha256s, commit, fetch } = found.value;
  return success({ ...files, digests: sha256s, commit, fetch });
}

/** Kinds of files that are read in another way than at first: what stands for them in keys. */
const READER: Partial<Record<DatasetFiles['kind'], string>> = { atif: 'atif 2' };

/** Names the bytes of a dataset, wherever they lie. */
export async function filesDigest(
  files: DatasetFiles,
  fileDigest: (path: string) => Promise<string | null>,
): Promise<Digest> {
  const digests: string[] = [...(files.digests ?? [])];
  for (const path of files.digests === undefined ? files.paths : [])
    digests.push((await fileDigest(path)) ?? 'gone');
  return digestOfList('dataset files', [READER[files.kind] ?? files.kind, files.split ?? '', ...digests]);
}
