/** A machine that is too busy for the tests of a task gives no verdict on the task, however often they are tried. */
import { cpus } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { DEFAULT_PRESET, findPreset } from '../../grading/rules/presets.ts';
import { validateTask } from '../../grading/validate.ts';
import { burnersThatWait } from '../rig/pausing.ts';
import { GradedTask, gradingSandbox, pytestLayer, REPOSITORY } from './task.ts';

const environment = pytestLayer('pytest');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

/** Seconds of processor time that an import takes. */
const WORK = 1;
const CORE = `import time\nwhile time.process_time() < ${WORK}: pass\n${REPOSITORY['pkg/core.py']}`;

test.skipIf(box === null)('validation beside many busy processes is a fault', async () => {
  const files = { ...REPOSITORY, 'pkg/core.py': CORE };
  const solution = { 'pkg/core.py': CORE.replace('-1', '1') };
  const task = new GradedTask(box!.deployment, environment!, { timeout: 2 * WORK, files, solution });
  const neighbours = await burnersThatWait(40 * cpus().length);
  neighbours.begin();
  try {
    const { rules } = findPreset(DEFAULT_PRESET)!;
    const validated = await validateTask(task.setup, { gold_runs: 1, rules });
    expect(validated, task.logs.join('')).toMatchObject({
      ok: false,
      fault: {
        status: 'infra',
        reason: 'busy',
        detail: expect.stringMatching(/^untouched met the time limit and got \d+ %/),
      },
    });
  } finally {
    neighbours.end();
  }
});
