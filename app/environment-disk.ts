/**
 * How much disk environments use: the built ones, with shared files counted once and without sharing, and from that
 * an estimate for all environments of a plan.
 */
import type { Digest } from '../basics/digest.ts';
import type { LayerEntry } from '../cache/layer-manifest.ts';
import type { RunEnd } from '../engine/run.ts';
import type { ActionRecord, Output } from '../schemas/record.ts';
import { TOOLCHAIN_OUTPUT } from '../stages/environments/build.ts';
import { answeredDataset } from './lock-state.ts';
import type { Session } from './session.ts';

export interface EnvironmentDisk {
  environments: number;
  /** Of them, those that were built and are there. */
  built: number;
  /** Bytes of the built ones as they lie on the disk. */
  shared: number;
  /** What the same would take if no two had a file in common. */
  unshared: number;
  /**
   * Bytes of all of them; null while none is built. It is rather too high: the more environments there are, the more
   * they share.
   */
  estimate: number | null;
  /** Toolchains of the built ones, which are beside these bytes: each is there once for all that use it. */
  toolchains: ToolchainDisk[];
  /** Datasets that were not read yet, so that their needs are not known. */
  unread: string[];
}

/** A toolchain as a layer. */
export interface ToolchainDisk {
  /** `NAME VERSION`. */
  name: string;
  bytes: number;
}

/** What a file or folder takes at least. */
const BLOCK = 4096;

/** Environments of one repository or image: they have most in common. */
interface RepoGroup {
  built: number;
  left: number;
  /** Bytes that the built ones added to those that were counted before. */
  own: number;
}

/** The disk space of the environments that `end` reports. */
export async function environmentDisk(session: Session, end: RunEnd): Promise<EnvironmentDisk> {
  const disk: EnvironmentDisk = {
    environments: 0,
    built: 0,
    shared: 0,
    unshared: 0,
    estimate: null,
    toolchains: [],
    unread: [],
  };
  const seen = new Set<string>();
  const groups = new Map<string, RepoGroup>();
  const toolchains = new Map<string, Digest>();
  for (const { stage, dataset, address } of session.graph.nodes) {
    if (stage !== 'environments') continue;
    const answered = await answeredDataset(dataset, end, session);
    if (answered === null) {
      disk.unread.push(dataset);
      continue;
    }
    for (const { name, repo } of answered.environments) {
      const group = groups.get(repo) ?? { built: 0, left: 0, own: 0 };
      groups.set(repo, group);
      disk.environments += 1;
      const record = end.nodes.get(address)?.state.record(name) ?? null;
      const layer = record?.outputs.layer?.digest;
      if (layer === undefined) {
        // One that failed takes nothing.
        if (record === null) group.left += 1;
        continue;
      }
      for (const [name, { digest }] of toolchainsOf(record!)) toolchains.set(name, digest);
      const below = record?.notes.dependencies?.digest;
      const { own, alone } = await counts([layer, ...(below === undefined ? [] : [below])], seen, session);
      group.built += 1;
      group.own += own;
      disk.built += 1;
      disk.shared += own;
      disk.unshared += alone;
    }
  }
  disk.toolchains = await sizesOf(toolchains, session);
  return { ...disk, estimate: disk.built === 0 ? null : estimateOf(disk, [...groups.values()]) };
}

/** The toolchains that the environments of a run were built with. */
export async function toolchainDisk(session: Session, end: RunEnd): Promise<ToolchainDisk[]> {
  const toolchains = new Map<string, Digest>();
  for (const { state } of end.nodes.values()) {
    if (state.node.stage !== 'environments') continue;
    for (const { name } of state.eachEntry())
      for (const [toolchain, { digest }] of toolchainsOf(state.record(name)))
        toolchains.set(toolchain, digest);
  }
  return sizesOf(toolchains, session);
}

/** Layers of toolchains by `NAME VERSION`. */
function toolchainsOf(record: Pick<ActionRecord, 'outputs'> | null): [string, Output][] {
  return Object.entries(record?.outputs ?? {})
    .filter(([name]) => name.startsWith(TOOLCHAIN_OUTPUT))
    .map(([name, output]) => [name.slice(TOOLCHAIN_OUTPUT.length), output]);
}

async function sizesOf(
  toolchains: ReadonlyMap<string, Digest>,
  { cache }: Session,
): Promise<ToolchainDisk[]> {
  const found: ToolchainDisk[] = [];
  for (const [name, layer] of [...toolchains].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const entries = (await cache.layers.entries(layer)) ?? [];
    found.push({ name, bytes: entries.reduce((sum, entry) => sum + bytesOf(entry), 0) });
  }
  return found;
}

/** An environment that is left takes the average of its repository, or of all repositories if none of its own is built. */
function estimateOf({ built, shared }: EnvironmentDisk, groups: readonly RepoGroup[]): number {
  const mean = shared / built;
  return groups.reduce(
    (sum, { built: known, left, own }) => sum + left * (known === 0 ? mean : own / known),
    shared,
  );
}

/** Bytes of an environment by itself, and of what in its layers was not `seen` before. The first layer is the environment. */
async function counts(
  layers: readonly Digest[],
  seen: Set<string>,
  { cache }: Session,
): Promise<{ own: number; alone: number }> {
  const sum = { own: 0, alone: 0 };
  for (const [index, layer] of layers.entries()) {
    const isNew = !seen.has(layer);
    seen.add(layer);
    if (!isNew && index > 0) continue;
    for (const entry of (await cache.layers.entries(layer)) ?? []) {
      const bytes = bytesOf(entry);
      if (index === 0) sum.alone += bytes;
      if (!isNew) continue;
      const name = entry.type === 'file' ? `${entry.digest}${entry.executable ? 'x' : ''}` : null;
      // Folders and links are each tree's own.
      if (name === null || !seen.has(name)) sum.own += bytes;
      if (name !== null) seen.add(name);
    }
  }
  return sum;
}

function bytesOf(entry: LayerEntry): number {
  if (entry.type === 'link') return 0;
  return entry.type === 'folder' ? BLOCK : Math.ceil(entry.size / BLOCK) * BLOCK;
}
