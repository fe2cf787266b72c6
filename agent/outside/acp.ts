/**
 * swemake's side of the Agent Client Protocol, version 1 (agentclientprotocol.com): JSON-RPC 2.0, a message a line. The program's stdin and
 * stdout are a connection to the model door, so its base needs bash and nothing else. It gets the task as a prompt, may do what it asks
 * for, and its answer says how it ended.
 */

import type { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { jsonObject } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Ending } from '../ending.ts';

/** Characters of one message. Programs send whole files in their updates. */
const MAX_MESSAGE = 16 << 20;
/** JSON-RPC's code for a method that is not there, and ACP's for an agent that wants its user to sign in. */
const NO_METHOD = -32601;
const SIGN_IN = -32000;

export interface Talk {
  task: string;
  /** Absolute path of the repository. */
  cwd: string;
  log(text: string): void;
}

interface Message {
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown> | null;
  error?: { code?: number; message?: string } | null;
}

/** Why a program stops working, as ACP names it -> how the rollout ended. */
const ENDED: Readonly<Record<string, Ending['status']>> = {
  end_turn: 'submitted',
  max_tokens: 'truncated',
  max_turn_requests: 'limits_exceeded',
  refusal: 'gave_up',
};

/**
 * Gives the task and waits for the answer. The fault says what the program did against the protocol. null: the connection ended before
 * the answer, and how the program ended says why.
 */
export async function converse(connection: Duplex, talk: Talk): Promise<Result<Ending, string> | null> {
  const closed = new Promise<null>((resolve) => connection.once('close', () => resolve(null)));
  return Promise.race([work(connection, talk), closed]);
}

async function work(connection: Duplex, { task, cwd, log }: Talk): Promise<Result<Ending, string>> {
  const rpc = new JsonRpc(connection, (method, params) => allow(method, params));
  const met = await rpc.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'swemake', version: '1' },
  });
  if (!met.ok) return met;
  const { protocolVersion, authMethods } = met.value;
  if (protocolVersion !== 1) return fault(`it speaks version ${protocolVersion} of the protocol, and not 1`);
  const opened = await openSession(rpc, cwd, authMethods);
  if (!opened.ok) return opened;
  const answered = await rpc.request('session/prompt', {
    sessionId: opened.value.sessionId,
    prompt: [{ type: 'text', text: task }],
  });
  if (!answered.ok) return answered;
  const reason = `${answered.value.stopReason}`;
  log(`the program ended its turn: ${reason}\n`);
  const status = ENDED[reason];
  if (status === undefined) return fault(`it stopped for the reason ${JSON.stringify(reason)}`);
  return success({ status, detail: status === 'submitted' ? '' : reason, submission: null });
}

/** A program that wants its user to sign in is offered its own ways, in their order: keys are in its variables. */
async function openSession(
  rpc: JsonRpc,
  cwd: string,
  authMethods: unknown,
): Promise<Result<Record<string, unknown>, string>> {
  const open = () => rpc.request('session/new', { cwd, mcpServers: [] });
  const first = await open();
  if (first.ok || rpc.lastCode !== SIGN_IN) return first;
  for (const method of listOf(authMethods)) {
    const signedIn = await rpc.request('authenticate', { methodId: method.id });
    if (signedIn.ok) return open();
  }
  return first;
}

/** Every permission is given; the workspace is what holds the program. */
function allow(method: string, params: Record<string, unknown>): Record<string, unknown> | null {
  if (method !== 'session/request_permission') return null;
  const options = listOf(params.options);
  const option =
    options.find(({ kind }) => kind === 'allow_always') ?? options.find(({ kind }) => kind === 'allow_once');
  return {
    outcome:
      option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.optionId },
  };
}

/** The objects of a list that a program sent; none where it sent something else. */
function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

type Answered = Result<Record<string, unknown>, string>;

/** One side of JSON-RPC 2.0 on a connection. */
class JsonRpc {
  /** Code of the newest error answer; null: the newest answer was none. */
  lastCode: number | null = null;
  readonly #connection: Duplex;
  readonly #serve: (method: string, params: Record<string, unknown>) => Record<string, unknown> | null;
  readonly #open = new Map<number, (answer: Answered) => void>();
  readonly #decoder = new StringDecoder('utf8');
  #rest: string[] = [];
  #length = 0;
  #next = 0;

  constructor(
    connection: Duplex,
    serve: (method: string, params: Record<string, unknown>) => Record<string, unknown> | null,
  ) {
    this.#connection = connection;
    this.#serve = serve;
    // A broken connection ends with its program.
    connection.on('error', () => undefined);
    connection.on('data', (bytes: Buffer) => this.#read(this.#decoder.write(bytes)));
    connection.resume();
  }

  request(method: string, params: Record<string, unknown>): Promise<Answered> {
    const id = this.#next++;
    const answered = new Promise<Answered>((resolve) => this.#open.set(id, resolve));
    this.#send({ id, method, params });
    return answered;
  }

  #send(message: Message): void {
    this.#connection.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #read(text: string): void {
    const lines = text.split('\n');
    for (const line of lines.slice(0, -1)) {
      this.#take(this.#rest.join('') + line);
      this.#rest = [];
      this.#length = 0;
    }
    const rest = lines.at(-1)!;
    this.#rest.push(rest);
    this.#length += rest.length;
    if (this.#length > MAX_MESSAGE)
      this.#breakOff(`it sent a message of more than ${MAX_MESSAGE} characters`);
  }

  #take(line: string): void {
    const message = jsonObject<Message>(line);
    // Programs print other lines, too.
    if (message === null) return;
    const { id, method, params, result, error } = message;
    if (method !== undefined) {
      // Without an id it is news that needs no answer.
      if (id === undefined || id === null) return;
      const served = this.#serve(method, params ?? {});
      if (served === null) this.#send({ id, error: { code: NO_METHOD, message: `no method ${method}` } });
      else this.#send({ id, result: served });
      return;
    }
    const answer = this.#open.get(id as number);
    if (answer === undefined) return;
    this.#open.delete(id as number);
    this.lastCode = error?.code ?? null;
    answer(error ? fault(`${error.message ?? error.code}`.slice(0, 300)) : success(result ?? {}));
  }

  #breakOff(why: string): void {
    this.#connection.destroy();
    this.#rest = [];
    for (const answer of this.#open.values()) answer(fault(why));
    this.#open.clear();
  }
}
