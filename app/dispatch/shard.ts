/**
 * Items of one stage that are sent to another machine together, with everything needed to run them: the project, the
 * answers of the items above, and the key of each item. The machine must find the same keys.
 */
import type { ActionKey, Digest } from '../../basics/digest.ts';
import type { Blob } from '../../cache/blobs.ts';
import { itemLine } from '../../cache/stage-manifest.ts';
import type { ResolvedConfig } from '../../contract/config.ts';
import type { Pins } from '../../contract/pins.ts';
import type { Entry, StageNode } from '../../contract/stage.ts';
import type { ExpectedKey } from '../../engine/run.ts';
import type { Infra } from '../../schemas/outcome.ts';

export interface Shard {
  /** Version and build of swemake. Another one may make something else under the same key. */
  version: string;
  project: { config: ResolvedConfig; file: string; folder: string; secrets: [string, string][] };
  pins: Pins | null;
  /** The run that these items belong to. */
  run: string;
  node: StageNode;
  /** The nodes above, without their own inputs. */
  above: GivenNode[];
  items: (ExpectedKey & { name: string; force: boolean })[];
  /** The folder of the machine's own cache. */
  folder: string;
  /** Items at once. */
  atOnce: number;
  /** Bytes under way from and to the remote cache, each. */
  bytesAtOnce: number;
  /** Seconds. */
  lease: number;
  /** Seconds for an answer to be written. */
  wait: number;
}

/** What is known of a node above: some of its answers, here or as the blob that lists them. */
export interface GivenNode {
  node: StageNode;
  entries: Entry[] | Blob;
  /** Answers of which more than the entry is needed. */
  records: { name: string; key: ActionKey }[];
}

/** The description of a job for a machine: a content of the remote store. */
export interface ShardName {
  digest: Digest;
  size: number;
}

/** What the sender of a job writes again and again. */
export interface Grant {
  /** Another one each time. */
  beat: number;
  /** No build waits for it any more. */
  isRevoked: boolean;
  /** Running items are finished, and none is begun. */
  drains: boolean;
}

/** What the machine that runs a job writes again and again. */
export interface Report {
  beat: number;
  /** Nothing is written after this. */
  hasEnded: boolean;
  /** Why nothing of it could be run; answers above that were not to be had. */
  fault: Infra | null;
  lacks: ActionKey[];
  items: Record<string, ItemReport>;
  /** What running items say of themselves. */
  notes: Record<string, { kind: 'waits' | 'progress'; text: string }>;
}

export type ItemReport =
  | { kind: 'answered'; digest: Digest; executed: boolean }
  | { kind: 'fault'; outcome: Infra; log: string };

/** Entries as lines, and back. */
export function entryLines(entries: readonly Entry[]): string {
  return entries.map(itemLine).join('');
}

export function parseEntries(text: string): Entry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name, key, outcome, digest] = JSON.parse(line) as [string, ActionKey, Entry['outcome'], Digest];
      return { name, key, outcome, digest };
    });
}
