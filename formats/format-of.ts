/** Which dataset an instance is from, by its columns: rows of trainers do not say it. */

import { parseInstanceName, parseMirrorName } from './mirror-name.ts';
import type { RawRow, RowKind } from './row.ts';

/** How an instance's columns look; `source` names the dataset that the trainer's row says it is from. */
export function formatOf(instance: RawRow, source: string): RowKind {
  const { instance_id, repo, image_name } = instance;
  if (['source', 'recipe', 'patch_role'].some((name) => hasValue(instance[name]))) return 'custom';
  const isMirror = typeof repo === 'string' && parseMirrorName(repo) !== null;
  const isSmithId = typeof instance_id === 'string' && parseInstanceName(instance_id) !== null;
  const isSmithImage = typeof image_name === 'string' && image_name.includes('swesmith');
  if (isMirror || isSmithImage || (isSmithId && !hasValue(instance.test_patch))) return 'swe-smith';
  if (hasValue(instance.install_config)) return 'swe-rebench';
  return /gym/i.test(source) ? 'swe-gym' : 'swe-bench';
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
