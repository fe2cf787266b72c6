/**
 * What a running item works with beside its inputs. Nothing here decides a result: addresses and waiting times of the
 * project, the log, secrets, the store, and the machine for those who know what to do with it.
 */
import type { BlobWriter } from '../cache/blobs.ts';
import { needText, readText, storeText } from '../cache/cache.ts';
import type { RunAlone } from '../executors/hindrance.ts';
import type { ActionRecord, Output } from '../schemas/record.ts';
import { type Machine, type MachinePart, machineOf } from './machine.ts';
import { isUndeciding, valueAt } from './project.ts';
import type { Secrets } from './secrets.ts';
import type { ActionContext } from './stage.ts';

export interface Tools {
  readonly machine: Machine;
  readonly signal: AbortSignal;
  readonly secrets: Secrets;
  /** The item has an answer and is made anew all the same: what was kept on the way to it counts for nothing. */
  readonly isForced: boolean;
  /** Its answer that is made anew because something that it did not find may be there now; null where it is not for this. */
  readonly overturned: ActionRecord | null;
  /** Runs work of at most so many seconds without other items beside it, where that costs them little. */
  alone: RunAlone;
  /** Appends to the item's log, kept beside the result. */
  log(text: string): void;
  /** As `log`, and shown to people who watch: the item waits for something outside. */
  waits(text: string): void;
  /** Shown to people who watch, and kept nowhere: how far an item is that takes long by itself. */
  progress(text: string): void;
  /** A value of the project that decides no result. @throws for any other. */
  setting(...path: string[]): unknown;
  /** Stores text as an output. */
  store(text: string): Output;
  /** Writes a large output piece by piece. */
  writer(): BlobWriter;
  /** The text of an output; null when there is none, or when it is lost. */
  read(output: Output | null | undefined): Promise<string | null>;
  /** As `read`. @throws when it is lost. */
  need(output: Output | null | undefined): Promise<string | null>;
}

/** `uses`: what the stage may take out of the machine. */
export function toolsOf(context: ActionContext, stage: string, uses: readonly MachinePart[]): Tools {
  const { cache, signal, secrets, config } = context;
  return {
    machine: machineOf(context, stage, uses),
    signal,
    secrets,
    isForced: context.isForced === true,
    overturned: context.overturned ?? null,
    alone: context.alone ?? ((_, work) => work()),
    log: (text) => context.log(text),
    waits: (text) => context.waits(text),
    progress: (text) => context.progress?.(text),
    setting(...path) {
      if (!isUndeciding(path)) throw new Error(`${path.join('.')} decides results: read it while planning`);
      return valueAt(config, path);
    },
    store: (text) => storeText(cache, text),
    writer: () => cache.blobs.writer(),
    read: (output) => readText(cache, output ?? undefined),
    need: (output) => needText(cache, output ?? undefined),
  };
}
