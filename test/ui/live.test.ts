/** What a page is told while a build runs: bounded, whatever the number of items that end, and nothing is missed. */
import { appendFileSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openLatestProject } from '../../app/open-project.ts';
import type { ActionKey } from '../../basics/digest.ts';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { writeProject } from '../../bench/filled-project.ts';
import { binaryKey } from '../../cache/database.ts';
import { openJournal } from '../../engine/journal.ts';
import { changeStream } from '../../ui/server/change-stream.ts';
import { LiveJournal } from '../../ui/server/live.ts';
import type { Change } from '../../ui/server/live-project.ts';
import { OpenedProject } from '../../ui/server/opened.ts';
import { temporaryFolder } from '../rig/folder.ts';

afterEach(() => void vi.useRealTimers());

/** A project whose data changes when it is told to. */
function changing() {
  const listeners = new Set<(change: Change) => void>();
  let count = 0;
  return {
    listeners,
    change: (what: Change) => {
      count += 1;
      for (const listener of listeners) listener(what);
    },
    told: {
      onChange: (listener: (change: Change) => void) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      changes: () => count,
      run: () => `{"executed":${count}}`,
    },
  };
}

const readText = async (reader: ReadableStreamDefaultReader<Uint8Array>) =>
  new TextDecoder().decode((await reader.read()).value);

test('6,000 changes in a minute are four messages a second', async () => {
  vi.useFakeTimers();
  const { change, told } = changing();
  const reader = changeStream(told).getReader();
  const texts: string[] = [];
  const reading = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      texts.push(new TextDecoder().decode(next.value));
  })();
  for (let at = 0; at < 6000; at += 1) {
    change(at % 100 === 0 ? 'data' : 'run');
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(250);
  await reader.cancel();
  await reading;
  const messages = texts.filter((text) => text.includes('event: run'));
  expect(messages.length).toBeLessThanOrEqual(1 + 60 * 4);
  expect(messages.at(-1)).toContain('{"executed":6000}');
});

test('for a page that does not read one message is stored, and the last state comes when it reads', async () => {
  vi.useFakeTimers();
  const { change, told, listeners } = changing();
  const reader = changeStream(told).getReader();
  await vi.advanceTimersByTimeAsync(1);
  for (let at = 0; at < 100; at += 1) {
    change('run');
    await vi.advanceTimersByTimeAsync(300);
  }
  expect(await readText(reader)).toContain('{"executed":0}');
  expect(await readText(reader)).toContain('{"executed":100}');
  await reader.cancel();
  expect(listeners.size).toBe(0);
});

test('a page that was cut off learns at once what changed meanwhile', async () => {
  const { change, told } = changing();
  const first = changeStream(told).getReader();
  expect(await readText(first)).toContain('event: data\ndata: 0\n');
  await first.cancel();
  change('data');
  const second = changeStream(told).getReader();
  expect(await readText(second)).toContain('event: data\ndata: 1\n');
  await second.cancel();
});

test('a journal is read on from where it was read to, and its summary does not grow', async () => {
  const runs = join(temporaryFolder(), 'runs');
  mkdirSync(runs);
  const run = '20260101T000000Z-1-00000000';
  const journal = openJournal(runs, run);
  const process = processTag(thisProcess());
  journal.write({ type: 'run-started', run, project: 'p', targets: [], process });
  const end = (at: number) => {
    const item = `item-${at}`;
    journal.write({ type: 'item-started', stage: 'grade.train', item, attempt: 1 });
    if (at % 4 === 0) return;
    const outcome = { status: 'failed', reason: 'not-resolved', detail: 'x' } as const;
    journal.write({ type: 'item-finished', stage: 'grade.train', item, outcome } as never);
  };
  for (let at = 0; at < 4000; at += 1) end(at);
  let told = 0;
  const live = new LiveJournal(
    runs,
    'p',
    () => null,
    () => (told += 1),
    (error) => {
      throw error;
    },
  );
  await live.start();
  expect(live.now()).toMatchObject({ state: 'running', counts: { failed: 3000 } });
  expect(told).toBe(1);
  const size = JSON.stringify(live.now()).length;
  // Nobody reads this part again, or it would be counted.
  const path = join(runs, run, 'events.jsonl');
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(readFileSync(path).length, '\n'), 0, undefined, 0);
  for (let at = 4000; at < 8000; at += 1) end(at);
  await vi.waitFor(() => expect(live.now()!.counts.failed).toBe(6000), { timeout: 60_000 });
  live.stop();
  journal.close();
  expect(Math.abs(JSON.stringify(live.now()).length - size)).toBeLessThan(50);
});

test('an answer that is on its way while the project’s file is edited reads what it read, and no longer than that', async () => {
  const folder = temporaryFolder();
  const { file } = writeProject(folder, 2);
  const out = { write: (text: string) => process.stderr.write(text) };
  const io = { stdout: out, stderr: out, env: process.env, cwd: folder, isTTY: false };
  const load = async () =>
    (await openLatestProject(file, { profile: [], set: [], 'env-file': undefined }, io))!;
  const opened = await OpenedProject.open(await load(), load, io, new AbortController().signal);
  const read = ({ session }: typeof opened.now) =>
    session.cache.database.records.get(binaryKey('0'.repeat(64) as ActionKey));
  const first = opened.now;
  const edit = async () => {
    const before = opened.now;
    appendFileSync(file, '# edited\n');
    opened.watch();
    await vi.waitFor(() => expect(opened.now).not.toBe(before), { timeout: 60_000 });
  };
  await edit();
  expect(opened.now.session).not.toBe(first.session);
  expect(read(first)).toBe(undefined);
  await edit();
  await vi.waitFor(() => expect(() => read(first)).toThrow('closed'));
  await opened.close();
});
