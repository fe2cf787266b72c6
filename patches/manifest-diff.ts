/** What a task's own patches, the solution and that of its tests, change of some files. */
import type { Instance } from '../schemas/instance.ts';
import { bothNames, type FilePatch } from './patch.ts';
import { placeSections } from './place.ts';
import { readPatch } from './read.ts';
import { goldRole } from './ways.ts';
import { invertPatch, writePatch } from './write.ts';

/** Diffs in the order in which they are applied; empty when none of the files is changed. */
export function ownChanges(
  { patch, patch_role, test_patch }: Pick<Instance, 'patch' | 'patch_role' | 'test_patch'>,
  isWanted: (path: string) => boolean,
): string {
  const gold = placeSections(readPatch(patch).sections, null).files;
  const solving = goldRole(patch_role) === 'reverse' ? (invertPatch(gold) ?? []) : gold;
  const tests = placeSections(readPatch(test_patch).sections, null).files;
  const wanted = (file: FilePatch) => file.content.kind === 'text' && bothNames(file).every(isWanted);
  return writePatch([...solving, ...tests].filter(wanted));
}
