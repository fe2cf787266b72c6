/** Starts a server on a free port and waits until it answers. If it ends before, the fault has the end of its log. */
import { setTimeout as sleep } from 'node:timers/promises';
import { awakeNow } from '../../basics/awake.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import {
  endingOf,
  type ProcessEnd,
  type ProcessSpec,
  type RunningServer,
  type ServerRequest,
} from '../process-runner.ts';
import type { Child, StartChild } from './child.ts';
import { freePort } from './port.ts';

/** Ports that are tried when another program takes one first. */
const ATTEMPTS = 3;
const TAKEN = /address already in use|EADDRINUSE/i;
/** Milliseconds between questions, and for one answer. */
const PAUSE = 200;
const ANSWER = 5_000;
const TAIL_LINES = 15;

export async function serve(
  request: ServerRequest,
  start: StartChild,
): Promise<Result<RunningServer, Infra>> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const hasPort = withPort(request.command, port) !== request.command;
    const url = hasPort ? `http://${request.host ?? '127.0.0.1'}:${port}` : request.url?.replace(/\/+$/, '');
    if (url === undefined)
      return fault(infra('endpoint', 'the server’s command has no {port}, and no address is known'));
    if (!hasPort && (await answers(`${url}${request.ready}`)))
      return fault(infra('endpoint', `something else answers at ${url} already`));
    const child = await start({ ...request, endsWithOwner: true }, withPort(request.command, port));
    if (!child.ok) return child;
    const ready = await untilReady(`${url}${request.ready}`, request, child.value);
    if (ready === 'ready') return success(running(url, child.value, request.signal));
    await child.value.stop();
    const end = await child.value.ended;
    if (ready === 'ended' && hasPort && TAKEN.test(end.output) && attempt < ATTEMPTS) continue;
    return fault(unready(ready, end, request));
  }
}

/** The command with the port; unchanged when it holds none. */
function withPort(command: ProcessSpec['command'], port: number): ProcessSpec['command'] {
  const put = (text: string) => text.replaceAll('{port}', `${port}`);
  if (typeof command === 'string') return put(command);
  return command.some((part) => part.includes('{port}')) ? command.map(put) : command;
}

type Readiness = 'ready' | 'ended' | 'late' | 'aborted';

async function untilReady(url: string, { timeout, signal }: ServerRequest, child: Child): Promise<Readiness> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  child.ended.then(end, end);
  const deadline = awakeNow() + timeout * 1000;
  while (awakeNow() < deadline) {
    if (signal?.aborted) return 'aborted';
    if (ended) return 'ended';
    if (await answers(url)) return 'ready';
    await sleep(PAUSE);
  }
  return ended ? 'ended' : 'late';
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER), redirect: 'manual' });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    // No answer, however it failed to come.
    return false;
  }
}

function running(url: string, child: Child, signal: AbortSignal | undefined): RunningServer {
  const abort = () => child.stopSoon();
  const forget = () => signal?.removeEventListener('abort', abort);
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  child.ended.then(forget, forget);
  return { url, ended: child.ended, stop: () => child.stop() };
}

function unready(
  why: Exclude<Readiness, 'ready'>,
  end: ProcessEnd,
  { ready, timeout }: ServerRequest,
): Infra {
  if (why === 'aborted') return infra('cancelled', 'cancelled before the server was ready');
  const tail = end.output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  const what =
    why === 'ended'
      ? `${endingOf(end)} before it was ready`
      : `did not answer ${ready} with 200 within ${timeout} s`;
  return infra('endpoint', `the server ${what}\n${tail}`.trimEnd());
}
