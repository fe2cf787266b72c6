/**
 * One instance on the machine's own system, on a Debian release and on images: the same verdicts. The release is made once by
 * mmdebstrap; what lacks a program is skipped, with the reason.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { isThere } from '../../tasks/base/debian.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { writeLayout } from '../rig/oci-layout.ts';
import type { Project } from '../rig/project.ts';
import { type TarEntry, tarOf } from '../rig/tar.ts';
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
  const log = (
    await project.run('logs', 'environments*', '--project', 'p.yaml', '--set', `deployments.box.base=${base}`)
  ).stdout;
  return { end, log, validate: stage('validate').outcomes, grade: stage('grade').outcomes, stage };
}

const GOOD = expect.objectContaining({ ok: 1, failed: 0, infra: 0 });

/** What `plan` says of the same cache on a machine of another name, system, user and folder. */
async function plannedElsewhere(base: string): Promise<string> {
  const [system, place] = [join(folder, 'os-release'), join(folder, 'elsewhere')];
  writeFileSync(system, 'ID=elsewhere\nVERSION_ID="9"\n');
  mkdirSync(place, { recursive: true });
  const command = [
    `hostname elsewhere && mount --bind ${system} "$(readlink -f /etc/os-release)"`,
    `mount --bind ${project.folder} ${place} && mount -t tmpfs none /usr/local && cd ${place}`,
    `${process.execPath} ${packageRoot()}/bin/swemake.js plan p.yaml --set deployments.box.base=${base}`,
  ];
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: '/var',
    USER: 'lab',
    TZ: 'Asia/Tokyo',
    XDG_CACHE_HOME: `${place}/home-cache`,
  };
  return execFileSync('unshare', ['--uts', '--mount', 'bash', '-c', command.join(' && ')], {
    env,
    encoding: 'utf8',
  });
}

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
    expect(await plannedElsewhere('debian:bookworm')).toContain('nothing would run');
    expect(await plannedElsewhere('host')).toMatch(/would run \d/);
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
  return tarOf([...environmentEntries(place), { name: 'opt/su', content: '', mode: 0o4755 }]);
}

function environmentEntries(place: string, link = python): TarEntry[] {
  const bin = `${place.slice(1)}/bin`;
  return [
    { name: `${bin}/python`, type: '2', link },
    { name: `${bin}/python3`, type: '2', link: 'python' },
    {
      name: `${place.slice(1)}/pyvenv.cfg`,
      content: 'home = /usr/bin\ninclude-system-site-packages = false\n',
    },
    { name: `${place.slice(1)}/lib/${python.split('/').at(-1)}/site-packages/`, type: '5', mode: 0o755 },
    { name: 'testbed/.git/HEAD', content: 'ref: refs/heads/theirs\n' },
    { name: 'testbed/m0.py', content: 'VALUE = "theirs"\n' },
    { name: 'testbed/generated.py', content: 'MADE = 1\n' },
  ];
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

/** What conda's `activate` does, as far as it is looked at. */
const ACTIVATE = 'conda() { export CONDA_DEFAULT_ENV=$2 PATH=/opt/miniconda3/envs/$2/bin:$PATH; }\n';
const CONDA = '/opt/miniconda3/envs/testbed';
const VENV = '/testbed/.venv';

/** A repository before the fix and without its tests, and after it with them. */
function makeFour(): { before: string; patch: string; testPatch: string } {
  const at = project.path('four');
  mkdirSync(at);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: at,
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(at, 'm.py'), 'VALUE = -1\n');
  git('add', '-A');
  git('commit', '-qm', 'before');
  const before = git('rev-parse', 'HEAD').trim();
  writeFileSync(join(at, 'm.py'), 'VALUE = 0\n');
  const patch = git('diff');
  const lines = ['import unittest', 'from m import VALUE', 'class Test(unittest.TestCase):'];
  const tests = [
    '    def test_value(self):',
    '        self.assertEqual(VALUE, 0)',
    '    def test_other(self):',
  ];
  writeFileSync(join(at, 'test_m.py'), [...lines, ...tests, '        pass', ''].join('\n'));
  git('add', 'test_m.py');
  const testPatch = git('diff', '--cached');
  git('commit', '-qam', 'after');
  return { before, patch, testPatch };
}

/** Puts an image of these layers into the registry. */
function push(name: string, layers: Buffer[], env: string[]): void {
  const at = project.path(`image-${name.replaceAll(/\W/g, '-')}`);
  rmSync(at, { recursive: true, force: true });
  writeLayout(at, layers, { env, user: 'lab' });
  const copy = ['--insecure-policy', 'copy', '-q', '--dest-tls-verify=false'];
  execFileSync('skopeo', [...copy, `oci:${at}`, `docker://${name}`]);
}

on(
  'rows of SWE-bench, SWE-Gym, SWE-smith and R2E on the images that they name; one whose tag moves',
  async () => {
    const release = releaseLayer();
    const host = await startRegistry();
    const { before, patch, testPatch } = makeFour();
    const path = 'PATH=/opt/miniconda3/bin:/usr/local/bin:/usr/bin:/bin';
    const conda = (mark: string) => [
      release,
      tarOf([
        { name: 'opt/miniconda3/bin/activate', content: ACTIVATE },
        ...environmentEntries(CONDA),
        { name: 'testbed/mark.py', content: `MARK = "${mark}"\n` },
      ]),
    ];
    // uv's Python of R2E's images lies in root's home.
    const uv = '/root/.local/share/uv/python/cpython-3/bin/python3';
    const r2e = [
      release,
      tarOf([...environmentEntries(VENV, uv), { name: uv.slice(1), type: '2', link: python }]),
    ];
    const images = {
      bench: `${host}/swebench/sweb.eval.x86_64.owner_1776_four-1:latest`,
      gym: `${host}/xingyaoww/sweb.eval.x86_64.owner_s_four-2:latest`,
      smith: `${host}/jyangballin/swesmith.x86_64.owner_1776_four.0123abcd`,
      r2e: `${host}/namanjain12/four_final:${before}`,
    };
    push(images.bench, conda('bench'), [path]);
    push(images.gym, conda('gym'), [path]);
    push(images.smith, conda('smith'), [path]);
    push(images.r2e, r2e, ['PATH=/usr/local/bin:/usr/bin:/bin']);
    const common = {
      problem_statement: 'm is wrong',
      FAIL_TO_PASS: ['test_value (test_m.Test)'],
      PASS_TO_PASS: ['test_other (test_m.Test)'],
    };
    const fix = { ...common, repo: 'owner/four', base_commit: before, patch, test_patch: testPatch };
    const script = [
      '#!/bin/bash',
      'set -uxo pipefail',
      'source /opt/miniconda3/bin/activate',
      'conda activate testbed',
      'cd /testbed',
      ": '>>>>> Start Test Output'",
      'python -c "import sys; assert sys.prefix == \'/opt/miniconda3/envs/testbed\'" && python -m unittest -v test_m',
      ": '>>>>> End Test Output'",
    ].join('\n');
    const bug = patch.replace('-VALUE = -1', '-VALUE = 0').replace('+VALUE = 0', '+VALUE = -1');
    const rows = {
      bench: { ...fix, instance_id: 'owner__four-1', version: '1', image: images.bench, eval_script: script },
      gym: { ...fix, instance_id: 'owner__four-2', version: '1', image_name: images.gym },
      smith: {
        ...common,
        instance_id: 'owner__four.0123abcd.lm_1',
        repo: 'swesmith/owner__four.0123abcd',
        image_name: images.smith,
        patch: bug,
      },
      r2e: { ...fix, instance_id: 'four-3', source: `git+./four@${before}`, docker_image: images.r2e },
    };
    const formats = { bench: 'swe-bench', gym: 'swe-gym', smith: 'swe-smith', r2e: 'custom' };
    for (const [name, row] of Object.entries(rows))
      writeFileSync(project.path(`${name}.jsonl`), `${JSON.stringify(row)}\n`);
    const sources = 'sources: { "owner/*": "git+./four@{commit}", "swesmith/*": "git+./four@main" }';
    const active = (place: string) =>
      `test -x ${place}/bin/python && test $(command -v python) = ${place}/bin/python`;
    writeFileSync(
      project.path('four.yaml'),
      `version: 1
name: four
dataset:
${Object.entries(formats)
  .map(([name, format]) => `  ${name}: { source: ${name}.jsonl, format: ${format}, ${sources} }\n`)
  .join('')}environments:
  recipes:
    - match: { instance: four-3 }
      eval_commands: ["${active(VENV)} && test $VIRTUAL_ENV = ${VENV} && test $(pwd) = /testbed"]
    - match: { instance: "owner__four-1" }
      eval_script: true
    - match: {}
      test: "python -c 'import generated' && python -m unittest -v"
      eval_commands: ["${active(CONDA)} && test $CONDA_DEFAULT_ENV = testbed && test $(id -u) = 0"]
      parser: unittest
deployments:
  box: { type: sandbox, base: image, network: { grade: off } }
validation: { deployment: box, timeout: 60s }
agent: { type: oracle, deployment: box }
`,
    );
    const built = await project.build('four.yaml');
    for (const name of Object.keys(rows))
      for (const stage of ['environments', 'validate', 'grade'])
        expect(
          [name, stage, built.stages.find((one) => one.stage === `${stage}.${name}`)!.outcomes],
          (await project.run('logs', `${stage}.${name}@*`, '--project', 'four.yaml')).stdout,
        ).toEqual([name, stage, GOOD]);
    const log = async (name: string) =>
      (await project.run('logs', `environments.${name}@*`, '--project', 'four.yaml')).stdout;
    expect(await log('gym')).toContain('the image asks for user lab');
    expect(await log('r2e')).toContain(`the environment of the image, at ${VENV}`);

    // A tag that moves: told by the lock, taken when the lock is made anew, and only its own rows run again.
    expect((await project.run('lock', 'four.yaml', '--images')).code).toBe(0);
    push(images.smith, conda('moved'), [path]);
    const frozen = await project.run('build', 'four.yaml', '--frozen');
    expect([frozen.code, frozen.stderr]).toEqual([2, expect.stringContaining(`images.${images.smith}`)]);
    expect((await project.build('four.yaml')).executed).toBe(0);
    expect((await project.run('lock', 'four.yaml', '--images', '--update')).code).toBe(0);
    const moved = await project.build('four.yaml');
    const ran = moved.stages.filter(({ executed }) => executed > 0).map(({ stage }) => stage);
    expect(ran.every((stage) => stage.endsWith('.smith'))).toBe(true);
    expect(moved.stages.find(({ stage }) => stage === 'grade.smith')!.outcomes).toEqual(GOOD);
    expect(await log('smith')).toContain('its name meant sha256:');
  },
  WAIT,
);

async function startRegistry(): Promise<string> {
  const port = await freePort();
  const config = join(folder, 'registry.yml');
  mkdirSync(join(folder, 'registry'), { recursive: true });
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
