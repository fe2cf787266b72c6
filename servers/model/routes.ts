/** The routes of a model door that stands alone, beside those of the dialects: sessions, and the samples that come of them. */

import { mainTrajectory } from '../../agent/tree/lines.ts';
import type { Json } from '../../basics/canonical.ts';
import type { ExitStatus } from '../../schemas/trajectory.ts';
import type { Weights } from '../agent/weights.ts';
import { weightsRoutes } from '../agent/weights-routes.ts';
import { metricsText, type Requests } from '../http/counters.ts';
import { type Answer, type Route, refusal } from '../http/route.ts';
import { answerOf, NAME, objectOf } from '../http/schema.ts';
import { metricsRoute } from '../http/work.ts';
import type { ModelSessions, Refused, StoredSession } from './sessions.ts';

export interface ModelParts {
  sessions: ModelSessions;
  weights: Weights;
  requests: Requests;
  /** Whether it ends, and takes nothing new. */
  isDraining(): boolean;
}

const ANY: Json = { type: 'object' };
/** How a session may end, by its caller. */
const ENDS: readonly ExitStatus[] = ['submitted', 'time_exceeded', 'limits_exceeded', 'truncated', 'crashed'];

const REFUSED: Readonly<Record<Refused, Answer>> = {
  name: refusal(400, 'bad_request', 'a session has a name of 1 to 200 printable ASCII characters'),
  ended: refusal(409, 'refused', 'this session has ended'),
  full: refusal(503, 'capacity_limited', 'as many sessions are open as may'),
};
const UNKNOWN = refusal(404, 'not_found', 'there is no such session');

export function modelRoutes({ sessions, weights, requests, isDraining }: ModelParts): Route[] {
  return [
    {
      method: 'get',
      path: '/health',
      access: 'open',
      summary: 'That the server is there, and whether it takes requests.',
      answer: ANY,
      run: async () => ({ json: { status: isDraining() ? 'draining' : 'ok' } }),
    },
    {
      method: 'get',
      path: '/status',
      access: 'token',
      summary: 'What is open and what came of the rest.',
      answer: ANY,
      run: async () => ({
        json: {
          ok: true,
          ...sessions.status(),
          weights: { version: weights.version, changing: weights.isChanging },
        },
      }),
    },
    metricsRoute(() => gaugesOf(sessions, requests)),
    {
      method: 'post',
      path: '/sessions',
      access: 'token',
      summary: 'Begins a session and gives its key. The same name is the same session.',
      body: objectOf({ session: NAME, instance_id: NAME, sample: NAME }, ['session']),
      required: 'session is required: its name',
      answer: answerOf({ session: NAME, key: NAME }),
      async run({ body }) {
        const [session, instance, sample] = [body.session, body.instance_id, body.sample].map((value) =>
          typeof value === 'string' ? value : null,
        );
        const opened = sessions.named(session!, { instance: instance!, sample: sample! });
        return opened.ok ? { json: { ok: true, session, key: opened.value.key } } : REFUSED[opened.fault];
      },
    },
    {
      method: 'get',
      path: '/sessions/:session',
      access: 'token',
      summary: 'A session as it stands or as it ended, with its calls as a tree.',
      answer: ANY,
      run: async ({ parameters }) => sessionAnswer(sessions, parameters.session!),
    },
    {
      method: 'post',
      path: '/sessions/:session/end',
      access: 'token',
      summary: 'Ends a session: its trajectory is kept, and its samples go out.',
      body: objectOf({
        exit_status: { enum: [...ENDS] },
        detail: { type: 'string', maxLength: 4096 },
        reward: { enum: [0, 1, null] },
        patch: { type: 'string' },
      }),
      answer: ANY,
      async run({ parameters, body }) {
        const ended = await sessions.end(parameters.session!, body);
        return ended === null ? UNKNOWN : { json: endedAnswer(ended) };
      },
    },
    {
      method: 'post',
      path: '/samples',
      access: 'token',
      summary: 'Samples after a number, in their order. If there are none yet, it waits for one.',
      body: objectOf({
        after: { type: 'integer', minimum: 0 },
        limit: { type: 'integer', minimum: 1, maximum: 1024 },
        wait: { type: 'number', minimum: 0, maximum: 300 },
      }),
      answer: ANY,
      async run({ body, signal }) {
        const { after = 0, limit = 64, wait = 0 } = body as Record<string, number | undefined>;
        const samples = await sessions.samples.after(after, limit, wait * 1000, signal);
        const { oldest } = sessions.samples;
        return { json: { ok: true, samples, next: samples.at(-1)?.number ?? after, oldest } };
      },
    },
    ...weightsRoutes(weights),
  ];
}

function sessionAnswer(sessions: ModelSessions, id: string): Answer {
  const open = sessions.state(id);
  if (open === null) {
    const stored = sessions.stored(id);
    return stored === null ? UNKNOWN : { json: { ...endedAnswer(stored), trajectory: stored.trajectory } };
  }
  const { about, record, session } = open;
  const { timings: _, ...tree } = record;
  return {
    json: {
      ...{ ok: true, status: 'open', session: id, instance_id: about.instance, sample: about.sample },
      ...{ calls: session.tree.size, answered: session.answered, waiting: session.waiting },
      ...{ cost: session.tree.cost, tree },
    },
  };
}

function endedAnswer({ id, instance_id, sample, ended, trajectory, ...stored }: StoredSession) {
  const { fault, detail, exit_status, reward } = ended;
  return {
    ...{ ok: true, status: 'ended', session: id, instance_id, sample, exit_status, detail, reward },
    ...{ error: fault?.detail ?? null, reason: fault?.reason ?? null },
    calls: trajectory.calls.length,
    messages: mainTrajectory(trajectory).messages,
    replies_without_ids: stored.replies_without_ids,
  };
}

function gaugesOf({ size, waiting, counts, samples }: ModelSessions, requests: Requests): string {
  const one = (name: string, help: string, value: number, type: 'gauge' | 'counter' = 'gauge') => ({
    name: `swemake_model_${name}`,
    help,
    type,
    values: [{ value }],
  });
  return metricsText([
    one('sessions_open', 'Sessions under way.', size),
    one('requests_waiting', 'Requests that wait for the model.', waiting),
    one('sessions_ended_total', 'Sessions that ended by themselves.', counts.ended, 'counter'),
    one('sessions_faults_total', 'Those that a machine or an endpoint ended.', counts.faults, 'counter'),
    one(
      'judge_faults_total',
      'Replies without a reward, since the judge failed.',
      counts.judge_faults,
      'counter',
    ),
    one('samples_total', 'Samples that went out.', samples.size, 'counter'),
    ...requests.gauges('swemake_model'),
  ]);
}
