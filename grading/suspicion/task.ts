/** What judging a patch's code needs to know of its task. */
import type { CodeDoubts } from '../../ecosystems/doubts.ts';
import { placeSections } from '../../patches/place.ts';
import { readPatch } from '../../patches/read.ts';
import { invertPatch } from '../../patches/write.ts';
import { type Instance, listedTests } from '../../schemas/instance.ts';
import type { SuspicionTask } from './suspicion.ts';

export function suspicionTask(instance: Instance, doubts?: CodeDoubts): SuspicionTask {
  const { patch, patch_role, test_patch, problem_statement } = instance;
  const { files } = placeSections(readPatch(patch).sections, null);
  return {
    listed: listedTests(instance),
    solution: (patch_role === 'bug' ? invertPatch(files) : files) ?? [],
    testText: test_patch,
    issue: problem_statement,
    doubts,
  };
}
