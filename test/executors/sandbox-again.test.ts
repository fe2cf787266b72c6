/** Workspaces that are asked for in the same words as others before: what was found for those holds while it is so. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unwrap } from '../rig/unwrap.ts';
import { EMPTY, giveTo, kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

/** The host's processes that work in the folder. */
function processesIn(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      } catch {
        return false;
      }
    });
}

/** Those of them that help the spawner: a workspace has process ids of its own, and the spawner has children. */
function helperProcesses(folder: string): number[] {
  const found = processesIn(folder).filter((pid) => {
    const isWorkspace = /^NSpid:\t\d+\t/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return !isWorkspace && children.trim() === '';
  });
  expect(found).not.toEqual([]);
  return found;
}

describe.each(kinds)('$name', (kind) => {
  let sandbox: MadeSandbox;
  let folder: string;

  beforeAll(async () => {
    sandbox = await makeSandbox(kind);
    folder = await mkdtemp(join(tmpdir(), 'swemake-again-'));
  });

  afterAll(async () => {
    await sandbox.cleanup();
    await rm(folder, { recursive: true, force: true });
  });

  const say = (command: string, view = {}, options = {}): Promise<string> =>
    withWorkspace(
      sandbox.deployment,
      async (workspace) => {
        const ran = await workspace.exec(command, { timeout: 60 });
        return ran.ok ? ran.value.output.trim() : ran.fault.detail;
      },
      options,
      view,
    );

  test('nothing of one is in the next', async () => {
    for (const storage of ['disk', 'disk', 'memory', 'memory', 'disk'] as const)
      expect(await say('ls /testbed /tmp; touch /testbed/own /tmp/own', {}, { storage })).not.toContain(
        'own',
      );
  });

  test('a link and limits of another request are not taken along', async () => {
    const view = { links: { '/opt/there': '/etc/hostname' } };
    for (let round = 0; round < 2; round += 1) {
      expect(await say('cat /opt/there', view)).toBe('swemake');
      expect(await say('cat /opt/there || ulimit -u', {}, { limits: { pids: 77 } })).toContain('78');
    }
  });

  test.each(['/tmp', '/opt'])('a mount below %s is what it is now: a file, then a folder', async (above) => {
    const from = join(folder, 'shown');
    const to = join(above, 'shown');
    const view = { mounts: [{ from, to }] };
    await rm(from, { recursive: true, force: true });
    await writeFile(from, 'a file');
    await giveTo(kind, folder);
    for (let round = 0; round < 2; round += 1) expect(await say(`cat ${to}`, view)).toBe('a file');
    await rm(from);
    await mkdir(from);
    await writeFile(join(from, 'inside'), 'a folder');
    await giveTo(kind, folder);
    for (let round = 0; round < 2; round += 1) expect(await say(`cat ${to}/inside`, view)).toBe('a folder');
  });

  test('what could not be made is tried anew, and says again why', async () => {
    const view = { ...EMPTY, links: { '/usr/swemake-link': '/etc' } };
    const options = { limits: {}, network: 'off', storage: 'memory' } as const;
    for (let round = 0; round < 2; round += 1)
      expect(await sandbox.deployment.open(view, null, options)).toMatchObject({
        fault: { detail: 'link /usr/swemake-link lies in the read-only system folders' },
      });
  });

  test('after its process was killed others are opened', async () => {
    const own = await makeSandbox(kind);
    const options = { limits: {}, network: 'off', storage: 'disk' } as const;
    const lost = await unwrap(own.deployment.open(EMPTY, null, options));
    for (const pid of processesIn(own.stateFolder)) process.kill(pid, 'SIGKILL');
    const command = ['sleep 600', { cwd: '/', timeout: 600 }] as const;
    expect(await lost.exec(...command)).toMatchObject({ ok: false, fault: { status: 'infra' } });
    await expect
      .poll(() => own.deployment.open(EMPTY, null, options), { timeout: 60_000 })
      .toMatchObject({ ok: true });
    await lost.close();
    await own.deployment.close();
    await expect.poll(() => readdirSync(own.stateFolder), { timeout: 60_000 }).toEqual([]);
    await own.cleanup();
  });

  test('after its helper processes were killed others are opened, and open ones go on', async () => {
    const own = await makeSandbox(kind);
    const options = { limits: {}, network: 'off', storage: 'disk' } as const;
    const first = await unwrap(own.deployment.open(EMPTY, null, options));
    for (const pid of helperProcesses(own.stateFolder)) process.kill(pid, 'SIGKILL');
    for (let round = 0; round < 4; round += 1) {
      const next = await unwrap(own.deployment.open(EMPTY, null, options));
      expect(await next.exec('echo $$', { timeout: 60 })).toMatchObject({ value: { exitCode: 0 } });
      await next.close();
    }
    expect(await first.exec('echo on', { timeout: 60 })).toMatchObject({ value: { output: 'on\n' } });
    await first.close();
    await own.cleanup();
  });

  test('many at once, one after the other, are all made, and each is its own', async () => {
    const names = Array.from({ length: 24 }, (_, index) => `name-${index}`);
    const queue = [...names];
    const seen: string[] = [];
    const work = async () => {
      for (let name = queue.shift(); name !== undefined; name = queue.shift())
        seen.push(await say(`ls /tmp; touch /tmp/${name}; ls /tmp`));
    };
    await Promise.all(Array.from({ length: 6 }, work));
    expect(seen.sort()).toEqual([...names].sort());
  });
});
