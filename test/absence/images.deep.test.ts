/**
 * A row that names an image which is not in its registry yet, with a real registry on loopback: each build asks for it again, so the build
 * after the push takes the image. Without skopeo and docker-registry it is skipped, with the reason.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../executors/process/port.ts';
import { isThere } from '../../tasks/base/debian.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { writeLayout } from '../rig/oci-layout.ts';
import type { Project } from '../rig/project.ts';
import { tarOf } from '../rig/tar.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { GIT_TOOLS, makeTinyRoot } from '../rig/tiny-root.ts';
import { until } from '../rig/until.ts';

const missing = ['skopeo', 'docker-registry'].filter((name) => !isThere(name, process.env));
if (missing.length > 0) console.log(`skipped: images that come later: there is no ${missing.join(', ')}`);

const folder = temporaryFolder();
let registry: ChildProcess | null = null;
let host: string;
afterAll(() => registry?.kill());

beforeAll(async () => {
  if (missing.length > 0) return;
  host = `127.0.0.1:${await freePort()}`;
  const storage = { filesystem: { rootdirectory: join(folder, 'registry') } };
  writeFileSync(
    join(folder, 'registry.yml'),
    JSON.stringify({ version: 0.1, storage, http: { addr: host } }),
  );
  registry = spawn('docker-registry', ['serve', join(folder, 'registry.yml')], { stdio: 'ignore' });
  const isUp = () =>
    fetch(`http://${host}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isUp);
  makeTinyRoot(join(folder, 'root'), [...GIT_TOOLS, 'sha256sum', 'tr']);
});

/** Pushes an image that brings an environment, of which only the list of packages is asked for. */
function push(name: string): void {
  const layout = join(folder, name);
  const root = execFileSync('tar', ['-C', join(folder, 'root'), '-cf', '-', '.'], { maxBuffer: 1 << 30 });
  const python = '#!/bin/bash\necho demo==1\n';
  const brought = tarOf([{ name: 'opt/miniconda3/envs/testbed/bin/python', content: python, mode: 0o755 }]);
  writeLayout(layout, [root, brought], { env: ['PATH=/usr/bin:/bin'] });
  const to = ['--dest-tls-verify=false', `oci:${layout}`, `docker://${host}/lab/${name}:1`];
  execFileSync('skopeo', ['--insecure-policy', 'copy', '-q', ...to]);
  rmSync(layout, { recursive: true });
}

/** Rows that name an image each. */
function onImages(names: readonly string[]): Project {
  const project = tinyProject({ instances: names.length, isCold: true });
  const rows = readFileSync(project.path('rows.jsonl'), 'utf8').trim().split('\n');
  const named = rows.map((row, index) => ({
    ...JSON.parse(row),
    image_name: `${host}/lab/${names[index]}:1`,
  }));
  writeFileSync(project.path('rows.jsonl'), named.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return project;
}

const onImage = ['--set', 'deployments.box.base=image'];

async function build(project: Project) {
  const end = await project.build('p.yaml', 'validate.train', ...onImage);
  const outcomes = (stage: string) => end.stages.find((one) => one.stage === `${stage}.train`)!.outcomes;
  return { ...end, environments: outcomes('environments'), validate: outcomes('validate') };
}

test.skipIf(missing.length > 0)(
  'a tag that is pushed later is taken by the next build',
  { timeout: 240_000 },
  async () => {
    push('here');
    const project = onImages(['here', 'later']);
    const first = await project.run('build', 'p.yaml', 'validate.train', ...onImage);
    expect(first.stdout).toContain(
      `failed invalid-row: there is no image ${host}/lab/later:1; each build asks for it again`,
    );
    expect(first.stdout).toContain('1 failed environment-failed');
    expect(await build(project)).toMatchObject({ executed: 0, environments: { ok: 1, failed: 1, infra: 0 } });

    push('later');
    expect(await build(project)).toMatchObject({ environments: { ok: 2 }, validate: { failed: 0 } });
    expect(await build(project)).toMatchObject({ executed: 0, environments: { ok: 2 } });
  },
);

test.skipIf(missing.length > 0)(
  'an image of the whole deployment that is not there is a fault',
  { timeout: 120_000 },
  async () => {
    const project = onImages(['here']);
    const end = await project.run(
      'build',
      'p.yaml',
      '--set',
      `deployments.box.base=image:${host}/lab/none:1`,
    );
    expect(end.code).toBe(3);
    expect(end.stdout).toContain(`infra source-fetch: base image:${host}/lab/none:1: there is no image`);
  },
);
