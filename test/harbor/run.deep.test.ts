/**
 * `harbor run` on an exported task whose tests need a service: Harbor builds its image and opens its containers by compose, its
 * agent `oracle` earns 1 and its `nop` 0. HARBOR_PYTHON names a Python that has the package `harbor`. A Debian stands for images of
 * registries: the official one of Python, and the one by which Harbor closes a network. There nothing listens behind the rules
 * that Harbor itself writes, so what they let through is refused as well.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { debianRoot, noEngine } from '../executors/docker-fixture.ts';
import { command } from '../rig/command.ts';
import { Project } from '../rig/project.ts';
import { makeRepository } from '../tasks/source/helpers.ts';

const WAIT = 900_000;
const NAME = `swemake-test-harbor-run-${process.pid}`;
const PYTHON = process.env.HARBOR_PYTHON;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const folder = mkdtempSync(join(tmpdir(), 'swemake-harbor-run-'));
const made: string[] = [];
let project: Project;
let whyNot = noEngine ?? lacking();
if (whyNot !== null) console.log(`skipped: harbor run: ${whyNot}`);

function lacking(): string | null {
  if (PYTHON === undefined) return 'HARBOR_PYTHON names no Python that has the package harbor';
  const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
  if (!has(PYTHON, '-c', 'import harbor')) return `${PYTHON} has no package harbor`;
  return has('docker', 'compose', 'version') ? null : 'docker has no compose plugin';
}

function image(name: string, context: string): { status: number | null; said: string } {
  made.push(name);
  const built = spawnSync('docker', ['build', '-q', '--network=host', '-t', name, context], {
    encoding: 'utf8',
  });
  return { status: built.status, said: built.stdout + built.stderr };
}

/** Harbor's command line, which asks a container of this Debian whether the kernel can close networks. */
const DRIVER = `
import sys
from harbor.environments.docker.docker import DockerEnvironment as Docker
from harbor.environments.docker.utils import _compute_image_name
from harbor.utils.container_cache import docker_build_context_hash
context = Docker._EGRESS_CONTROL_SIDECAR_CONTEXT_PATH
dockerfile = Docker._egress_control_sidecar_dockerfile_path()
if sys.argv[1:] == ['sidecar']:
    named = docker_build_context_hash(context=context, dockerfile_path=dockerfile, build_args={}, platform=sys.stdin.read().strip())
    print(context, _compute_image_name(Docker._EGRESS_CONTROL_SIDECAR_DOCKER_NAME, named))
    sys.exit()
Docker._EGRESS_CONTROL_KERNEL_PROBE_IMAGE = '${NAME}:python'
from harbor.cli.main import app
app()
`;

function harbor(args: readonly string[], input = ''): string {
  const env = { ...process.env, HARBOR_TELEMETRY: '0' };
  const end = spawnSync(PYTHON!, ['-c', DRIVER, ...args], { cwd: folder, env, input, encoding: 'utf8' });
  expect([end.status, end.stderr]).toEqual([0, expect.any(String)]);
  return end.stdout;
}

/** Harbor's image for closed networks, as far as it can be made without a registry. */
function makeSidecar(): string | null {
  const version = ['version', '--format', '{{.Server.Os}}/{{.Server.Arch}}'];
  const platform = execFileSync('docker', version, { encoding: 'utf8' });
  const [context, name] = harbor(['sidecar'], platform).trim().split(' ');
  const own = join(folder, 'sidecar');
  cpSync(context!, own, { recursive: true });
  const lines = [
    `FROM ${NAME}:python`,
    'RUN apt-get update -q && apt-get install -y -q --no-install-recommends nftables',
    String.raw`RUN printf '#!/bin/sh\nexec sleep infinity\n' > /bin/gost`,
    'COPY gost.yaml allowlist.txt entrypoint.sh /opt/egress-sidecar/',
    'COPY bin/network-policy /usr/local/bin/network-policy',
    // The nft of Debian 12 does not know this priority by its name.
    "RUN sed -i 's/priority dstnat/priority -100/' /usr/local/bin/network-policy",
    'RUN chmod 755 /bin/gost /opt/egress-sidecar/entrypoint.sh /usr/local/bin/network-policy',
  ];
  writeFileSync(join(own, 'Dockerfile'), `${lines.join('\n')}\n`);
  const built = image(name!, own);
  return built.status === 0 ? null : `there is no nftables for it: ${built.said.trim().split('\n').at(-1)}`;
}

function makePython(): void {
  const root = spawnSync('tar', ['-C', debianRoot(), '-c', '.'], { maxBuffer: 1 << 30 }).stdout;
  execFileSync('docker', ['import', '-', `${NAME}:root`], { input: root, stdio: ['pipe', 'ignore', 'pipe'] });
  made.push(`${NAME}:root`);
  const context = join(folder, 'python');
  mkdirSync(context);
  const lines = [`FROM ${NAME}:root`, 'ENV PATH=/opt/env/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'];
  if (existsSync(CERTIFICATES)) {
    writeFileSync(join(context, 'own.crt'), readFileSync(CERTIFICATES));
    lines.push(`COPY own.crt ${CERTIFICATES}`, `ENV PIP_CERT=${CERTIFICATES}`);
  }
  writeFileSync(join(context, 'Dockerfile'), `${lines.join('\n')}\n`);
  expect(image(`${NAME}:python`, context).status).toBe(0);
}

const MODULE = `import urllib.request
def ask(path):
    return urllib.request.urlopen('http://words.test' + path, timeout=5).read().decode()
VALUE = 0
`;
const TESTS = `import unittest
from m import VALUE, ask
class Test(unittest.TestCase):
    def test_value(self):
        self.assertEqual(ask('/hello'), 'hello %d' % VALUE)
    def test_other(self):
        self.assertEqual(ask('/other'), 'other 0')
`;
const SERVICE = 'import bottle; bottle.route("/<word>")(lambda word: word + " 0"); bottle.run(port=80)';
const YAML = `version: 1
name: served
dataset:
  train: { source: rows.jsonl, format: custom }
environments:
  recipes:
    - match: {}
      pip: []
      install: []
      test: python -m unittest -v
      parser: unittest
      background:
        - name: words
          pip: ["bottle==0.13.2"]
          hosts: [words.test]
          run: ${JSON.stringify(`python -c '${SERVICE}'`)}
          port: 80
deployments:
  box: { type: sandbox, network: { build: proxy, rollout: off, grade: off } }
validation: { deployment: box, timeout: 60s }
agent: { type: oracle }
`;

async function exportTask(): Promise<void> {
  project = new Project();
  const [commit] = makeRepository(project.folder, 'repo', { 'm.py': MODULE, 'test_m.py': TESTS });
  const row = {
    ...{
      instance_id: 'served.0',
      repo: 'owner/served',
      patch_role: 'bug',
      problem_statement: 'VALUE is wrong',
    },
    source: `git+./repo@${commit}`,
    patch: 'diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -4 +4 @@\n-VALUE = 0\n+VALUE = 1\n',
    FAIL_TO_PASS: ['test_value (test_m.Test)'],
    PASS_TO_PASS: ['test_other (test_m.Test)'],
  };
  writeFileSync(project.path('rows.jsonl'), `${JSON.stringify(row)}\n`);
  writeFileSync(project.path('p.yaml'), YAML);
  const built = await command(project, 'build', 'p.yaml', 'validate');
  expect([built.code, built.stdout + built.stderr]).toEqual([0, expect.stringContaining('made')]);
  const args = ['validate', '--format', 'harbor', '--to', 'tasks', '--project', 'p.yaml'];
  expect((await command(project, 'export', ...args)).code).toBe(0);
}

beforeAll(async () => {
  if (whyNot !== null) return;
  makePython();
  whyNot = makeSidecar();
  if (whyNot !== null) return console.log(`skipped: harbor run: ${whyNot}`);
  await exportTask();
  const dockerfile = project.path('tasks/served.0/environment/Dockerfile');
  const own = readFileSync(dockerfile, 'utf8');
  writeFileSync(dockerfile, own.replace(/^FROM .*$/m, `FROM ${NAME}:python`));
}, WAIT);

afterAll(() => {
  if (made.length > 0) spawnSync('docker', ['image', 'rm', '-f', ...made.reverse()]);
  rmSync(folder, { recursive: true, force: true });
});

for (const [agent, reward] of [
  ['oracle', 1],
  ['nop', 0],
] as const)
  test(
    `agent ${agent} earns ${reward}`,
    ({ skip }) => {
      if (whyNot !== null) skip(whyNot);
      const job = ['-a', agent, '-n', '1', '-o', folder, '--job-name', agent];
      harbor(['run', '-p', project.path('tasks'), ...job, '--yes', '--quiet']);
      const ends = readdirSync(join(folder, agent))
        .map((trial) => join(folder, agent, trial, 'result.json'))
        .filter((path) => existsSync(path))
        .map((path) => JSON.parse(readFileSync(path, 'utf8')));
      expect(ends).toMatchObject([{ exception_info: null, verifier_result: { rewards: { reward } } }]);
    },
    WAIT,
  );
