/**
 * The first state of an instance as stages use it: a layer above those of its environment, made once and shared by
 * validation, grading and all samples. A workspace that is opened on it is ready at once.
 */
import { canonicalJson } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { fault, success } from '../../basics/result.ts';
import { digestOfList } from '../../cache/key.ts';
import type { HostServices } from '../../contract/machine.ts';
import { perRun } from '../../contract/once.ts';
import type { Deployment, EnvironmentView, Limits, SourceView } from '../../executors/deployment.ts';
import { fileOfId, holdsTests, testFiles, UNMEASURED } from '../../patches/test-files.ts';
import type { Instance } from '../../schemas/instance.ts';
import { type Attempt, infra } from '../../schemas/outcome.ts';
import { diskFault } from '../source/fault.ts';
import { fetchInstanceSource } from '../source/instance-source.ts';
import { LowerFiles } from './lower.ts';
import type { StateDescription, StateTask } from './make.ts';
import { settled } from './settled.ts';

/** A first state that stays there until it is released. */
export interface FirstState extends StateDescription {
  view: SourceView;
  /** Folder of the contents that are withheld. */
  folder: string;
  release(): void;
}

/** Where first states are wanted for. */
export interface FirstStateRequest {
  instance: Instance;
  /** The environment's layers. */
  environment: EnvironmentView;
  /** Of the environment; absent: Python. */
  ecosystem?: string | undefined;
  deployment: Deployment;
  limits: Limits;
  /** The instance was validated, so its source could be fetched then. */
  isValidated?: boolean | undefined;
}

/** Bump when the same instance gives another first state. */
const VERSION = 6;
/** Environments whose lists of files are kept in memory. */
const REMEMBERED = 3;

/** What of an instance decides its first state, for keys: contents that an agent must not see are there by digest. */
export function stateTask(task: StateTask) {
  const { patch, patch_role, test_patch } = task;
  const failing = task.FAIL_TO_PASS.filter((id) => id !== UNMEASURED).sort();
  // Of other ids the repository says which files hold them.
  const isNamed = !holdsTests(task) || failing.every((id) => fileOfId(id)?.endsWith('.py'));
  return {
    role: patch_role,
    patch: digestOf(patch),
    tests: digestOf(test_patch),
    hidden: testFiles(task).hidden,
    ...(isNamed ? {} : { failing }),
  };
}

/** The first state of an instance; an answer as a fault means that its own patch cannot be applied. */
export async function firstState(
  place: FirstStateRequest,
  services: HostServices,
  log: (text: string) => void = () => undefined,
): Attempt<FirstState> {
  const { instance, environment, ecosystem, deployment, limits, isValidated } = place;
  const { cache, config, signal } = services;
  const source = await fetchInstanceSource(instance.source, services, isValidated);
  if (!source.ok) return source;
  const base = environment.base?.layers ?? [];
  const layers = [...base, ...environment.layers, source.value].map(nameOf);
  const task = canonicalJson(stateTask(instance));
  const rules = ecosystem === undefined ? [] : [`ecosystem ${ecosystem}`];
  const digest = digestOfList('first state', [`${VERSION}`, task, ...rules, ...layers]);
  const make = async (into: string) => {
    const lower = lowerFiles(environment.layers, base, services);
    const scratch = { deployment, limits, signal, log, base: environment.base };
    const { makeFirstState } = await import('./make.ts');
    const made = await makeFirstState({
      task: instance,
      ecosystem,
      source: source.value,
      lower,
      into,
      scratch,
    });
    return made.ok ? success(JSON.stringify(made.value)) : made;
  };
  try {
    const held = await cache.states.obtain(digest, config.cache.max_states, make, signal);
    if (!held.ok) return held;
    const state = stateOf(held.value);
    // Not while the state is locked: another item that has processors may wait for the lock.
    await settled(state, services.rest);
    return success(state);
  } catch (error) {
    if (signal.aborted) return fault(infra('cancelled', 'cancelled while its first state was made'));
    return fault(diskFault(error));
  }
}

function stateOf(held: { folder: string; description: string; release(): void }): FirstState {
  const description = JSON.parse(held.description) as StateDescription;
  const { folder } = held;
  return {
    ...description,
    view: { layer: `${folder}/tree` },
    folder: `${folder}/withheld`,
    release: held.release,
  };
}

/** Layers lie in folders that are named by their digests, those of images in a folder of such a one. */
function nameOf(layer: string): string {
  const folder = layer.replace(/\/tree$/, '');
  return folder.slice(folder.lastIndexOf('/') + 1);
}

const remembered = perRun((_: HostServices) => new Map<string, LowerFiles>());

function lowerFiles(layers: readonly string[], base: readonly string[], services: HostServices): LowerFiles {
  const known = remembered(services);
  const name = [...base, '', ...layers].join('\n');
  const files = known.get(name) ?? new LowerFiles(layers, base);
  known.delete(name);
  known.set(name, files);
  for (const oldest of [...known.keys()].slice(0, -REMEMBERED)) known.delete(oldest);
  return files;
}
