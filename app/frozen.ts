/** `--frozen`: nothing runs unless everything that a lock file pins is as it was locked. */
import { relative } from 'node:path';
import { asJson } from '../basics/canonical.ts';
import { shellWord } from '../basics/shell.ts';
import { type Drift, type Lock, type LockedAgent, lockDrift, lockPath } from '../compiler/lock.ts';
import { sourceDepsOf } from '../tasks/source/instance-source.ts';
import { pinSource } from '../tasks/source/pin.ts';
import type { CommandIo } from './io.ts';
import { readLock } from './lock-file.ts';
import {
  answeredDataset,
  answeredEnvironments,
  datasetStates,
  staticLock,
  wantedAgents,
} from './lock-state.ts';
import { type Session, survey } from './session.ts';
import { shown } from './shown.ts';

/** Drifts that are shown. */
const SHOWN = 20;

/** Checks the project against its lock; false after what differs was printed. */
export async function holdsToLock(session: Session, io: CommandIo): Promise<boolean> {
  const path = lockPath(session.project.file);
  const file = relative(io.cwd, path);
  const project = shellWord(relative(io.cwd, session.project.file));
  const lock = readLock(session.project.file);
  if (lock === null || typeof lock === 'string') {
    const what = lock === null ? 'does not exist' : `cannot be used: ${lock}`;
    io.stderr.write(
      shown(
        `E004  ${file} ${what}, so --frozen has nothing to compare with\n      swemake lock ${project}\n`,
      ),
    );
    return false;
  }
  const drifts = [...(await earlyDrift(session, lock)), ...(await builtDrift(session, lock))];
  if (lock.images !== undefined) {
    const { imageDrift } = await import('./lock-images.ts');
    drifts.push(...(await imageDrift(lock.images, session, io)));
  }
  drifts.push(...(await trainerDrift(session, lock, io)));
  if (drifts.length === 0) return true;
  const things = drifts.length === 1 ? 'one thing is' : `${drifts.length} things are`;
  io.stderr.write(shown(`E004  ${things} not as ${file} says; nothing was run\n`));
  for (const drift of drifts.slice(0, SHOWN)) io.stderr.write(shown(driftText(drift)));
  if (drifts.length > SHOWN) io.stderr.write(shown(`      … and ${drifts.length - SHOWN} more\n`));
  io.stderr.write(shown(`      undo the change, or take it into the lock: swemake lock ${project}\n`));
  return false;
}

/** Models and frameworks, as far as the lock knows of them. */
async function trainerDrift(session: Session, lock: Lock, io: CommandIo): Promise<Drift[]> {
  const { models, trainers } = lock;
  const { lockedTrainers, modelDrift } = await import('./lock-trainers.ts');
  const drifts = await modelDrift(models ?? {}, session, io);
  if (models === undefined && trainers === undefined) return drifts;
  const now = await lockedTrainers(session);
  if (!now.ok) return [...drifts, { what: 'trainers', locked: 'known', now: now.fault }];
  return [...drifts, ...lockDrift(lock, { trainers: now.value.trainers ?? {} })];
}

function driftText({ what, locked, now }: Drift): string {
  return `      ${what}\n        - ${locked ?? '(not in the lock)'}\n        + ${now ?? '(not there now)'}\n`;
}

/** Differences that can be found before any stage is planned. */
async function earlyDrift(session: Session, lock: Lock): Promise<Drift[]> {
  const states = await datasetStates(session);
  const unreadable = Object.entries(states).flatMap(([dataset, state]): Drift[] =>
    typeof state === 'string' ? [{ what: `datasets.${dataset}`, locked: 'readable rows', now: state }] : [],
  );
  const names = new Set([...Object.keys(lock.datasets), ...Object.keys(states)]);
  const drifts: Drift[] = [];
  for (const dataset of names) {
    const [old, state] = [lock.datasets[dataset], states[dataset]];
    if (typeof state === 'string') continue;
    const now = old === undefined || state === undefined ? undefined : { ...old, ...state };
    const datasets =
      now === undefined ? (state === undefined ? {} : { [dataset]: state }) : { [dataset]: now };
    const only = { ...lock, datasets: old === undefined ? {} : { [dataset]: old } };
    drifts.push(...lockDrift(only, { datasets: datasets as Lock['datasets'] }));
    for (const [spec, digest] of Object.entries(old?.sources ?? {}))
      drifts.push(...(await archiveDrift(dataset, spec, digest, session)));
  }
  const fixed = await staticLock(session, Object.keys(lock.pythons));
  return [...lockDrift(lock, fixed), ...unreadable, ...drifts];
}

/** A local archive can change under its name; what is behind a URL or on an index is checked when it is fetched. */
async function archiveDrift(
  dataset: string,
  spec: string,
  digest: string,
  session: Session,
): Promise<Drift[]> {
  if (!/^archive:(?!https?:)/i.test(spec)) return [];
  const found = await pinSource(spec, sourceDepsOf(session.services));
  const now = found.ok ? found.value.digest : found.fault.detail;
  return now === digest ? [] : [{ what: `datasets.${dataset}.sources.${spec}`, locked: digest, now }];
}

/** Environments that the project needs by now, and what those hold that are in the cache. */
async function builtDrift(session: Session, lock: Lock): Promise<Drift[]> {
  const end = await survey(session);
  const drifts: Drift[] = [];
  for (const dataset of Object.keys(session.project.config.dataset)) {
    const answered = await answeredDataset(dataset, end, session);
    if (answered === null) continue;
    const built = await answeredEnvironments(dataset, end, session);
    const needed = new Map(
      answered.environments.map((plan) => [`environments.${dataset}@${plan.name}`, plan]),
    );
    for (const [address, { source, recipe }] of needed) {
      const old = lock.environments[address];
      if (old === undefined) drifts.push({ what: address, locked: null, now: source.spec });
      else {
        const now = built[address] ?? {
          ...old,
          source: source.spec,
          digest: source.digest,
          recipe: asJson(recipe),
        };
        const only = { ...lock, environments: { [address]: old } };
        drifts.push(...lockDrift(only, { environments: { [address]: now } }));
      }
    }
    for (const address of Object.keys(lock.environments))
      if (address.startsWith(`environments.${dataset}@`) && !needed.has(address))
        drifts.push({ what: address, locked: 'needed', now: null });
    if (lock.agents !== undefined)
      drifts.push(...agentDrift(lock, dataset, await wantedAgents(dataset, end, session)));
  }
  return drifts;
}

/** Agents that the project needs by now, and what those hold that are in the cache. */
function agentDrift(lock: Lock, dataset: string, wanted: Awaited<ReturnType<typeof wantedAgents>>): Drift[] {
  const locked = Object.entries(lock.agents ?? {}).filter(([address]) =>
    address.startsWith(`agents.${dataset}@`),
  );
  const gone = locked.filter(([address]) => wanted[address] === undefined);
  const drifts: Drift[] = gone.map(([address]) => ({ what: address, locked: 'needed', now: null }));
  for (const [address, now] of Object.entries(wanted)) {
    const old = lock.agents?.[address];
    if (old === undefined) drifts.push({ what: address, locked: null, now: 'needed' });
    else {
      const only = { ...lock, agents: { [address]: withoutNpmLock(old) } };
      drifts.push(...lockDrift(only, { agents: { [address]: withoutNpmLock({ ...old, ...now }) } }));
    }
  }
  return drifts;
}

/** Its packages say the same, one a line. */
function withoutNpmLock({ npm_lock: _, ...agent }: LockedAgent): LockedAgent {
  return agent;
}
