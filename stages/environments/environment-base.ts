/**
 * What the environments of a deployment are built on: the machine's own system, one root file system for all of them, or
 * the image that each row names.
 */
import { success } from '../../basics/result.ts';
import type { DatasetConfig } from '../../contract/config.ts';
import type { QuestionKind } from '../../contract/question.ts';
import { parseBase } from '../../tasks/base/spec.ts';

export type EnvironmentBase =
  | { kind: 'host' | 'own' }
  /** How rows name their images depends on the dataset's format and source. */
  | ({ kind: 'row' } & Pick<DatasetConfig, 'format' | 'inner' | 'source'>);

export const ENVIRONMENT_BASE: QuestionKind<{ deployment: string; dataset: string }, EnvironmentBase> = {
  name: 'environment base',
  changes: false,
  async answer({ deployment, dataset }, { config }) {
    const { kind } = parseBase(config.deployments[deployment]!.base)!;
    if (kind !== 'row') return success({ kind: kind === 'host' ? 'host' : 'own' });
    const { format, inner, source } = config.dataset[dataset]!;
    return success({ kind, format, ...(inner === undefined ? {} : { inner }), source });
  },
};
