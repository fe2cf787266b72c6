/**
 * What the originals' programs find when they are started by us: the image of each row, by swe-rl's own function where its source is
 * here, a cluster of Ray, their program and their modules from any folder.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../../basics/canonical.ts';
import { instanceRow } from '../../formats/read-row.ts';
import { FORMATS } from '../../formats/registry.ts';
import type { RlConfig } from '../../schemas/generated/project.ts';
import { rlRows, withImage } from '../../stages/rl-data/rows.ts';
import { imageText, parseImage } from '../../tasks/images/image-name.ts';
import { startOf } from '../../tasks/training/script.ts';
import { RL_TRAINERS } from '../../trainers/registry.ts';
import { Project } from '../rig/project.ts';
import { jobOf, settingsOf, type Written } from './jobs.ts';

const project = new Project();

/** swe-rl's `swe_utils.py` at the commit that the projects name, from ORIGINALS or a bare repository there. */
function originalImages(): string | null {
  const bare = join(process.env.ORIGINALS ?? '/nowhere', 'Gen-Verse+OpenClaw-RL/repo');
  const source = spawnSync('git', [`--git-dir=${bare}`, 'show', '0d034dd5:swe-rl/swe_utils.py'], {
    encoding: 'utf8',
  });
  return source.status === 0 ? source.stdout : null;
}

/** Its contract: the row's own name, else one by the name of the dataset, else an error. */
const STAND_IN = `
def get_docker_image_name(instance, data_source):
    if instance.get("image_name") is not None:
        return instance["image_name"]
    owners = [("swe-gym", "xingyaoww", "_s_"), ("swe-bench", "swebench", "_1776_")]
    for known, owner, between in owners:
        if known in data_source.lower():
            return f"docker.io/{owner}/sweb.eval.x86_64.{instance['instance_id'].replace('__', between)}:latest".lower()
    raise NotImplementedError(data_source)
`;

const original = originalImages();
if (original === null)
  console.warn('swe-rl is not in the folder that ORIGINALS names: a function with its contract stands in');

test.each(
  FORMATS.flatMap((format) =>
    format.rows === 'instances' && format.example.image !== null ? [[format.name, format] as const] : [],
  ),
)('swe-rl finds the image of a row of %s, whatever its dataset is called', (name, format) => {
  const found = instanceRow({ line: 1, row: format.example.row }, format);
  if ('message' in found) throw new Error(found.message);
  const { id } = found;
  const raw = found.row as Record<string, Json>;
  const task = (row: Record<string, Json>) =>
    rlRows('slime', [{ problem: 'p', row }], { source: 'train', split: 'train', gold: 'drop' })[0]!;
  const origin = { source: 'train', format: name, inner: null };
  const row = task(withImage({ ...raw, instance_id: id }, { instance_id: id, raw }, origin));
  expect(imageText(parseImage(imageBy(row)))).toBe(format.example.image);
  // A row that names its image keeps that name.
  const named = task(withImage({ ...raw, image_name: 'own/image' }, { instance_id: id, raw }, origin));
  expect(imageBy(named)).toBe('own/image');
});

/** As swe-rl's `generate` asks for it. */
function imageBy(row: Record<string, Json>): string {
  const asks = `
import json, sys
metadata = json.load(sys.stdin)["metadata"]
print(get_docker_image_name(metadata.get("instance", {}), metadata.get("data_source", "unknown")))`;
  const code = `${original ?? STAND_IN}\n${asks}`;
  return execFileSync('python3', ['-c', code], { input: JSON.stringify(row), encoding: 'utf8' }).trim();
}

/** A `ray` that notes how it is called; `status` fails until a head was started, jobs succeed at once. */
function fakeRay(): { path: string; calls(): string[] } {
  const bin = project.path('bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(
    join(bin, 'ray'),
    `#!/bin/bash
echo "RAY_ADDRESS=$RAY_ADDRESS ray $*" >> ${project.path('calls')}
case "$1 $2" in
  "status ") [ -e ${project.path('head')} ] ;;
  "start --head") touch ${project.path('head')} ;;
  "job status") if [ -e ${project.path('job')} ]; then echo SUCCEEDED; else exit 1; fi ;;
  "job submit") touch ${project.path('job')}; cd /; shift 2; while [ "$1" != -- ]; do shift; done; shift; "$@" ;;
  "stop ") rm -f ${project.path('head')} ;;
esac
`,
  );
  // What the job runs: it says where it was found and what its modules are.
  mkdirSync(project.path('slime'), { recursive: true });
  for (const program of ['train_async.py', 'train.py'])
    writeFileSync(
      project.path(`slime/${program}`),
      `import os, sys\nopen(${JSON.stringify(project.path('ran'))}, "w").write(sys.argv[0] + "\\n" + os.environ["PYTHONPATH"])\n`,
    );
  chmodSync(join(bin, 'ray'), 0o755);
  return {
    path: bin,
    calls: () =>
      existsSync(project.path('calls')) ? readFileSync(project.path('calls'), 'utf8').trim().split('\n') : [],
  };
}

async function started(
  written: Written,
  env: Record<string, string>,
): Promise<{ said: string; code: number }> {
  const config = await settingsOf<RlConfig>(project, 'rl', written);
  const trainer = RL_TRAINERS[config.type as keyof typeof RL_TRAINERS];
  const job = { ...jobOf(config), work: project.folder };
  const { files, variables } = await startOf(trainer, job, null, []);
  const { stdout, stderr, status } = spawnSync('bash', ['-c', files['train.sh']!], {
    encoding: 'utf8',
    env: { PATH: `${project.path('bin')}:${process.env.PATH}`, ...variables, ...env },
  });
  return { said: `${stdout}${stderr}`, code: status! };
}

const SLIME = { type: 'slime', model: { path: '.' }, actor_gpus: 4, rollout_gpus: 4, steps: 1 };

test('without a cluster one is started, its other nodes are told how to join, and it is stopped', async () => {
  const ray = fakeRay();
  const slime = project.path('slime');
  const { said, code } = await started(
    { ...SLIME, folder: slime, module: '/swe-rl', megatron: '/megatron', nodes: 8 },
    { MASTER_ADDR: '10.0.0.1' },
  );
  expect([said, code]).toEqual([
    expect.stringContaining('on each of the other 7 nodes: ray start --address=10.0.0.1:6379 --num-gpus 8'),
    0,
  ]);
  const calls = ray.calls();
  expect(calls[1]).toMatch(/ray start --head --node-ip-address 10.0.0.1 --num-gpus 8 /);
  expect(calls.find((call) => call.includes('job submit'))).toMatch(/^RAY_ADDRESS=http:\/\/127.0.0.1:8265 /);
  expect(calls.at(-1)).toMatch(/ray stop$/);
  // The job begins in another folder, and finds its program and swe-rl's modules all the same.
  expect(readFileSync(project.path('ran'), 'utf8').split('\n')).toEqual([
    `${slime}/train_async.py`,
    `/megatron:/swe-rl:/swe-rl/server:${slime}`,
  ]);
});

test('a cluster that RAY_ADDRESS or the project names is used, and neither started nor stopped', async () => {
  for (const [more, env] of [
    [{}, { RAY_ADDRESS: 'http://head:8265' }],
    [{ ray_address: 'http://head:8265' }, {}],
  ] as const) {
    const ray = fakeRay();
    const before = ray.calls().length;
    const { code } = await started({ ...SLIME, folder: project.path('slime'), ...more }, env);
    expect(code).toBe(0);
    const calls = ray.calls().slice(before).join('\n');
    expect(calls).not.toMatch(/ray (start|stop|status)/);
    expect(calls).toMatch(/^RAY_ADDRESS=http:\/\/head:8265 ray job/m);
  }
});

test('Miles’ example finds mini-swe-agent, which is a submodule of its folder', async () => {
  fakeRay();
  const written = { type: 'miles', model: { path: '.' }, gpus: 4, colocate: true, steps: 1 };
  const miles = project.path('slime');
  const { code } = await started(
    { ...written, folder: miles, module: '/example', megatron: '/megatron' },
    {},
  );
  expect(code).toBe(0);
  expect(readFileSync(project.path('ran'), 'utf8').split('\n')).toEqual([
    `${miles}/train.py`,
    `/megatron:/example:${miles}:/example/mini-swe-agent/src`,
  ]);
});
