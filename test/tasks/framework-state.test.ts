/** What a trainer's key holds of files that its folder and its command name. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Services } from '../../contract/machine.ts';
import { FRAMEWORK } from '../../tasks/training/framework.ts';
import { temporaryFolder } from '../rig/folder.ts';

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: folder,
    stdio: 'ignore',
  });

function put(folder: string, name: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), mode);
}

/** What the trainer says of itself. */
async function stateOf(projectFolder: string, rl: object, more: Partial<Services> = {}): Promise<object> {
  const memos = new Map<string, unknown>();
  const database = { memos: { get: (key: string) => memos.get(key), put: async () => undefined } };
  const services = {
    ...{ projectFolder, env: { PATH: process.env.PATH }, pins: null, signal: new AbortController().signal },
    config: { trainer: { rl: { type: 'command', ...rl } }, deployments: {} },
    cache: { database },
    ...more,
  } as unknown as Services;
  const state = await FRAMEWORK.answer('rl', services);
  if (!state.ok) throw new Error(JSON.stringify(state.fault));
  return state.value as object;
}

/** Whether each edit gives another state than the one before it. */
async function changes(folder: string, rl: object, edits: (() => void)[], more: Partial<Services> = {}) {
  const seen: boolean[] = [];
  let before = JSON.stringify(await stateOf(folder, rl, more));
  for (const edit of edits) {
    edit();
    const now = JSON.stringify(await stateOf(folder, rl, more));
    seen.push(now !== before);
    before = now;
  }
  return seen;
}

test('a checkout at another commit than the project names is a fault that says how to get there', async () => {
  const project = temporaryFolder();
  const folder = join(project, 'miles');
  put(folder, 'train.py', 'print(1)\n');
  await expect(stateOf(project, { folder: 'miles', commit: '0123456' })).rejects.toThrow(
    /is no checkout of git/,
  );
  git(folder, 'init', '-q');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'a');
  git(folder, 'tag', '-a', 'v1', '-m', 'a tag hides the commit in what git describes');
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim();
  expect(await stateOf(project, { folder: 'miles', commit: commit.slice(0, 9) })).toHaveProperty('folder');
  await expect(stateOf(project, { folder: 'miles', commit: '0123456' })).rejects.toThrow(
    `is at ${commit.slice(0, 7)}, and the project wants commit 0123456: git -C ${folder} checkout 0123456`,
  );
});

test.each(['with git', 'without git'])('configurations in its folder %s', async (kind) => {
  const project = temporaryFolder();
  const folder = join(project, 'trainer');
  put(folder, 'train.py', 'print(1)\n');
  if (kind === 'with git') {
    git(folder, 'init', '-q');
    put(folder, '.gitignore', 'local/\n*.secret.yaml\n');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', 'a');
  }
  const counted = [
    () => put(folder, 'conf/new.yaml', 'lr: 1\n'),
    () => put(folder, 'conf/new.yaml', 'lr: 2\n'),
    () => put(folder, 'local/ignored.toml', 'a = 1\n'),
    () => put(folder, 'local/ignored.toml', 'a = 2\n'),
    () => put(folder, 'x.secret.yaml', 'a: 1\n'),
    () => put(folder, 'train.py', 'print(2)\n'),
  ];
  expect(await changes(project, { folder: 'trainer' }, counted)).toEqual(counted.map(() => true));
  const made = [
    () => put(folder, 'wandb/run/config.yaml', 'a: 1\n'),
    () => put(folder, 'a/outputs/b/config.yaml', 'a: 1\n'),
    () => put(folder, 'notes.txt', 'a\n'),
    () => put(folder, 'data.json', 'x'.repeat(2 ** 21)),
  ];
  expect(await changes(project, { folder: 'trainer' }, made)).toEqual(made.map(() => false));
});

test('Megatron’s folder', async () => {
  const project = temporaryFolder();
  put(project, 'megatron/core.py', 'a = 1\n');
  const edit = () => put(project, 'megatron/core.py', 'a = 2\n');
  expect(await changes(project, { megatron: 'megatron' }, [edit])).toEqual([true]);
});

test('what its command writes is none of its inputs', async () => {
  const project = temporaryFolder();
  put(project, 'train.sh', 'true\n');
  const command =
    'bash train.sh > log.txt 2>> err.txt | tee -a "$SWEMAKE_PROJECT/all.txt" && cp model.txt kept.txt';
  for (const output of ['log.txt', 'err.txt', 'all.txt', 'kept.txt'])
    expect(await changes(project, { command }, [() => put(project, output, 'a')])).toEqual([false]);
  expect(await changes(project, { command }, [() => put(project, 'model.txt', 'a')])).toEqual([true]);
});

test('programs and scripts that its command names, wherever they lie', async () => {
  const project = temporaryFolder();
  const bin = join(temporaryFolder(), 'bin');
  const elsewhere = temporaryFolder();
  put(bin, 'my-trainer', '#!/bin/sh\n', 0o755);
  put(bin, 'activated', '#!/bin/sh\n', 0o755);
  put(project, 'train.sh', 'true\n');
  put(project, 'sub/inner.py', 'a = 1\n');
  put(project, 'a.yaml', 'a: 1\n');
  put(elsewhere, 'tool', '#!/bin/sh\n', 0o755);
  symlinkSync('/usr/bin/env', join(bin, 'env-link'));
  const command = `set -e; my-trainer && bash ./train.sh --config=a.yaml; (cd sub && python3 inner.py); "$SWEMAKE_PROJECT/last.sh"; ${elsewhere}/tool`;
  put(project, 'last.sh', 'true\n');
  const edits = [
    () => put(bin, 'my-trainer', '#!/bin/sh\n# 2\n', 0o755),
    () => put(project, 'train.sh', 'false\n'),
    () => put(project, 'a.yaml', 'a: 2\n'),
    () => put(project, 'sub/inner.py', 'a = 2\n'),
    () => put(project, 'last.sh', 'false\n'),
    () => put(elsewhere, 'tool', '#!/bin/sh\n# 2\n', 0o755),
  ];
  const env = { PATH: `${bin}:${process.env.PATH}` };
  expect(await changes(project, { command }, edits, { env })).toEqual(edits.map(() => true));
  expect(await changes(project, { command }, [() => put(project, 'other.sh', '')], { env })).toEqual([false]);
  // On the PATH of what the deployment activates.
  const config = {
    trainer: { rl: { type: 'command', command: 'activated', deployment: 'gpu' } },
    deployments: { gpu: { type: 'process', activate: `export PATH=${bin}:$PATH` } },
  } as unknown as Services['config'];
  const touch = () => put(bin, 'activated', '#!/bin/sh\n# 2\n', 0o755);
  expect(await changes(project, {}, [touch], { config })).toEqual([true]);
  // The system's own programs are the machine's.
  expect(await stateOf(project, { command: 'env-link bash -c true' }, { env })).toEqual({});
});
