/** What a project will take of this machine: environments that are still to be built, disk, memory. */
import { mkdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import { plural } from '../../basics/plural.ts';
import { readText } from '../../cache/cache.ts';
import { usedDeployments } from '../../contract/work-deployments.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import type { RunEnd } from '../../engine/run.ts';
import type { Probe } from '../../executors/kind.ts';
import { ecosystemOf } from '../../tasks/toolchains/prepare.ts';
import { diskRoom, freeBytes } from '../disk-room.ts';
import { answeredDataset } from '../lock-state.ts';
import { capacityOf, type Session, survey } from '../session.ts';

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
  /** Toolchains of other ecosystems. */
  toolchains: WantedToolchain[];
}

/** A toolchain, and how many environments need it. */
export interface WantedToolchain {
  ecosystem: string;
  name: string;
  version: string;
  environments: number;
}

/** Looks at what is answered; runs nothing. */
export async function projectNeeds(session: Session): Promise<Needs> {
  return needsIn(await survey(session), session);
}

/** What the answers of a plan say. */
export async function needsIn(end: RunEnd, session: Session): Promise<Needs> {
  const needs: Needs = {
    environments: 0,
    built: 0,
    instances: 0,
    unread: [],
    meanBytes: null,
    pythons: new Map(),
    toolchains: [],
  };
  const sizes: number[] = [];
  for (const { stage, dataset, address } of session.graph.nodes) {
    if (stage !== 'environments' || !end.nodes.has(address)) continue;
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
      addToolchains(needs.toolchains, recipe);
      const size = await builtSize(address, name, end, session);
      if (size === null) continue;
      needs.built += 1;
      if (size > 0) sizes.push(size);
    }
  }
  if (sizes.length > 0) needs.meanBytes = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  return needs;
}

/** Counts what a recipe names, or leaves to its ecosystem. */
function addToolchains(found: WantedToolchain[], recipe: Parameters<typeof ecosystemOf>[0]): void {
  const wanted = ecosystemOf(recipe);
  if (wanted === null) return;
  for (const [name, { usual }] of Object.entries(ecosystemNamed(wanted.ecosystem).toolchains)) {
    const version = wanted.toolchain[name] ?? usual?.(wanted.toolchain);
    if (version === undefined) continue;
    const known = found.find((one) => one.name === name && one.version === version);
    if (known !== undefined) known.environments += 1;
    else found.push({ ecosystem: wanted.ecosystem, name, version, environments: 1 });
  }
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
  const { jobs, limits } = workload(session, null);
  // A build writes below the cache, tests write to memory.
  const scratch = left === 0 ? 0 : Math.min(jobs, left) * (limits.disk ?? each);
  const bytes = left * each + scratch;
  const basis = meanBytes === null ? 'assumed, as none was built yet' : `as the ${built} built so far`;
  const unknown =
    unread.length === 0 ? '' : `; unknown for ${unread.join(', ')}, until dataset.${unread[0]} is built`;
  const text =
    left === 0
      ? `nothing more is needed for ${plural(environments, 'environment')}${unknown}`
      : `at most ${gib(bytes)} for ${plural(left, 'environment')} of ${gib(each)} (${basis}) and their builds${unknown}`;
  return { bytes, text: environments === 0 && unread.length > 0 ? unknown.slice(2) : text };
}

/** Whether what runs at once fits into memory, by the limits that the project sets. */
export function memoryProbe(session: Session): Probe {
  const total = totalmem();
  const { jobs, limits } = workload(session, null);
  if (limits.memory === undefined) {
    const machine = `${gib(total)}, ${plural(jobs, 'workspace')} at a time`;
    const remedy = `set limits.memory, such as ${Math.max(1, Math.floor(total / jobs / 1024 ** 3))}GiB`;
    return { name: 'memory', status: 'soft', detail: `${machine}, whose memory is not limited`, remedy };
  }
  return memoryShortage(session, null) ?? { name: 'memory', status: 'ok', detail: memoryUse(session, null) };
}

/** That the workspaces which run at once may take more memory than there is, by their limits; null: they may not. `atOnce`: see `capacityOf`. */
export function memoryShortage(session: Session, atOnce: number | null): Probe | null {
  const { jobs, limits } = workload(session, atOnce);
  if (limits.memory === undefined) return null;
  // What tests write lies in memory too.
  const each = limits.memory + (limits.disk ?? 0);
  if (each * jobs <= totalmem()) return null;
  const remedy = `if tasks really use that much: build -j ${Math.max(1, Math.floor(totalmem() / each))}`;
  return { name: 'memory', status: 'soft', detail: memoryUse(session, atOnce), remedy };
}

function memoryUse(session: Session, atOnce: number | null): string {
  const { jobs, limits } = workload(session, atOnce);
  const files = limits.disk === undefined ? '' : ` and ${gib(limits.disk)} of files`;
  return `${gib(totalmem())}, ${plural(jobs, 'workspace')} at a time, each at most ${gib(limits.memory ?? 0)}${files}`;
}

function workload({ project }: Session, atOnce: number | null) {
  const { config } = project;
  const name = usedDeployments(config)[0] ?? config.validation.deployment;
  const { limits } = config.deployments[name]!;
  const { cpu = 1, sandbox = 1 } = capacityOf(project, atOnce);
  return { limits, jobs: Math.max(1, Math.min(cpu, sandbox)) };
}

function gib(bytes: number): string {
  const value = bytes / 1024 ** 3;
  if (value < 0.1) return `${Math.floor(bytes / 1024 ** 2)} MiB`;
  return value < 10 ? `${value.toFixed(1)} GiB` : `${Math.round(value)} GiB`;
}
