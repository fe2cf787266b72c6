/** How items ended in earlier runs, by which a fault that comes again in every build is known. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { finishedItems, lastFaults } from '../../app/finished-items.ts';
import { openJournal } from '../../engine/journal.ts';
import { infra } from '../../schemas/outcome.ts';
import { temporaryFolder } from '../rig/folder.ts';

describe('ends in journals', () => {
  function journals(...all: [run: string, ends: [item: string, outcome: object][]][]): string {
    const runs = temporaryFolder();
    for (const [run, ends] of all) {
      const journal = openJournal(runs, run);
      journal.write({ type: 'run-started', run, project: 'p', targets: [] });
      for (const [item, outcome] of ends)
        journal.write({ type: 'item-finished', stage: 's.d', item, outcome, durationMs: 1 } as never);
      journal.close();
    }
    return runs;
  }

  test('are read with quotes in names, and lines that were cut short', async () => {
    const odd = 'a "b" \\ c@d';
    const runs = journals([
      '1',
      [
        [odd, infra('killed', 'x')],
        ['b', { status: 'ok' }],
        ['c', infra('cancelled', '')],
      ],
    ]);
    appendFileSync(join(runs, '1/events.jsonl'), '{"seq":9,"at":"","type":"item-fin');
    const wanted = new Set([`s.d@${odd}`, 's.d@b', 's.d@c']);
    expect([...(await finishedItems(runs, '1', wanted))]).toEqual([
      [`s.d@${odd}`, infra('killed', 'x')],
      ['s.d@b', null],
    ]);
  });

  test('the last one counts', async () => {
    const runs = journals(
      [
        '1',
        [
          ['a', infra('killed', 'x')],
          ['b', infra('killed', 'x')],
        ],
      ],
      [
        '2',
        [
          ['a', { status: 'ok' }],
          ['b', infra('cancelled', 'stopped')],
        ],
      ],
    );
    expect(await lastFaults(runs, 'p', ['s.d@a', 's.d@b'])).toEqual(
      new Map([['s.d@b', infra('killed', 'x')]]),
    );
  });

  test('of 60,000 items are read in little time', async () => {
    const runs = temporaryFolder();
    mkdirSync(join(runs, '1'));
    const lines = Array.from({ length: 60_000 }, (_, at) =>
      JSON.stringify({
        ...{ seq: at, at: 'now', type: 'item-finished', stage: 's.d', item: `i${at}` },
        ...{ outcome: at % 2 === 0 ? { status: 'ok' } : infra('killed', 'x'), record: 'x'.repeat(1000) },
      }),
    );
    writeFileSync(join(runs, '1/events.jsonl'), `${lines.join('\n')}\n`);
    const since = process.cpuUsage();
    const ends = await finishedItems(runs, '1', new Set(['s.d@i59999', 's.d@i0']));
    const { user, system } = process.cpuUsage(since);
    expect(ends.size).toBe(2);
    expect((user + system) / 1e6).toBeLessThan(20);
  });
});
