/** Removing what hostile code wrote: closed folders, names that are no text, paths longer than the system takes. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { removeTree } from '../../executors/local/remove-tree.ts';
import { temporaryFolder } from '../rig/folder.ts';

/** 200 folders of 40 letters below each other, closed ones, and names that are no UTF-8, also of a closed folder. */
const MESS = `
mkdir "$(printf 'a\\377')" closed; touch "$(printf 'a\\377/b\\377\\n')" closed/file; mkdir -p closed/below
chmod 0 closed/below closed "$(printf 'a\\377')"
ln -s / root; ln -s . self; mkfifo pipe
for i in $(seq 200); do mkdir 0123456789012345678901234567890123456789; cd 0*; touch file; done
chmod 0 .`;

const removers = {
  node: removeTree,
  python: async (path: string) => {
    const program =
      'import sys; sys.path.insert(0, sys.argv[1]); import removal; removal.remove_tree(sys.argv[2])';
    execFileSync('python3', ['-BEsc', program, join(packageRoot(), 'executors/sandbox'), path]);
  },
};

for (const [name, remove] of Object.entries(removers))
  test(`by ${name}`, async () => {
    const folder = join(temporaryFolder(), 'mess');
    mkdirSync(folder);
    execFileSync('bash', ['-euc', MESS], { cwd: folder, stdio: 'pipe' });
    await remove(folder);
    expect(existsSync(folder)).toBe(false);
  });

test('what is not there is removed already', async () => {
  await expect(removeTree(join(temporaryFolder(), 'nothing'))).resolves.toBeUndefined();
});
