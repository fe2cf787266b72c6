/** A time limit that was met because nothing could run is no answer; what a patch does to itself is one. */
import { cpus } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Hindered } from '../../executors/hindrance.ts';
import { triedAgain } from '../../executors/hindrance.ts';
import { kinds, type MadeSandbox, makeSandbox } from '../executors/sandbox-fixture.ts';
import { burnersThatWait, pause, processOne, processWith, treeOf } from '../rig/pausing.ts';
import { GradedTask, pytestLayer, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest');
/** Seconds of a limit within which the processes of a run are found on a loaded machine, too. */
const LIMIT = 10;
let count = 0;

describe.skipIf(environment === null)('the verdict on a patch', () => {
  let made: MadeSandbox;
  beforeAll(async () => {
    made = await makeSandbox(kinds[0]!);
  });
  afterAll(() => made.cleanup());

  /** A right patch whose code also does this when it is imported. */
  const graded = (code: string, timeout: number, besideAlone: () => void = () => undefined) => {
    const task = new GradedTask(made.deployment, environment!, { timeout });
    task.setup.alone = (_, work) => {
      besideAlone();
      return work();
    };
    const diff = task.diff({ 'pkg/core.py': `${code}\n${SOLUTION['pkg/core.py']}` });
    const log = () => task.logs.join('');
    return { log, verdict: task.grade(diff) };
  };
  /** Code that sleeps until the test ends, and the argument by which the process that does is found. */
  const sleeping = () => {
    count += 1;
    const mark = `600.${process.pid}${String(count).padStart(3, '0')}`;
    return { mark, code: `import subprocess\nsubprocess.run(["sleep", "${mark}"])` };
  };

  // Each waits for limits and pauses and needs hardly any processor, so they wait at once.
  describe.concurrent('of a run that only waits', () => {
    test('is a reward when it stood still for longer than its limit', async ({ expect }) => {
      const { mark, code } = sleeping();
      const { verdict, log } = graded(code, LIMIT);
      const nap = await processWith(mark);
      await pause(treeOf(processOne(nap)), LIMIT * 1000);
      process.kill(nap);
      expect(await verdict).toMatchObject({ reward: 1, reason: null });
      expect(log()).not.toContain('once more');
    });

    test('comes from a second run when it met its limit beside a pause', async ({ expect }) => {
      const { mark, code } = sleeping();
      const { verdict, log } = graded(code, LIMIT);
      await pause(treeOf(processOne(await processWith(mark))), 3000);
      expect(await verdict).toMatchObject({ reward: 0, reason: 'time-limit' });
      expect(log().match(/== patch stood still for \d\.\d s .*, and is run once more/g)).toHaveLength(1);
    });

    test('is none when it met its limit beside a pause twice', async ({ expect }) => {
      const { mark, code } = sleeping();
      const { verdict } = graded(code, LIMIT);
      const refused = expect(verdict).rejects.toThrow(/"infra","reason":"paused".*stood still/);
      const known: number[] = [];
      for (let round = 0; round < 2; round += 1) {
        known.push(await processWith(mark, known));
        await pause(treeOf(processOne(known.at(-1)!)), 3000);
      }
      await refused;
    });

    test('is no reward, and no fault, when the patch stops itself', async ({ expect }) => {
      const { verdict, log } = graded('import os\nos.kill(os.getpid(), 19)', LIMIT);
      expect(await verdict).toMatchObject({ reward: 0, reason: 'time-limit' });
      expect(log()).toMatch(/had stopped processes for \d+\.\d s, and is run once more/);
      expect(log()).toMatch(/had stopped processes for \d+\.\d s again, and this end counts/);
    });
  });

  test('comes from a run alone when it got hardly any processor', async () => {
    const { mark, code } = sleeping();
    const work = `${code}\nimport time\nsince = time.process_time()\nwhile time.process_time() < since + 0.8: pass`;
    let nap = 0;
    const neighbours = await burnersThatWait(24 * cpus().length);
    const { verdict, log } = graded(work, 1.5 * LIMIT, () => {
      neighbours.end();
      void processWith(mark, [nap]).then((again) => process.kill(again));
    });
    try {
      nap = await processWith(mark);
      neighbours.begin();
      process.kill(nap);
      expect(await verdict).toMatchObject({ reward: 1 });
      expect(log()).toMatch(/got \d+ % of the processor time that it could use .*, and is run once more/);
    } finally {
      neighbours.end();
    }
  });
});

describe('a second try', () => {
  const PAUSE: Hindered = { by: 'pause', words: 'stood still', timedOut: true };
  const LOAD: Hindered = { by: 'load', words: 'got little', timedOut: true, stretch: 3 };

  test.each<[string, (Hindered | null)[], number, string]>([
    ['is not made without a cause', [null], 1, 'ok'],
    ['is made after a pause', [PAUSE, null], 2, 'ok'],
    ['is no answer beside a second pause', [PAUSE, PAUSE], 2, 'paused'],
    ['is no answer beside a pause after a lack of processors', [LOAD, PAUSE], 2, 'paused'],
    ['is the answer beside a pause when it met no limit', [PAUSE, { ...PAUSE, timedOut: false }], 2, 'ok'],
    ['is the answer when processors lack again', [LOAD, LOAD], 2, 'ok'],
    ['is the answer when something stops it again', [{ ...LOAD, by: 'stop' }, LOAD], 2, 'ok'],
    ['is no answer when trusted code lacks processors again', [LOAD, LOAD], 2, 'busy'],
    ['is the answer of trusted code that something stops again', [LOAD, { ...LOAD, by: 'stop' }], 2, 'ok'],
    ['is the answer of trusted code that fails', [LOAD, { ...LOAD, timedOut: false }], 2, 'ok'],
  ])('%s', async (name, causes, tries, end) => {
    let at = 0;
    const alone: number[] = [];
    const stretches: number[] = [];
    const ended = await triedAgain(
      async (stretch) => {
        stretches.push(stretch);
        return causes[at++]!;
      },
      (cause) => cause,
      {
        title: 'it',
        log: () => undefined,
        alone: (seconds, work) => {
          alone.push(seconds);
          return work();
        },
        limit: 7,
        trusted: name.includes('trusted'),
      },
    );
    expect([at, ended.ok ? 'ok' : ended.fault.reason]).toEqual([tries, end]);
    expect(alone).toEqual(causes[0]?.by === 'load' ? [21] : []);
    expect(stretches).toEqual([1, causes[0]?.by === 'load' ? 3 : 1].slice(0, tries));
  });
});
