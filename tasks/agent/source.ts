/** The source of an agent that is in no package index: a folder of the project's user. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Services } from '../../contract/machine.ts';
import { digestOfTree } from '../../contract/mounted-files.ts';
import type { QuestionKind } from '../../contract/question.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

/** The history of the source, which changes without it. */
export const HISTORY = '.git';

/** Digest of what is in the folder at this path of the project; the fault says that there is none. */
export async function sourceDigest(
  path: string,
  { projectFolder, cache }: Pick<Services, 'projectFolder' | 'cache'>,
): Promise<Result<string, Infra>> {
  const folder = resolve(projectFolder, path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return fault(infra('deployment', `the agent’s source is a folder, and there is none at ${folder}`));
  return success(await digestOfTree(folder, cache.database, HISTORY));
}

/** Asks for the digest of the folder at a path of the project. */
export const AGENT_SOURCE: QuestionKind<string, string> = {
  name: 'agent source',
  // Somebody may write into it.
  changes: true,
  answer: sourceDigest,
};
