/** The tokenizer that a project names for its model. */
import { resolve } from 'node:path';
import { type ModelTokenizer, readTokenizer } from '../../agent/tokens/tokenizer.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ResolvedProject } from '../../compiler/load.ts';

/** null: it names none. The fault says why it cannot be read. */
export async function tokenizerOf({
  config,
  folder,
}: ResolvedProject): Promise<Result<ModelTokenizer | null, string>> {
  const path = config.agent?.model?.tokenizer;
  if (path === undefined) return success(null);
  try {
    return success(await readTokenizer(resolve(folder, path)));
  } catch (error) {
    return fault(`agent.model.tokenizer ${path} cannot be read: ${(error as Error).message}`);
  }
}
