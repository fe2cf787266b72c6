/** A killed run leaves nothing running; what files it leaves when everything is killed at once, the sweep removes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { findControlGroups } from '../../executors/sandbox/limits.ts';
import { makeRunFolder } from '../../executors/sandbox/run-folder.ts';
import { sweepSandboxes } from '../../executors/sandbox/sweep.ts';
import { kinds } from './sandbox-fixture.ts';

const VICTIM = join(packageRoot(), 'dist/test/sandbox-victim.mjs');
const SOURCE = `
import { createSandbox } from './executors/sandbox/sandbox.ts';
const [stateFolder, runId, user] = process.argv.slice(2);
const ids = user ? { user: { uid: Number(user), gid: Number(user) } } : {};
const made = await createSandbox({ name: 'box', stateFolder, runId, ...ids });
if (!made.ok) throw new Error(made.fault.reason);
const view = { layers: [], mounts: [], links: {}, variables: {} };
const limits = { memory: 256 << 20, pids: 50 };
for (const storage of ['memory', 'disk']) {
  const opened = await made.value.open(view, null, { limits, network: 'off', storage });
  if (!opened.ok) throw new Error(opened.fault.detail);
  await opened.value.exec('mkdir -p /testbed/deep; chmod 0 /testbed/deep; (setsid sleep 600 &); sleep 601 & true', { timeout: 60 });
  void opened.value.exec('trap "" TERM; sleep 602; sleep 603', { timeout: 900 });
}
console.log('ready');
setInterval(() => undefined, 1000);
`;

/** pid and start time of everything below `pid`. */
function descendants(pid: number): string[] {
  const parents = new Map<number, { parent: number; start: string }>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const fields = statFields(Number(name));
    if (fields !== null) parents.set(Number(name), { parent: Number(fields[1]), start: fields[19]! });
  }
  const found = [pid];
  for (const each of found) for (const [child, { parent }] of parents) if (parent === each) found.push(child);
  return found.slice(1).map((each) => `${each} ${parents.get(each)!.start}`);
}

function statFields(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

const isRunning = (process: string) => {
  const [pid, start] = process.split(' ');
  const fields = statFields(Number(pid));
  return fields !== null && fields[19] === start && fields[0] !== 'Z';
};

async function until(condition: () => boolean): Promise<boolean> {
  for (let i = 0; i < 3000 && !condition(); i++) await sleep(50);
  return condition();
}

for (const kind of kinds) {
  describe(`a killed run ${kind.name}`, () => {
    let stateFolder: string;
    let victim: ChildProcess;
    let processes: string[];
    const run = `crash${process.pid}-${kind.user?.uid ?? 'own'}`;
    const childrenOf = (pid: number) =>
      processes.map((one) => Number(one.split(' ')[0])).filter((one) => statFields(one)?.[1] === String(pid));
    const spawnerOf = (node: ChildProcess) => childrenOf(node.pid!)[0]!;
    const groups = () =>
      Object.values(findControlGroups()).flatMap(({ path }) =>
        readdirSync(path).filter((name) => name.startsWith(`swemake-${run}-`)),
      );

    beforeAll(() =>
      build({
        stdin: { contents: SOURCE, resolveDir: packageRoot(), loader: 'ts' },
        outfile: VICTIM,
        bundle: true,
        format: 'esm',
        platform: 'node',
        logLevel: 'warning',
      }),
    );
    beforeEach(async () => {
      stateFolder = mkdtempSync(join(tmpdir(), 'swemake-crash-'));
      chmodSync(stateFolder, 0o755);
      const user = kind.user === undefined ? [] : [String(kind.user.uid)];
      victim = spawn(process.execPath, [VICTIM, stateFolder, run, ...user], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(victim.stdout!, 'data');
      processes = descendants(victim.pid!);
    });
    afterEach(() => {
      victim.kill('SIGKILL');
      rmSync(stateFolder, { recursive: true, force: true });
    });

    it('leaves nothing when Node is killed', async () => {
      expect(processes.length).toBeGreaterThanOrEqual(7);
      victim.kill('SIGKILL');
      expect(await until(() => !processes.some(isRunning))).toBe(true);
      expect(await until(() => groups().length === 0)).toBe(true);
      // A folder of another user is emptied; its own entry is Node's to remove.
      const left = readdirSync(stateFolder).flatMap((name) => readdirSync(join(stateFolder, name)));
      expect(left).toEqual([]);
      if (kind.user === undefined) expect(readdirSync(stateFolder)).toEqual([]);
    });

    it('leaves nothing when Node is killed before it has read what it was told', async () => {
      const spawner = spawnerOf(victim);
      victim.kill('SIGSTOP');
      // Ended workspaces are told of, and nobody reads it.
      const children = childrenOf(spawner);
      // The oldest child is the one that gives things back; the others are workspaces.
      for (const pid of children.sort((a, b) => a - b).slice(1)) process.kill(pid, 'SIGKILL');
      await sleep(300);
      victim.kill('SIGKILL');
      expect(await until(() => !processes.some(isRunning))).toBe(true);
      const left = readdirSync(stateFolder).flatMap((name) => readdirSync(join(stateFolder, name)));
      expect(left).toEqual([]);
      expect(groups()).toEqual([]);
    });

    it('leaves nothing when its spawner is killed and Node goes on', async () => {
      process.kill(spawnerOf(victim), 'SIGKILL');
      expect(await until(() => groups().length === 0 && readdirSync(stateFolder).length === 0)).toBe(true);
      expect(victim.exitCode).toBeNull();
    });

    it('is swept when the spawner is killed too', async () => {
      expect(await sweepSandboxes(stateFolder)).toEqual([]);
      const spawner = spawnerOf(victim);
      // Node would begin to remove things itself.
      victim.kill('SIGSTOP');
      process.kill(spawner, 'SIGKILL');
      const ended = once(victim, 'exit');
      victim.kill('SIGKILL');
      // Until then its process can still be found.
      await ended;
      expect(await until(() => !processes.some(isRunning))).toBe(true);
      const labels = await sweepSandboxes(stateFolder);
      expect(labels).toHaveLength(1);
      expect(labels[0]).toContain(`swemake-${run}-`);
      expect(existsSync(join(stateFolder, labels[0]!))).toBe(false);
      expect(readdirSync(stateFolder)).toEqual([]);
      expect(groups()).toEqual([]);
    });
  });
}

const folders = Object.values(findControlGroups()).map(({ path }) => path);
describe.skipIf(folders.length === 0)('a run of which a process goes on', () => {
  const label = `swemake-slow${process.pid}`;
  let stateFolder: string;
  let left: ChildProcess;
  beforeEach(() => {
    stateFolder = mkdtempSync(join(tmpdir(), 'swemake-crash-'));
    left = spawn('sleep', ['600'], { stdio: 'ignore' });
  });
  afterEach(async () => {
    left.kill('SIGKILL');
    await until(() => statFields(left.pid!) === null);
    for (const folder of folders)
      if (existsSync(join(folder, `${label}-1`))) rmdirSync(join(folder, `${label}-1`));
    rmSync(stateFolder, { recursive: true, force: true });
  });

  it('is swept when that has ended', async () => {
    const folder = join(stateFolder, `${label}.1-1-n0-0`);
    makeRunFolder(folder, findControlGroups());
    for (const path of folders) {
      if (!existsSync(join(path, `${label}-1`))) mkdirSync(join(path, `${label}-1`));
      writeFileSync(join(path, `${label}-1`, 'cgroup.procs'), String(left.pid));
    }
    expect(await sweepSandboxes(stateFolder)).toEqual([]);
    expect(existsSync(folder)).toBe(true);
    const swept = sweepSandboxes(stateFolder);
    left.kill('SIGKILL');
    expect(await swept).toEqual([label]);
    expect(readdirSync(stateFolder)).toEqual([]);
    for (const path of folders) expect(existsSync(join(path, `${label}-1`))).toBe(false);
  });

  it('is swept though its file was not written to its end', async () => {
    const folder = join(stateFolder, `${label}.1-1-n0-0`);
    makeRunFolder(folder, {});
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '');
    expect(await sweepSandboxes(stateFolder)).toEqual([label]);
  });
});
