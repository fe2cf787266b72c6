/**
 * The docker deployment: workspaces in containers of an engine, on this machine or another one. What a workspace shows is
 * an image of layers (image.ts); its process 1 is the sandbox's supervisor, which talks to us over the container's one
 * attached stream (inside.py), so a command costs no request to the engine and a timeout ends its whole tree.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Container } from 'dockerode';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type {
  Deployment,
  EnvironmentView,
  NetworkSeen,
  OpenOptions,
  SourceView,
  Workspace,
  WorkspaceLost,
} from '../deployment.ts';
import { removeTree } from '../local/remove-tree.ts';
import { COMMAND_VARIABLES, PROXY_PORT, PROXY_VARIABLES } from '../sandbox/command-variables.ts';
import { type Frame, FrameReader } from '../sandbox/frames.ts';
import { type MemoryCount, memoryCount, NOT_COUNTED } from '../sandbox/memory.ts';
import { SupervisedWorkspace } from '../sandbox/workspace.ts';
import { addressText, addressWarning, type EngineAddress } from './address.ts';
import type { Extra } from './args.ts';
import { takeChanges } from './changes.ts';
import { containerSettings, droppedCapabilities } from './container.ts';
import { DiskWatch } from './disk-watch.ts';
import { connect, type Engine, engineFault, statusOf, within } from './engine.ts';
import { Images } from './image.ts';
import { type KnownStart, NO_PYTHON, startBytes } from './inside.ts';
import { LABELS } from './labels.ts';
import { ownPython } from './own-python.ts';
import { StreamRelay } from './relay.ts';
import { ContainerStream } from './stream.ts';

export interface DockerOptions {
  name: string;
  address: EngineAddress;
  /** Folder in which runs record what they own, for the sweep. */
  stateFolder: string;
  /** Folder in which all runs record which layers engines have. */
  keptFolder: string;
  runId: string;
  /** Needed for workspaces with network `proxy`. */
  proxy?: { socketPath: string; connections?: { since(moment: number): NetworkSeen } };
  extra: Extra;
  /** Variables of every command. */
  variables: Readonly<Record<string, string>>;
  env: NodeJS.ProcessEnv;
}

/** Milliseconds for one request to the engine. */
const REQUEST = 120_000;

/** Never the answer of a task: when the image has no Python, one is added. */
const BARE = infra('tool-missing', 'the image has no python3 of 3.8 or newer, which process 1 needs');
/** The engine's error when an image has no shell that could look for a Python. */
const NO_SHELL = /exec: "\/bin\/sh"/;

/** Speaks to the engine once; the fault says why it cannot be used. */
export async function createDocker(options: DockerOptions): Promise<Result<Deployment, Infra>> {
  const engine = await connect(options.address, options.env);
  if (!engine.ok) return engine;
  const { architecture } = engine.value.info;
  if (architecture !== process.arch)
    return fault(
      infra(
        'tool-missing',
        `the engine at ${addressText(options.address)} runs on ${architecture}, and keys are made for ${process.arch}`,
      ),
    );
  return success(new DockerDeployment(options, engine.value));
}

class DockerDeployment implements Deployment {
  readonly name: string;
  private readonly label: string;
  private readonly note: string;
  private readonly folder: string;
  private readonly images: Images;
  private readonly workspaces = new Set<Workspace>();
  /** By image and what is mounted in it. */
  private readonly starts = new Map<string, KnownStart>();
  /** Roots, with their environments, that have no Python. */
  private readonly bare = new Set<string>();
  /** Folder of the Python that is added to them; null until one needs it. */
  private python: string | null = null;
  private count = 0;

  constructor(
    private readonly options: DockerOptions,
    private readonly engine: Engine,
  ) {
    this.name = options.name;
    this.label = `swemake-${options.runId}-${randomBytes(4).toString('hex')}`;
    this.note = join(options.stateFolder, `${this.label}.${processTag(thisProcess())}`);
    this.folder = `${this.note}.files`;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    // Before the first container, so that the sweep knows where to look for it.
    writeFileSync(this.note, JSON.stringify({ address: options.address, label: this.label }));
    this.images = new Images(engine, options.keptFolder, join(this.folder, 'packed'));
  }

  warnings(): string[] {
    const { holds } = this.engine.info;
    const soft = (['memory', 'pids', 'cpus'] as const).filter((name) => !holds[name]);
    const text = soft.length === 0 ? [] : [`the engine does not hold limits of ${soft.join(', ')}`];
    const disk = holds.disk
      ? []
      : ['the disk limit is soft: what a container wrote is looked at every few seconds'];
    const plain = addressWarning(this.options.address);
    return [...text, ...disk, ...(plain === null ? [] : [plain])];
  }

  async open(
    environment: EnvironmentView,
    source: SourceView | null,
    options: OpenOptions,
  ): Promise<Result<Workspace, Infra>> {
    const { signal } = options;
    if (signal?.aborted === true) return fault(infra('cancelled', 'cancelled before it opened'));
    if (options.network === 'proxy' && this.options.proxy === undefined)
      return fault(infra('deployment', 'network "proxy" needs a proxy, and none was given'));
    if (environment.base === undefined)
      return fault(
        infra(
          'deployment',
          'a container has no system of the host; write base: image, image:NAME or debian:RELEASE',
        ),
      );
    const opened = await this.openContainer(environment, source, options);
    if (!isAborted(signal)) return opened;
    if (opened.ok) await opened.value.close();
    return fault(infra('cancelled', 'cancelled while it opened'));
  }

  bring(environment: EnvironmentView): Promise<Result<string, Infra>> {
    return this.images.obtain(environment, null);
  }

  async close(): Promise<void> {
    await Promise.all([...this.workspaces].map((workspace) => workspace.close()));
    // Images that stay are removed by the next run.
    await within(this.images.prune(), REQUEST).catch(() => undefined);
    const isClean = await this.removeAll();
    await removeTree(this.folder);
    // If the engine is down, the sweep removes the containers later.
    if (isClean) rmSync(this.note, { force: true });
  }

  /** Containers that could not be removed when their workspaces were closed. */
  private async removeAll(): Promise<boolean> {
    try {
      const filters = { label: [`${LABELS.deployment}=${this.label}`] };
      const list = this.engine.docker.listContainers({ all: true, filters });
      for (const { Id } of await within(list, REQUEST))
        await this.engine.docker.getContainer(Id).remove({ force: true, v: true });
      return true;
    } catch {
      // Whatever the engine said, the sweep asks it again.
      return false;
    }
  }

  private async openContainer(
    environment: EnvironmentView,
    source: SourceView | null,
    options: OpenOptions,
  ): Promise<Result<Workspace, Infra>> {
    const { base, layers } = environment;
    const name = JSON.stringify([base!.layers, layers]);
    if (!this.bare.has(name)) {
      const opened = await this.openOn(environment, source, options, []);
      if (opened.ok || opened.fault !== BARE) return opened;
    }
    if (this.python === null) {
      const brought = await ownPython(this.options.keptFolder);
      if (!brought.ok) return fault({ ...brought.fault, detail: `${BARE.detail}; ${brought.fault.detail}` });
      this.python = brought.value;
    }
    this.bare.add(name);
    return this.openOn(environment, source, options, [this.python]);
  }

  /** `more`: folders of further layers. {@link BARE} where the image has no Python. */
  private async openOn(
    environment: EnvironmentView,
    source: SourceView | null,
    options: OpenOptions,
    more: readonly string[],
  ): Promise<Result<Workspace, Infra>> {
    for (let attempt = 1; ; attempt += 1) {
      const image = await this.images.obtain(environment, source, more);
      if (!image.ok) return image;
      try {
        const start = {
          image: image.value,
          brought: more.length > 0,
          name: startName(image.value, environment),
        };
        const container = await this.create(start, environment, options);
        return await this.start(container, start, environment, source, options);
      } catch (error) {
        if (NO_SHELL.test((error as Error).message)) return fault(BARE);
        // Somebody removed the image since.
        if (statusOf(error) !== 404 || attempt > 1) return fault(engineFault('opening a container', error));
        this.images.forget();
      }
    }
  }

  private create(
    { image, brought, name: start }: Start,
    { mounts }: EnvironmentView,
    options: OpenOptions,
  ): Promise<Container> {
    const labels = {
      [LABELS.what]: 'workspace',
      [LABELS.run]: this.options.runId,
      [LABELS.deployment]: this.label,
      [LABELS.owner]: processTag(thisProcess()),
    };
    const settings = containerSettings({
      known: this.starts.get(start) ?? null,
      ...{ image, brought, labels, limits: options.limits, network: options.network, mounts },
      extra: this.options.extra,
      holdsDisk: this.engine.info.holds.disk,
    });
    this.count += 1;
    const name = `${this.label}-${this.count}`;
    return within(this.engine.docker.createContainer({ name, ...settings }), REQUEST);
  }

  private async start(
    container: Container,
    { name, brought }: Start,
    environment: EnvironmentView,
    source: SourceView | null,
    options: OpenOptions,
  ): Promise<Result<Workspace, Infra>> {
    let stream: ContainerStream;
    const known = this.starts.get(name) ?? null;
    try {
      const wanted = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true };
      stream = new ContainerStream((await within(container.attach(wanted), REQUEST)) as Duplex);
      stream.write(
        startBytes(
          {
            ports: outward(options),
            ownNetwork: options.network !== 'host',
            dropped: droppedCapabilities(),
            disk: this.engine.info.holds.disk ? (options.limits.disk ?? null) : null,
          },
          known,
        ),
      );
      await within(container.start(), REQUEST);
    } catch (error) {
      await this.remove(container);
      throw error;
    }
    const reader = new FrameReader();
    const first = await firstFrame(stream, reader);
    if (first === null || first.header.ready !== true) {
      const why = await this.whyNot(container, stream, first);
      await this.remove(container);
      return fault(why);
    }
    if (first.body.length > 0) this.starts.set(name, knownStart(first, brought));
    return success(
      this.workspace(
        {
          ...{ container, stream, reader, memory: memoryCount(first.header.memory) ?? NOT_COUNTED },
          ports: first.header.ports as number[],
        },
        environment,
        source,
        options,
      ),
    );
  }

  private workspace(
    { container, stream, reader, memory, ports }: Started,
    environment: EnvironmentView,
    source: SourceView | null,
    options: OpenOptions,
  ): Workspace {
    const { reach = [] } = options;
    const proxy = options.network === 'proxy' ? this.options.proxy : undefined;
    const sockets = [...(proxy === undefined ? [] : [proxy.socketPath]), ...reach];
    const id = `${this.label}-${container.id.slice(0, 12)}`;
    const changes = join(this.folder, `${container.id.slice(0, 12)}.changes`);
    const relay = sockets.length === 0 ? null : new StreamRelay(sockets, (bytes) => stream.write(bytes));
    const connections = proxy?.connections;
    const disk = this.engine.info.holds.disk ? undefined : options.limits.disk;
    const watch = disk === undefined ? null : new DiskWatch(container, disk, (bytes) => stream.write(bytes));
    let isEnding = false;
    const end = () => {
      if (isEnding) return;
      isEnding = true;
      void this.remove(container).then(() => workspace.ended('the container was removed'));
    };
    const workspace = new SupervisedWorkspace({
      id,
      ports: ports.slice(sockets.length - reach.length),
      variables: {
        ...COMMAND_VARIABLES,
        ...(proxy === undefined ? {} : PROXY_VARIABLES),
        ...environment.variables,
        ...this.options.variables,
      },
      source: source?.layer ?? null,
      socket: stream,
      reader,
      isBounded: false,
      cpus: options.limits.cpus,
      gather:
        options.storage === 'disk'
          ? () =>
              takeChanges(
                container,
                changes,
                environment.mounts.map(({ to }) => to),
              )
          : null,
      end,
      memory,
      network: connections === undefined ? null : (at) => connections.since(at),
      other: (frame) => relay?.onFrame(frame),
      free: async () => {
        relay?.close();
        watch?.stop();
        this.workspaces.delete(workspace);
        await removeTree(changes);
      },
    });
    stream.on('close', () => {
      if (!isEnding)
        void this.whyLost(container, options).then((lost) => {
          workspace.ended(lost);
          end();
        });
    });
    this.workspaces.add(workspace);
    return workspace;
  }

  /** Why process 1 ended: the code inside used up its memory, the engine ended, or the container was removed. */
  private async whyLost(container: Container, { limits }: OpenOptions): Promise<WorkspaceLost> {
    try {
      const { State } = await within(container.inspect(), REQUEST);
      // Version 2 also counts kills by the host, so the reason cannot be known there.
      if (State.OOMKilled && limits.memory !== undefined && this.engine.info.cgroupVersion === 1)
        return {
          status: 'failed',
          reason: 'workspace-killed',
          detail: 'the workspace ran out of its memory limit',
        };
      return infra(
        'killed',
        `the container ended with code ${State.ExitCode}: ${State.Error || 'no reason'}`,
      );
    } catch (error) {
      return engineFault('the connection to a container broke', error);
    }
  }

  private async whyNot(container: Container, stream: ContainerStream, first: Frame | null): Promise<Infra> {
    if (first?.header.fatal !== undefined)
      return infra('workspace-lost', `process 1 of a container: ${String(first.header.fatal)}`);
    // An engine that does not say it is the reason itself.
    const code = await within(container.inspect(), REQUEST)
      .then(({ State }) => State.ExitCode)
      .catch(() => null);
    if (code === NO_PYTHON) return BARE;
    return infra('engine', `process 1 of a container did not begin (code ${code}): ${stream.stderr}`);
  }

  /** A container that cannot be removed now is removed by `close` or by the sweep. */
  private async remove(container: Container): Promise<void> {
    await within(container.remove({ force: true, v: true }), REQUEST).catch(() => undefined);
  }
}

/** A function, since the value may change in between. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** With what a container begins. */
interface Start {
  image: string;
  /** It uses the Python that swemake adds. */
  brought: boolean;
  /** Name under which facts about it are stored. */
  name: string;
}

/** Mounts can bring another Python than the image has. */
function startName(image: string, { mounts }: EnvironmentView): string {
  return JSON.stringify([image, mounts]);
}

/** Ports inside that lead out. Where the network is the machine's, others may have taken any of them. */
function outward({ network, reach = [] }: OpenOptions): number[] {
  if (network === 'host') return reach.map(() => 0);
  const after = reach.map((_, index) => PROXY_PORT + 1 + index);
  return network === 'proxy' ? [PROXY_PORT, ...after] : after;
}

interface Started {
  container: Container;
  /** Those that `outward` named. */
  ports: number[];
  stream: ContainerStream;
  reader: FrameReader;
  memory: MemoryCount;
}

function knownStart({ header, body }: Frame, brought: boolean): KnownStart {
  const python = String(header.python ?? '');
  return { python: brought || !python.startsWith('/') ? null : python, compiled: Buffer.from(body) };
}

/** Null when the stream ends before. */
function firstFrame(stream: ContainerStream, reader: FrameReader): Promise<Frame | null> {
  return new Promise((resolve) => {
    const settle = (frame: Frame | null) => {
      clearTimeout(timer);
      stream.off('data', onData).off('close', onClose);
      resolve(frame);
    };
    const onData = (chunk: Buffer) => {
      const [frame] = reader.feed(chunk);
      if (frame !== undefined) settle(frame);
    };
    const onClose = () => settle(null);
    const timer = setTimeout(onClose, REQUEST);
    stream.on('data', onData).on('close', onClose);
  });
}
