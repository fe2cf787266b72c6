/**
 * Runs one item: one process at a time for each key; infrastructure faults are retried. The answer is published in an
 * order that leaves either nothing or all of it after a kill at any moment.
 */

import { bugOf, bugText, bugTrace } from '../basics/bug.ts';
import { fullDisk, hasRoom } from '../basics/disk.ts';
import { machineFault } from '../basics/machine-fault.ts';
import { sleepUnless } from '../basics/sleep.ts';
import { isOverturned } from '../cache/absences.ts';
import {
  holderOf,
  LostOutput,
  lookUp,
  publish,
  recordDigest,
  rememberAnswer,
  storeText,
} from '../cache/cache.ts';
import type { Part, Preimage } from '../cache/key.ts';
import type { Waiting } from '../cache/key-lock.ts';
import { Ended } from '../cache/presence.ts';
import type { Rest, Services } from '../contract/machine.ts';
import type { ActionContext, ActionResult, Stage } from '../contract/stage.ts';
import type { RunAlone } from '../executors/hindrance.ts';
import type { Absence } from '../schemas/absence.ts';
import { type Infra, type InfraReason, infra, isFault, type Outcome } from '../schemas/outcome.ts';
import type { ActionRecord } from '../schemas/record.ts';
import type { Action, ActionEnd } from './action.ts';
import { deferred } from './deferred.ts';
import type { Dispatch, DispatchRequest } from './dispatch.ts';
import { type EventSink, waitEvent } from './events.ts';

/** Faults that another try cannot change. */
const FINAL_FAULTS: readonly InfraReason[] = [
  'python-missing',
  'tool-missing',
  'cancelled',
  'disk-full',
  // It was rerun alone already.
  'uncounted',
  'lock-drift',
  // The client has waited for it as long as the project says.
  'endpoint',
  'endpoint-refused',
  'model-changed',
  'identity-unknown',
  'upstream-infra',
  'output-lost',
  'node-differs',
  'deployment',
  'secret-held',
  'secret-missing',
  'template',
  // A training that ended by itself is not tried again at once; the next build continues it.
  'training',
  'internal',
];

/** Pauses before the second and third try, milliseconds. */
export const RETRY_PAUSES: readonly number[] = [1000, 5000];

export interface ActionEnvironment {
  services: Services;
  run: string;
  emit: EventSink;
  retryPauses: readonly number[];
  alone: RunAlone;
  /** Aborted when nothing new is to be begun: ends waits for other processes. */
  stopping: AbortSignal;
  /** Gives the item's processors to others while it waits for an equal action. Absent: it keeps them. */
  restWaiting?: Rest;
}

/** How a try ended: `ended` when another process took over meanwhile, so that its end does not count. */
type TryEnd = ActionEnd | { kind: 'ended' };

/** Where an item runs that does not run here. */
export interface Dispatched extends Pick<DispatchRequest, 'deployment' | 'inputs'> {
  dispatch: Dispatch;
}

/** What an item's key is made of. */
export function itemPreimage(stage: Stage, parts: Record<string, Part>): Preimage {
  return { domain: 'item', stage: stage.name, version: stage.version, parts };
}

/**
 * Runs the action, or takes the answer of another process that was running it. An answer that rests on something that was
 * not found, and is there by now, is looked for again.
 */
export async function runAction(
  action: Action,
  environment: ActionEnvironment,
  force: boolean,
  dispatched: Dispatched | null = null,
): Promise<ActionEnd> {
  for (;;) {
    const end = await runUnlessAnswered(action, environment, force, dispatched);
    if (end.kind !== 'ended') return end;
    environment.emit({
      type: 'item-log',
      stage: action.node.address,
      item: action.item.name,
      text: `${new Ended().message}; what was made here is not kept\n`,
    });
  }
}

async function runUnlessAnswered(
  action: Action,
  environment: ActionEnvironment,
  force: boolean,
  dispatched: Dispatched | null,
): Promise<TryEnd> {
  const { services } = environment;
  const answered = () => {
    // Another process may have answered it just before the lock was taken.
    services.cache.database.refresh();
    const found = lookUp(services.cache, action.key);
    // An equal item of this run has made it anew.
    if (force && found?.run !== environment.run) return null;
    return found === null || isOverturned(services.cache.database, found) ? null : found;
  };
  const signal = environment.stopping;
  const place = { stage: action.node.address, item: action.item.name, lock: action.key };
  const onWait = (waiting: Waiting | null) => environment.emit(waitEvent(place, waiting));
  const rest = restWhile(environment.restWaiting);
  const lock = await services.cache.locks
    .unless(action.key, answered, { signal, onWait, onBusy: rest.begin })
    .catch((error: unknown) => ({ error }));
  await rest.end();
  if ('error' in lock) return { kind: 'fault', outcome: faultOf(lock.error, signal), log: '' };
  if ('answer' in lock) {
    await rememberAnswer(services.cache, action.address, action.key, lock.answer);
    return { kind: 'record', record: lock.answer, executed: false };
  }
  try {
    const before = lookUp(services.cache, action.key);
    if (dispatched !== null)
      return await runDispatched(action, environment, force || before !== null, dispatched);
    return await tryRepeatedly(action, environment, before);
  } finally {
    lock.unlock();
  }
}

/** The item that has the lock may rest, and then needs processors to go on. So one that waits for it gives its own away. */
function restWhile(rest: Rest | undefined): { begin(): void; end(): Promise<void> } {
  const over = deferred<void>();
  let resting: Promise<void> | undefined;
  return {
    begin() {
      resting ??= rest?.(() => over.promise);
    },
    async end() {
      over.resolve();
      await resting;
    },
  };
}

/** Tries are counted on the machine where the item runs. */
async function runDispatched(
  action: Action,
  { emit, services }: ActionEnvironment,
  force: boolean,
  { dispatch, deployment, inputs }: Dispatched,
): Promise<ActionEnd> {
  const [stage, item] = [action.node.address, action.item.name];
  emit({ type: 'item-started', stage, item, attempt: 1 });
  return dispatch.run(action, {
    force,
    deployment,
    inputs,
    waits: (text) => emit({ type: 'item-waits', stage, item, detail: services.secrets.redact(text) }),
    progress: (text) => emit({ type: 'item-progress', stage, item, detail: services.secrets.redact(text) }),
  });
}

async function tryRepeatedly(
  action: Action,
  environment: ActionEnvironment,
  before: ActionRecord | null,
): Promise<TryEnd> {
  for (let attempt = 1; ; attempt += 1) {
    const end = await tryOnce(action, environment, attempt, before);
    if (end.kind !== 'fault') return end;
    const pause = environment.retryPauses[attempt - 1];
    if (
      pause === undefined ||
      FINAL_FAULTS.includes(end.outcome.reason) ||
      environment.services.signal.aborted
    )
      return end;
    environment.emit({
      type: 'item-retried',
      stage: action.node.address,
      item: action.item.name,
      attempt,
      outcome: end.outcome,
    });
    await sleepUnless(pause, environment.services.signal);
  }
}

async function tryOnce(
  action: Action,
  environment: ActionEnvironment,
  attempt: number,
  before: ActionRecord | null,
): Promise<TryEnd> {
  const { services, emit } = environment;
  const holder = holderOf(services.cache);
  const stage = action.node.address;
  const item = action.item.name;
  // Without room its answer could not be kept, so it is not started.
  const { database } = services.cache.folder;
  if (!hasRoom(database))
    return { kind: 'fault', outcome: faultOf(fullDisk(database), services.signal), log: '' };
  emit({ type: 'item-started', stage, item, attempt });
  const startedAt = Date.now();
  const log: string[] = [];
  const note = (text: string): string => {
    const clean = services.secrets.redact(text);
    log.push(clean);
    emit({ type: 'item-log', stage, item, text: clean });
    return clean;
  };
  const context: ActionContext = {
    ...services,
    isForced: before !== null,
    ...(before !== null && isOverturned(services.cache.database, before) ? { overturned: before } : {}),
    alone: environment.alone,
    log: note,
    waits: (text) => emit({ type: 'item-waits', stage, item, detail: note(text).trim() }),
    progress: (text) => emit({ type: 'item-progress', stage, item, detail: services.secrets.redact(text) }),
  };
  try {
    const result = await action.stage.run(action.node, action.item, action.needs, context);
    const { absent, outcome } = withoutAbsent(redacted(result.outcome, services));
    if (isFault(outcome)) return { kind: 'fault', outcome, log: log.join('') };
    // While the run is being stopped, a failure may be caused by the stop.
    if (outcome.status !== 'ok' && services.signal.aborted)
      return { kind: 'fault', outcome: infra('cancelled', 'the run was stopped'), log: log.join('') };
    const rests = [...(result.absent ?? []), ...absent];
    const made = makeRecord({ ...result, outcome, absent: rests }, log, environment, startedAt);
    const record = before === null ? made : { ...made, replaced: before.digest };
    await publish(services.cache, action.address, action.key, action.preimage, record, holder);
    return { kind: 'record', record, executed: true };
  } catch (error) {
    if (error instanceof Ended) return { kind: 'ended' };
    const bug = bugOf(error);
    if (bug !== null) note(bugTrace(bug));
    return { kind: 'fault', outcome: faultOf(error, services.signal), log: log.join('') };
  }
}

function makeRecord(
  result: ActionResult,
  log: string[],
  { services, run }: ActionEnvironment,
  startedAt: number,
): ActionRecord {
  const notes = { ...result.notes };
  if (log.length > 0) notes.log = storeText(services.cache, log.join(''));
  return {
    outcome: result.outcome,
    outputs: result.outputs,
    notes,
    ...(result.absent === undefined || result.absent.length === 0 ? {} : { absent: result.absent }),
    digest: recordDigest(result.outcome, result.outputs),
    startedAt,
    durationMs: Date.now() - startedAt,
    run,
  };
}

/** An outcome's detail may quote what a command wrote. */
function redacted(outcome: Outcome, services: Services): Outcome {
  return 'detail' in outcome ? { ...outcome, detail: services.secrets.redact(outcome.detail) } : outcome;
}

/** What was not found is no part of an outcome, in whose place it comes with a fault of a source. */
function withoutAbsent(outcome: Outcome): { outcome: Outcome; absent: readonly Absence[] } {
  if (outcome.status !== 'failed') return { outcome, absent: [] };
  const { absent = [], ...rest } = outcome;
  return { outcome: rest, absent };
}

/** What an exception means: a stop, a lack of the machine, a lost output or a bug of ours, none of them an answer. */
export function faultOf(error: unknown, signal: AbortSignal): Infra {
  if (signal.aborted) return infra('cancelled', 'the run was stopped');
  if (error instanceof LostOutput) return infra('output-lost', error.message);
  const bug = bugOf(error);
  if (bug !== null) return infra('internal', bugText(bug));
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return infra('disk-full', message);
  if (code === 'ENOMEM') return infra('out-of-memory', message);
  return infra('machine', machineFault(error) ?? message ?? String(error));
}

/** The outcome of an item whose upstream has none. */
export function upstreamFault(address: string, outcome: Outcome): Infra {
  if (isFault(outcome) && outcome.reason === 'upstream-infra') return outcome;
  const detail = 'detail' in outcome ? outcome.detail : outcome.status;
  const fault = infra('upstream-infra', `${address}: ${detail}`);
  return isFault(outcome) ? { ...fault, status: outcome.status } : fault;
}
