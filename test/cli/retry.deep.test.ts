/** `retry`: only what was not well is run again, chosen by reason and address. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import type { BuildResult } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

test('runs failed items again, by reason and address', async () => {
  const project = tinyProject({ instances: 3 });
  const rows = readFileSync(project.path('rows.jsonl'), 'utf8').trim().split('\n');
  const [first, second, third] = rows.map((row) => JSON.parse(row) as Record<string, unknown>);
  // One whose bug changes nothing that its test sees, one whose patch does not apply, one that is fine.
  const broken = [
    { ...first, FAIL_TO_PASS: first!.PASS_TO_PASS, PASS_TO_PASS: [] },
    { ...second, patch: first!.patch, instance_id: 'tiny.1', FAIL_TO_PASS: second!.PASS_TO_PASS },
    third,
  ];
  writeFileSync(project.path('rows.jsonl'), broken.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const cold = await commandJson<BuildResult>(project, 'build', 'p.yaml');
  expect(cold).toMatchObject({ executed: 6, outcomes: { failed: 2 } });

  const retry = (...args: string[]) => commandJson<BuildResult>(project, 'retry', 'p.yaml', ...args);
  const validated = ({ stages }: BuildResult) =>
    stages.find(({ stage }) => stage === 'validate.train')!.executed;
  expect(validated(await retry())).toBe(2);
  expect(validated(await retry('validate.train@tiny.1'))).toBe(1);
  expect(validated(await retry('--failed', 'validate'))).toBe(2);
  expect(validated(await retry('--failed=no-failing-test'))).toBe(2);
  expect(await retry('--failed=flaky')).toMatchObject({ executed: 0, cached: 6 });
  const dry = await command(project, 'retry', 'p.yaml', '--failed', '--dry-run');
  expect(dry.stdout).toContain('forced');
  expect(dry.stderr).toContain('2 items to run again');
  expect((await command(project, 'retry', 'p.yaml', '--failed=gold')).stderr).toContain('no reason "gold"');
}, 240_000);
