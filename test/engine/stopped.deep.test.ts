/** An item that ends badly while the run is being stopped has given no answer. */
import { expect, test } from 'vitest';
import { lookUp, openCache } from '../../cache/cache.ts';
import { actionKey } from '../../cache/key.ts';
import type { Services } from '../../contract/machine.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { Stage } from '../../contract/stage.ts';
import { itemPreimage, runAction } from '../../engine/item-action.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { runToy } from '../rig/arithmetic.ts';
import { temporaryFolder } from '../rig/folder.ts';

const FAILED: Outcome = { status: 'failed', reason: 'gold-fails', detail: 'its tests were ended' };
const TIMEOUT: Outcome = { status: 'timeout', reason: 'time-limit', detail: '' };

test.each([
  [FAILED, true, 'fault'],
  [TIMEOUT, true, 'fault'],
  [{ status: 'ok' } as Outcome, true, 'record'],
  [FAILED, false, 'record'],
])('%o, stopped: %s', async (outcome, stops, kind) => {
  const cache = await openCache(temporaryFolder());
  const stopping = new AbortController();
  const services = {
    ...{ cache, shared: {}, env: {} },
    ...{ secrets: createSecrets(new Map(), {}), signal: stopping.signal },
  } as unknown as Services;
  const stage = {
    name: 'toy',
    version: 1,
    run: async () => {
      if (stops) stopping.abort();
      return { outcome, outputs: {} };
    },
  } as unknown as Stage;
  const preimage = itemPreimage(stage, {});
  const key = actionKey(preimage);
  const node = { address: 'toy', stage: 'toy', dataset: '', inputs: {}, exports: false };
  const item = { name: '', needs: {}, data: null };
  const end = await runAction(
    { node, stage, item, needs: {}, key, preimage, address: 'p/toy' },
    {
      services,
      run: 'r',
      emit: () => undefined,
      retryPauses: [],
      alone: (_, work) => work(),
      stopping: stopping.signal,
    },
    false,
  );
  expect(end.kind).toBe(kind);
  expect(lookUp(cache, key) === null).toBe(kind === 'fault');
  await cache.close();
});

test('one item that is ended has no answer; the others go on, and each answer is told', async () => {
  const root = temporaryFolder();
  const ending = new AbortController();
  const told: string[] = [];
  const hold = async (item: string) => {
    if (item === 'n-2') ending.abort();
  };
  const { end } = await runToy(
    root,
    { numbers: [-2, -3, 3], hold },
    {
      jobs: 1,
      signalOf: (stage, item) => (stage === 'square.x' && item === 'n-2' ? ending.signal : null),
      onAnswered: (stage, item, { outcome }) => told.push(`${stage}@${item} ${outcome.status}`),
    },
  );
  const squares = end.nodes.get('square.x')!.state;
  const outcomes = ['n-2', 'n-3', 'n3'].map((item) => squares.entry(item)?.outcome.status);
  expect(outcomes).toEqual(['stopped', 'failed', 'ok']);
  expect(told.filter((one) => one.startsWith('square'))).toEqual(['square.x@n-3 failed', 'square.x@n3 ok']);
  const again = await runToy(root, { numbers: [-2, -3, 3] }, { onAnswered: (_, item) => told.push(item) });
  expect(again.ran).toContain('n-2');
  expect(again.ran).not.toContain('n-3');
  // Also those that are in the cache.
  expect(told).toEqual(expect.arrayContaining(['n-2', 'n-3', 'n3']));
});
