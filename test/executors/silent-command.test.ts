/** A command may be silent for as long as its own limit: nothing else ends the wait for it. */
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { encodeFrame, FrameReader } from '../../executors/sandbox/frames.ts';
import { SupervisedWorkspace } from '../../executors/sandbox/workspace.ts';

// The clock that leaves out pauses begins with the first command, so there is one for all.
beforeAll(() => {
  vi.useFakeTimers();
});
afterAll(() => {
  vi.useRealTimers();
});

/** A workspace whose process 1 says what the test lets it say. */
function silentWorkspace() {
  const fromInside = new PassThrough();
  const asked = new FrameReader();
  const requests: Record<string, unknown>[] = [];
  let isEnded = false;
  const workspace = new SupervisedWorkspace({
    ...{ id: 'w', ports: [], variables: {}, source: null, reader: new FrameReader(), isBounded: true },
    socket: Object.assign(fromInside, {
      write(bytes: Buffer) {
        for (const { header } of asked.feed(bytes)) requests.push(header);
        return true;
      },
    }),
    gather: null,
    end: () => {
      isEnded = true;
    },
    memory: [null, null],
    network: null,
    cpus: undefined,
    free: async () => undefined,
  });
  const say = (header: object) => fromInside.emit('data', encodeFrame(header));
  return { workspace, requests, say, isEnded: () => isEnded };
}

it('waits half an hour in silence, and takes the answer then', async () => {
  const { workspace, requests, say, isEnded } = silentWorkspace();
  const running = workspace.exec('sleep 1800', { timeout: 3600 });
  await vi.advanceTimersByTimeAsync(1_800_000);
  expect(requests.map(({ op }) => op)).toEqual(['exec']);
  expect(isEnded()).toBe(false);
  say({ id: 1, status: 0, timedOut: false, truncated: false, seconds: 1800, segments: [] });
  expect(await running).toMatchObject({ ok: true, value: { exitCode: 0, durationMs: 1_800_000 } });
});

it('counts as hung a minute after the limit of the command, and no earlier', async () => {
  const { workspace, isEnded } = silentWorkspace();
  const running = workspace.exec('sleep 1800', { timeout: 3600 });
  await vi.advanceTimersByTimeAsync(3_659_000);
  expect(isEnded()).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(isEnded()).toBe(true);
  expect(await running).toMatchObject({ ok: false, fault: { reason: 'paused' } });
});
