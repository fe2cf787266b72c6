/**
 * The commands that projects/ generates beside those of the systems that it replaces, option by option, and docs/internal/seed-commands.md,
 * which says so. ORIGINALS names a folder with bare repositories of them (`OWNER+NAME/repo`). Every difference needs a reason
 * in seeds.ts. `npm run test:long -- test/projects/seed-commands.long.test.ts -u` writes the page anew.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { Commands } from './commands.ts';
import { besideDefault, besideOriginal, INTRODUCTION } from './seed-page.ts';
import { SYSTEMS } from './seeds.ts';

const ORIGINALS = process.env.ORIGINALS ?? '/nowhere';

test('the page says how commands differ from the originals, and why', async (context) => {
  const commands = new Commands();
  const page = [INTRODUCTION];
  const unexplained: string[] = [];
  for (const system of SYSTEMS) {
    const root = commands.checkout(system, ORIGINALS);
    if (root === null) context.skip(`ORIGINALS has no ${system.repository}`);
    const env = system.env(root!);
    for (const one of system.configurations) {
      const original = commands.ours(one.project, one.profile ?? 'original', env);
      page.push(besideOriginal(one, [commands.theirs(one, root!, env), original], commands, unexplained));
      if (one.script !== undefined)
        page.push(
          besideDefault(one, [original, commands.ours(one.project, null, env)], commands, unexplained),
        );
    }
  }
  expect(unexplained).toEqual([]);
  await expect(`${page.join('\n\n')}\n`).toMatchFileSnapshot(
    join(packageRoot(), 'docs/internal/seed-commands.md'),
  );
});
