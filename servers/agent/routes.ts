/** The routes of an agent server: whole rollouts for trainers, and an environment with reset and step. */
import type { Json } from '../../basics/canonical.ts';
import { metricsText, type Requests } from '../http/counters.ts';
import { type Answer, type Call, type Route, refusal } from '../http/route.ts';
import { objectOf } from '../http/schema.ts';
import { episodeAnswer } from './answer.ts';
import type { CallerReply } from './caller.ts';
import type { EpisodeRequest } from './episode.ts';
import { type EpisodeQueue, FULL } from './episode-queue.ts';
import { healthRoutes } from './health.ts';
import type { AgentMetrics } from './metrics.ts';
import type { MetricsByStep } from './metrics-by-step.ts';
import { MANY, NO_INSTANCE, RUN, readRequest, readTask, SESSION, STEP, TASK } from './request.ts';
import type { SessionStep, Sessions } from './sessions.ts';
import type { Weights } from './weights.ts';
import { weightsRoutes } from './weights-routes.ts';

export interface AgentParts {
  queue: EpisodeQueue;
  sessions: Sessions;
  weights: Weights;
  steps: MetricsByStep;
  requests: Requests;
}

const ANY: Json = { type: 'object' };

export function agentRoutes(parts: AgentParts): Route[] {
  const { queue, sessions, weights, steps } = parts;
  return [
    ...healthRoutes({ status: () => statusOf(parts), gauges: () => gaugesOf(parts), steps }),
    {
      method: 'post',
      path: '/run',
      access: 'token',
      summary: 'One rollout of one instance, with its verdict. The same id gives the same rollout.',
      body: RUN,
      answer: ANY,
      run: (call) => run(parts, call.body, call),
    },
    {
      method: 'post',
      path: '/run_batch',
      access: 'token',
      summary: 'Several of them; answered when the last one has ended.',
      body: MANY,
      answer: ANY,
      run: async (call) => {
        const wanted = call.body.requests as Record<string, unknown>[];
        const wrong = wanted.map((body) => readRequest(body)).find(({ ok }) => !ok);
        if (wrong?.ok === false) return refusal(400, 'bad_request', wrong.fault);
        const answers = await Promise.all(wanted.map((body) => run(parts, body, call)));
        return {
          json: { ok: true, results: answers.map((answer) => ('json' in answer ? answer.json : {})) },
        };
      },
    },
    {
      method: 'post',
      path: '/cancel',
      access: 'token',
      summary: 'Ends rollouts by id, by training step, or all of them. They are answered as aborted.',
      body: objectOf({
        id: { type: ['string', 'null'] },
        step: { type: ['integer', 'null'] },
        all: { type: ['boolean', 'null'] },
      }),
      answer: ANY,
      run: async ({ body }) => {
        const wanted = chosenBy(body);
        if (wanted === null) return refusal(400, 'bad_request', 'say id, step, or all: true');
        return { json: { ok: true, cancelled: queue.cancel(wanted) } };
      },
    },
    {
      method: 'post',
      path: '/flush',
      access: 'token',
      summary: 'Ends all rollouts that are under way, as Miles asks for between updates.',
      body: ANY,
      answer: ANY,
      run: async () => ({ json: { ok: true, cancelled: queue.cancel(() => true) } }),
    },
    ...weightsRoutes(weights),
    {
      method: 'post',
      path: '/reset',
      access: 'token',
      summary: 'Opens an instance as an environment; the caller plays the agent.',
      body: objectOf(TASK, ['instance_id']),
      required: NO_INSTANCE,
      answer: ANY,
      run: async ({ body, signal }) => {
        const task = readTask(body);
        if (task === null) return refusal(400, 'bad_request', NO_INSTANCE);
        const opened = await sessions.reset(task, signal);
        if (opened === FULL) return full();
        const { session, step } = opened;
        return { json: { ok: true, session_id: session, ...stepAnswer(step, { ...task, id: session }) } };
      },
    },
    {
      method: 'post',
      path: '/step',
      access: 'token',
      summary:
        'The agent’s next reply, or a command; gives what the agent is shown, and at the end the reward.',
      body: STEP,
      required: 'session_id is required',
      answer: ANY,
      run: ({ body }) => stepSession(sessions, body),
    },
    {
      method: 'post',
      path: '/close',
      access: 'token',
      summary: 'Ends an environment without a verdict.',
      body: SESSION,
      answer: ANY,
      run: async ({ body }) =>
        sessions.close(String(body.session_id))
          ? { json: { ok: true } }
          : refusal(404, 'not_found', 'there is no such session'),
    },
  ];
}

async function run({ queue, steps }: AgentParts, body: Call['body'], { signal }: Call): Promise<Answer> {
  const read = readRequest(body);
  if (!read.ok) return refusal(400, 'bad_request', read.fault);
  const request = read.value;
  const end = await queue.ask(request, signal);
  if (end === FULL) return full();
  const answer = episodeAnswer(request, end);
  if (end.kind === 'graded') steps.note(request.step, request.id, answer.agent_metrics as AgentMetrics);
  // A client that asks in NeMo-Gym's form gets its request back.
  const { responses_create_params: asked } = body;
  return { json: asked === undefined ? answer : { ...answer, responses_create_params: asked } };
}

async function stepSession(sessions: Sessions, body: Call['body']): Promise<Answer> {
  const session = String(body.session_id);
  const request = sessions.request(session);
  if (request === null) return refusal(404, 'not_found', 'there is no such session, or it has ended');
  const reply = callerReply(body);
  if (reply === null) return refusal(400, 'bad_request', 'say content, command or tool_calls');
  const step = await sessions.step(session, reply);
  if (step === null) return refusal(409, 'refused', 'the session is at work on the step before');
  return { json: { ok: true, session_id: session, ...stepAnswer(step, request) } };
}

function callerReply(body: Call['body']): CallerReply | null {
  const { content, command, tool_calls: calls, token_ids: ids, prompt_ids: prompt, logprobs } = body;
  if (content === undefined && command === undefined && !Array.isArray(calls)) return null;
  const toolCalls = Array.isArray(calls) ? (calls as Record<string, string>[]) : [];
  return {
    content: typeof content === 'string' ? content : '',
    command: typeof command === 'string' ? command : null,
    toolCalls: toolCalls.map(({ id, name, arguments: given }, index) => ({
      id: id ?? `call-${index}`,
      name: name!,
      arguments: given!,
    })),
    tokens: Array.isArray(ids)
      ? {
          ids: ids as number[],
          promptIds: Array.isArray(prompt) ? (prompt as number[]) : null,
          logprobs: Array.isArray(logprobs) && logprobs.length === ids.length ? (logprobs as number[]) : null,
        }
      : null,
  };
}

function stepAnswer(step: SessionStep, request: Omit<EpisodeRequest, 'actor'>): Record<string, unknown> {
  if (!step.done) {
    const { messages, isNew } = step;
    const observation = messages.slice(isNew).filter(({ role }) => role !== 'assistant');
    return { done: false, reward: null, observation, messages };
  }
  return { done: true, observation: [], ...episodeAnswer(request, step.end) };
}

/** Null when the body names none: otherwise a misspelled key would look like an end. */
function chosenBy(body: Call['body']): ((request: EpisodeRequest) => boolean) | null {
  if (body.all === true) return () => true;
  if (typeof body.id === 'string') return ({ id }) => id === body.id;
  if (typeof body.step === 'number') return ({ step }) => step === body.step;
  return null;
}

function full(): Answer {
  return refusal(503, 'capacity_limited', 'as many rollouts wait as may; ask again', { reward: null });
}

function statusOf({ queue, sessions, weights }: AgentParts): Record<string, unknown> {
  return {
    ok: true,
    places: queue.places,
    sessions: sessions.size,
    counts: queue.counts,
    weights: { version: weights.version, changing: weights.isChanging },
    running: queue.running.map(({ id, instance, sample, step }) => ({
      id,
      instance_id: instance,
      sample,
      step,
    })),
  };
}

function gaugesOf({ queue, requests, weights }: AgentParts): string {
  const one = (name: string, help: string, value: number, type: 'gauge' | 'counter' = 'gauge') => ({
    name: `swemake_agent_${name}`,
    help,
    type,
    values: [{ value }],
  });
  const { places, counts } = queue;
  return metricsText([
    one('rollouts_running', 'Rollouts under way.', places.taken),
    one('rollouts_waiting', 'Rollouts in line.', places.waiting),
    one('rollouts_places', 'Rollouts that may be under way at once.', places.size),
    one('rollouts_graded_total', 'Rollouts with a verdict.', counts.graded, 'counter'),
    one('rollouts_resolved_total', 'Those with reward 1.', counts.resolved, 'counter'),
    one('rollouts_faults_total', 'Those that came to no verdict.', counts.faults, 'counter'),
    one('turns_total', 'Turns of rollouts that were graded.', queue.turns, 'counter'),
    ...(weights.version === null ? [] : [one('weights_version', 'As the trainer told it.', weights.version)]),
    ...requests.gauges('swemake_agent'),
  ]);
}
