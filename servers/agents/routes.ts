/** The routes of a router: those of one agent server, so that trainers see no difference. */
import { randomUUID } from 'node:crypto';
import type { Json } from '../../basics/canonical.ts';
import { healthRoutes } from '../agent/health.ts';
import type { AgentMetrics } from '../agent/metrics.ts';
import type { MetricsByStep } from '../agent/metrics-by-step.ts';
import { MANY, NO_INSTANCE, RUN, SESSION, STEP } from '../agent/request.ts';
import { VERSION } from '../agent/weights-routes.ts';
import { metricsText, type Requests } from '../http/counters.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { AgentFleet, Body } from './fleet.ts';

export interface RouterParts {
  fleet: AgentFleet;
  requests: Requests;
  steps: MetricsByStep;
}

const ANY: Json = { type: 'object' };

export function routerRoutes(parts: RouterParts): Route[] {
  const { fleet, requests, steps } = parts;
  const looks = healthRoutes({
    status: () => statusOf(fleet),
    gauges: () => gaugesOf(fleet, requests),
    steps,
  });
  return [...looks, ...rollouts(parts), ...broadcasts(parts), ...environments(parts)];
}

function rollouts({ fleet, steps }: RouterParts): Route[] {
  const run = async (asked: Body, signal: AbortSignal): Promise<Answer> => {
    // Named here, so that two servers asked one after the other are asked for the same one.
    const id = typeof asked.id === 'string' && asked.id !== '' ? asked.id : randomUUID();
    const answer = await fleet.run(id, { ...asked, id }, signal);
    if ('json' in answer && answer.json.ok === true && typeof asked.step === 'number')
      steps.note(asked.step, id, answer.json.agent_metrics as AgentMetrics);
    return answer;
  };
  return [
    {
      method: 'post',
      path: '/run',
      access: 'token',
      summary: 'One rollout of one instance, with its verdict, on the server that has most room.',
      body: RUN,
      answer: ANY,
      run: ({ body, signal }) => run(body, signal),
    },
    {
      method: 'post',
      path: '/run_batch',
      access: 'token',
      summary: 'Several of them, each on a server of its own choice; answered when the last one has ended.',
      body: MANY,
      answer: ANY,
      async run({ body, signal }) {
        const answers = await Promise.all((body.requests as Body[]).map((one) => run(one, signal)));
        const malformed = answers.find((answer) => 'json' in answer && answer.status === 400);
        if (malformed !== undefined) return malformed;
        return {
          json: { ok: true, results: answers.map((answer) => ('json' in answer ? answer.json : {})) },
        };
      },
    },
  ];
}

/** Requests that are passed on to every server. */
function broadcasts({ fleet }: RouterParts): Route[] {
  const tell = (
    path: string,
    summary: string,
    isKept: boolean,
    sum: (answers: Body[]) => Body,
    schema: Json = ANY,
    sent = (body: Body): Body => body,
  ): Route => ({
    method: 'post',
    path,
    summary,
    access: 'token',
    body: schema,
    answer: ANY,
    async run({ body }) {
      const answers = await fleet.tellAll(path, sent(body), isKept);
      return Array.isArray(answers) ? { json: { ok: true, ...sum(answers) } } : answers;
    },
  });
  const cancelled = (answers: Body[]) => ({
    cancelled: answers.reduce((sum, answer) => sum + Number(answer.cancelled ?? 0), 0),
  });
  const version = (answers: Body[]) => ({ version: answers[0]?.version ?? null });
  let last: unknown = null;
  /** Without a version the weights are those from before, which a server that was away does not know. */
  const withVersion = (body: Body) => {
    last = body.version ?? last;
    return { ...body, version: last };
  };
  return [
    tell('/cancel', 'Ends rollouts by id, by training step, or all of them.', false, cancelled),
    tell('/flush', 'Ends all rollouts that are under way.', false, cancelled),
    tell('/weights/pause', 'The weights are about to change, for all servers.', true, version),
    tell(
      '/weights/resume',
      'The weights are these now, for all servers.',
      true,
      version,
      VERSION,
      withVersion,
    ),
  ];
}

function environments({ fleet }: RouterParts): Route[] {
  const session = (path: '/step' | '/close', summary: string, body: Json): Route => ({
    method: 'post',
    path,
    summary,
    access: 'token',
    body,
    required: 'session_id is required',
    answer: ANY,
    run: (call: Call) => fleet.session(path, String(call.body.session_id), call.body, call.signal),
  });
  return [
    {
      method: 'post',
      path: '/reset',
      access: 'token',
      summary: 'Opens an instance as an environment, on the server that has most room.',
      body: ANY,
      required: NO_INSTANCE,
      answer: ANY,
      run: ({ body, signal }) => fleet.reset(body, signal),
    },
    session('/step', 'The agent’s next reply, at the server of its session.', STEP),
    session('/close', 'Ends an environment without a verdict.', SESSION),
  ];
}

function statusOf({ nodes }: AgentFleet): Record<string, unknown> {
  const known = nodes.map(({ status }) => (status.places ?? {}) as Record<string, number>);
  const sum = (name: string) => known.reduce((all, places) => all + (places[name] ?? 0), 0);
  return {
    ok: true,
    places: { size: sum('size'), taken: sum('taken'), waiting: sum('waiting') },
    servers: nodes.map(({ url, isWell, problem, taken, status }) => ({
      ...{ url, healthy: isWell, problem, asked: taken },
      ...{ places: status.places ?? null, counts: status.counts ?? null, weights: status.weights ?? null },
    })),
  };
}

function gaugesOf({ nodes }: AgentFleet, requests: Requests): string {
  const each = (name: string, help: string, value: (node: (typeof nodes)[number]) => number) => ({
    ...{ name: `swemake_router_${name}`, help, type: 'gauge' as const },
    values: nodes.map((node) => ({ labels: { server: node.url }, value: value(node) })),
  });
  return metricsText([
    each('server_up', 'Whether a server is well.', ({ isWell }) => (isWell ? 1 : 0)),
    each('requests_under_way', 'Requests that a server works on for this router.', ({ taken }) => taken),
    ...requests.gauges('swemake_router'),
  ]);
}
