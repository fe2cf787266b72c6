/**
 * A cache in which the first steps of an environment are made: a virtual environment with pip, which takes longer than all
 * else in a small project. It is made once per run of the suite, and holds no answer.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../basics/digest.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { cacheFolder, makeCacheFolder } from '../../cache/folder.ts';

/** Milliseconds between two looks while another process makes it, and in all. */
const PAUSE = 100;
const LIMIT = 120_000;

/** Leaves of a database what is known of steps alone. */
const FORGET = `
const { open } = await import('lmdb');
const root = open({ path: process.argv[1], maxDbs: 16, noSubdir: true });
for (const name of ['records', 'preimages', 'stages', 'uses']) root.openDB({ name, keyEncoding: 'binary' }).clearSync();
root.openDB({ name: 'latest' }).clearSync();
const memos = root.openDB({ name: 'memos' });
for (const key of [...memos.getKeys()]) if (key !== 'format' && !key.startsWith('step ')) memos.removeSync(key);
await root.close();
`;

/** Builds a project in `folder` and returns its cache; null when it cannot. */
type Make = (folder: string, env: NodeJS.ProcessEnv) => string | null;

/**
 * Gives the project in `folder` such a cache, from what `make` has built: one for each `PATH`, which decides the Python, and each
 * `variant`, which names what else decides the steps.
 */
export function warmCache(folder: string, PATH: string | undefined, make: Make, variant = ''): void {
  const all = process.env.SWEMAKE_TEST_WARM;
  if (all === undefined) return;
  const shared = join(all, digestOf(`${PATH ?? ''}${variant}`));
  mkdirSync(shared, { recursive: true });
  const cache = join(shared, 'cache');
  const env = { ...process.env, ...(PATH === undefined ? {} : { PATH }) };
  if (!existsSync(join(shared, 'ended'))) makeOnce(shared, cache, (at) => make(at, env));
  mkdirSync(folder, { recursive: true });
  if (existsSync(cache)) execFileSync('cp', ['-a', cache, join(folder, '.swemake')]);
}

/** Test files run at the same time: the first one makes it, and the others wait. */
function makeOnce(shared: string, cache: string, make: (folder: string) => string | null): void {
  const ended = join(shared, 'ended');
  try {
    mkdirSync(join(shared, 'begun'));
  } catch {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let waited = 0; !existsSync(ended) && waited < LIMIT; waited += PAUSE)
      Atomics.wait(clock, 0, 0, PAUSE);
    return;
  }
  try {
    const built = make(join(shared, 'project'));
    if (built !== null) keepSteps(built, join(shared, 'making'), cache);
  } finally {
    writeFileSync(ended, '');
  }
}

function keepSteps(built: string, making: string, cache: string): void {
  mkdirSync(making);
  const kept = ['layers', 'tools', 'records.mdb'].map((name) => join(built, name));
  execFileSync('cp', ['-a', ...kept, making]);
  const script = ['--input-type=module', '-e', FORGET, join(making, 'records.mdb')];
  execFileSync(process.execPath, script, { cwd: packageRoot() });
  makeCacheFolder(cacheFolder(making));
  renameSync(making, cache);
}
