/**
 * Layers of images, unpacked: each once per cache, named by the digest of its content, in the form in which overlayfs mounts
 * it. The work is done by a program of its own, so that the event loop does not wait for it, and so that it ends with the process that started it.
 */

import { join } from 'node:path';
import { jsonObject } from '../../basics/json.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { type ProgramEnd, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { digestOfList } from '../../cache/key.ts';
import type { HeldState } from '../../cache/states.ts';
import type { SourceServices } from '../../contract/machine.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { hostPython } from './host-python.ts';

/** Where a layer's bytes are: a file, or a part of one. */
export interface Blob {
  path: string;
  offset: number;
  size: number;
}

export interface PackedLayer {
  blob: Blob;
  /** `sha256:…` of the blob as it is stored; null if that is not known. */
  digest: string | null;
}

/** What was in a layer. */
export interface LayerFacts {
  entries: number;
  bytes: number;
  /** Devices and pipes, which were left out. */
  devices: number;
  /** Entries whose owner could not be kept. */
  foreign: number;
}

export interface HeldLayer {
  /** Host folder, as overlayfs takes it. */
  folder: string;
  facts: LayerFacts;
}

/** Seconds for one layer. */
const TIMEOUT = 7200;
/** Bump when the same layer unpacks to another tree. */
const VERSION = 1;

/**
 * The layer whose content has the digest `diffId`, unpacked if it is not there. `packed` says where to get it, and is
 * called only then. The layer stays for as long as this process lives.
 */
export async function unpackedLayer(
  diffId: string,
  packed: () => Promise<Result<PackedLayer, Infra>>,
  { cache, env, signal }: SourceServices,
): Promise<Result<HeldLayer, Infra>> {
  // Only root can keep owners.
  const owners = process.getuid?.() === 0 ? 'owners' : 'own';
  const name = digestOfList('base layer', [`${VERSION}`, diffId, owners]);
  const make = async (into: string): Promise<Result<string, Infra>> => {
    const found = await packed();
    if (!found.ok) return found;
    const made = await unpack({ ...found.value, diffId, into }, env, signal);
    return made.ok ? success(JSON.stringify(made.value)) : made;
  };
  const held = await cache.bases.obtain(name, Number.POSITIVE_INFINITY, make, signal);
  return held.ok ? success(layerOf(held.value)) : held;
}

/** A layer that is held, as a root shows it. */
export function layerOf({ folder, description }: HeldState): HeldLayer {
  return { folder: join(folder, 'tree'), facts: JSON.parse(description) as LayerFacts };
}

interface UnpackRequest extends PackedLayer {
  /** Null: whatever it is. */
  diffId: string | null;
  /** Empty folder: gets `tree` and its list. */
  into: string;
}

type Answer = { facts: LayerFacts } | { fault: string; detail: string };

/** Unpacks a layer into a folder of its own. */
export async function unpack(
  request: UnpackRequest,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Result<LayerFacts, Infra>> {
  const end = await runUnpacker(JSON.stringify(request), env, signal);
  if (end.kind === 'cancelled') return fault(infra('cancelled', 'cancelled while a layer was unpacked'));
  const answer = jsonObject<Answer>(end.stdout);
  if (answer === null) return fault(infra('killed', 'the program that unpacks layers was ended'));
  if ('facts' in answer) return success(answer.facts);
  const { detail } = answer;
  switch (answer.fault) {
    case 'disk':
      return fault(infra('disk-full', detail));
    case 'tool':
      return fault(infra('tool-missing', `${detail}; apt-get install zstd`));
    case 'system':
      return fault(infra('helper', detail));
    default:
      return fault(infra('source-fetch', `${detail}; get the image anew`));
  }
}

function runUnpacker(request: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<ProgramEnd> {
  const script = join(packageRoot(), 'tasks/images/unpack_layer.py');
  return runProgram({
    argv: [hostPython(), '-ISEB', script, request],
    env: { PATH: env.PATH, LANG: 'C.UTF-8' },
    timeout: TIMEOUT,
    signal,
  });
}
