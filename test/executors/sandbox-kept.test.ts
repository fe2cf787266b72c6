/** What the sandbox keeps between runs: made once, whoever runs, and taken away once nobody uses it. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { run } from './contract.ts';
import { type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

const AS_IS = { name: 'as is' };
let folder: string;
let keptFolder: string;
const made: MadeSandbox[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swemake-kept-'));
  keptFolder = join(folder, 'kept');
});

afterEach(async () => {
  for (const one of made.splice(0)) await one.cleanup();
  rmSync(folder, { recursive: true, force: true });
});

async function sandbox(): Promise<MadeSandbox> {
  const one = await makeSandbox(AS_IS, { keptFolder });
  made.push(one);
  return one;
}

const listing = ({ deployment }: MadeSandbox) =>
  withWorkspace(
    deployment,
    async (workspace) => (await run(workspace, 'ls -la --time-style=+ /etc /var; cat /etc/passwd')).stdout,
  );
const inode = () => statSync(join(keptFolder, readdirSync(keptFolder)[0]!)).ino;

it('is made by the first run and taken by the next, which sees the same', async () => {
  const first = await sandbox();
  const seen = await listing(first);
  expect(seen).toContain('root:x:0:0');
  expect(readdirSync(keptFolder)).toHaveLength(1);
  const before = inode();
  await first.deployment.close();
  expect(readdirSync(keptFolder)).toHaveLength(1);
  expect(await listing(await sandbox())).toBe(seen);
  expect(inode()).toBe(before);
});

it('lets a run work whose place is somebody else’s', async () => {
  const first = await sandbox();
  const seen = await listing(first);
  const [name] = readdirSync(keptFolder);
  await first.deployment.close();
  rmSync(join(keptFolder, name!), { recursive: true });
  writeFileSync(join(keptFolder, name!), 'no folder');
  expect(await listing(await sandbox())).toBe(seen);
});

it('takes away what nobody uses, and nothing else', async () => {
  mkdirSync(join(keptFolder, 'base-old/etc'), { recursive: true });
  const user = await sandbox();
  await listing(user);
  const [name] = readdirSync(keptFolder);
  expect(readdirSync(keptFolder)).toEqual([name]);
  // Under another name it is an old one, which the first run still shows.
  renameSync(join(keptFolder, name!), join(keptFolder, 'base-older'));
  const seen = await listing(await sandbox());
  expect(readdirSync(keptFolder).sort()).toEqual([name, 'base-older'].sort());
  expect(await listing(user)).toBe(seen);
});
