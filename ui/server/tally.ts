/**
 * Numbers from records: tokens, costs, exits, findings, times. They are read in the background, a few at a time, and
 * stored by key. So a page never waits for all of them, and only new records are read.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isBaseline } from '../../agent/kinds/registry.ts';
import type { RolloutTimings } from '../../agent/rollout.ts';
import { instanceIds } from '../../app/report/instance-ids.ts';
import type { Session } from '../../app/session.ts';
import { type Cache, readText } from '../../cache/cache.ts';
import type { NodeState } from '../../engine/node-state.ts';
import type { GradeVerdict } from '../../grading/grade-verdict.ts';
import type { Output } from '../../schemas/record.ts';
import type { RolloutSummary } from '../../stages/rollouts/summary.ts';
import type { Tally } from '../shapes.ts';
import { Keys } from './keys.ts';
import { type Numbers, NumberTable } from './numbers.ts';
import type { Snapshot } from './opened.ts';
import { type Kept, type Rows, stateOf } from './rows.ts';

const NOTED = ', noted';
const NOTHING: readonly string[] = [];
/** Answers between two turns of the event loop. */
const BATCH = 50;

export class TallyReader {
  /** Of all answers that the page has met. */
  readonly keys = new Keys();
  readonly #numbers = new NumberTable();
  readonly #ids = new Map<string, ReadonlySet<string>>();
  #look = 0;
  #total = 0;
  #read = 0;
  /** Numbers of the answers that the sums are about. */
  #counted: number[] = [];
  readonly #onRead: (isKept: boolean) => void;

  /** `onRead`: called when all records were read, and sometimes before; with true when it is known which instances were kept. */
  constructor(onRead: (isKept: boolean) => void) {
    this.#onRead = onRead;
  }

  numbers(key: number): Numbers | null {
    return this.#numbers.get(key);
  }

  findings(key: number | null): readonly string[] {
    return (key === null ? null : this.#numbers.get(key)?.findings) ?? NOTHING;
  }

  /** Whether the verdict has findings that are only noted; false until it was read. */
  isDoubted(key: number | null): boolean {
    return this.findings(key).some((finding) => finding.endsWith(NOTED));
  }

  kept(end: Snapshot['end']): Kept {
    return (dataset, step) => {
      const output = keptFile(end, dataset, step);
      return output === undefined ? null : (this.#ids.get(output.digest) ?? null);
    };
  }

  /** Reads the new records of a snapshot. Stops when there is a newer snapshot. */
  async follow(snapshot: Snapshot, rows: Rows): Promise<void> {
    const { answers } = rows;
    this.#look += 1;
    const look = this.#look;
    const { session, end } = snapshot;
    const stages = [...answers].map(([address, keys]) => ({
      stage: end.nodes.get(address)!.state.node.stage,
      all: keys.length,
      open: keys.filter((key) => !this.#numbers.has(key)),
      keys,
    }));
    this.#counted = ofRollouts(rows);
    this.#total = stages.reduce((sum, { all }) => sum + all, 0);
    this.#read = this.#total - stages.reduce((sum, { open }) => sum + open.length, 0);
    await this.#readKept(snapshot);
    let calledAt = performance.now();
    for (const { stage, open } of stages) {
      for (const [index, key] of open.entries()) {
        const numbers = await readNumbers(session, this.keys.binary(key), stage);
        if (numbers !== null) this.#numbers.set(key, numbers);
        this.#read += 1;
        if (index % BATCH !== BATCH - 1) continue;
        await yieldToEventLoop();
        if (look !== this.#look) return;
        if (performance.now() - calledAt < 2000) continue;
        calledAt = performance.now();
        this.#onRead(false);
      }
    }
    this.#onRead(false);
  }

  async #readKept({ session, end }: Snapshot): Promise<void> {
    for (const { state } of end.nodes.values()) {
      if (state.node.stage !== 'dataset') continue;
      for (const step of ['kept', 'trained on'] as const) {
        const output = keptFile(end, state.node.dataset, step);
        if (output === undefined || this.#ids.has(output.digest)) continue;
        const ids = await instanceIds(session.cache, output);
        if (ids !== null) this.#ids.set(output.digest, ids);
      }
    }
    this.#onRead(true);
  }

  tally(): Tally {
    const sum: Tally = {
      read: this.#read,
      of: this.#total,
      promptTokens: 0,
      completionTokens: 0,
      cost: null,
      exits: [],
      findings: [],
    };
    const exits = new Map<string, number>();
    const findings = new Map<string, number>();
    for (const key of this.#counted) {
      const numbers = this.#numbers.get(key);
      if (numbers === null) continue;
      for (const name of numbers.findings) findings.set(name, (findings.get(name) ?? 0) + 1);
      if (numbers.exit === '') continue;
      exits.set(numbers.exit, (exits.get(numbers.exit) ?? 0) + 1);
      sum.promptTokens += numbers.promptTokens;
      sum.completionTokens += numbers.completionTokens;
      if (numbers.cost !== null) sum.cost = (sum.cost ?? 0) + numbers.cost;
    }
    const often = (a: [string, number], b: [string, number]) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1);
    return { ...sum, exits: [...exits].sort(often), findings: [...findings].sort(often) };
  }
}

/** Answers about rollouts, of samples and of evaluated models: the baselines are none. */
function ofRollouts({ all }: Rows): number[] {
  const found: number[] = [];
  for (const { samples } of all)
    for (const { who, rollout, grade } of samples) {
      if (isBaseline(who)) continue;
      if (rollout !== null) found.push(rollout);
      if (grade !== null) found.push(grade);
    }
  return found;
}

function keptFile(end: Snapshot['end'], dataset: string, step: 'kept' | 'trained on'): Output | undefined {
  const [stage, file] = step === 'kept' ? ['golden', 'golden.jsonl'] : ['sft-data', 'sft.jsonl'];
  const state: NodeState | null = stateOf(end, stage!, dataset);
  return state?.record('')?.outputs[file!];
}

async function readNumbers({ cache }: Session, key: Buffer, stage: string): Promise<Numbers | null> {
  const record = cache.database.records.get(key);
  if (record === undefined) return null;
  const { durationMs: ms, outputs, notes } = record;
  const numbers = {
    ms,
    waited: 0,
    promptTokens: 0,
    completionTokens: 0,
    cost: null,
    exit: '',
    findings: NOTHING,
  };
  if (stage === 'rollouts' || stage === 'predict') {
    const summary = await readJson<RolloutSummary>(cache, outputs.summary);
    const timings = await readJson<RolloutTimings>(cache, notes.timings);
    return {
      ...numbers,
      waited: timings?.waited ?? 0,
      promptTokens: summary?.prompt_tokens ?? 0,
      completionTokens: summary?.completion_tokens ?? 0,
      cost: summary?.cost ?? null,
      exit: summary?.exit_status ?? '',
    };
  }
  if (stage !== 'grade') return numbers;
  const verdict = await readJson<GradeVerdict>(cache, outputs.verdict);
  return { ...numbers, findings: (verdict?.integrity ?? []).map(({ rule, effect }) => `${rule}, ${effect}`) };
}

async function readJson<T>(cache: Cache, output: Output | undefined): Promise<T | null> {
  const text = await readText(cache, output);
  return text === null ? null : (JSON.parse(text) as T);
}
