/** `serve --print-unit` and `--install`: a unit that systemd takes, with the words that it was printed with and no secret. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { command } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { Project } from '../rig/project.ts';

const TOKEN = 'a-token-that-nobody-knows';
afterEach(() => {
  for (const name of ['SWE_CONTAINER_MEMORY', 'SWEMAKE_SERVER_TOKEN']) delete process.env[name];
});

test.each(['node', 'pool'])('prints a unit for a %s server', async (what) => {
  const project = new Project();
  writeFileSync(project.path('token'), `${TOKEN}\n`);
  process.env.SWE_CONTAINER_MEMORY = '8g';
  const words = ['serve', what, '--listen', '0.0.0.0:5000', '--token-file', 'token'];
  const { code, stdout } = await command(project, ...words, '--folder', 'a folder of 5%', '--print-unit');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    new RegExp(
      `^ExecStart=\\S+ \\S+ serve ${what} --listen 0.0.0.0:5000 --token-file token --folder "a folder of 5%%"$`,
      'm',
    ),
  );
  expect(stdout).toContain('Environment=SWE_CONTAINER_MEMORY=8g\n');
  expect(stdout).not.toMatch(/print-unit|nobody-knows/);
  writeFileSync(project.path('swemake.service'), stdout);
  const told = spawnSync('systemd-analyze', ['verify', project.path('swemake.service')], {
    encoding: 'utf8',
  });
  // Where there is no systemd, nobody says anything.
  expect(told.stderr ?? '').not.toMatch(/swemake\.service/);
});

test('signs that mean something in a unit stay what they are', async () => {
  const project = new Project(join(temporaryFolder(), 'a%zb'));
  mkdirSync(project.folder);
  writeFileSync(project.path('token'), `${TOKEN}\n`);
  process.env.SWE_CONTAINER_MEMORY = '$8%g';
  const { stdout } = await command(
    project,
    'serve',
    'node',
    '--token-file=token',
    '--folder=$a',
    '--print-unit',
  );
  expect(stdout).toContain(`WorkingDirectory=${project.folder.replace('%', '%%')}\n`);
  expect(stdout).toContain('Environment=SWE_CONTAINER_MEMORY=$8%%g\n');
  expect(stdout).toMatch(/^ExecStart=.* --folder=\$\$a$/m);
  writeFileSync(project.path('swemake.service'), stdout);
  const told = spawnSync('systemd-analyze', ['verify', project.path('swemake.service')], {
    encoding: 'utf8',
  });
  expect(told.stderr ?? '').not.toMatch(/swemake\.service/);
});

test('a unit cannot be made where its token would have to be in it', async () => {
  const project = new Project();
  process.env.SWEMAKE_SERVER_TOKEN = TOKEN;
  const { code, stdout, stderr } = await command(project, 'serve', 'node', '--print-unit');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('--token-file FILE');
});

test('a machine becomes a node by one command: token, unit, service and images; a second run changes nothing', async () => {
  const bare = new Project();
  const env = {
    PATH: `${bare.path('bin')}:${process.env.PATH}`,
    SYSTEMD_UNIT_PATH: bare.path('units'),
    ...{ MAX_RETRIES: '1', RETRY_SLEEP: '1s' },
  };
  const project = new Project(bare.folder, env);
  // In the place of systemd: writes down how it was called, and runs what the unit says.
  const systemctl = [
    '#!/bin/sh',
    `echo "$*" >> '${project.path('calls')}'`,
    '[ "$1" = restart ] || exit 0',
    `sed -n 's/^ExecStart=//p' '${project.path('units')}/swemake-node.service' > '${project.path('start.sh')}'`,
    `cd '${project.folder}' && setsid sh start.sh > server.log 2>&1 & echo $! > '${project.path('pid')}'`,
  ];
  mkdirSync(project.path('bin'));
  writeFileSync(project.path('bin/systemctl'), `${systemctl.join('\n')}\n`);
  chmodSync(project.path('bin/systemctl'), 0o755);
  writeFileSync(
    project.path('rows.jsonl'),
    `${JSON.stringify({ text: 't', metadata: { data_source: 'SWE-Gym', instance: { instance_id: 'a__b-1', image_name: 'localhost:1/none/gone:1' } } })}\n`,
  );
  const port = await freePort();
  const words = [
    'serve',
    'node',
    '--listen',
    `127.0.0.1:${port}`,
    '--token-file',
    'own/token',
    '--folder',
    'node',
  ];
  try {
    const first = await project.run(...words, '--install');
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toMatch(/swemake-node\.service is written, and swemake-node runs/);
    expect(statSync(project.path('own/token')).mode & 0o777).toBe(0o600);
    expect(statSync(project.path('own')).mode & 0o777).toBe(0o700);
    const unit = readFileSync(project.path('units/swemake-node.service'), 'utf8');
    expect(unit).toMatch(
      /^ExecStart=\S+ \S+ serve node --listen \S+ --token-file own\/token --folder node$/m,
    );
    const token = readFileSync(project.path('own/token'), 'utf8').trim();
    const asked = await fetch(`http://127.0.0.1:${port}/images`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(asked.status).toBe(200);
    // No registry has the image: its end is that of `swemake images --pull`.
    const again = await project.run(...words, '--install', '--rows', 'rows.jsonl');
    expect(again.stderr).toMatch(/swemake-node\.service is as it was/);
    expect(again.stderr).toMatch(/\[1\/1\] failed localhost:1\/none\/gone:1/);
    expect(again.code).toBe(3);
    expect(readFileSync(project.path('own/token'), 'utf8').trim()).toBe(token);
    expect(readFileSync(project.path('calls'), 'utf8').trim().split('\n')).toEqual([
      ...['daemon-reload', 'enable swemake-node', 'restart swemake-node'],
      ...['daemon-reload', 'enable swemake-node', 'start swemake-node'],
    ]);
  } finally {
    if (existsSync(project.path('pid'))) process.kill(-Number(readFileSync(project.path('pid'), 'utf8')));
  }
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
