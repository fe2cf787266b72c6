/** Runs programs of the host, see executors/process-runner.ts. */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { CommandRequest } from '../kind.ts';
import type { ProcessEnd, ProcessRequest, ProcessRunner, ProcessSpec } from '../process-runner.ts';
import type { StartChild } from './child.ts';
import { Child, childId } from './child.ts';
import { processEnvironment } from './environment.ts';
import { Gpus, VISIBLE } from './gpus.ts';
import { defaultPids } from './pids.ts';
import { Redaction } from './redaction.ts';
import { serve } from './server.ts';

/** Nothing is started or written before the first process. */
export function createProcessRunner(options: CommandRequest): ProcessRunner {
  const living = new Set<Child>();
  const starting = new Set<Promise<unknown>>();
  let isClosed = false;
  const gpus = new Gpus(options.env);
  const start: StartChild = async (spec, command) => {
    if (spec.gpus === undefined) return begin(spec, command);
    const lease = await gpus.take(spec.gpus, spec.signal);
    if (!lease.ok) return lease;
    const { devices, free } = lease.value;
    const child = await begin({ ...spec, env: { ...spec.env, [VISIBLE]: devices } }, command);
    if (child.ok) child.value.ended.then(free, free);
    else free();
    return child;
  };
  const begin: StartChild = (spec, command) => {
    if (isClosed) return Promise.resolve(fault(infra('cancelled', 'the run has ended')));
    const begun = startChild(spec, command, options).then((child) => {
      if (child.ok) {
        living.add(child.value);
        const forget = () => living.delete(child.value);
        child.value.ended.then(forget, forget);
      }
      return child;
    });
    const over = () => starting.delete(begun);
    starting.add(begun);
    begun.then(over, over);
    return begun;
  };
  return {
    run: (request) => run(request, start),
    startServer: (request) => serve(request, start),
    close: async () => {
      isClosed = true;
      await Promise.allSettled(starting);
      await Promise.allSettled([...living].map((child) => child.stop()));
    },
  };
}

async function run(request: ProcessRequest, start: StartChild): Promise<Result<ProcessEnd, Infra>> {
  const { signal, timeout } = request;
  if (signal?.aborted) return fault(infra('cancelled', 'cancelled before it was started'));
  const child = await start(request, request.command);
  if (!child.ok) return child;
  if (timeout !== null) child.value.endAfter(timeout);
  const abort = () => child.value.stopSoon();
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  const end = await child.value.ended.finally(() => signal?.removeEventListener('abort', abort));
  return signal?.aborted ? fault(infra('cancelled', 'cancelled while it ran')) : success(end);
}

async function startChild(
  spec: ProcessSpec,
  command: ProcessSpec['command'],
  { stateFolder, env, secrets }: CommandRequest,
): Promise<Result<Child, Infra>> {
  const given = spec.env ?? {};
  const revealed = secrets.reveal(given);
  if (!revealed.ok) return revealed;
  const secret = Object.entries(revealed.value).filter(([name, value]) => given[name] !== value);
  const longest = Math.max(0, ...secret.map(([, value]) => value.length));
  try {
    await mkdir(stateFolder, { recursive: true, mode: 0o700 });
    await mkdir(dirname(spec.log), { recursive: true });
    const child = await Child.start({
      spec,
      argv: typeof command === 'string' ? ['bash', '-c', command] : command,
      env: processEnvironment(env, spec.inherit ?? [], revealed.value),
      redaction: new Redaction(secrets.redact, longest),
      state: stateFolder,
      id: childId(randomBytes(8).toString('hex')),
      pids: spec.pids ?? defaultPids(),
    });
    return typeof child === 'string' ? fault(infra('tool-missing', secrets.redact(child))) : success(child);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fault(infra(code === 'ENOSPC' || code === 'EDQUOT' ? 'disk-full' : 'machine', message));
  }
}
