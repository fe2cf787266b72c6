/** An item that ends badly while the run is being stopped has given no answer. */
import { expect, test } from 'vitest';
import { lookUp, openCache } from '../../cache/cache.ts';
import { actionKey } from '../../cache/key.ts';
import type { Services } from '../../contract/machine.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { Stage } from '../../contract/stage.ts';
import { itemPreimage, runAction } from '../../engine/item-action.ts';
import type { Outcome } from '../../schemas/outcome.ts';
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
