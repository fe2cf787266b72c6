/** The line that a terminal shows of a running stage, and the lines that are shown elsewhere. */
import { expect, test } from 'vitest';
import type { CommandIo } from '../../app/io.ts';
import { createProgress } from '../../cli/progress.ts';
import { buildSummary } from '../../cli/summary.ts';
import { noCounts, type RunEvent } from '../../engine/events.ts';
import { infra } from '../../schemas/outcome.ts';
import { runToy } from '../rig/arithmetic.ts';
import { temporaryFolder } from '../rig/folder.ts';

function shown(isTTY: boolean, events: [at: number, event: RunEvent][], columns = 120): string {
  let text = '';
  let now = 0;
  const stderr = { columns, write: (piece: string) => (text += piece) };
  const progress = createProgress({ stderr, env: {}, isTTY } as unknown as CommandIo, () => now);
  for (const [at, event] of events) {
    now = at;
    progress.show(event);
  }
  progress.stop();
  return text;
}

const opened = (stage: string): RunEvent => ({
  type: 'stage-opened',
  stage,
  items: 1600,
  now: () => ({ cached: 1583, executed: 8, done: 1591, counts: { ...noCounts(), ok: 1589, failed: 2 } }),
});
const line: RunEvent = { type: 'stage-blocked', stage: 'x', outcome: infra('network', 'no route') };

test('says what is done, cached, failed and running, and when what is left will be done', () => {
  const started: RunEvent = { type: 'item-started', stage: 'validate.train', item: 'a', attempt: 1 };
  expect(
    shown(true, [
      [0, opened('validate.train')],
      [0, started],
      [4000, line],
    ]),
  ).toContain(
    'validate.train       1,591/1,600  1,583 cached  2 failed  1 running  2.0/s  eta 4.5 s  4.0 s\n',
  );
});

test('is never wider than the terminal, which would break it in two', () => {
  const text = shown(
    true,
    [
      [0, opened('validate.train')],
      [4000, line],
    ],
    40,
  );
  expect(text).toContain('\nvalidate.train       1,591/1,600\n');
});

test('a stage of one action is named without an item, and a fault is told where it happened only', () => {
  const finished = (stage: string, item: string, reason: Parameters<typeof infra>[0]): [number, RunEvent] => [
    0,
    { type: 'item-finished', stage, item, outcome: infra(reason, 'refused'), durationMs: 1 },
  ];
  const events = [
    finished('golden.train', '', 'upstream-infra'),
    finished('grade.train', 'a#0', 'upstream-infra'),
  ];
  expect(shown(false, events)).toBe('  infra    golden.train  refused\n');
});

test('the summary says what a fault means and what comes next', async () => {
  const faults = new Map([['n1', 9]]);
  const { end } = await runToy(temporaryFolder(), { numbers: [1, 2], faults });
  const text = buildSummary(end, {
    files: [],
    isolation: 'sandbox',
    warnings: [],
    badRows: [],
    remote: null,
  });
  expect(text).toContain('1 infra network: toy fault\n');
  expect(text).toContain(
    '\ninfra is no answer: nothing is recorded for 1 item; the next build tries again\nmade 2 of 3 targets',
  );
});

test('on a terminal it names what runs, at which step, and what waits; a name that failed can be copied', () => {
  const stage = 'rollouts.train';
  const item = `${'a'.repeat(50)}#0`;
  const text = shown(
    true,
    [
      [0, opened(stage)],
      [0, { type: 'item-started', stage, item: 'x#0', attempt: 1 }],
      [0, { type: 'item-started', stage, item: 'y#0', attempt: 1 }],
      [0, { type: 'item-log', stage, item: 'x#0', text: 'step 3: sed -n 1,20p schema.py\n' }],
      [
        1000,
        {
          type: 'item-waits',
          stage,
          item: 'y#0',
          detail: 'http://m: refused; again in 2.0 s, tried until 10:00:00',
        },
      ],
      [
        2000,
        {
          type: 'item-finished',
          stage,
          item: `b-${'c'.repeat(80)}#0`,
          outcome: { status: 'failed', reason: 'gold-fails', detail: 'e' },
          durationMs: 1,
        },
      ],
      [
        2000,
        {
          type: 'item-finished',
          stage,
          item,
          outcome: { status: 'timeout', reason: 'time-limit', detail: 'd'.repeat(200) },
          durationMs: 1,
        },
      ],
    ],
    80,
  );
  expect(text).toContain('    x#0  step 3: sed -n 1,20p schema.py  2.0 s\n');
  expect(text).toContain('  1 waiting: http://m: refused; again in 2.0 s, tried until 10:00:00\n');
  expect(text).toContain(`rollouts.train@${item}\n`);
  expect(text).toMatch(/ rollouts\.train@\*c{50}c*#0\n/);
  const plain = text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').split('\n');
  expect(plain.filter((one) => one.length > 79)).toEqual([]);
});

test('time in which all that runs waits is no work', () => {
  const stage = 'rollouts.train';
  const finished: RunEvent = {
    type: 'stage-finished',
    stage,
    items: 1,
    cached: 0,
    executed: 1,
    counts: noCounts(),
    durationMs: 90_000,
    manifest: null,
  };
  const text = shown(false, [
    [0, opened(stage)],
    [50_000, { type: 'item-started', stage, item: 'a', attempt: 1 }],
    [52_000, { type: 'item-waits', stage, item: 'a', detail: 'x' }],
    [82_000, { type: 'item-log', stage, item: 'a', text: 'on' }],
    [90_000, { type: 'item-finished', stage, item: 'a', outcome: { status: 'ok' }, durationMs: 1 }],
    [90_000, finished],
  ]);
  expect(text).toMatch(/rollouts\.train .*1 run {2}10 s\n$/);
});

test('stopping is told at once, with what still ends', () => {
  let text = '';
  const progress = createProgress({
    stderr: { write: (piece: string) => (text += piece) },
    env: {},
    isTTY: false,
  } as never);
  progress.show(opened('s'));
  for (const item of ['a', 'b']) progress.show({ type: 'item-started', stage: 's', item, attempt: 1 });
  progress.stopping();
  expect(text).toBe('stopping: 2 running actions are finished first; Ctrl-C once more ends them now\n');
});

test('an end that waits with its deadline, narrow as the terminal may be; nobody says how long it will take then', () => {
  const detail = `http://127.0.0.1:18778/v1: connect ECONNREFUSED 127.0.0.1:18778; again in 3.0 s, tried until 20:52:26`;
  const stage = 'rollouts.train';
  const text = shown(
    true,
    [
      [0, opened(stage)],
      [0, opened('grade.train')],
      [0, { type: 'item-started', stage, item: 'x#0', attempt: 1 }],
      [5000, { type: 'item-waits', stage, item: 'x#0', detail }],
      [6000, line],
    ],
    80,
  );
  expect(text).toContain(
    '  1 waiting: http://127.0.0.1:18778/v1: connect ECONNREFUSED 127.0.0.1:18778\n    again in 3.0 s, tried until 20:52:26\n',
  );
  const [, last] = text.split('x                    cannot');
  expect(last).toContain('6.0 s so far\n');
});

test('what ends with the same words again and again is counted, and not told each time', () => {
  const finished = (item: string): [number, RunEvent] => [
    0,
    {
      type: 'item-finished',
      stage: 'rollouts.train',
      item,
      outcome: infra('endpoint', `refused after ${item.length} tries`),
      durationMs: 1,
    },
  ];
  const plain = shown(false, ['a', 'bb', 'ccc', 'dddd', 'eeeee'].map(finished));
  expect(plain.match(/refused after/g)).toHaveLength(3);
  expect(plain).toContain('further ones that end with these words are only counted\n');
});
