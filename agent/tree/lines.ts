/**
 * The lines of a tree of calls: a line is one agent's calls that go on from each other, up to a fork or to the loss of its
 * history. Readers that know trajectories of one line get a line, or all of the agent's own, as such a trajectory.
 */
import {
  type ModelCall,
  TRAJECTORY_FORMAT,
  type Trajectory,
  type TrajectoryMessage,
  type TrajectoryStep,
} from '../../schemas/trajectory.ts';
import { StoredIds, storeTokens } from '../tokens/store.ts';
import { MAIN } from './labels.ts';

export interface Line {
  agent: string;
  /** Indices, in order. */
  calls: number[];
  /** The call that its first prompt continues; null: none. */
  parent: number | null;
}

/** The lines of a trajectory, in the order in which they begin; without a tree it is one. */
export function linesOf({ calls, messages }: Pick<Trajectory, 'calls' | 'messages'>): Line[] {
  const all: Line = { agent: MAIN, calls: calls.map((_, call) => call), parent: null };
  if (calls[0]?.parent === undefined) return calls.length === 0 ? [] : [all];
  const lines: Line[] = [];
  /** By call and agent: the line that goes on after it. */
  const open = new Map<string, Line>();
  for (const [call, { agent = MAIN, parent = null, reply }] of calls.entries()) {
    const place = `${parent} ${agent}`;
    const known = open.get(place);
    const line = known ?? { agent, calls: [], parent };
    if (known === undefined) lines.push(line);
    line.calls.push(call);
    // After a reply that was rejected the line goes on from where it was.
    const isRejected = reply !== null && messages[reply]!.kind === 'rejected';
    if (!isRejected) open.delete(place);
    open.set(isRejected ? place : `${call} ${agent}`, line);
  }
  return lines;
}

/** A trajectory of one line: the calls of some lines, one line after the other. */
export interface Linear {
  trajectory: Trajectory;
  /** By line: the index of its first message that no line before it has. */
  begins: number[];
}

/** The agent's own lines as a trajectory of one line; itself where there is no tree. */
export function mainTrajectory(trajectory: Trajectory): Trajectory {
  if (trajectory.tools === undefined) return trajectory;
  return linear(
    trajectory,
    linesOf(trajectory).filter(({ agent }) => agent === MAIN),
  ).trajectory;
}

/** The calls of these lines as a trajectory of one line, with the tools of the first call among its parameters. */
export function linear(trajectory: Trajectory, lines: readonly Line[]): Linear {
  const made = new Linearised(trajectory);
  const begins = lines.map((line) => made.add(line));
  return { trajectory: made.whole(lines), begins };
}

class Linearised {
  readonly #from: Trajectory;
  readonly #ids: StoredIds;
  readonly #messages: TrajectoryMessage[] = [];
  readonly #calls: ModelCall[] = [];
  /** By index in the tree: where the message stands now. A repeated message has several places. */
  readonly #places = new Map<number, number[]>();
  /** By index of a call in the tree. */
  readonly #numbers = new Map<number, number>();
  #previous: number[] | null = null;

  constructor(from: Trajectory) {
    this.#from = from;
    this.#ids = new StoredIds(from.calls);
  }

  add({ calls }: Line): number {
    const begin = this.#messages.length;
    for (const call of calls) this.#addCall(call);
    return begin;
  }

  whole(lines: readonly Line[]): Trajectory {
    const { tools: lists, ...rest } = this.#from;
    const first = lines[0]?.calls[0];
    const offered = first === undefined ? [] : (lists?.[this.#from.calls[first]!.tools ?? -1] ?? []);
    const tools = offered.map((tool) => ({ type: 'function', function: tool }));
    return {
      ...rest,
      format: TRAJECTORY_FORMAT,
      request: tools.length === 0 ? rest.request : { ...rest.request, tools },
      messages: this.#messages,
      calls: this.#calls,
      steps: this.#from.steps.flatMap((step) => this.#stepOf(step)),
    };
  }

  #addCall(index: number): void {
    const { parent: _, agent: _agent, tools: _tools, sent: _sent, ...call } = this.#from.calls[index]!;
    const used = new Map<number, number>();
    const prompt = call.prompt.map((part) => {
      const owner = this.#ownerOf(part as number);
      const at = used.get(owner) ?? 0;
      used.set(owner, at + 1);
      return this.#places.get(owner)?.[at] ?? this.#place(owner);
    });
    this.#numbers.set(index, this.#calls.length);
    const reply = call.reply === null ? null : this.#place(call.reply);
    this.#calls.push({ ...call, prompt, reply, tokens: this.#tokensOf(index, call) });
  }

  /** The message that a restated one says again. */
  #ownerOf(message: number): number {
    const { stands_for: first } = this.#from.messages[message]!;
    return first === undefined ? message : this.#ownerOf(first);
  }

  #place(message: number): number {
    const place = this.#messages.push(this.#from.messages[message]!) - 1;
    const places = this.#places.get(message);
    if (places === undefined) this.#places.set(message, [place]);
    else places.push(place);
    return place;
  }

  #tokensOf(index: number, { tokens }: Pick<ModelCall, 'tokens'>): ModelCall['tokens'] {
    if (tokens === null) return null;
    const { ids, logprobs, source } = tokens;
    const { stored, whole } = storeTokens(
      { promptIds: this.#ids.prompt(index), ids, logprobs },
      this.#previous,
    );
    this.#previous = whole;
    return { ...stored, source };
  }

  #stepOf(step: TrajectoryStep): TrajectoryStep[] {
    const call = this.#numbers.get(step.call);
    if (call === undefined) return [];
    const reply = this.#calls[call]!.reply ?? 0;
    const observations = step.observations.map((one) => {
      const places = one.message === null ? [] : (this.#places.get(this.#ownerOf(one.message)) ?? []);
      return { ...one, message: places.find((place) => place > reply) ?? null };
    });
    return [{ ...step, call, observations }];
  }
}
