/** Looks whether a step of a build wrote a secret of its recipe into a file: agents and tests would see it there. */

import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Secrets } from '../../contract/secrets.ts';
import { failed, type Outcome } from '../../schemas/outcome.ts';
import type { BuildStep } from './steps.ts';

/** Larger files are not read; they are archives and libraries. */
const MAX_SIZE = 256 << 20;

/** Whether a recipe's variables have a secret. */
export function hasSecret(env: Readonly<Record<string, string>>, secrets: Secrets): boolean {
  const revealed = secrets.reveal(env);
  return revealed.ok && Object.entries(env).some(([name, value]) => revealed.value[name] !== value);
}

/** The outcome of a step whose files, in `folder` as below /, hold a secret; null: none does. */
export async function writtenSecret(
  { name }: Pick<BuildStep, 'name'>,
  folder: string,
  secrets: Secrets,
): Promise<Outcome | null> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || (await stat(path)).size > MAX_SIZE || !secrets.holds(await readFile(path)))
      continue;
    const what = `${name} wrote a secret of env into /${relative(folder, path)}, where agents and tests would see it`;
    return failed('install-failed', `${what}; the same command has to remove it`);
  }
  return null;
}
