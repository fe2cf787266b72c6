/**
 * A repeat that records the kinds of values at assertions, beside a plain one: the same patch, in turn. The tests have
 * little else to do than to assert, which is the worst case.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCheck } from '../grading/run/check.ts';
import type { Recorder } from '../grading/run/witness.ts';
import { kinds, makeSandbox } from '../test/executors/sandbox-fixture.ts';
import { diffOf, GradedTask, pytestLayer, REPOSITORY, SOLUTION } from '../test/grade/task.ts';
import { end } from '../test/rig/at-end.ts';
import { type BenchResult, median } from './measure.ts';

/** Times of a plain run. */
const PROMISE = 1.5;
const ROUNDS = 15;
const WARM = 2;
/** Tests, and assertions of each. */
const [TESTS, ASSERTIONS] = [500, 200];

const MANY = [
  'import pytest',
  'from pkg.core import other',
  '',
  '',
  `@pytest.mark.parametrize("number", range(${TESTS}))`,
  'def test_many(number):',
  `    for _ in range(${ASSERTIONS}):`,
  '        assert other() == 2',
  '',
].join('\n');

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const environment = pytestLayer('pytest==8.3.5');
  if (environment === null)
    throw new Error('install the peer first: pip and a package index, for pytest 8.3.5');
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  chmodSync(folder, 0o755);
  const box = await makeSandbox(kinds[0]!);
  try {
    const files = { ...REPOSITORY, 'tests/test_many.py': MANY };
    const task = new GradedTask(box.deployment, environment, { folder: join(folder, 'source'), files });
    const diff = diffOf(SOLUTION, files);
    const run = async (record: Recorder[]) => {
      const start = performance.now();
      const ran = await runCheck({ ...task.setup, record }, 'patch', { title: 'patch', diff, role: 'apply' });
      if (!ran.ok || ran.value.evidence.run.exitCode !== 0) throw new Error(JSON.stringify(ran));
      return performance.now() - start;
    };
    const [typed, plain]: [number[], number[]] = [[], []];
    for (let round = -WARM; round < ROUNDS; round++) {
      const [one, other] = [await run(['operands']), await run([])];
      if (round < 0) continue;
      typed.push(one);
      plain.push(other);
    }
    const [ours, peer] = [median(typed), median(plain)];
    print(`a run with types: ${ours.toFixed(0)} ms; plain: ${peer.toFixed(0)} ms`);
    print(`${TESTS} tests with ${ASSERTIONS} assertions each`);
    const ratio = ours / peer;
    return { name: 'types', ours, peer, ratio, promise: PROMISE, holds: ratio <= PROMISE };
  } finally {
    await box.cleanup();
    await end();
    rmSync(folder, { recursive: true, force: true });
  }
}
