/** A model door that stands alone, in front of an engine whose ids are known. */
import { mkdirSync } from 'node:fs';
import type { NextState } from '../../../agent/judge/next-state.ts';
import type { ChatMessage, Policy, Reply, ReplyRequest } from '../../../agent/policy.ts';
import { success } from '../../../basics/result.ts';
import type { OutSample } from '../../../servers/model/samples.ts';
import { startModel } from '../../../servers/model/server.ts';
import type { SessionsOptions } from '../../../servers/model/sessions.ts';
import { Engine, type Seen, seeded } from '../../agent/tree/engine.ts';
import { temporaryFolder } from '../../rig/folder.ts';

export const TOKEN = 'e'.repeat(64);
export type Said = Pick<Reply, 'content' | 'reasoning' | 'toolCalls'>;
export type Script = (request: ReplyRequest, number: number) => Partial<Said> | Promise<Partial<Said>>;

export interface Judged extends NextState {
  session: string;
}

/** Answers as the script says, with ids of a tokenizer that merges over borders of messages. */
export function enginePolicy(script: Script, engine = new Engine(seeded(5), false, 0.5)) {
  const asked: ReplyRequest[] = [];
  const policy: Policy = {
    async reply(request) {
      const number = asked.push(request) - 1;
      const said = { content: '', reasoning: null, toolCalls: [], ...(await script(request, number)) };
      return success(engine.reply(request.messages, request.tools, said));
    },
    parameters: () => ({ temperature: 1, max_tokens: 100 }),
    dropped: () => [],
  };
  return { policy, asked, seen: engine.seen as Seen[] };
}

export async function startDoor(policy: Policy, more: Partial<SessionsOptions> = {}, drain = 1000) {
  const folder = more.folder ?? temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const started = await startModel({
    version: '1',
    address: { host: '127.0.0.1', port: 0 },
    token: TOKEN,
    tls: null,
    log: () => undefined,
    drain,
    sessions: {
      folder,
      policy,
      model: { name: 'policy', identity: 'org/policy@1' },
      context: 4096,
      agent: { type: 'command', dialect: 'v2', actions: 'tool-calls' },
      limits: { steps: 0, cost: 0 },
      seedOf: () => 7,
      judge: null,
      unit: 'turns',
      train: 'main',
      tokenizer: null,
      idleLimit: 3_600_000,
      most: 100,
      sampleRoom: 2 ** 30,
      keepSessions: 3_600_000,
      log: () => undefined,
      ...more,
    },
  });
  if (!started.ok) throw new Error(started.fault);
  const { url, close } = started.value;
  const ask = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    ...{ url, folder, close, ask },
    chat: (messages: ChatMessage[], headers: Record<string, string> = {}) =>
      ask('/v1/chat/completions', { model: 'any', messages }, { 'x-session-id': 's', ...headers }),
    async keyOf(session: string): Promise<string> {
      return String((await ask('/sessions', { session })).body.key);
    },
    async samples(after = 0, wait = 0): Promise<OutSample[]> {
      return (await ask('/samples', { after, wait, limit: 1000 })).body.samples as OutSample[];
    },
  };
}

/** Whether a sample holds, for each call that it trains, exactly what the engine saw and wrote. */
export function isExact({ token_ids, loss_mask, logprobs, trained_calls }: OutSample, seen: readonly Seen[]) {
  let end = 0;
  for (const call of trained_calls) {
    const { prompt, reply, logprobs: given } = seen[call]!;
    const from = loss_mask.indexOf(1, end);
    end = from + reply.length;
    const isSame =
      token_ids.slice(0, from).join() === prompt.join() &&
      token_ids.slice(from, end).join() === reply.join() &&
      logprobs!.slice(from, end).join() === given.join() &&
      loss_mask.slice(from, end).every((one) => one === 1);
    if (!isSame) return false;
  }
  return loss_mask.indexOf(1, end) === -1 && loss_mask.length === token_ids.length;
}
