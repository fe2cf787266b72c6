/** A build that stands still, as in a paused container or on a suspended laptop, gives the answers that it would have given. */
import { describe, test } from 'vitest';
import { pause, processOne, processWith, treeOf } from '../rig/pausing.ts';
import { tinyProject } from '../rig/tiny-project.ts';

/** Seconds of a limit, and of a pause that is longer. A loaded machine runs the tests within the limit, too. */
const [LIMIT, PAUSED] = [15, 17];

/** A tiny project whose tests take two seconds; `stopped` gives what stands still while they run. */
async function verdicts(
  type: 'sandbox' | 'local',
  stopped: (build: number, test: number) => number[],
): Promise<Record<string, number>> {
  const mark = `2.${process.pid}${type.length}${stopped.length}`;
  const slow = `import subprocess\nsubprocess.run(["sleep", "${mark}"])\n`;
  const project = tinyProject({
    instances: 1,
    type,
    files: { 'slow.py': slow, 'test_slow.py': 'import slow\n' },
  });
  const args = ['build', 'p.yaml', '--json', '--set', `validation.timeout=${LIMIT}s`];
  const child = project.start(args);
  let said = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await pause(stopped(child.pid!, await processWith(mark)), PAUSED * 1000);
  await ended;
  return (JSON.parse(said.trim().split('\n').at(-1)!) as { outcomes: Record<string, number> }).outcomes;
}

describe.concurrent('a build gives its answers when', () => {
  test('everything stands still', async ({ expect }) => {
    const outcomes = await verdicts('sandbox', (build) => treeOf(build));
    expect(outcomes).toMatchObject({ timeout: 0, failed: 0, flaky: 0, infra: 0 });
  });

  test('a workspace stands still', async ({ expect }) => {
    const outcomes = await verdicts('sandbox', (_, test) => treeOf(processOne(test)));
    expect(outcomes).toMatchObject({ timeout: 0, failed: 0, flaky: 0, infra: 0 });
  });

  test('plain processes run on while the build stands still', async ({ expect }) => {
    const outcomes = await verdicts('local', (build) => [build]);
    expect(outcomes).toMatchObject({ timeout: 0, failed: 0, flaky: 0, infra: 0 });
  });
});
