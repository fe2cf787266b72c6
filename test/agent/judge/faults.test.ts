/** What a rejected promise means: a fault is itself, an error is the endpoint's, and a bug is ours. */
import { expect, test } from 'vitest';
import { asInfra } from '../../../agent/as-infra.ts';
import { infra } from '../../../schemas/outcome.ts';

test.each([
  ['a fault', infra('network', 'no route'), { reason: 'network', detail: 'no route' }],
  ['an error', new Error('closed'), { reason: 'endpoint', detail: 'closed' }],
  [
    'an error of fetch',
    new TypeError('fetch failed', { cause: new Error('reset') }),
    { reason: 'endpoint', detail: 'fetch failed' },
  ],
  ['a bug', new TypeError('x is not a function'), { reason: 'internal' }],
])('%s', (_, reason, expected) => {
  expect(asInfra(reason)).toMatchObject({ status: 'infra', ...expected });
});
