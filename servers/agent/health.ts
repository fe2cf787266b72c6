/** What an agent server says of itself, and a router of all its servers. */
import type { Json } from '../../basics/canonical.ts';
import { type Route, refusal } from '../http/route.ts';
import { metricsRoute } from '../http/work.ts';
import type { MetricsByStep } from './metrics-by-step.ts';

export interface Health {
  status(): Readonly<Record<string, unknown>>;
  gauges(): string;
  steps: MetricsByStep;
}

const ANY: Json = { type: 'object' };

export function healthRoutes({ status, gauges, steps }: Health): Route[] {
  return [
    {
      method: 'get',
      path: '/health',
      access: 'open',
      summary: 'That the server is there.',
      answer: ANY,
      run: async () => ({ json: { status: 'ok' } }),
    },
    {
      method: 'get',
      path: '/status',
      access: 'token',
      summary:
        'What runs, what waits, and what came of the rest; of a router each server, as it was seen last.',
      answer: ANY,
      run: async () => ({ json: status() }),
    },
    metricsRoute(gauges),
    {
      method: 'get',
      path: '/steps/:step',
      access: 'token',
      summary: 'agent/* metrics over the rollouts of one training step.',
      answer: ANY,
      run: async ({ parameters }) =>
        /^\d{1,15}$/.test(parameters.step!)
          ? { json: { ok: true, ...steps.metrics(Number(parameters.step)) } }
          : refusal(400, 'bad_request', 'a step is a whole number'),
    },
  ];
}
