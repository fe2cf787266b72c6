/** `doctor`: what it says of this machine, of a project's needs, and of machines that lack something. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gpuAskers, gpuProbe, gpusAsked } from '../../app/doctor/gpu.ts';
import { findContainer } from '../../app/doctor/host.ts';
import { packageRoot } from '../../basics/package-root.ts';
import type { Probe } from '../../executors/kind.ts';
import { command, commandJson } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const LONG = 240_000;

interface Report {
  probes: Probe[];
  container: string | null;
  ok: boolean;
  summary: string;
}

function probeOf(report: Report, name: string): Probe {
  const found = report.probes.find((probe) => probe.name === name);
  if (found === undefined) throw new Error(`no probe ${name}`);
  return found;
}

/** A folder with these files, standing for the root of a machine. */
function machine(files: Record<string, string>): string {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o755 });
  }
  return root;
}

describe('doctor', () => {
  test(
    'names kernel, sandbox, Python, disk and CUDA, with a remedy for each lack',
    async () => {
      const project = new Project();
      const report = await commandJson<Report>(project, 'doctor');
      const names = report.probes.map(({ name }) => name);
      const host = ['node', 'kernel', 'control groups', 'container', 'python3', 'git', 'patch', 'bash'];
      const sandbox = ['user namespace', 'overlayfs', 'seccomp filter', 'memory limit', 'sandbox'];
      expect(names).toEqual(
        expect.arrayContaining([...host, ...sandbox, 'python (default)', 'disk', 'cuda']),
      );
      expect(probeOf(report, 'kernel').detail).toMatch(/^Linux \d+\.\d+.* on \w+, .*(glibc|musl) /);
      for (const name of ['python3', 'git', 'bash'])
        expect(probeOf(report, name).detail).toMatch(/^\d+\.\d+/);
      for (const { status, remedy } of report.probes)
        if (status === 'miss' || status === 'soft') expect(remedy).toBeTruthy();
      const text = await command(project, 'doctor');
      expect(text.stdout.split('\n')).toHaveLength(report.probes.length + 2);
      expect([text.code, text.stdout]).toEqual([0, expect.stringContaining(report.summary)]);
    },
    LONG,
  );

  test(
    'estimates what a project still needs, and says who asks for a Python',
    async () => {
      const recipe = '    - match: { repo: "nobody/*" }\n      python: "3.2"';
      const project = tinyProject({ instances: 2, recipe });
      const doctor = () => commandJson<Report>(project, 'doctor', 'p.yaml');
      const cold = await doctor();
      expect(probeOf(cold, 'disk').detail).toContain('unknown for train, until dataset.train is built');
      expect(probeOf(cold, 'memory')).toMatchObject({
        status: 'soft',
        detail: expect.stringMatching(/GiB, \d+ workspaces? at a time, whose memory is not limited/),
      });
      expect(probeOf(cold, 'python 3.2')).toMatchObject({
        status: 'miss',
        detail: expect.stringContaining('asked for by recipes[1]'),
        remedy: expect.stringContaining('3.2'),
      });
      expect(cold).toMatchObject({ ok: false, summary: expect.stringMatching(/^missing: .*python 3\.2/) });
      expect((await command(project, 'doctor', 'p.yaml')).code).toBe(3);

      const yaml = readFileSync(project.path('p.yaml'), 'utf8').replace(recipe, '');
      writeFileSync(project.path('p.yaml'), yaml);
      await command(project, 'build', 'p.yaml', 'dataset');
      expect(probeOf(await doctor(), 'disk').detail).toMatch(
        /at most \d\.\d GiB for 1 environment of 0\.2 GiB \(assumed, as none was built yet\) and their builds$/,
      );
      await command(project, 'build', 'p.yaml', 'environments');
      const warm = await doctor();
      expect(probeOf(warm, 'disk').detail).toContain('nothing more is needed for 1 environment');
      const large = ['--set', 'deployments.box.limits.memory=900GiB'];
      const memory = probeOf(await commandJson<Report>(project, 'doctor', 'p.yaml', ...large), 'memory');
      expect(memory).toMatchObject({ status: 'soft', remedy: expect.stringContaining('build -j 1') });
    },
    LONG,
  );

  test('where user namespaces are refused, says so, and fails only a project that insists', (context) => {
    const project = tinyProject({ instances: 1 });
    const bin = join(packageRoot(), 'bin/swemake.js');
    const doctor = (...args: string[]) => {
      const script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';
      const line = ['-Ur', 'bash', '-c', script, 'bash', process.execPath, bin, 'doctor', '--json', ...args];
      return spawnSync('unshare', line, { cwd: project.folder, encoding: 'utf8', timeout: 170_000 });
    };
    const any = doctor();
    if (!any.stdout?.startsWith('{')) {
      process.stdout.write(`skipped: unshare -Ur does not work here: ${any.stderr}\n`);
      return context.skip('unshare -Ur does not work here');
    }
    const report = JSON.parse(any.stdout) as Report;
    expect(any.status).toBe(3);
    expect(probeOf(report, 'user namespace').status).toBe('miss');
    expect(probeOf(report, 'sandbox')).toMatchObject({ status: 'miss', detail: 'user namespaces are off' });
    expect(report.summary).toMatch(/^missing: .*; for code that you trust: type: local$/);
    const strict = doctor('p.yaml');
    expect(strict.status).toBe(3);
    expect(JSON.parse(strict.stdout)).toMatchObject({
      ok: false,
      summary: expect.stringMatching(/^missing: /),
    });
    const plain = doctor('p.yaml', '--set', 'deployments.box={type: local, network: null}');
    expect(plain.status).toBe(0);
    const trusted = doctor('p.yaml', '--set', 'deployments.box={type: auto, fallback: local}');
    expect(trusted.status).toBe(0);
    expect(JSON.parse(trusted.stdout).summary).toContain('the fallback of type auto is plain processes');
  });
});

describe('CUDA', () => {
  const proc = {
    'proc/driver/nvidia/version': 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue\n',
  };
  const device = { 'dev/nvidia0': '', 'dev/nvidiactl': '' };
  const library = { 'usr/lib/x86_64-linux-gnu/libcuda.so.1': '' };
  const without = { env: { PATH: '/nowhere' } };

  test('absent: says what would need it, and is a lack only where that is asked for', async () => {
    const root = machine({});
    const nobody = await gpuProbe([], { ...without, root });
    expect(nobody).toMatchObject({ status: 'none', detail: expect.stringContaining('training') });
    expect(await gpuProbe(['trainer.sft'], { ...without, root })).toMatchObject({
      status: 'miss',
      detail: 'no NVIDIA GPU or driver, and trainer.sft asks for one',
    });
    expect(
      gpuAskers({
        deployments: { gpu: { resources: { gpu: 8 } }, box: {} },
        trainer: { sft: { type: 'none' } },
      }),
    ).toEqual(['deployments.gpu']);
    expect(gpuAskers({ trainer: { rl: { type: 'slime' } } })).toEqual(['trainer.rl']);
  });

  test('names cards, driver and library, and which of them is missing', async () => {
    const root = machine({
      ...proc,
      ...device,
      ...library,
      'bin/nvidia-smi':
        '#!/bin/sh\nprintf "NVIDIA H100 80GB HBM3, 81559\\nNVIDIA H100 80GB HBM3, 81559\\n"\n',
    });
    const env = { PATH: `${root}/bin:/usr/bin:/bin` };
    expect(await gpuProbe([], { env, root })).toEqual({
      name: 'cuda',
      status: 'ok',
      detail: `2 × NVIDIA H100 80GB HBM3 (79 GiB), driver 550.54.15, ${root}/usr/lib/x86_64-linux-gnu/libcuda.so.1`,
    });
    expect(await gpuProbe(['deployments.gpu'], { env, root }, 2)).toMatchObject({ status: 'ok' });
    expect(await gpuProbe(['deployments.gpu'], { env, root }, 4)).toMatchObject({
      status: 'miss',
      detail: expect.stringContaining('4 are asked for, and programs get 2 here'),
    });
    const shown = { ...env, CUDA_VISIBLE_DEVICES: '1' };
    expect(await gpuProbe(['deployments.gpu'], { env: shown, root }, 2)).toMatchObject({ status: 'miss' });
    const asking = { type: 'process', resources: { gpu: 4 } };
    expect(gpusAsked({ deployments: { host: asking, far: { ...asking, type: 'ray' }, box: {} } })).toBe(4);
    const cases: [Record<string, string>, RegExp][] = [
      [{ ...proc, ...device }, /driver 550\.54\.15, no libcuda\.so\.1: programs cannot use CUDA/],
      [{ ...proc, ...library }, /no device can be seen from here/],
      [{ ...device, ...library }, /driver is not loaded/],
    ];
    for (const [files, detail] of cases) {
      const broken = machine(files);
      expect(await gpuProbe([], { ...without, root: broken })).toMatchObject({
        status: 'soft',
        detail: expect.stringMatching(detail),
      });
      expect(await gpuProbe(['deployments.gpu'], { ...without, root: broken })).toMatchObject({
        status: 'miss',
      });
    }
  });
});

test('containers are told apart by what their runtimes leave', () => {
  expect(findContainer({}, machine({}))).toBeNull();
  expect(findContainer({}, machine({ '.dockerenv': '' }))).toBe('docker');
  expect(findContainer({}, machine({ 'proc/self/cgroup': '4:pids:/docker/0a1b\n' }))).toBe('docker');
  expect(findContainer({}, machine({ 'run/.containerenv': '' }))).toBe('podman');
  expect(findContainer({ container: 'lxc' }, machine({}))).toBe('lxc');
  expect(findContainer({ container: 'systemd-nspawn' }, machine({}))).toBe('container');
  expect(findContainer({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, machine({}))).toBe('kubernetes');
});

describe('inside a container', () => {
  const reachable = spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
  if (!reachable) process.stdout.write('skipped: no docker daemon can be reached\n');

  /** An image of empty folders: the host's own /usr is shown in it, so nothing is downloaded. */
  const importImage = (): string => {
    const root = temporaryFolder();
    const script = `
mkdir -p tmp proc sys dev etc usr root run var opt; chmod 1777 tmp; cp /etc/passwd /etc/group /etc/os-release etc/
for l in bin sbin lib lib32 lib64; do if [ -L /$l ]; then ln -s "$(readlink /$l)" $l; elif [ -d /$l ]; then mkdir $l; fi; done
[ -d /etc/alternatives ] && cp -a /etc/alternatives etc/
tar -c . | docker import - swemake-test:doctor-${process.pid}`;
    execFileSync('bash', ['-euc', script], { cwd: root, stdio: 'pipe' });
    return `swemake-test:doctor-${process.pid}`;
  };

  test.skipIf(!reachable)(
    'says what is missing without privileges, and that its remedy works',
    async (context) => {
      const image = importImage();
      try {
        const inside = (...options: string[]) => {
          const shown = ['/usr', packageRoot(), process.execPath].flatMap((path) => [
            '-v',
            `${path}:${path}:ro`,
          ]);
          const line = ['run', '--rm', '--network', 'none', '-e', 'HOME=/tmp', ...shown, ...options, image];
          const program = [process.execPath, join(packageRoot(), 'bin/swemake.js'), 'doctor', '--json'];
          const ran = spawnSync('docker', [...line, ...program], { encoding: 'utf8', timeout: 170_000 });
          return ran.stdout.startsWith('{') ? (JSON.parse(ran.stdout) as Report) : ran.stderr;
        };
        const plain = inside();
        if (typeof plain === 'string') {
          process.stdout.write(`skipped: no container could be run: ${plain}\n`);
          return context.skip('unshare -Ur does not work here');
        }
        expect(plain.container).toBe('docker');
        expect(probeOf(plain, 'container').detail).toMatch(
          /^docker, root, without privileges, under a seccomp filter$/,
        );
        expect(probeOf(plain, 'sandbox').status).toBe('miss');
        expect(plain.summary).toMatch(/^missing: .*; for code that you trust: type: local$/);
        const remedy = probeOf(plain, 'user namespace').remedy!;
        const options = /docker run (.*)$/.exec(remedy)![1]!.split(' ');
        for (const user of [[], ['--user', '1000:1000']]) {
          const mended = inside(...options, ...user) as Report;
          expect(probeOf(mended, 'sandbox')).toMatchObject({ status: 'ok' });
          expect(mended).toMatchObject({ ok: true, summary: 'this machine is ready' });
          // The image's own files lie on an overlayfs, over which there is no other.
          const disk = probeOf(mended, 'overlayfs on the disk of the cache');
          expect(disk.status === 'ok' || disk.remedy!.includes('volume')).toBe(true);
          const onVolume = inside(...options, ...user, '--tmpfs', '/tmp:mode=1777') as Report;
          expect(probeOf(onVolume, 'overlayfs on the disk of the cache').status).toBe('ok');
        }
        const administrator = inside(...options, '--cap-add', 'SYS_ADMIN') as Report;
        expect(probeOf(administrator, 'container').detail).toContain('may administer (CAP_SYS_ADMIN)');
        expect(probeOf(administrator, 'sandbox')).toMatchObject({ status: 'ok' });
        const privileged = inside('--privileged');
        if (typeof privileged === 'string')
          process.stdout.write(`skipped in part: --privileged: ${privileged}\n`);
        else expect(probeOf(privileged, 'sandbox')).toMatchObject({ status: 'ok' });
      } finally {
        spawnSync('docker', ['rmi', '-f', image], { stdio: 'ignore' });
      }
    },
    LONG,
  );
});
