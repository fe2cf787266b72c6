import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newRunId, openJournal } from '../../engine/journal.ts';
import { temporaryFolder } from '../rig/folder.ts';

test('T48 a journal has whole lines with rising numbers', () => {
  const runs = temporaryFolder();
  const journal = openJournal(runs, 'r');
  const long = 'x'.repeat(100_000);
  for (let index = 0; index < 50; index += 1)
    journal.write({ type: 'item-log', stage: 's', item: `${index}`, text: `${long}\n` });
  journal.close();
  const text = readFileSync(join(runs, 'r/events.jsonl'), 'utf8');
  const lines = text.trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(
    Array.from({ length: 50 }, (_, index) => index + 1),
  );
});

test('names of runs sort by time', () => {
  const names = [2, 11, 1].map((day) => newRunId(new Date(Date.UTC(2026, 0, day)), 7));
  const starts = names.sort().map((name) => name.slice(0, '20260101T000000.000Z-7-'.length));
  expect(starts).toEqual(['20260101T000000.000Z-7-', '20260102T000000.000Z-7-', '20260111T000000.000Z-7-']);
});

test('names of runs that began in one second sort by time, too', () => {
  const at = (milliseconds: number) => newRunId(new Date(Date.UTC(2026, 0, 1, 0, 0, 0, milliseconds)), 7);
  const names = [0, 1, 20, 300].map(at);
  expect(names.toReversed().sort()).toEqual(names);
});

test('runs of one second have names of their own, though their processes in two containers have one pid', () => {
  const now = new Date(Date.UTC(2026, 0, 1));
  expect(newRunId(now, 1)).not.toBe(newRunId(now, 1));
});
