/** What a project will take of this machine: environments that are still to be built, disk, memory. */
import { mkdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import { readText } from '../../cache/cache.ts';
import { usedDeployments } from '../../contract/work-deployments.ts';
import type { RunEnd } from '../../engine/run.ts';
import type { Probe } from '../../executors/kind.ts';
import { diskRoom, freeBytes } from '../disk-room.ts';
import { hostCapacity } from '../host-capacity.ts';
import { answeredDataset } from '../lock-state.ts';
import { type Session, survey } from '../session.ts';

/** Free space below which a build is likely to end early, bytes. */
const LITTLE_DISK = 2 * 1024 ** 3;
/** An environment's size where none was built yet: what a scientific package with its tests takes. */
const ASSUMED_BYTES = 250 * 1024 ** 2;

export interface Needs {
  environments: number;
  built: number;
  instances: number;
  /** Datasets that were not read yet, so that their needs are not known. */
  unread: string[];
  /** Mean of the built ones, bytes; null when there are none. */
  meanBytes: number | null;
  /** Python version -> environments that ask for it. */
  pythons: Map<string, number>;
}

/** Looks at what is answered; runs nothing. */
export async function projectNeeds(session: Session): Promise<Needs> {
  const end = await survey(session);
  const needs: Needs = {
    environments: 0,
    built: 0,
    instances: 0,
    unread: [],
    meanBytes: null,
    pythons: new Map(),
  };
  const sizes: number[] = [];
  for (const { stage, dataset, address } of session.graph.nodes) {
    if (stage !== 'environments') continue;
    const answered = await answeredDataset(dataset, end, session);
    if (answered === null) {
      needs.unread.push(dataset);
      continue;
    }
    needs.instances += answered.instances;
    needs.environments += answered.environments.length;
    for (const { name, recipe } of answered.environments) {
      if (recipe.python !== null)
        needs.pythons.set(recipe.python, (needs.pythons.get(recipe.python) ?? 0) + 1);
      const size = await builtSize(address, name, end, session);
      if (size === null) continue;
      needs.built += 1;
      if (size > 0) sizes.push(size);
    }
  }
  if (sizes.length > 0) needs.meanBytes = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  return needs;
}

/** Bytes of a built environment; 0 for one that failed, null for one that is still to be built. */
async function builtSize(
  address: string,
  name: string,
  end: RunEnd,
  session: Session,
): Promise<number | null> {
  const record = end.nodes.get(address)?.state.record(name) ?? null;
  if (record === null) return null;
  const text = await readText(session.cache, record.notes.size);
  return text === null ? 0 : (JSON.parse(text) as { bytes: number }).bytes;
}

/** Free space at `folder`, beside what the project is likely to take there. */
export async function diskProbe(
  folder: string,
  needs: Needs | null,
  session: Session | null,
): Promise<Probe> {
  mkdirSync(folder, { recursive: true });
  const free = freeBytes(folder);
  const estimate = needs === null || session === null ? null : estimateOf(needs, session);
  const wanted = Math.max(LITTLE_DISK, estimate?.bytes ?? 0);
  const detail = `${gib(free)} free at ${folder}${estimate === null ? '' : `; ${estimate.text}`}`;
  if (free > wanted) return { name: 'disk', status: 'ok', detail };
  const remedy =
    'free some space, move the cache with cache.folder, or build fewer instances with dataset.NAME.select';
  // Below this no answer is written down, and nothing is run.
  const status = diskRoom(free) === 'none' ? 'miss' : 'soft';
  return { name: 'disk', status, detail, remedy };
}

/** Environments are counted whole, though files that they share are kept once. So this is an upper bound. */
function estimateOf(needs: Needs, session: Session): { bytes: number; text: string } {
  const { environments, built, unread, meanBytes } = needs;
  const left = environments - built;
  const each = meanBytes ?? ASSUMED_BYTES;
  const { jobs, limits } = workload(session);
  // A build writes below the cache, tests write to memory.
  const scratch = left === 0 ? 0 : Math.min(jobs, left) * (limits.disk ?? each);
  const bytes = left * each + scratch;
  const basis = meanBytes === null ? 'assumed, as none was built yet' : `as the ${built} built so far`;
  const unknown =
    unread.length === 0 ? '' : `; unknown for ${unread.join(', ')}, until dataset.${unread[0]} is built`;
  const text =
    left === 0
      ? `nothing more is needed for ${counted(environments)}${unknown}`
      : `at most ${gib(bytes)} for ${counted(left)} of ${gib(each)} (${basis}) and their builds${unknown}`;
  return { bytes, text: environments === 0 && unread.length > 0 ? unknown.slice(2) : text };
}

/** Whether what runs at once fits into memory, by the limits that the project sets. */
export function memoryProbe(session: Session): Probe {
  const total = totalmem();
  const { jobs, limits } = workload(session);
  const machine = `${gib(total)}, ${jobs} ${jobs === 1 ? 'workspace' : 'workspaces'} at a time`;
  if (limits.memory === undefined) {
    const remedy = `set limits.memory, such as ${Math.max(1, Math.floor(total / jobs / 1024 ** 3))}GiB`;
    return { name: 'memory', status: 'soft', detail: `${machine}, whose memory is not limited`, remedy };
  }
  // What tests write lies in memory too.
  const each = limits.memory + (limits.disk ?? 0);
  const detail = `${machine}, each at most ${gib(limits.memory)}${limits.disk === undefined ? '' : ` and ${gib(limits.disk)} of files`}`;
  if (each * jobs <= total) return { name: 'memory', status: 'ok', detail };
  const fits = Math.max(1, Math.floor(total / each));
  return {
    name: 'memory',
    status: 'soft',
    detail,
    remedy: `if tasks really use that much: build -j ${fits}`,
  };
}

function workload({ project: { config } }: Session) {
  const name = usedDeployments(config)[0] ?? config.validation.deployment;
  const { limits } = config.deployments[name]!;
  const { cpu = 1, sandbox = 1 } = hostCapacity(config);
  return { limits, jobs: Math.max(1, Math.min(cpu, sandbox)) };
}

function counted(environments: number): string {
  return `${environments} ${environments === 1 ? 'environment' : 'environments'}`;
}

function gib(bytes: number): string {
  const value = bytes / 1024 ** 3;
  if (value < 0.1) return `${Math.floor(bytes / 1024 ** 2)} MiB`;
  return value < 10 ? `${value.toFixed(1)} GiB` : `${Math.round(value)} GiB`;
}
