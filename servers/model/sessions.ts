/**
 * The sessions of a model door that stands alone: one for each rollout that runs elsewhere. A session begins with the first request that
 * names it, and ends when its caller says so, at a limit, or when no request came for a while. Then its trajectory is kept, and its samples go out.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newKey, Session } from '../../agent/door/session.ts';
import type { NextStateJudge } from '../../agent/judge/next-state.ts';
import { outsideTrajectory } from '../../agent/outside/trajectory.ts';
import type { Policy } from '../../agent/policy.ts';
import type { RolloutInput } from '../../agent/rollout.ts';
import { repliesWithoutIds, trainingSamples } from '../../agent/tokens/samples.ts';
import type { ModelTokenizer } from '../../agent/tokens/tokenizer.ts';
import type { CallLabel } from '../../agent/tree/canonical.ts';
import { isTrained, type Trained } from '../../agent/tree/labels.ts';
import { continuationsOf } from '../../agent/tree/steps.ts';
import type { TreeRecord } from '../../agent/tree/tree.ts';
import { textAt } from '../../basics/absent.ts';
import { awakeNow } from '../../basics/awake.ts';
import { jsonObject } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { Ended } from '../../cache/presence.ts';
import { type Infra, infra, isFault } from '../../schemas/outcome.ts';
import type { ModelCall, StepReward, Trajectory, TrajectoryMessage } from '../../schemas/trajectory.ts';
import { type SessionAbout, type SessionEnded, SessionJournal } from './journal.ts';
import { OldSessions } from './old-sessions.ts';
import { type OutSample, SampleStream } from './samples.ts';

export interface SessionsOptions {
  folder: string;
  policy: Policy;
  /** For trajectories. */
  model: NonNullable<Trajectory['model']>;
  /** Tokens of the model's context; null: not known. */
  context: number | null;
  agent: Pick<RolloutInput['settings'], 'type' | 'dialect' | 'actions'>;
  /** Of each session. */
  limits: SessionAbout['limits'];
  seedOf(instance: string, sample: string): number;
  /** Judges a reply by what came after it; null: replies are not judged. */
  judge: ((seed: number, session: string) => NextStateJudge) | null;
  /** step: a sample for each reply, as soon as the next state is there where requests name themselves main. turns: at the end of a session. */
  unit: 'step' | 'turns';
  train: Trained;
  /** For replies whose ids the endpoint does not give; null: those are in no sample. */
  tokenizer: ModelTokenizer | null;
  /** Milliseconds without a request or a reply after which a session ends. */
  idleLimit: number;
  /** False once another server works in the folder, since this one stood still for too long; absent: none can. */
  isHeld?(): boolean;
  /** Milliseconds of a clock that stands still while the server does; absent: its own. */
  now?(): number;
  /** Sessions that may be open at once. */
  most: number;
  /** Bytes for samples. When they are used up the oldest samples go. */
  sampleRoom: number;
  /** Milliseconds for which an ended session is kept. */
  keepSessions: number;
  log(text: string): void;
}

/** What a caller may say of a session when it begins. */
export interface SessionNamed {
  instance: string | null;
  sample: string | null;
}

/** The file of a session that has ended. */
export interface StoredSession {
  format: 'swemake-session-1';
  id: string;
  instance_id: string;
  sample: string;
  /** Milliseconds since 1970. */
  begun: number;
  ended: SessionEnded;
  /** Trained replies whose ids are not known, and that are in no sample. */
  replies_without_ids: number;
  trajectory: Trajectory;
  timings: { total: number; calls: { waited: number; took: number; attempts: number }[]; steps: number[] };
}

export type Refused = 'ended' | 'full' | 'name';

interface Open {
  about: SessionAbout;
  session: Session;
  journal: SessionJournal;
  /** Ends requests that wait. */
  stop: AbortController;
  /** Calls that name themselves main, and are trusted. */
  main: Set<number>;
  /** By call: its step's reward, or the work on it. */
  judged: Map<number, Promise<StepReward | null>>;
  /** When it was asked last, or got its last reply, by the clock that stands still with the server. */
  last: number;
  ending: Promise<StoredSession> | null;
}

/** Names come from clients; they are shown, logged and sent in headers. */
const NAME = /^[\x20-\x7e]{1,200}$/;

export class ModelSessions {
  readonly options: SessionsOptions;
  readonly samples: SampleStream;
  readonly counts = { ended: 0, faults: 0, judge_faults: 0 };
  readonly #open = new Map<string, Open>();
  readonly #byKey = new Map<string, Open>();
  readonly #places: { open: string; ended: string };
  readonly #watching: NodeJS.Timeout;
  readonly #old: OldSessions;
  #isClosed = false;

  /** Takes up what an earlier server left. */
  constructor(options: SessionsOptions) {
    this.options = options;
    const { folder } = options;
    this.#places = { open: join(folder, 'open'), ended: join(folder, 'sessions') };
    for (const place of Object.values(this.#places)) mkdirSync(place, { recursive: true, mode: 0o700 });
    this.samples = new SampleStream(folder, options.sampleRoom);
    for (const name of readdirSync(this.#places.open)) this.#takeUp(join(this.#places.open, name));
    this.samples.forgetOthers(new Set(this.#open.keys()));
    this.#old = new OldSessions(this.#places.ended, options.keepSessions, options.log);
    this.#watching = setInterval(() => this.#endIdle(), Math.min(30_000, options.idleLimit / 2));
    this.#watching.unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Requests that wait for the model, of all sessions. */
  get waiting(): number {
    return [...this.#open.values()].reduce((sum, { session }) => sum + session.waiting, 0);
  }

  status(): Record<string, unknown> {
    const { size, waiting, counts, samples } = this;
    return { sessions: size, waiting, counts, samples: samples.size };
  }

  /** The session of that name, begun if it is new. */
  named(id: string, named: SessionNamed = { instance: null, sample: null }): Result<Session, Refused> {
    const known = this.#open.get(id);
    if (known !== undefined) return known.ending === null ? success(this.#asked(known)) : fault('ended');
    if (!NAME.test(id)) return fault('name');
    if (this.stored(id) !== null) return fault('ended');
    if (this.#open.size >= this.options.most) return fault('full');
    this.#checkHeld();
    const { instance, sample } = { instance: named.instance ?? id, sample: named.sample ?? '0' };
    const { limits, seedOf } = this.options;
    const seed = seedOf(instance, sample);
    const about = { id, key: newKey(), instance, sample, seed, begun: Date.now(), limits };
    return success(this.#begin(about, SessionJournal.begin(this.#journalOf(id), about)).session);
  }

  byKey(key: string): Session | null {
    const known = this.#byKey.get(key);
    return known === undefined || known.ending !== null ? null : this.#asked(known);
  }

  /** One that has ended; null: there is none. */
  stored(id: string): StoredSession | null {
    return jsonObject<StoredSession>(textAt(this.#fileOf(id)) ?? '');
  }

  /** How an open session stands; null: it is not open, or its end is kept. */
  state(id: string): { about: SessionAbout; record: TreeRecord; session: Session } | null {
    const known = this.#open.get(id);
    if (known === undefined || (known.ending !== null && existsSync(this.#fileOf(id)))) return null;
    const { about, session } = known;
    return { about, session, record: session.tree.record() };
  }

  /** Ends a session. Requests of it that still wait get no reply. null: there is no such session. The same end twice is one. */
  async end(id: string, ended: Partial<SessionEnded> = {}): Promise<StoredSession | null> {
    const known = this.#open.get(id);
    if (known === undefined) return this.stored(id);
    known.ending ??= this.#finish(known, { ...SUBMITTED, ...ended }).catch((error: Error) => {
      // Such as a full disk: ending it again tries again.
      known.ending = null;
      throw error;
    });
    return known.ending;
  }

  /** Resolves when no request waits for the model and no session is ending, or after `wait` milliseconds. */
  async settled(wait: number): Promise<void> {
    const work = [...this.#open.values()].flatMap(({ session, ending }) => [session.settled(), ending]);
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise((resolve) => {
      timer = setTimeout(resolve, wait);
    });
    await Promise.race([Promise.allSettled(work), over]);
    clearTimeout(timer);
  }

  /** Gives up what waits. Sessions stay open for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watching);
    const all = [...this.#open.values()];
    for (const { stop } of all) stop.abort();
    await Promise.allSettled(all.flatMap(({ session, ending }) => [session.settled(), ending]));
    await Promise.all(all.map(({ journal }) => journal.close()));
    await this.samples.close();
    await this.#old.close();
  }

  #isHeld(): boolean {
    return this.options.isHeld?.() ?? true;
  }

  /** @throws when the sessions are another server's now. */
  #checkHeld(): void {
    if (!this.#isHeld()) throw new Ended();
  }

  #now(): number {
    return (this.options.now ?? awakeNow)();
  }

  #journalOf(id: string): string {
    return join(this.#places.open, `${nameOf(id)}.jsonl`);
  }

  #fileOf(id: string): string {
    return join(this.#places.ended, `${nameOf(id)}.json`);
  }

  #asked(open: Open): Session {
    open.last = this.#now();
    return open.session;
  }

  #begin(about: SessionAbout, journal: SessionJournal): Open {
    const { policy, model, context, log } = this.options;
    const stop = new AbortController();
    const main = new Set<number>();
    const session = new Session({
      policy,
      seed: about.seed,
      name: about.id,
      model: model.name,
      context,
      limits: about.limits,
      signal: stop.signal,
      log: (text) => log(`${about.id}: ${text}`),
      now: () => performance.now(),
      key: about.key,
      keeper: {
        begun: (call, request) => {
          if (!this.#isHeld()) return;
          journal.begun(call, request);
          if (isMain(request.label)) this.#goOn(open, call.index);
        },
        answered: (call, reply) => {
          this.#asked(open);
          return this.#isHeld()
            ? journal.answered(call, reply)
            : Promise.resolve(infra('machine', new Ended().message));
        },
        unanswered: (call, why) => {
          this.#asked(open);
          if (this.#isHeld()) journal.unanswered(call, why);
        },
        delivered: (call) => {
          if (this.#isHeld()) journal.delivered(call);
        },
      },
    });
    const open: Open = {
      ...{ about, session, journal, stop, main },
      judged: new Map(),
      last: this.#now(),
      ending: null,
    };
    this.#open.set(about.id, open);
    this.#byKey.set(about.key, open);
    void session.ended.then((end) => {
      // A server that ends gives requests up, and their sessions go on after its next start.
      if (this.#isClosed) return;
      const ended =
        'fault' in end
          ? { exit_status: 'crashed' as const, detail: end.fault.detail, fault: end.fault }
          : { exit_status: end.ending.status, detail: end.ending.detail };
      this.#endNow(open, ended);
    });
    return open;
  }

  #takeUp(path: string): void {
    const read = SessionJournal.read(path);
    // Killed before its first line was whole, so that no caller had its answer.
    if (read === null) {
      rmSync(path, { force: true });
      return;
    }
    const { journal, about, events, judged, ended } = read;
    const open = this.#begin(about, journal);
    for (const { call, reward } of judged) open.judged.set(call, Promise.resolve(reward));
    const calls = events.flatMap((event) => ('begun' in event ? [event.begun] : []));
    for (const [call, { label }] of calls.entries()) if (isMain(label)) open.main.add(call);
    open.session.restore(events);
    if (ended !== null) this.#endNow(open, ended);
  }

  /** A call that names itself main shows the next state of the one before it, which is judged and goes out. */
  #goOn(open: Open, call: number): void {
    open.main.add(call);
    const { unit } = this.options;
    if (unit !== 'step') return;
    const record = open.session.tree.record();
    const { parent = null } = record.calls[call]!;
    if (parent === null || !open.main.has(parent) || open.judged.has(parent)) return;
    if (!isTrained(record.calls[parent]!, this.options.train)) return;
    void this.#judge(open, record, parent, record.calls[call]!)
      .then((reward) => this.#giveOut(open, parent, reward))
      .catch((error: Error) => this.options.log(`${open.about.id}: ${error.message}\n`));
  }

  /** The reward of a reply by its next state, once. A judge that is down gives none, and never a wrong one. */
  #judge(open: Open, record: TreeRecord, call: number, next: ModelCall): Promise<StepReward | null> {
    const known = open.judged.get(call);
    if (known !== undefined) return known;
    const { judge, log } = this.options;
    const { about } = open;
    const judging =
      judge === null
        ? Promise.resolve(null)
        : judge(about.seed, about.id)
            .score(nextState(record, call, next), open.stop.signal)
            .catch((reason: Error | Infra) => {
              if (reason instanceof Error || !isFault(reason)) throw reason;
              this.counts.judge_faults += 1;
              log(`${about.id}: call ${call + 1} has no reward: ${reason.detail}\n`);
              return null;
            });
    open.judged.set(call, judging);
    return judging;
  }

  async #giveOut(open: Open, call: number, reward: StepReward | null): Promise<void> {
    const { about, journal, session } = open;
    // What is not out yet goes out at the end.
    if (this.#isClosed || open.ending !== null || !this.#isHeld()) return;
    journal.judged({ call, reward });
    const { timings: _, ...record } = session.tree.record();
    const trajectory = this.#trajectory(about, withRewards(record, new Map([[call, reward]])), SUBMITTED);
    const { tokenizer, train } = this.options;
    const samples = trainingSamples(trajectory, 'step', tokenizer, train, (one) => one === call);
    await this.samples.add(samples.map((sample) => outSample(about, trajectory, sample, null)));
  }

  async #finish(open: Open, ended: SessionEnded): Promise<StoredSession> {
    const { about, session, journal, stop } = open;
    session.close();
    stop.abort();
    await session.settled();
    this.#checkHeld();
    journal.ended(ended);
    const lost = await journal.safe();
    const { timings: calls, ...record } = session.tree.record();
    const rewards = ended.fault === null ? await this.#rewards(open, record) : new Map();
    if (this.#isClosed) throw new Error('the server ends; the session ends after its next start');
    this.#checkHeld();
    const trajectory = this.#trajectory(about, withRewards(record, rewards), ended);
    const { train, tokenizer, unit } = this.options;
    const total = Date.now() - about.begun;
    const stored: StoredSession = {
      format: 'swemake-session-1',
      id: about.id,
      instance_id: about.instance,
      sample: about.sample,
      begun: about.begun,
      ended: lost === null ? ended : { ...ended, fault: lost, reward: null },
      replies_without_ids: repliesWithoutIds(trajectory, tokenizer, train),
      trajectory,
      timings: { total, calls, steps: [] },
    };
    await writeWhole(this.#fileOf(about.id), JSON.stringify(stored));
    if (stored.ended.fault === null) {
      const known = new Set(this.samples.trained(about.id));
      const rest = trainingSamples(trajectory, unit, tokenizer, train, (call) => !known.has(call));
      await this.samples.add(rest.map((sample) => outSample(about, trajectory, sample, ended.reward)));
      this.counts.ended += 1;
    } else this.counts.faults += 1;
    await journal.close();
    await rm(this.#journalOf(about.id), { force: true });
    this.samples.forget(about.id);
    this.#open.delete(about.id);
    this.#byKey.delete(about.key);
    return stored;
  }

  /** Of all trained calls that another one goes on from. */
  async #rewards(open: Open, record: Omit<TreeRecord, 'timings'>): Promise<Map<number, StepReward | null>> {
    const whole = { ...record, timings: [] };
    // Those of requests that waited are gone with them.
    open.stop = new AbortController();
    const wanted = [...continuationsOf(record.calls)].filter(([call, next]) => {
      const one = record.calls[call]!;
      return one.reply !== null && next.agent === one.agent && isTrained(one, this.options.train);
    });
    const rewards = await Promise.all(
      wanted.map(async ([call, next]) => [call, await this.#judge(open, whole, call, next)] as const),
    );
    return new Map(rewards);
  }

  #trajectory(
    { instance, sample, seed }: SessionAbout,
    record: Omit<TreeRecord, 'timings'>,
    { exit_status: status, detail, patch }: SessionEnded,
  ): Trajectory {
    const { agent, policy, model } = this.options;
    const task = { instance_id: instance, sample, seed, problem_statement: '', columns: {} };
    const final = patch === '' ? null : { patch, source: 'submission' as const, problem: null, leftOut: [] };
    const settings = agent as RolloutInput['settings'];
    return outsideTrajectory(
      { settings, task, policy, model },
      record,
      { status, detail, submission: null },
      final,
    );
  }

  #endNow({ about }: Open, ended: Partial<SessionEnded>): void {
    this.end(about.id, ended).catch((error: Error) => this.options.log(`${about.id}: ${error.message}\n`));
  }

  #endIdle(): void {
    const { idleLimit } = this.options;
    for (const open of this.#open.values()) {
      const { session, last, ending } = open;
      if (ending !== null || session.waiting > 0 || this.#now() - last < idleLimit) continue;
      const detail = `no request came for ${Math.round(idleLimit / 1000)} s`;
      this.#endNow(open, { exit_status: 'time_exceeded', detail });
    }
  }
}

function isMain({ kind, isTrusted }: CallLabel): boolean {
  return kind === 'main' && isTrusted === true;
}

const SUBMITTED: SessionEnded = {
  exit_status: 'submitted',
  detail: '',
  reward: null,
  patch: '',
  fault: null,
};

function nextState({ messages, calls }: TreeRecord, call: number, { prompt }: ModelCall) {
  const { prompt: asked, reply } = calls[call]!;
  const at = (part: ModelCall['prompt'][number]) => messages[part as number]!;
  const task = asked.map(at).find(({ role }) => role === 'user');
  return {
    task: task?.content ?? '',
    reply: spoken(messages[reply!]!),
    next: prompt
      .slice(asked.length + 1)
      .map((part) => `[${at(part).role}]\n${at(part).content}`)
      .join('\n\n'),
  };
}

function spoken({ content, tool_calls = [] }: TrajectoryMessage): string {
  const calls = tool_calls.map(({ name, arguments: given }) => `${name}(${given})`);
  return [content, ...calls].filter((part) => part !== '').join('\n');
}

function withRewards<Record extends Pick<TreeRecord, 'steps'>>(
  record: Record,
  rewards: ReadonlyMap<number, StepReward | null>,
): Record {
  return {
    ...record,
    steps: record.steps.map((step) => ({ ...step, reward: rewards.get(step.call) ?? step.reward })),
  };
}

function outSample(
  { id, instance, sample: name }: SessionAbout,
  { calls, steps }: Trajectory,
  sample: ReturnType<typeof trainingSamples>[number],
  reward: 0 | 1 | null,
): Omit<OutSample, 'number'> {
  const trained = sample.trained_calls ?? [];
  const [first] = trained;
  const only = trained.length === 1 ? steps.find(({ call }) => call === first) : undefined;
  return {
    session: id,
    instance_id: instance,
    sample: name,
    token_ids: sample.ids,
    loss_mask: sample.loss_mask,
    logprobs: sample.logprobs,
    calls: sample.calls,
    agent: sample.agent ?? 'main',
    trained_calls: trained,
    weights: [...new Set(trained.flatMap((call) => calls[call]!.weights ?? []))],
    source: sample.source,
    step_reward: only?.reward?.value ?? null,
    reward,
  };
}

/** Ids come from clients, so they cannot be names of files. */
function nameOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 40);
}

async function writeWhole(path: string, text: string): Promise<void> {
  const making = `${path}.making`;
  const file = await open(making, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(making, path);
}
