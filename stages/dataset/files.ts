/** The files behind a dataset, and the digest that names their contents: all that a run with nothing to do asks. */
import { resolve } from 'node:path';
import { digestOfList } from '../../cache/key.ts';
import type { Digest } from '../../schemas/digest.ts';
import type { DatasetConfig } from '../../schemas/generated/project.ts';
import type { Result } from '../../schemas/result.ts';
import type { InvalidRow } from '../source/fault.ts';
import { findRowFiles, type RowFiles } from './row-files.ts';

/** The files that a dataset consists of. */
export function datasetFiles(
  config: DatasetConfig,
  projectFolder: string,
): Promise<Result<RowFiles, InvalidRow>> {
  return findRowFiles(resolve(projectFolder, config.source), config.split);
}

/** Names the bytes of a dataset, wherever they lie. */
export async function filesDigest(
  files: RowFiles,
  fileDigest: (path: string) => Promise<string | null>,
): Promise<Digest> {
  const digests: string[] = [];
  for (const path of files.paths) digests.push((await fileDigest(path)) ?? 'gone');
  return digestOfList('dataset files', [files.kind, files.split ?? '', ...digests]);
}
