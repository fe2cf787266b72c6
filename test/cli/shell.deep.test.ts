/** `shell`: the workspace of an item, commands one by one, and what goes on from one to the next. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { command } from '../rig/command.ts';
import { tinyProject } from '../rig/tiny-project.ts';

test('an instance as its tests meet it, and an environment as its last good step left it', async () => {
  const project = tinyProject({ instances: 2 });
  const shell = (...args: string[]) => command(project, 'shell', '--project', 'p.yaml', ...args);
  const early = await shell('validate.train@tiny.1', '-c', 'true');
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('dataset.train is not finished') });

  expect((await command(project, 'build', 'p.yaml', 'validate')).code).toBe(0);
  const tests = 'bash /tmp/run-tests 2>&1 | tail -1';
  const task = await shell('validate.train@*.1', '-c', `cat m1.py; ${tests}; exit 3`, '-c', 'echo never');
  expect(task).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^VALUE = -1\n[\s\S]*Exit Code: 1\n$/),
  });
  const solved = await shell('validate.train@tiny.1', '--solved', '--json', '-c', `cat m1.py; ${tests}`);
  expect(JSON.parse(solved.stdout)).toMatchObject({
    exitCode: 0,
    timedOut: false,
    output: expect.stringMatching(/^VALUE = 1\n[\s\S]*Exit Code: 0\n$/),
  });

  const file = project.path('p.yaml');
  const failing = 'pre_install: ["echo made > /testbed/made", "echo gone wrong >&2; exit 3"]\n      parser:';
  writeFileSync(file, readFileSync(file, 'utf8').replace('parser:', failing));
  await command(project, 'build', 'p.yaml', 'environments');
  const bad = project.events().find(({ outcome }) => (outcome as { status?: string })?.status === 'failed');
  const item = `environments.train@${bad?.item}`;
  const run = join(packageRoot(), 'bin/swemake.js');
  const typed = 'cat made\ncd /tmp\nexport TRIED="a b"\nfalse\npwd; echo "$TRIED"\nexit\necho never\n';
  const options = { cwd: project.folder, input: typed, encoding: 'utf8' } as const;
  expect(execFileSync(process.execPath, [run, 'shell', '--project', 'p.yaml', item], options)).toBe(
    'made\n/tmp\na b\n',
  );

  for (const [wrong, said] of [
    ['environments', 'is not one item'],
    ['environments.train@other*', 'has no item "other*"'],
    ['validate.train@*', 'means 2 items'],
    ['dataset.train@x', 'have no workspace'],
    ['validate.train@tiny.9', 'has no item "tiny.9"'],
    ['nothing.train@x', 'nothing'],
  ])
    expect(await shell(wrong!)).toMatchObject({ code: 2, stderr: expect.stringContaining(said!) });
}, 240_000);
