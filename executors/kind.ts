/**
 * Describes a kind of executor. Everything about a kind is in its folder, and the registry has one line for it. No
 * other code compares names of kinds: the compiler, the stages and the commands ask what a kind can do.
 */
import type { Json } from '../basics/canonical.ts';
import type { Result } from '../basics/result.ts';
import type { DeploymentConfig } from '../schemas/generated/project.ts';
import type { Infra } from '../schemas/outcome.ts';
import type { ContainerEngine, Deployment, Isolation, Network, NetworkSeen } from './deployment.ts';
import type { JobService } from './job-service.ts';
import type { ProcessRunner } from './process-runner.ts';

export type ExecutorKind = WorkspaceKind | ChoiceKind | CommandKind | ClusterKind;

/** A kind that a project can write as the `type` of a deployment: all of them. */
export type DeploymentKind = ExecutorKind;

/** What a project's schema says of a kind. */
interface Written {
  /** What it is, for the reference: a sentence without its name. */
  readonly summary: string;
  /**
   * The keys of a deployment that have an effect on this kind, with their schemas. A key that several kinds have has
   * the same schema. For any other key the user is warned.
   */
  readonly keys: Readonly<Record<string, Json>>;
}

/** Opens workspaces. */
export interface WorkspaceKind extends Written {
  readonly opens: 'workspaces';
  /** What a project writes as `type`. In every key of what runs there, so two kinds never share an answer. */
  readonly name: string;
  /** What messages call it, such as "the sandbox". */
  readonly title: string;
  readonly isolation: Isolation;
  /** Its workspaces cannot show the machine's own system, so a deployment must name a base. */
  readonly needsBase?: boolean;
  /** The networks that it can enforce. */
  readonly networks: readonly Network[];
  /** How its workspaces reach swemake's proxy: through a Unix socket that is shown to them, or a port of the host. */
  readonly proxyBy: 'socket' | 'port';
  /** Its workspaces reach sockets of swemake's machine: `reach` of OpenOptions. */
  readonly reaches: boolean;
  /** Workspaces open at once on one host, unless the project says otherwise. */
  readonly capacity: number;
  /** Absent: it works wherever swemake does. */
  readonly probe?: KindProbe;
  /** For `doctor`: the hosts that deployments of this kind name, which may be other machines. Asked without any, too. */
  hosts?(deployments: readonly DeploymentConfig[], env: NodeJS.ProcessEnv): Promise<Probe[]>;
  /** The engine that it starts containers on, for programs that do so by themselves. */
  engine?(
    config: Pick<DeploymentConfig, 'host'>,
    env: NodeJS.ProcessEnv,
  ): Promise<Result<ContainerEngine, Infra>>;
  /**
   * The identity of the system that its code runs on (architecture, C library, distribution, image), and every key of
   * the kind that can change results. Part of keys. It must be fast, since runs with nothing to do ask for it.
   */
  base(config: DeploymentConfig): Record<string, string>;
  open(request: OpenRequest): Promise<Result<Deployment, Infra>>;
  /** Removes what killed runs left below its state folder. */
  sweep(stateFolder: string): Promise<unknown>;
}

/** A kind, and those that a deployment may name for machines on which it does not work. */
export interface ChoiceKind extends Written {
  readonly opens: 'choice';
  readonly name: string;
  readonly best: WorkspaceKind;
  /** They work everywhere. One is used only if the deployment names it as its `fallback`. */
  readonly fallbacks: readonly WorkspaceKind[];
}

/** Runs programs of the host as they are. No workspace is opened on it. */
export interface CommandKind extends Written {
  readonly opens: 'commands';
  readonly name: string;
  open(request: CommandRequest): Promise<ProcessRunner>;
  sweep(stateFolder: string): Promise<unknown>;
}

/**
 * Runs items on the machines of a cluster. Each machine opens the workspaces itself, so keys name the kind of these
 * workspaces.
 */
export interface ClusterKind extends Written {
  readonly opens: 'jobs';
  readonly name: string;
  /** The kind of workspaces that its machines open. */
  readonly among: readonly [WorkspaceKind];
  /** Makes the client of the cluster; no request is sent yet. */
  connect(config: Pick<DeploymentConfig, 'address'>): Promise<Result<JobService, Infra>>;
  /** For `doctor`: the cluster that a deployment names. */
  probe(config: DeploymentConfig): Promise<Probe>;
}

/** Whether a kind works on this machine. */
interface KindProbe {
  /** Everything that can change the result, as far as files show it. A success is remembered while this is the same. */
  circumstances(): Json;
  /** A check that starts nothing, for commands that only read. Returns null, or why the kind cannot work. */
  look(): Promise<string | null>;
  /** Opens a workspace and runs a command in it. Null when that worked, else what failed. */
  attempt(): Promise<string | null>;
  /** Checks each of its needs, for `doctor`. `folder`: where workspaces would write. */
  needs(folder: string): Promise<Probe[]>;
}

/** One thing that `doctor` looked at. */
export interface Probe {
  name: string;
  /**
   * soft: it works, but less strictly than it should. miss: it is needed and missing. none: it is missing and not
   * needed.
   */
  status: 'ok' | 'soft' | 'miss' | 'none';
  detail: string;
  remedy?: string;
  /** The only kind of executor that needs it; absent: all kinds do. */
  kind?: string;
}

interface OpenRequest {
  /** The key under `deployments` in the project. */
  name: string;
  config: DeploymentConfig;
  /** The folder of this kind in the project's cache. */
  stateFolder: string;
  /** Label of what is left behind, for the sweep. */
  runId: string;
  /** Absent when no work of the deployment uses it. */
  proxy?: ProxyAccess;
  /** Machines of the project; absent: none. */
  nodes?: readonly { address: string; containers: number }[];
  /** For placeholders in its keys; absent where there is no project. */
  secrets?: Pick<CommandRequest['secrets'], 'reveal'>;
}

/** Where swemake's proxy is, and what it saw. */
export interface ProxyAccess {
  socketPath: string;
  /** With its credential; null unless the kind asks for a port. */
  url: string | null;
  connections: { since(moment: number): NetworkSeen };
}

export interface CommandRequest {
  /** Absolute folder in which living processes are noted. */
  stateFolder: string;
  /** The host's environment. */
  env: NodeJS.ProcessEnv;
  /** Values for the placeholders of secrets, and texts without those values. */
  secrets: {
    reveal(values: Readonly<Record<string, string>>): Result<Record<string, string>, Infra>;
    redact(text: string): string;
  };
}

/**
 * The kinds of workspaces that a deployment of this kind may open, the best first: its own, and the fallback that it
 * names; none for programs of the host.
 */
export function outcomesOf(
  kind: DeploymentKind,
  { fallback }: Pick<DeploymentConfig, 'fallback'>,
): readonly WorkspaceKind[] {
  if (kind.opens === 'commands') return [];
  if (kind.opens === 'workspaces') return [kind];
  if (kind.opens === 'jobs') return kind.among;
  return [kind.best, ...kind.fallbacks.filter(({ name }) => name === fallback)];
}

/** The kinds of workspaces that any deployment of this kind may open, the best first. */
export function possibleOutcomes(kind: DeploymentKind): readonly WorkspaceKind[] {
  return kind.opens === 'choice' ? [kind.best, ...kind.fallbacks] : outcomesOf(kind, {});
}

/** The keys of a deployment that mean something to a kind. */
export function keysOf(kind: DeploymentKind): Record<string, Json> {
  return Object.assign({}, ...possibleOutcomes(kind).map(({ keys }) => keys), kind.keys);
}

/** Kinds that a project can name, by name. */
export function deploymentKinds(kinds: readonly ExecutorKind[]): Map<string, DeploymentKind> {
  return new Map(kinds.map((kind) => [kind.name, kind]));
}
