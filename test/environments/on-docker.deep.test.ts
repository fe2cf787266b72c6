/**
 * One project on a Debian release, in the sandbox and in containers of an engine: the same verdicts, nothing of the one serves
 * the other. Without an engine it is skipped, with the reason.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { noEngine } from '../executors/docker-fixture.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const WAIT = 900_000;
const DOCKER = ['--set', 'deployments.box.type=docker'];
const GOOD = expect.objectContaining({ ok: 1, failed: 0, infra: 0 });
let project: Project;

beforeAll(() => {
  project = tinyProject({ instances: 1 });
  const text = readFileSync(project.path('p.yaml'), 'utf8');
  writeFileSync(project.path('p.yaml'), `${text}agent: { type: oracle, deployment: box }\n`);
});

async function build(...more: string[]) {
  const end = await project.build('p.yaml', '--set', 'deployments.box.base=debian:bookworm', ...more);
  const stage = (name: string) => end.stages.find((one) => one.stage === `${name}.train`)!;
  return { end, verdicts: [stage('validate').outcomes, stage('grade').outcomes] };
}

test.skipIf(noEngine !== null)(
  'verdicts in containers are those of the sandbox',
  async () => {
    const sandbox = await build();
    expect(sandbox.verdicts).toEqual([GOOD, GOOD]);
    const docker = await build(...DOCKER);
    expect(docker.verdicts).toEqual([GOOD, GOOD]);
    expect(docker.end.executed).toBeGreaterThan(0);
    expect((await build(...DOCKER)).end.executed).toBe(0);
    expect((await build()).end.executed).toBe(0);
  },
  WAIT,
);
