/**
 * The machine that a run is on: its cache, its folders, its variables. Stages hand it on to what works on it
 * (sources, pythons, models) and cannot look inside, so that nothing of it decides a result unseen.
 */
import type { Result } from '../basics/result.ts';
import type { Cache } from '../cache/cache.ts';
import type { ContainerEngine, Deployment, Isolation } from '../executors/deployment.ts';
import type { ProcessRunner } from '../executors/process-runner.ts';
import type { Infra } from '../schemas/outcome.ts';
import type { BuildIndex } from './build-index.ts';
import type { ResolvedConfig } from './config.ts';
import type { Pins } from './pins.ts';
import type { Secrets } from './secrets.ts';

/** What fetching and unpacking images and sources needs of a machine. */
export type SourceServices = Pick<Services, 'cache' | 'projectFolder' | 'env' | 'signal' | 'shared' | 'pins'>;

declare const OPAQUE: unique symbol;

export interface Machine {
  readonly [OPAQUE]?: true;
}

/** What keys hold of a deployment. */
export interface DeploymentIdentity {
  /** Name of the kind of executor. */
  kind: string;
  isolation: Isolation;
  /** What its code runs on. */
  base: Record<string, string>;
}

/** The engine of a deployment, else the one that programs find by themselves; null: there is none. */
export type EngineOf = (deployment: string | null) => Promise<Result<ContainerEngine | null, Infra>>;

/** Runs `wait`, which uses no processor. An equal item may wait for the one that rests, and rests as well. */
export type Rest = <T>(wait: () => Promise<T>) => Promise<T>;

/** What stages get from outside; made by the command line, never reached through globals. */
export interface Services extends Machine {
  cache: Cache;
  config: ResolvedConfig;
  /** Folder of the project file; relative paths in the project mean this. */
  projectFolder: string;
  /** What a configured deployment is, without starting it: enough for keys. */
  deploymentIdentity(name: string): Promise<Result<DeploymentIdentity, Infra>>;
  /** Opens a configured deployment, once; never for a command that only reads. */
  deployment(name: string): Promise<Result<Deployment, Infra>>;
  /** Programs of the host: harnesses, servers of models. */
  processes: ProcessRunner;
  /** Absent where no program of the host is run. */
  engineOf?: EngineOf;
  /** Absent where nothing is built. */
  packageIndex?: BuildIndex;
  /** The host's environment, for package-index settings and the network. */
  env: NodeJS.ProcessEnv;
  secrets: Secrets;
  /** Absent without a lock file. */
  pins?: Pins;
  signal: AbortSignal;
  /** Aborted when nothing new is to be begun, while what runs may still end: waits for something outside end then. */
  stopping?: AbortSignal;
  /** Shown to people who watch: the plan of a stage waits for something outside, such as an endpoint that is down. */
  waits?(text: string): void;
  /** Of a running item: gives its processors to others while it waits for time to pass. Absent: it keeps them. */
  rest?: Rest;
  /** The command only reads: no model is asked or started, what was learned earlier counts. */
  onlyReads?: boolean;
  /** Owner of what is made once per run; see `once` and `perRun`. It holds nothing that can be looked up. */
  shared: object;
}

/** What a stage may have of a machine; what decides nothing belongs to all. */
type Common = 'shared' | 'signal' | 'stopping' | 'waits' | 'rest' | 'onlyReads';
/** A section of the project, such as `config.deployments`. */
type Section = keyof ResolvedConfig & string;
export type MachinePart = Exclude<keyof Services, typeof OPAQUE | Common | 'config'> | `config.${Section}`;
type SectionOf<P extends MachinePart> = P extends `config.${infer S extends Section}` ? S : never;
/** A machine of which these parts can be taken out; of the project, these sections alone. */
export type With<P extends MachinePart> = Machine &
  Pick<Services, Exclude<P, `config.${Section}`> | Common> &
  ([SectionOf<P>] extends [never] ? unknown : { config: Pick<ResolvedConfig, SectionOf<P>> });

/** Fetching and unpacking images and sources. */
const GROUND = ['cache', 'projectFolder', 'env', 'pins'] as const satisfies readonly MachinePart[];
/** Environments and the workspaces on them. */
export const HOST_SERVICES = [
  ...GROUND,
  'config.cache',
  'config.deployments',
  'config.environments',
  'deployment',
  'deploymentIdentity',
  'packageIndex',
] as const satisfies readonly MachinePart[];
/** Agents and their models too. */
export const AGENT_SERVICES = [
  ...HOST_SERVICES,
  'config.agent',
  'config.evaluation',
  'config.resources',
  'processes',
  'secrets',
] as const satisfies readonly MachinePart[];

/** What environments and workspaces need of a machine. */
export type HostServices = With<(typeof HOST_SERVICES)[number]>;
/** What agents need of a machine. */
export type AgentServices = With<(typeof AGENT_SERVICES)[number]>;

const COMMON: readonly Common[] = ['shared', 'signal', 'stopping', 'waits', 'rest', 'onlyReads'];

interface MachineContents {
  services: Services;
  stage: string;
  uses: readonly MachinePart[];
}

const INSIDE = new WeakMap<Machine, MachineContents>();

/** What a stage gets to hold: `uses` says what may be taken out of it. */
export function machineOf(services: Services, stage: string, uses: readonly MachinePart[]): Machine {
  const machine: Machine = Object.freeze({});
  INSIDE.set(machine, { services, stage, uses });
  return machine;
}

/**
 * Parts of what is inside, for the code of tasks/ and of stages that works on the machine. Who holds the services
 * themselves is no stage, and may use all.
 * @throws for a part that the stage does not declare.
 */
export function inside<P extends MachinePart>(machine: Machine, ...parts: readonly P[]): With<P> {
  const held = INSIDE.get(machine);
  if (held === undefined) return machine as Services;
  const { services, stage, uses } = held;
  const undeclared = parts.find((part) => !uses.includes(part));
  if (undeclared !== undefined) throw new Error(`stage ${stage} does not declare that it uses ${undeclared}`);
  const sections = parts.flatMap((part) => /^config\.(.*)/.exec(part)?.[1] ?? []);
  const taken = cut(services, [...COMMON, ...parts]);
  if (sections.length === 0) return Object.freeze(taken) as With<P>;
  return Object.freeze({
    ...taken,
    config: Object.freeze(cut(services.config, sections)),
  }) as unknown as With<P>;
}

/** These values of an object, as far as it has them. */
function cut(object: object, names: readonly string[]): object {
  const values = object as Record<string, unknown>;
  return Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
}
