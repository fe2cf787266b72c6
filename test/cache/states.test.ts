/** First states on the disk: made once, by whoever comes first; bounded; never taken from under a workspace. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { fault, success } from '../../basics/result.ts';
import { type Cache, openCache } from '../../cache/cache.ts';
import { collectGarbage } from '../../cache/gc.ts';
import { repairCache, verifyCache } from '../../cache/verify.ts';
import { buildWorker } from '../faults/program.ts';
import { temporaryFolder } from '../rig/folder.ts';

const MIB = 1 << 20;
const SIZE = 100_000;

const program = buildWorker('test/cache/states-program.ts');
afterAll(() => rmSync(program, { force: true }));

let root: string;
let cache: Cache;
const children: ChildProcess[] = [];
beforeEach(async () => {
  root = join(temporaryFolder(), 'cache');
  cache = await openCache(root);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await cache.close();
});

let made: string[] = [];
/** The state with this name; `made` tells of those that had to be made. */
async function obtain(name: string, bound = MIB) {
  const state = await cache.states.obtain<never>(digestOf(name), bound, async (into) => {
    made.push(name);
    mkdirSync(join(into, 'tree/testbed'), { recursive: true });
    mkdirSync(join(into, 'withheld'));
    writeFileSync(join(into, 'tree/testbed/a.txt'), name.repeat(SIZE));
    writeFileSync(join(into, 'tree/testbed/two\nlines'), '');
    return success(name);
  });
  if (!state.ok) throw new Error('no state');
  return state.value;
}
beforeEach(() => {
  made = [];
});

const folderOf = (name: string) => join(root, 'states', digestOf(name));
const used = (name: string, hoursAgo: number) => {
  const time = new Date(Date.now() - hoursAgo * 3600_000);
  utimesSync(join(folderOf(name), 'description.json'), time, time);
};

/** Another process, and what it says. */
function other(
  name: string,
  bound = MIB,
  pause = 0,
  env = {},
): { child: ChildProcess; said(word: string): Promise<string> } {
  const child = spawn(process.execPath, [program, root, name, `${bound}`, `${pause}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  let text = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const said = async (word: string): Promise<string> => {
    while (!text.includes(word)) await once(child.stdout!, 'data');
    return text;
  };
  return { child, said };
}

describe('a state', () => {
  test('is made once for all who ask', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => obtain('x')));
    expect(made).toEqual(['x']);
    expect(new Set(all.map(({ folder }) => folder))).toEqual(new Set([folderOf('x')]));
    expect((await obtain('x')).description).toBe('x');
  });

  test('that cannot be made leaves nothing, and is tried again', async () => {
    const refused = await cache.states.obtain(digestOf('x'), MIB, async () => fault('no'));
    expect(refused).toEqual({ ok: false, fault: 'no' });
    expect([readdirSync(join(root, 'tmp')), readdirSync(join(root, 'locks'))]).toEqual([[], []]);
    expect((await obtain('x')).description).toBe('x');
  });

  test('is made by one of two processes', async () => {
    const [one, two] = [other('x', MIB, 300), other('x', MIB, 300)];
    const said = await Promise.all([one.said(root), two.said(root)]);
    expect(said.filter((text) => text.includes('making'))).toHaveLength(1);
    expect(said.filter((text) => text.includes('found x'))).toHaveLength(1);
    await obtain('x');
    expect(made).toEqual([]);
  });

  test('in the making when its process is killed is made by the one that waits', async () => {
    const first = other('x', MIB, 60_000);
    await first.said('making');
    const second = other('x');
    first.child.kill('SIGKILL');
    expect(await second.said(root)).toContain('made x');
    second.child.stdin!.end();
    await once(second.child, 'exit');
    await cache.close();
    cache = await openCache(root);
    expect([readdirSync(join(root, 'tmp')), readdirSync(join(root, 'locks'))]).toEqual([[], []]);
  });
});

describe('above the bound', () => {
  test('those go that were not used for longest', async () => {
    for (const name of ['a', 'b', 'c']) (await obtain(name)).release();
    used('a', 1);
    used('b', 3);
    used('c', 2);
    await obtain('d', 3.5 * SIZE);
    expect(['a', 'b', 'c', 'd'].map((name) => existsSync(folderOf(name)))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    await obtain('b', MIB);
    expect(made).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  test('those stay that a workspace shows, here or in another process', async () => {
    const held = await obtain('a');
    const { child, said } = other('b');
    await said(root);
    used('a', 3);
    used('b', 2);
    (await obtain('c', 1)).release();
    (await obtain('d', 1)).release();
    expect(['a', 'b', 'c', 'd'].map((name) => existsSync(folderOf(name)))).toEqual([true, true, false, true]);
    held.release();
    child.stdin!.end();
    await once(child, 'exit');
    await obtain('e', 1);
    expect(['a', 'b', 'd', 'e'].map((name) => existsSync(folderOf(name)))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test('one that was taken away by another process is made again', async () => {
    (await obtain('a')).release();
    const { child, said } = other('b', 1);
    await said(root);
    // It is in use by this process as long as it lives.
    expect(existsSync(folderOf('a'))).toBe(true);
    child.kill('SIGKILL');
    rmSync(folderOf('a'), { recursive: true });
    expect((await obtain('a')).description).toBe('a');
    expect(made).toEqual(['a', 'a']);
  });
});

const DAMAGES: [string, (tree: string) => void][] = [
  ['lost a file', (tree) => rmSync(join(tree, 'testbed/a.txt'))],
  ['has a longer file', (tree) => appendFileSync(join(tree, 'testbed/a.txt'), 'x')],
  [
    'has another content of the same size and time',
    (tree) => {
      const file = join(tree, 'testbed/a.txt');
      writeFileSync(file, readFileSync(file).fill('z'));
      utimesSync(file, 1e9, 1e9);
    },
  ],
  ['has a file more', (tree) => writeFileSync(join(tree, 'testbed/more'), '')],
  ['lost its manifest', (tree) => rmSync(join(tree, '../manifest'))],
  ['lost its description', (tree) => writeFileSync(join(tree, '../description.json'), '{')],
];

describe('a damaged state', () => {
  test.each(DAMAGES)('that %s is made again by the next run', async (_what, damage) => {
    (await obtain('x')).release();
    await cache.close();
    damage(join(folderOf('x'), 'tree'));
    cache = await openCache(root);
    const { folder } = await obtain('x');
    expect(made).toEqual(['x', 'x']);
    expect(readFileSync(join(folder, 'tree/testbed/a.txt'), 'utf8')).toBe('x'.repeat(SIZE));
    expect(readdirSync(join(folder, 'tree/testbed'))).toEqual(['a.txt', 'two\nlines']);
  });

  test.each(DAMAGES)('that %s is found by verify, and taken away by its repair', async (_what, damage) => {
    (await obtain('x')).release();
    (await obtain('y')).release();
    damage(join(folderOf('x'), 'tree'));
    const report = await verifyCache(cache, false);
    expect(report.problems.map(({ kind, where }) => [kind, where])).toEqual([
      ['state', `states/${digestOf('x')}`],
    ]);
    await repairCache(cache, report, 'r');
    expect((await verifyCache(cache, false)).problems).toEqual([]);
    expect(readdirSync(join(root, 'states'))).toEqual([digestOf('y')]);
  });

  test('that a build has removed meanwhile does not end a repair', async () => {
    (await obtain('x')).release();
    writeFileSync(join(folderOf('x'), 'description.json'), '{');
    const report = await verifyCache(cache, false);
    expect(report.problems).toHaveLength(1);
    rmSync(folderOf('x'), { recursive: true });
    await repairCache(cache, report, 'r');
    expect((await verifyCache(cache, false)).problems).toEqual([]);
  });
});

describe('gc', () => {
  const options = { run: 'gc', now: Date.now() + 1000, dryRun: false };
  const gc = (limits: object) =>
    collectGarbage(cache, { maxSize: null, maxAge: null, keepRuns: null, failed: false, ...limits }, options);

  test('counts first states, leaves them, and takes old ones and those above a size', async () => {
    for (const name of ['a', 'b', 'c']) (await obtain(name)).release();
    used('a', 50);
    used('b', 3);
    expect(await gc({})).toMatchObject({ states: 0 });
    expect((await gc({}))!.before).toBeGreaterThan(3 * SIZE);
    expect(await gc({ maxAge: 40 * 3600_000 })).toMatchObject({ states: 1 });
    expect(await gc({ maxSize: 2 * SIZE })).toMatchObject({ states: 1 });
    expect(readdirSync(join(root, 'states'))).toEqual([digestOf('c')]);
  });

  test('leaves those that another process uses', async () => {
    const { said } = other('a');
    await said(root);
    (await obtain('b')).release();
    used('a', 100);
    used('b', 100);
    expect(await gc({ maxSize: 1 })).toMatchObject({ states: 1 });
    expect(readdirSync(join(root, 'states'))).toEqual([digestOf('a') as Digest]);
  });
});
