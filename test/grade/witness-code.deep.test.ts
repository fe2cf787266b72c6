/** The witness compiled ahead: tests run under it as under its source, and another format of Python is left alone. */
import { afterAll, describe, expect, test } from 'vitest';
import { success } from '../../basics/result.ts';
import type { Deployment, EnvironmentView, Workspace } from '../../executors/deployment.ts';
import { compiledWitness } from '../../grading/run/witness-code.ts';
import { GradedTask, gradingSandbox, pytestLayer, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const CODE = 'witness.code';
const WAIT = { timeout: 60_000 };
const nothing: EnvironmentView = { layers: [], mounts: [], links: {}, variables: {} };

/** Notes what is written as the witness's code, and writes something else if it is given. */
function noting(deployment: Deployment, seen: Uint8Array[], instead?: Uint8Array): Deployment {
  return {
    ...deployment,
    async open(...given: Parameters<Deployment['open']>) {
      const opened = await deployment.open(...given);
      if (!opened.ok) return opened;
      const workspace = opened.value;
      const write: Workspace['write'] = (path, bytes, mode) => {
        if (!path.endsWith(CODE)) return workspace.write(path, bytes, mode);
        seen.push(bytes as Uint8Array);
        return workspace.write(path, instead ?? bytes, mode);
      };
      return success(Object.create(workspace, { write: { value: write } }) as Workspace);
    },
  };
}

test('code is made once for an interpreter, and nobody waits for it', WAIT, async () => {
  expect(compiledWitness('x = 1\n', nothing)).toBeNull();
  await expect.poll(() => compiledWitness('x = 1\n', nothing)?.length ?? 0, WAIT).toBeGreaterThan(16);
  const gone = { ...nothing, mounts: [{ from: '/nonexistent', to: '/opt/python' }] };
  expect(compiledWitness('x = 1\n', gone)).toBeNull();
});

describe.skipIf(box === null)('a patch is judged alike', () => {
  test.each([
    ['by the code', undefined],
    ['where the code is of another format', Buffer.from('no format of Python')],
  ])('%s', WAIT, async (_, instead) => {
    const seen: Uint8Array[] = [];
    const task = new GradedTask(noting(box!.deployment, seen, instead), environment!);
    // The first run has it made.
    await expect
      .poll(async () => {
        expect(await task.validate()).toMatchObject({
          witness: 'tests',
          observed: expect.not.objectContaining({ modified: expect.anything() }),
          excused: [],
        });
        return seen.length;
      }, WAIT)
      .toBeGreaterThan(0);
    expect(await task.grade(task.diff(SOLUTION))).toMatchObject({ reward: 1, integrity: [] });
    const replaced = 'import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n';
    const attack = {
      'pkg/core.py': `${replaced}\n\ndef value():\n    return -1\n\n\ndef other():\n    return 2\n`,
    };
    expect(await task.grade(task.diff(attack))).toMatchObject({ reward: 0, reason: 'tampering' });
  });
});
