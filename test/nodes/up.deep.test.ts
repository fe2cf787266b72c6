/**
 * `nodes up` and `nodes down` over a real sshd, with a program in Ray's place that says how it was called: what is started
 * is started once, ends whole, and is all that is ended.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../cli/main.ts';
import { command } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { type CommandEnd, Project } from '../rig/project.ts';
import { hasSshd, SshMachines } from '../rig/sshd.ts';
import { until } from '../rig/until.ts';

const folder = temporaryFolder();
const machines = new SshMachines(folder);

/** A child of its own, as Ray has many. */
const RAY = `#!/bin/bash
printf '%s\\n' "$*" >> "$XDG_STATE_HOME/called"
sleep 1000 &
echo $! > "$XDG_STATE_HOME/child"
echo 'Ray runtime started.'
wait
`;

beforeAll(async () => {
  mkdirSync(`${folder}/bin`);
  writeFileSync(`${folder}/bin/ray`, RAY);
  chmodSync(`${folder}/bin/ray`, 0o755);
  if (hasSshd) await machines.start('one', 'two');
});
afterAll(() => machines.stop());

function clusterProject(activate = `export PATH=${folder}/bin:$PATH`): Project {
  const project = new Project();
  writeFileSync(project.path('rows.jsonl'), '');
  const ssh = (name: string) => `ssh: "${machines.ssh(name)}", activate: '${activate}'`;
  writeFileSync(
    project.path('p.yaml'),
    `version: 1
name: p
dataset: { train: { source: rows.jsonl, format: custom } }
nodes:
  - { name: one, address: 127.0.0.1, roles: [ray-head], ${ssh('one')} }
  - { name: two, address: 127.0.0.1, roles: [ray-worker], ${ssh('two')}, resources: { cpu: 4, sandbox: 128, tar_io: 40 } }
`,
  );
  return project;
}

async function nodes(project: Project, env: NodeJS.ProcessEnv, ...args: string[]): Promise<CommandEnd> {
  const end: CommandEnd = { code: null, stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      end[name] += text;
    },
  });
  const all = { ...process.env, XDG_CACHE_HOME: project.path('home-cache'), ...env };
  const io = { stdout: sink('stdout'), stderr: sink('stderr'), env: all, cwd: project.folder, isTTY: false };
  end.code = await main(['nodes', ...args], io);
  return end;
}

const overSsh = machines.env;
const called = (name: string) => readFileSync(`${folder}/${name}/called`, 'utf8').trim().split('\n');

describe.skipIf(!hasSshd)('over ssh', () => {
  test('starts each once with its resources, and ends what it started', async () => {
    const project = clusterProject();
    const up = await nodes(project, overSsh, 'up', 'p.yaml');
    expect(up).toEqual({
      code: 0,
      stdout: 'one  ray  is up\ntwo  ray  is up\nthe cluster takes jobs at http://127.0.0.1:8265\n',
      stderr: '',
    });
    expect(called('one')).toEqual([
      'start --head --port=6379 --dashboard-host=0.0.0.0 --dashboard-port=8265 --node-ip-address=127.0.0.1 --node-name=one --num-cpus=0 --num-gpus=0 --disable-usage-stats --block',
    ]);
    expect(called('two')).toEqual([
      'start --address=127.0.0.1:6379 --node-ip-address=127.0.0.1 --node-name=two --num-cpus=4 --resources={"sandbox":128,"tar_io":40} --disable-usage-stats --block',
    ]);
    const again = await nodes(project, overSsh, 'up', 'p.yaml');
    expect(again.stdout).toContain('one  ray  is up already\ntwo  ray  is up already\n');
    expect(called('two')).toHaveLength(1);
    const children = ['one', 'two'].map((name) => Number(readFileSync(`${folder}/${name}/child`, 'utf8')));
    expect(children.map(isAlive)).toEqual([true, true]);
    const down = await nodes(project, overSsh, 'down', 'p.yaml');
    expect(down).toEqual({ code: 0, stdout: 'two  ray  is down\none  ray  is down\n', stderr: '' });
    expect(children.map(isAlive)).toEqual([false, false]);
    expect((await nodes(project, overSsh, 'down', 'p.yaml')).stdout).toBe(
      'two  ray  is down already\none  ray  is down already\n',
    );
  });

  test('says what helps where it cannot be started', async () => {
    const without = await nodes(clusterProject('true'), overSsh, 'up', 'p.yaml');
    expect(without).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('nodes[].activate'),
    });
    const failing = await nodes(clusterProject('false'), overSsh, 'up', 'p.yaml');
    expect(failing.stderr).toBe('E003  one: ray: "false" failed\n      correct nodes[].activate\n');
    const project = clusterProject();
    const text = readFileSync(project.path('p.yaml'), 'utf8');
    writeFileSync(project.path('p.yaml'), text.replace(/ssh:\/\/127.0.0.1:\d+/, 'ssh://127.0.0.1:1'));
    const away = await nodes(project, overSsh, 'up', 'p.yaml');
    expect(away).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/E003 {2}one: .*refused[\s\S]*--here/),
    });
  });
});

describe('on each host', () => {
  const here = () => {
    const state = temporaryFolder();
    return { state, env: { XDG_STATE_HOME: state, MASTER_ADDR: '', RANK: '' } };
  };

  test('takes its part by its rank, and knows its own', async () => {
    const project = clusterProject();
    const { state, env } = here();
    const worker = { ...env, MLP_ROLE_INDEX: '1' };
    const up = await nodes(
      project,
      worker,
      'up',
      'p.yaml',
      '--master-ip',
      '10.0.0.9',
      '--master-port',
      '6400',
    );
    expect(up).toMatchObject({ code: 0, stdout: 'two  ray  is up\n' });
    expect(readFileSync(`${state}/called`, 'utf8')).toMatch(
      /^start --address=10\.0\.0\.9:6400 --node-name=two /,
    );
    const down = await nodes(project, worker, 'down', 'p.yaml', '--here');
    expect(down).toMatchObject({ code: 0, stdout: 'two  ray  is down\n' });
    const third = await nodes(project, { ...env, RANK: '2' }, 'up', 'p.yaml', '--here');
    expect(third).toMatchObject({ code: 2, stderr: expect.stringContaining('RANK is 2') });
    const wrong = await nodes(project, env, 'up', 'p.yaml', '--role', 'worker', '--node', 'one');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('one is the head') });
  });

  test('a node without roles is a node server, which is left alone where it runs', async () => {
    const { state, env } = here();
    const project = new Project();
    const program = `${folder}/bin/swemake`;
    writeFileSync(program, RAY.replace('Ray runtime started.', 'node server at there'));
    chmodSync(program, 0o755);
    const write = (port: number) =>
      writeFileSync(
        project.path('p.yaml'),
        `version: 1
name: p
dataset: { train: { source: rows.jsonl, format: custom } }
nodes: [{ name: a, address: "http://127.0.0.1:${port}", program: ${program}, folder: ${state} }]
`,
      );
    writeFileSync(project.path('rows.jsonl'), '');
    // Nothing listens there.
    write(1);
    const up = await nodes(project, env, 'up', 'p.yaml', '--here');
    expect(up).toEqual({ code: 0, stdout: 'a  node-server  is up\n', stderr: '' });
    expect(readFileSync(`${state}/called`, 'utf8')).toBe(
      `serve node --listen 127.0.0.1:1 --folder ${state}/node-server-a\n`,
    );
    const down = await nodes(project, env, 'down', 'p.yaml', '--here');
    expect(down.stdout).toBe('a  node-server  is down\n');
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    write((other.address() as AddressInfo).port);
    const left = await nodes(project, env, 'up', 'p.yaml', '--here');
    expect(left).toMatchObject({ code: 0, stdout: 'a  node-server  was started by something else\n' });
    other.close();
  });

  test('ends no process that took the number of one that is gone', async () => {
    const project = clusterProject();
    const { state, env } = here();
    const other = spawn('sleep', ['1000'], { detached: true });
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    mkdirSync(`${state}/swemake`);
    for (const note of [`${other.pid} 1 ${boot}`, `${other.pid}`, 'x', '']) {
      writeFileSync(`${state}/swemake/ray-one.pid`, note);
      const down = await nodes(project, env, 'down', 'p.yaml', '--role', 'head');
      expect(down).toMatchObject({ code: 0, stdout: 'one  ray  is down already\n' });
    }
    expect(isAlive(other.pid!)).toBe(true);
    other.kill();
  });

  test('stays in the foreground where it is told to, until it is ended', async () => {
    const project = clusterProject();
    const { state, env } = here();
    const program = [process.execPath, 'bin/swemake.js', 'nodes', 'up', project.path('p.yaml')];
    const child = spawn(program[0]!, [...program.slice(1), '--role', 'head', '--block'], {
      env: { ...process.env, ...env, XDG_CACHE_HOME: project.path('home-cache') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const said = new Promise((resolve) => child.stdout.on('data', (text) => resolve(`${text}`)));
    expect(await Promise.race([said, ended])).toContain('Ray runtime started');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const started = Number(readFileSync(`${state}/child`, 'utf8'));
    await until(() => !isAlive(started));
  });
});

test('a project without nodes has nothing to start', async () => {
  const project = new Project();
  writeFileSync(project.path('rows.jsonl'), '');
  writeFileSync(
    project.path('p.yaml'),
    'version: 1\nname: p\ndataset: { train: { source: rows.jsonl, format: custom } }\n',
  );
  const end = await command(project, 'nodes', 'up', 'p.yaml');
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('has no nodes') });
});

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
