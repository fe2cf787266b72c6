/** Ways out that sandboxes have been left by, each tried from inside against something real on the host. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenOptions } from '../../executors/deployment.ts';
import { unwrap } from '../rig/unwrap.ts';
import { run } from './contract.ts';
import { kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

const hasPython = existsSync('/usr/bin/python3');
if (!hasPython) console.log('skipped: /usr/bin/python3 is missing');

/** Numbers of system calls: x86_64, then aarch64. */
const CALLS = {
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_by_handle_at: [304, 265],
  init_module: [175, 105],
  finit_module: [313, 273],
  kexec_load: [246, 104],
  reboot: [169, 142],
  swapon: [167, 224],
  syslog: [103, 116],
};
/** Of those about another process, its number is the first argument. */
const OF_PROCESS_1 = { process_vm_readv: [310, 270], process_vm_writev: [311, 271] };
const PIDFD_OPEN = 434;
const PIDFD_GETFD = 438;

const numberOf = ([x86, arm]: readonly number[]) => (process.arch === 'arm64' ? arm : x86);

for (const kind of kinds) {
  describe.skipIf(!hasPython)(`out of a sandbox ${kind.name}`, () => {
    let made: MadeSandbox;
    beforeAll(async () => {
      made = await makeSandbox(kind);
    });
    afterAll(() => made.cleanup());

    /** What a Python program prints inside. */
    const python = (code: string, options: Partial<OpenOptions> = {}) =>
      withWorkspace(
        made.deployment,
        async (workspace) => {
          const head = 'import os, socket, stat, ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n';
          await unwrap(workspace.write('/tmp/try.py', `${head}${code}\n`));
          return (await run(workspace, '/usr/bin/python3 -I /tmp/try.py 2>&1', { cwd: '/' })).stdout.trim();
        },
        options,
      );

    describe('by a socket of a daemon', () => {
      const servers: { path: string; server: Server }[] = [];
      const folders: string[] = [];
      beforeAll(async () => {
        for (const root of [tmpdir(), '/run', '/var/tmp']) {
          const path = await listen(root);
          if (path !== null) servers.push(path);
        }
      });
      afterAll(() => {
        for (const { server } of servers) server.close();
        for (const folder of folders) rmSync(folder, { recursive: true, force: true });
      });

      async function listen(root: string): Promise<{ path: string; server: Server } | null> {
        try {
          const folder = mkdtempSync(join(root, 'swemake-docker-'));
          folders.push(folder);
          chmodSync(folder, 0o755);
          const path = join(folder, 'docker.sock');
          const server = createServer((socket) => socket.end('daemon'));
          await new Promise<void>((resolve) => server.listen(path, resolve));
          chmodSync(path, 0o666);
          return { path, server };
        } catch {
          return null;
        }
      }

      for (const network of ['off', 'host'] as const)
        it(`which every user of the host may use, with network ${network}`, async () => {
          expect(servers.length).toBeGreaterThan(0);
          const paths = [...servers.map(({ path }) => path), '/run/docker.sock', '/var/run/docker.sock'];
          const code = [
            `for path in ${JSON.stringify(paths)}:`,
            '  try: socket.socket(socket.AF_UNIX).connect(path); print("reached", path)',
            '  except FileNotFoundError: pass',
          ].join('\n');
          expect(await python(code, { network })).toBe('');
        });
    });

    it('by mounting, with the old calls or the new ones', async () => {
      const code = [
        `for name, number in ${JSON.stringify(Object.entries(CALLS).map(([name, each]) => [name, numberOf(each)]))}:`,
        '  result = libc.syscall(number, 0, 0, 0, 0, 0)',
        '  if (result, ctypes.get_errno()) != (-1, 1): print(name, result, ctypes.get_errno())',
      ].join('\n');
      expect(await python(code)).toBe('');
    });

    it('by chroot and a descriptor that was open before, or by going up', async () => {
      const code = `
os.mkdir("/tmp/jail")
before = os.open("/", os.O_RDONLY)
try: os.chroot("/tmp/jail"); print("chroot worked")
except PermissionError: pass
os.fchdir(before)
for _ in range(100): os.chdir("..")
print(sorted(os.listdir(".")) == sorted(os.listdir("/")), os.stat(".").st_ino == os.stat("/").st_ino)
for name in os.listdir("/proc/self/fd"):
  try: kind = os.stat("/proc/self/fd/" + name).st_mode
  except FileNotFoundError: continue
  if stat.S_ISDIR(kind) and os.readlink("/proc/self/fd/" + name) not in ("/", "/proc/self/fd"): print("open folder", name)
for path in ("/proc/1/root", "/proc/1/cwd"):
  try: print(os.listdir(path))
  except PermissionError: pass`;
      expect(await python(code)).toBe('True True');
    });

    it('by a mount that shows more of the host than system folders', async () => {
      const shown = await python(
        'print("\\n".join(l.split()[4] + " " + l.split(" - ")[1].split()[0] for l in open("/proc/self/mountinfo")))',
      );
      const own = /^\/($| |proc|tmp|run|var\/tmp|sys|dev|usr\/.*packages)/;
      const system = /^\/(usr|bin|sbin|lib\w*) /;
      const other = shown.split('\n').filter((line) => !own.test(line) && !system.test(line));
      expect(other).toEqual([]);
    });

    it('by a device of its own', async () => {
      const code = `
for kind, major, minor in ((stat.S_IFCHR, 1, 1), (stat.S_IFBLK, 8, 0), (stat.S_IFBLK, 254, 0), (stat.S_IFCHR, 10, 229)):
  for folder in ("/tmp", "/dev", "/testbed", "/dev/shm"):
    path = folder + "/node"
    try: os.mknod(path, kind | 0o666, os.makedev(major, minor)); os.open(path, os.O_RDONLY); print("opened", path, major)
    except PermissionError: pass`;
      expect(await python(code)).toBe('');
    });

    it('by the memory or the descriptors of process 1', async () => {
      const code = [
        `for name, number in ${JSON.stringify(Object.entries(OF_PROCESS_1).map(([name, each]) => [name, numberOf(each)]))}:`,
        '  buffer = ctypes.create_string_buffer(8)',
        '  vector = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 8)',
        '  result = libc.syscall(number, 1, vector, 1, vector, 1, 0)',
        '  if result != -1: print(name, result)',
        `handle = libc.syscall(${PIDFD_OPEN}, 1, 0)`,
        `for each in range(16):`,
        `  if libc.syscall(${PIDFD_GETFD}, handle, each, 0) != -1: print("took descriptor", each)`,
        'for each in (16, 0x4206):',
        '  if libc.ptrace(each, 1, 0, 0) != -1: print("ptrace", each)',
      ].join('\n');
      expect(await python(code)).toBe('');
    });

    describe('by a signal', () => {
      let victim: ChildProcess;
      beforeAll(() => {
        victim = spawn('sleep', ['600'], { stdio: 'ignore', ...kind.user });
      });
      afterAll(() => {
        victim.kill('SIGKILL');
      });

      it('to a process of the host, of the same user', async () => {
        const code = `
for signal in (0, 9):
  try: os.kill(${victim.pid}, signal); print("sent")
  except ProcessLookupError: print("no such process")
try: os.kill(-1, 9)
except ProcessLookupError: pass`;
        expect(await python(code)).toBe('no such process\nno such process');
        expect(readFileSync(`/proc/${victim.pid}/stat`, 'utf8')).toMatch(/\) [SR] /);
      });
    });

    it('by settings of the kernel that hold for the whole host', async () => {
      // Written is what is there already, so that a machine on which this fails is none the worse for it.
      const code = `
for root in ("/proc/sys/kernel", "/proc/sys/vm", "/proc/sys/fs", "/proc/sys/dev", "/sys"):
  for path, _, names in os.walk(root):
    for name in names:
      try:
        value = open(path + "/" + name, "rb").read()
        handle = os.open(path + "/" + name, os.O_WRONLY)
        if os.write(handle, value) > 0: print(path + "/" + name)
      except OSError: pass`;
      const ownNamespace =
        /^\/proc\/sys\/(kernel\/(shm|msg|auto_msg|sem|pid_max|ns_last_pid|host|domain)|fs\/mqueue\/)/;
      const written = (await python(code)).split('\n').filter((line) => !ownNamespace.test(line));
      expect(written.join('\n')).toBe('');
    });
  });
}
