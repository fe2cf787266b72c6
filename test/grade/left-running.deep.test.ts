/**
 * Tests that leave something behind: processes up to the limit, memory, a full disk. What is looked at after them needs
 * processes of its own; the verdict is the one that the tests earned, and never a fault.
 */
import { chmodSync, cpSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import type { EnvironmentView, Limits } from '../../executors/deployment.ts';
import { gradePatch } from '../../grading/grade.ts';
import { DEFAULT_PRESET, findPreset } from '../../grading/rules/presets.ts';
import { giveTo, type Kind, kinds, makeSandbox } from '../executors/sandbox-fixture.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { diffOf, type Files, GradedTask, pytestLayer, systemLayer } from './task.ts';

const PYTEST = 'pytest==8.3.5';
const MIB = 1 << 20;
const LIMITS: Limits = { memory: 512 * MIB, pids: 40, disk: 64 * MIB };
const QUIET = 'stdin=-1, stdout=-3, stderr=-3, start_new_session=True';

/** The solution, which does `what` when it is asked for its value. */
function leaving(what: string): Files {
  return {
    'pkg/core.py': `import atexit, os, subprocess, sys\n\n\n${what}\n\n\ndef value():\n    leave()\n    return 1\n\n\ndef other():\n    return 2\n`,
  };
}

const CASES: [what: string, changes: Files][] = [
  [
    'as many processes as there may be',
    leaving(`
def leave():
    try:
        while True:
            subprocess.Popen(['/bin/sleep', '300'], ${QUIET})
    except OSError:
        pass`),
  ],
  [
    'processes that start others for ever',
    leaving(`
def leave():
    subprocess.Popen(['/bin/bash', '-c', 'f() { sleep 0.2; f | f & }; f'], ${QUIET})`),
  ],
  [
    'processes that hold memory',
    leaving(`
def leave():
    hold = 'import time; x = bytearray(90 << 20); time.sleep(300)'
    for _ in range(4):
        subprocess.Popen([sys.executable, '-c', hold], ${QUIET})`),
  ],
  [
    'a full disk',
    leaving(`
def fill():
    try:
        with open('/tmp/fill', 'wb', 0) as handle:
            while True:
                handle.write(bytes(1 << 16))
    except OSError:
        pass


def leave():
    atexit.register(fill)`),
  ],
  [
    'a process that ends all others from time to time',
    leaving(`
def leave():
    kill = 'import os, time; time.sleep(1); [(time.sleep(0.01), os.kill(-1, 9)) for _ in range(9999)]'
    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(9)'], ${QUIET})
    atexit.register(lambda: subprocess.Popen([sys.executable, '-c', kill], ${QUIET}))`),
  ],
  [
    'folders too deep to be walked through',
    leaving(`
def dig():
    os.chdir('/testbed')
    for _ in range(20000):
        os.mkdir('d' * 250)
        os.chdir('d' * 250)


def leave():
    atexit.register(dig)`),
  ],
];

/** Afterwards nobody can look at the files: a run that shows nothing. */
const BLINDING: [what: string, changes: Files][] = [
  [
    'a file in the place of plugins that seems to be terabytes',
    leaving(`
def leave():
    open(os.path.dirname(os.path.dirname(sys.modules['pytest'].__file__)) + '/x.pth', 'wb').truncate(1 << 42)`),
  ],
  [
    'a root folder that may not be entered',
    leaving(`
def leave():
    atexit.register(lambda: os.chmod('/', 0))`),
  ],
  [
    'no programs',
    leaving(`
def leave():
    atexit.register(lambda: [os.rename(one, one + '.gone') for one in ('/bin', '/lib', '/lib64') if os.path.lexists(one)])`),
  ],
];

/** An environment of the user's own, on a Python that everybody may run. */
async function ownLayer(kind: Kind): Promise<EnvironmentView | null> {
  const view = systemLayer(PYTEST);
  if (view === null) return null;
  const layer = temporaryFolder('swemake-layer-');
  chmodSync(layer, 0o755);
  cpSync(view.layers[0]!, layer, { recursive: true, verbatimSymlinks: true });
  await giveTo(kind, layer);
  return { ...view, layers: [layer] };
}

for (const kind of kinds) {
  const environment = kind.user === undefined ? pytestLayer(PYTEST) : await ownLayer(kind);
  if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
  const box = environment === null ? null : await makeSandbox(kind);
  afterAll(() => box?.cleanup());

  describe.skipIf(box === null)(`the verdict ${kind.name} of tests that leave`, () => {
    async function gradeOf(changes: Files) {
      const task = new GradedTask(box!.deployment, environment!);
      const state = await task.setup.state();
      if (!state.ok) throw new Error(JSON.stringify(state.fault));
      await giveTo(kind, state.value.view.layer);
      const setup = { ...task.setup, limits: LIMITS };
      const preset = findPreset(DEFAULT_PRESET)!;
      const request = {
        diff: diffOf(changes),
        preset,
        max_patch: MIB,
        baseline: null,
        repeats: 0,
        suspicion: 'off' as const,
      };
      return gradePatch(request, setup);
    }

    test.each(CASES)('%s', async (_what, changes) => {
      expect(await gradeOf(changes)).toMatchObject({
        ok: true,
        value: { verdict: { reward: 1, integrity: [] } },
      });
    });

    test.each(BLINDING)('%s', async (_what, changes) => {
      const rule = 'files-changed-during-tests';
      const integrity = expect.arrayContaining([expect.objectContaining({ rule, effect: 'voided' })]);
      expect(await gradeOf(changes)).toMatchObject({
        ok: true,
        value: { verdict: { reward: 0, reason: 'tampering', integrity } },
      });
    });
  });
}
