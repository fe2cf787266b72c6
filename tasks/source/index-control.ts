/**
 * A control question to a package index that says of something that it is not there. A login page, a wrong address or an
 * index that is being restored say the same. So the index is asked for what it is known to have had, or else for pip.
 */
import { digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { withoutCredentials } from './fault.ts';
import type { Memo } from './memo.ts';

/** Projects that indexes had when they were asked. */
export interface KnownProjects {
  of(index: string): Promise<readonly string[]>;
  add(index: string, project: string): Promise<void>;
}

/** Kept of each index: one of them may be deleted. */
const KEPT = 3;

/** What was seen of indexes, remembered by a memo. */
export function knownProjects(memo: Memo): KnownProjects {
  const nameOf = (index: string) => `index has ${digestOf(withoutCredentials(index))}`;
  const of = async (index: string) => JSON.parse((await memo.get(nameOf(index))) ?? '[]') as string[];
  return {
    of,
    async add(index, project) {
      const known = await of(index);
      if (known.length >= KEPT || known.includes(project)) return;
      await memo.set(nameOf(index), JSON.stringify([...known, project]));
    },
  };
}

/** Every index has it. */
const COMMON = 'pip';

/**
 * Whether the index answers as one: `false` if it has nothing that is known of it, so that this is unknown. A page
 * that is none of an index, and the lack of all that the index had, are faults.
 */
export async function controlIndex(
  index: string,
  known: readonly string[],
  countOf: (project: string) => Promise<Result<number, Infra>>,
): Promise<Result<boolean, Infra>> {
  for (const project of [...known, ...(known.includes(COMMON) ? [] : [COMMON])]) {
    const count = await countOf(project);
    if (!count.ok) return count;
    if (count.value > 0) return success(true);
  }
  if (known.length === 0) return success(false);
  const detail = `${withoutCredentials(index)} does not even have ${known.join(', ')}, which it had before`;
  return fault(infra('package-index', detail));
}

/** The fault where no index that was asked for a project answers as one; null where one of them does. */
export function controlFault(
  project: string,
  ends: readonly { index: string; works: boolean }[],
): Infra | null {
  if (ends.length === 0 || ends.some(({ works }) => works)) return null;
  const named = ends.map(({ index }) => withoutCredentials(index)).join(', ');
  const detail = `${named}: there is neither ${project} nor ${COMMON}, so it may be no package index; see PIP_INDEX_URL`;
  return infra('package-index', detail);
}
