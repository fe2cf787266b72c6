/**
 * The patch of a rollout from trees that git cannot read as they are: pipes and sockets, files without rights, files of
 * terabytes, a repository that leads nowhere. The work beside them is kept, and nothing of it is a fault.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { finalPatch } from '../../agent/finish.ts';
import { success } from '../../basics/result.ts';
import { gradingSandbox, REPOSITORY, sourceLayer } from '../grade/task.ts';

const box = await gradingSandbox();
afterAll(() => box?.cleanup());

const SOLVE = `set -e; sed -i 's/return -1/return 1/' pkg/core.py`;

async function taken(work: string) {
  const view = { layers: [], mounts: [], links: {}, variables: {} };
  const limits = { memory: 1 << 29, pids: 128, disk: 1 << 29 };
  const options = { limits, network: 'off', storage: 'memory' } as const;
  const layer = sourceLayer(REPOSITORY);
  const open = async () => {
    const opened = await box!.deployment.open(view, { layer }, options);
    if (!opened.ok) throw new Error(opened.fault.detail);
    return opened.value;
  };
  const workspace = await open();
  const ran = await workspace.exec(`git rev-parse HEAD; ${SOLVE}; ${work}`, { timeout: 60 });
  if (!ran.ok || ran.value.exitCode !== 0) throw new Error(JSON.stringify(ran));
  const base = ran.value.stdout.trim().split('\n')[0]!;
  const anew = async () => success(await open());
  const final = await finalPatch(workspace, { base, anew }, null, new AbortController().signal);
  await workspace.close();
  if (!final.ok) throw new Error(JSON.stringify(final.fault));
  const { patch, problem, leftOut } = final.value;
  const files = [...patch.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name);
  return { files, problem, leftOut, patch };
}

const UNLINK = 'rm pkg/util.py';
const SOCKET = 'import socket; socket.socket(socket.AF_UNIX).bind';

describe.skipIf(box === null)('the patch of a rollout', () => {
  test.each([
    ['new pipes', 'mkfifo p; mkfifo pkg/p', []],
    ['pipes that git would read', 'mkfifo .gitattributes .gitignore pkg/.gitattributes pkg/.gitignore', []],
    ['a pipe for a file', `${UNLINK}; mkfifo pkg/util.py`, ['pkg/util.py']],
    ['a socket for a file', `${UNLINK}; python3 -c '${SOCKET}("pkg/util.py")'`, ['pkg/util.py']],
    ['a file that nobody may read', 'chmod 000 pkg/util.py', []],
    ['a new file that nobody may read', 'echo x > new; chmod 000 new', ['new']],
    ['a repository of its own below', 'cd pkg; git init -q; echo x > new', ['pkg/new']],
    [
      'rules that hide all',
      `echo '*' > .gitignore; cp .gitignore .git/info/exclude; echo x > new`,
      ['.gitignore', 'new'],
    ],
    [
      'objects that never end',
      'mkdir -p .git/objects/info; ln -s /dev/zero .git/objects/info/alternates',
      [],
    ],
    [
      'pipes for packs',
      'for file in .git/objects/pack/*; do rm -f $file; mkfifo $file; done; echo x > new',
      ['new'],
    ],
  ])('beside %s', async (_what, work, others) => {
    const { files, problem, leftOut } = await taken(work);
    expect(problem).toBeNull();
    expect(leftOut).toEqual([]);
    expect(files.sort()).toEqual([...others, 'pkg/core.py'].sort());
  });

  test('leaves large new files out where they are too many bytes together', async () => {
    const work = 'truncate -s 1T a; truncate -s 900K b; truncate -s 40M c; truncate -s 1T .gitattributes';
    const { files, problem, leftOut } = await taken(work);
    expect(problem).toBeNull();
    expect(leftOut).toEqual(['.gitattributes', 'a', 'c']);
    expect(files).toEqual(['b', 'pkg/core.py']);
  });

  test('holds large new files that are not', async () => {
    const { files, leftOut } = await taken('truncate -s 10M a; truncate -s 20M b');
    expect(leftOut).toEqual([]);
    expect(files).toEqual(['a', 'b', 'pkg/core.py']);
  });

  test('is none where a file of the task was made too large', async () => {
    const { patch, problem } = await taken('truncate -s 1T pkg/util.py');
    expect(patch).toBe('');
    expect(problem).toContain('files were changed to 1099511627776 bytes');
  });

  test('is none where there is more than can be left out', async () => {
    const { patch, problem } = await taken('for at in $(seq 80); do truncate -s 1000K new$at; done');
    expect(patch).toBe('');
    expect(problem).toContain('there are 80 new files of 81920000 bytes');
  });
});
