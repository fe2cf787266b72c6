/** Routes by which a trainer announces new weights. */
import type { Json } from '../../basics/canonical.ts';
import type { Route } from '../http/route.ts';
import { objectOf } from '../http/schema.ts';
import type { Weights } from './weights.ts';

export const VERSION: Json = objectOf({ version: { type: ['integer', 'null'], minimum: 0 } });
const ANY: Json = { type: 'object' };

export function weightsRoutes(weights: Weights): Route[] {
  return [
    {
      method: 'post',
      path: '/weights/pause',
      access: 'token',
      summary: 'The weights are about to change: calls of models wait, rollouts stay.',
      body: ANY,
      answer: ANY,
      run: async () => {
        weights.pause();
        return { json: { ok: true, version: weights.version } };
      },
    },
    {
      method: 'post',
      path: '/weights/resume',
      access: 'token',
      summary: 'The weights are these now: calls go on, and note it.',
      body: VERSION,
      answer: ANY,
      run: async ({ body }) => {
        weights.resume(typeof body.version === 'number' ? body.version : null);
        return { json: { ok: true, version: weights.version } };
      },
    },
  ];
}
