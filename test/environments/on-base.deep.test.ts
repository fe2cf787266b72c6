/**
 * One instance on the machine's own system, on a Debian release and on images: the same verdicts. The release is made once by
 * mmdebstrap; what lacks a program is skipped, with the reason.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isThere } from '../../tasks/base/debian.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { writeLayout } from '../rig/oci-layout.ts';
import type { Project } from '../rig/project.ts';
import { tarOf } from '../rig/tar.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const WAIT = 600_000;
const MISSING = ['mmdebstrap', 'skopeo', 'docker-registry'].filter((name) => !isThere(name, process.env));
const isRoot = process.getuid?.() === 0;
const why = !isRoot ? 'a release is made by root' : MISSING.map((name) => `there is no ${name}`).join(', ');
if (why !== '') console.log(`skipped: images and Debian releases: ${why}`);
const on = test.skipIf(why !== '');

let project: Project;
/** Of the environment on the Debian release. */
let python = '';
const folder = temporaryFolder();
let registry: ChildProcess | null = null;
afterAll(() => registry?.kill());

beforeAll(() => {
  project = tinyProject({ instances: 1 });
  writeFileSync(
    project.path('p.yaml'),
    `${readFileSync(project.path('p.yaml'), 'utf8')}agent: { type: oracle, deployment: box }\n`,
  );
});

async function build(base: string, ...more: string[]) {
  const end = await project.build('p.yaml', '--set', `deployments.box.base=${base}`, ...more);
  const stage = (name: string) => end.stages.find((one) => one.stage === `${name}.train`)!;
  const log = (await project.run('logs', 'environments*', 'p.yaml', '--set', `deployments.box.base=${base}`))
    .stdout;
  return { end, log, validate: stage('validate').outcomes, grade: stage('grade').outcomes, stage };
}

const GOOD = expect.objectContaining({ ok: 1, failed: 0, infra: 0 });

on(
  'the machine, a Debian release with packages of it, and again from the cache',
  async () => {
    const host = await build('host');
    expect([host.validate, host.grade]).toEqual([GOOD, GOOD]);
    const debian = await build('debian:bookworm');
    expect([debian.validate, debian.grade]).toEqual([GOOD, GOOD]);
    python = /(\/usr\/bin\/python3\.\d+) -I -m venv/.exec(debian.log)![1]!;
    expect(debian.log).toContain('== base debian:bookworm · sha256:');
    const again = await build('debian:bookworm');
    expect(again.end.executed).toBe(0);
    // A package with a user of its own, and what the tests need of it.
    writeFileSync(
      project.path('p.yaml'),
      readFileSync(project.path('p.yaml'), 'utf8').replace(
        '      install: []\n',
        '      install: []\n      system: [tree, cron]\n      eval_commands: ["tree --version && test -g /usr/bin/crontab"]\n',
      ),
    );
    const more = await build('debian:bookworm');
    expect([more.validate, more.grade]).toEqual([GOOD, GOOD]);
  },
  WAIT,
);

/** A layer over the release in the layout of SWE-bench's images, or of R2E's. */
function environmentLayer(place: string): Buffer {
  const bin = `${place.slice(1)}/bin`;
  return tarOf([
    { name: `${bin}/python`, type: '2', link: python },
    { name: `${bin}/python3`, type: '2', link: 'python' },
    {
      name: `${place.slice(1)}/pyvenv.cfg`,
      content: 'home = /usr/bin\ninclude-system-site-packages = false\n',
    },
    { name: `${place.slice(1)}/lib/${python.split('/').at(-1)}/site-packages/`, type: '5', mode: 0o755 },
    { name: 'testbed/.git/HEAD', content: 'ref: refs/heads/theirs\n' },
    { name: 'testbed/m0.py', content: 'VALUE = "theirs"\n' },
    { name: 'testbed/generated.py', content: 'MADE = 1\n' },
    { name: 'opt/su', content: '', mode: 0o4755 },
  ]);
}

/** What the made release holds, as one layer. */
function releaseLayer(): Buffer {
  const bases = project.path('.swemake/bases');
  const tree = readdirSync(bases)
    .map((name) => join(bases, name, 'tree'))
    .find((path) => existsSync(join(path, 'usr/bin/git')))!;
  return execFileSync('tar', ['--numeric-owner', '-C', tree, '-cf', '-', '.'], { maxBuffer: 1 << 30 });
}

on(
  'images in the layouts of SWE-bench and R2E: a layout, what docker save writes, a registry',
  async () => {
    const release = releaseLayer();
    const recipe = readFileSync(project.path('p.yaml'), 'utf8');
    writeFileSync(
      project.path('p.yaml'),
      recipe
        .replace(/ {6}system: .*\n/, '')
        .replace(
          /eval_commands: .*\n/,
          'eval_commands: ["test $MARK = image && test -u /opt/su && python -c \'import generated\'"]\n',
        ),
    );
    for (const [name, place] of [
      ['conda', '/opt/miniconda3/envs/testbed'],
      ['venv', '/testbed/.venv'],
    ] as const) {
      writeLayout(project.path(name), [release, environmentLayer(place)], {
        env: ['MARK=image', 'PATH=/usr/bin:/bin'],
      });
      const built = await build(`image:./${name}`);
      expect([built.validate, built.grade]).toEqual([GOOD, GOOD]);
      expect(built.log).toContain(`the environment of the image, at ${place}`);
    }
    // The layers are there, however the image comes.
    const saved = project.path('saved.tar');
    execFileSync('skopeo', [
      '--insecure-policy',
      'copy',
      '-q',
      `oci:${project.path('conda')}`,
      `docker-archive:${saved}:a:1`,
    ]);
    expect((await build('image:./saved.tar')).grade).toEqual(GOOD);
    const host = await startRegistry();
    const copy = ['--insecure-policy', 'copy', '-q', '--dest-tls-verify=false'];
    execFileSync('skopeo', [...copy, `oci:${project.path('conda')}`, `docker://${host}/lab/testbed:1`]);
    const pulled = await build(`image:${host}/lab/testbed:1`);
    expect([pulled.validate, pulled.grade]).toEqual([GOOD, GOOD]);
    // The image that the row names, and nobody to ask any more.
    const row = JSON.parse(readFileSync(project.path('rows.jsonl'), 'utf8'));
    writeFileSync(
      project.path('rows.jsonl'),
      `${JSON.stringify({ ...row, image_name: `${host}/lab/testbed:1` })}\n`,
    );
    registry?.kill();
    const named = await build('image');
    expect([named.validate, named.grade]).toEqual([GOOD, GOOD]);
    expect(existsSync(project.path('.swemake/bases'))).toBe(true);
  },
  WAIT,
);

async function startRegistry(): Promise<string> {
  const port = await freePort();
  const config = join(folder, 'registry.yml');
  mkdirSync(join(folder, 'registry'));
  writeFileSync(
    config,
    `version: 0.1\nstorage: { filesystem: { rootdirectory: ${join(folder, 'registry')} } }\nhttp: { addr: 127.0.0.1:${port} }\n`,
  );
  registry = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
  for (let tries = 0; tries < 100; tries += 1) {
    const answers = await fetch(`http://127.0.0.1:${port}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return `127.0.0.1:${port}`;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
