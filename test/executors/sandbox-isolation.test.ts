/** What code inside a sandbox cannot see or do, tried from the inside. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import type { OpenOptions } from '../../executors/deployment.ts';
import { run } from './contract.ts';
import { kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

const hasPython = existsSync('/usr/bin/python3');
if (!hasPython) console.log('skipped in part: /usr/bin/python3 is missing');

for (const kind of kinds) {
  describe(`inside a sandbox ${kind.name}`, () => {
    let made: MadeSandbox;
    beforeAll(async () => {
      made = await makeSandbox(kind);
    });
    afterAll(() => made.cleanup());

    const bash = (command: string, options: Partial<OpenOptions> = {}) =>
      withWorkspace(made.deployment, (workspace) => run(workspace, command, { cwd: '/' }), options);
    /** Runs Python that prints what the system refused. */
    const python = async (code: string) => {
      const lines = ['import os,socket,ctypes', 'libc=ctypes.CDLL(None,use_errno=True)', code];
      return (await bash(`/usr/bin/python3 -c '${lines.join('\n')}' 2>&1`)).stdout.trim();
    };

    it('nothing of homes, /run or the rest of the host can be seen', async () => {
      const secret = mkdtempSync(join(tmpdir(), 'swemake-secret-'));
      writeFileSync(join(secret, 'key'), 'secret-4711', { mode: 0o644 });
      try {
        const look = [
          `ls -A ${homedir()} /home /mnt /srv /media | grep -v :`,
          `cat ${secret}/key`,
          'ls -A /tmp /var/tmp /var/lib /run /var/run/ | grep -v -e : -e ^lock',
          'ls -A /root /testbed /sys | grep -v :',
          'ls /run/docker.sock /var/run/docker.sock /.dockerenv',
        ];
        const result = await bash(look.map((each) => `{ ${each}; } 2>/dev/null`).join('\n'));
        expect(result.output.trim()).toBe('');
      } finally {
        rmSync(secret, { recursive: true, force: true });
      }
    });

    it('only its own processes exist, and process 1 gives nothing away', async () => {
      const result = await bash('ls -d /proc/[0-9]* | wc -l; tr -d "\\0" < /proc/1/cmdline; echo; hostname');
      expect(result.stdout).toMatch(/^[2-6]\nswemake\nswemake\n$/);
      const files = 'environ mem fd root cwd exe maps stack auxv'.split(' ');
      for (const file of files)
        expect((await bash(`ls /proc/1/${file}/ && cat /proc/1/${file}`)).exitCode).not.toBe(0);
    });

    it('process 1 survives every signal', async () => {
      await withWorkspace(made.deployment, async (workspace) => {
        await run(workspace, 'for s in $(seq 1 64); do kill -$s 1; done; kill -9 -1; true', { cwd: '/' });
        expect((await run(workspace, 'echo alive', { cwd: '/' })).stdout).toBe('alive\n');
      });
    });

    it('process 1 survives a path of more folders than Python nests calls', async () => {
      await withWorkspace(made.deployment, async (workspace) => {
        expect(await workspace.write(`/testbed/${'y/'.repeat(1500)}z`, 'x')).toMatchObject({
          fault: { status: 'refused', reason: 'place' },
        });
        expect((await run(workspace, 'echo alive')).stdout).toBe('alive\n');
      });
    });

    it('has no capabilities, and cannot gain any', async () => {
      const result = await bash("grep -E 'Cap|NoNewPrivs|Seccomp:' /proc/self/status | cut -f2 | sort -u");
      expect(result.stdout).toBe('0000000000000000\n1\n2\n');
      for (const command of ['unshare -U true', 'unshare -m true', 'unshare -n true', 'chroot / true'])
        expect((await bash(command)).exitCode).not.toBe(0);
    });

    it('cannot mount, make devices or write to the system', async () => {
      const refused = [
        'mount -t tmpfs none /mnt',
        'mount -o remount,rw /usr',
        'umount /proc',
        'mknod /tmp/disk b 8 0 && head -c1 /tmp/disk',
        'touch /usr/new',
        'touch /usr/lib/new',
        'echo 1 > /proc/sys/kernel/panic',
        'echo b > /proc/sysrq-trigger',
        'echo x > /proc/sys/kernel/core_pattern',
        'cat /proc/kcore | head -c1 | grep .',
        'mkdir /sys/x',
        'date -s 2001-01-01',
        'head -c1 /dev/mem',
        'ls /dev/sda /dev/vda /dev/kmsg /dev/kvm /dev/fuse',
        'swapoff -a && false',
      ];
      for (const command of refused) expect(await bash(command), command).not.toMatchObject({ exitCode: 0 });
    });

    it("the host's global settings are as before", async () => {
      const names = ['kernel/pid_max', 'kernel/shmmax', 'vm/overcommit_memory', 'user/max_user_namespaces'];
      const values = () => names.map((name) => readFileSync(`/proc/sys/${name}`, 'utf8'));
      const before = values();
      await bash(names.map((name) => `echo 1000 > /proc/sys/${name}`).join('; '));
      expect(values()).toEqual(before);
    });

    it.skipIf(!hasPython)('only the socket families that programs need can be had', async () => {
      const tries = (family: number) =>
        `try: socket.socket(${family},socket.SOCK_DGRAM); print("made")\nexcept OSError as e: print(e.errno)`;
      for (const family of [1, 2, 10, 16]) expect(await python(tries(family))).toBe('made');
      for (const vsockAlgPacketXdp of [40, 38, 17, 44])
        expect(await python(tries(vsockAlgPacketXdp))).toBe('97');
      expect(await python('try: socket.socket(40,1)\nexcept OSError as e: print(e.errno)')).toBe('97');
    });

    it.skipIf(!hasPython)('the calls that containers have been left by are refused', async () => {
      const x86 = {
        bpf: 321,
        keyctl: 250,
        perf: 298,
        userfaultfd: 323,
        ioUring: 425,
        unshare: 272,
        setns: 308,
      };
      const arm = {
        bpf: 280,
        keyctl: 219,
        perf: 241,
        userfaultfd: 282,
        ioUring: 425,
        unshare: 97,
        setns: 268,
      };
      for (const number of Object.values(process.arch === 'arm64' ? arm : x86))
        expect(await python(`print(libc.syscall(${number},0,0,0,0,0), ctypes.get_errno())`)).toBe('-1 1');
      const newUser = process.arch === 'arm64' ? 220 : 56;
      expect(await python(`print(libc.syscall(${newUser},0x10000011,0,0,0,0), ctypes.get_errno())`)).toBe(
        '-1 1',
      );
      expect(await python('print(libc.ptrace(16,1,0,0), ctypes.get_errno())')).toBe('-1 1');
    });

    it.skipIf(!hasPython)('a system call that is not on the list is not there', async () => {
      const own = `import json,call_filter as c; print(json.dumps([c._number(p) for p in c.ALLOWED.values()]))`;
      const listed = JSON.parse(
        execFileSync('/usr/bin/python3', ['-c', own], {
          encoding: 'utf8',
          env: { PYTHONPATH: join(packageRoot(), 'executors/sandbox'), PYTHONDONTWRITEBYTECODE: '1' },
        }),
      ) as (number | null)[];
      const [socket, socketpair, clone, personality] =
        process.arch === 'arm64' ? [198, 199, 220, 92] : [41, 53, 56, 135];
      // The kernel passes its own probes by every filter.
      const probes = process.arch === 'arm64' ? [] : [335, 336];
      const free = new Set([...listed, ...probes, socket, socketpair, clone, personality]);
      const rest = [...Array(600).keys(), 0x40000000, 0x40000027].filter((number) => !free.has(number));
      const said = await python(
        `for n in [${rest}]: print(n, libc.syscall(ctypes.c_long(n),0,0,0,0,0,0), ctypes.get_errno())`,
      );
      const known = (n: number) =>
        n !== 435 && (n < (process.arch === 'arm64' ? 294 : 336) || (n > 423 && n < 451));
      expect(said.split('\n')).toEqual(rest.map((number) => `${number} -1 ${known(number) ? 1 : 38}`));
      const persona = async (value: number) =>
        python(`print(libc.personality(ctypes.c_ulong(${value})) != -1, ctypes.get_errno())`);
      expect(await persona(0x0400000)).toBe('False 1');
      expect(await persona(0x0040000)).toMatch(/^True/);
      // Netlink of the kernel's events, and of its netfilter.
      for (const protocol of [15, 12])
        expect(
          await python(`try: socket.socket(16,3,${protocol})\nexcept OSError as e: print(e.errno)`),
        ).toBe('93');
    });

    it.skipIf(!hasPython)('no inherited descriptor leads out', async () => {
      expect(await python('print(sorted(os.listdir("/proc/self/fd")))')).toBe("['0', '1', '2', '3']");
    });

    it.skipIf(!hasPython)('packages of the host interpreter cannot be imported', async () => {
      const code =
        'import sys\nprint([p for d in sys.path if "packages" in d and os.path.isdir(d) for p in os.listdir(d)])';
      expect(await python(code)).toBe('[]');
    });

    it.skipIf(!hasPython)(
      'abstract sockets of the host cannot be reached, with its network neither',
      async () => {
        const name = `swemake-test-${process.pid}`;
        const server = createServer().listen(`\0${name}`);
        try {
          const code = `import socket; s=socket.socket(socket.AF_UNIX); s.connect("\\0${name}")`;
          for (const network of ['off', 'host'] as const) {
            if (network === 'host' && !made.deployment.warnings().every((each) => !/abstract/.test(each)))
              continue;
            const result = await bash(`/usr/bin/python3 -c '${code}'`, { network });
            expect(result.stderr).toMatch(/Refused|PermissionError|not permitted/);
          }
        } finally {
          server.close();
        }
      },
    );

    it('reads and writes no file of process 1 through links', async () => {
      await withWorkspace(made.deployment, async (workspace) => {
        await run(
          workspace,
          'ln -s /proc/self/environ a; ln -s /proc/self/mem b; mkfifo c; ln -s /dev/zero d',
          {
            cwd: '/testbed',
          },
        );
        for (const name of ['a', 'b', 'c', 'd']) {
          const refused = { fault: { status: 'refused', reason: 'place' } };
          expect(await workspace.read(`/testbed/${name}`)).toMatchObject(refused);
          expect(await workspace.write(`/testbed/${name}`, 'x')).toMatchObject(refused);
        }
        expect((await run(workspace, 'echo alive')).stdout).toBe('alive\n');
      });
    });

    describe('network', () => {
      const server = createHttpServer((_, response) => response.end('host-answers'));
      let port = 0;
      beforeAll(async () => {
        await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
        port = (server.address() as AddressInfo).port;
      });
      afterAll(() => server.close());
      const get = () =>
        `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;

      it('off: nothing but the own loopback', async () => {
        expect((await bash(get())).output).not.toContain('host-answers');
        expect((await bash('cat /proc/net/dev | tail -n +3 | cut -d: -f1')).stdout.trim()).toBe('lo');
        expect((await bash('getent hosts example.org')).exitCode).not.toBe(0);
      });

      it.skipIf(!hasPython)(
        'off: every port is free, private addresses are silent, others unreachable',
        async () => {
          const tried = await python(
            [
              'socket.socket().bind(("127.0.0.1",443))',
              'for at in "10.255.255.1","172.16.0.9","192.168.1.1","192.0.2.1","8.8.8.8","127.0.0.1":',
              '  s=socket.socket(); s.settimeout(0.1)',
              '  try: s.connect((at,81))',
              '  except Exception as error: print(type(error).__name__, getattr(error,"errno",None))',
            ].join('\n'),
          );
          const silent = Array(4).fill('timeout None');
          const named = tried.replaceAll('TimeoutError None', 'timeout None').split('\n');
          expect(named).toEqual([...silent, 'OSError 101', 'ConnectionRefusedError 111']);
        },
      );

      it('host: the network of the host', async () => {
        expect((await bash(get(), { network: 'host' })).stdout).toContain('host-answers');
      });
    });
  });
}
