/** The connection to one engine, and the meaning of its errors: none of them is an answer of a task. */
import Docker from 'dockerode';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { addressText, clientOptions, type EngineAddress } from './address.ts';

/** Facts that an engine reports about itself. */
export interface EngineInfo {
  id: string;
  version: string;
  /** As Node names it. */
  architecture: string;
  storageDriver: string;
  cgroupVersion: 1 | 2;
  rootless: boolean;
  /** The limits that the kernel enforces there. */
  holds: { memory: boolean; pids: boolean; cpus: boolean; disk: boolean };
  folder: string;
  processors: number;
  /** Bytes. */
  memory: number;
}

export interface Engine {
  readonly docker: Docker;
  readonly address: EngineAddress;
  readonly info: EngineInfo;
}

/** Milliseconds. */
const CONNECT = 20_000;
const ARCHITECTURES: Record<string, string> = {
  x86_64: 'x64',
  amd64: 'x64',
  aarch64: 'arm64',
  arm64: 'arm64',
};

/** A client that has not spoken to the engine yet. */
export function clientOf(address: EngineAddress, env: NodeJS.ProcessEnv): Result<Docker, Infra> {
  try {
    return success(new Docker(clientOptions(address, env) as Docker.DockerOptions));
  } catch (error) {
    return fault(infra('engine', `${addressText(address)}: ${(error as Error).message}`));
  }
}

export async function connect(
  address: EngineAddress,
  env: NodeJS.ProcessEnv,
): Promise<Result<Engine, Infra>> {
  const client = clientOf(address, env);
  if (!client.ok) return client;
  try {
    const raw = await within(client.value.info(), CONNECT);
    return success({ docker: client.value, address, info: readInfo(raw) });
  } catch (error) {
    return fault(engineFault(`the engine at ${addressText(address)}`, error));
  }
}

function readInfo(raw: Record<string, unknown>): EngineInfo {
  const text = (name: string) => String(raw[name] ?? '');
  const driver = text('Driver');
  const options = ((raw.SecurityOptions as string[] | null) ?? []).join(' ');
  const isRootless = options.includes('name=rootless');
  return {
    id: text('ID') || text('Name'),
    version: text('ServerVersion'),
    architecture: ARCHITECTURES[text('Architecture')] ?? text('Architecture'),
    storageDriver: driver,
    cgroupVersion: text('CgroupVersion') === '2' ? 2 : 1,
    rootless: isRootless,
    holds: {
      memory: raw.MemoryLimit === true,
      pids: raw.PidsLimit === true,
      cpus: raw.CpuCfsQuota === true,
      // overlay2 does so with project quotas of xfs, which it does not report; its refusals are watched.
      disk: ['btrfs', 'zfs'].includes(driver),
    },
    folder: text('DockerRootDir'),
    processors: Number(raw.NCPU ?? 1),
    memory: Number(raw.MemTotal ?? 0),
  };
}

/** Rejects when it takes longer: an engine that hangs cannot be used. */
export async function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer in ${Math.round(milliseconds / 1000)} s`)),
      milliseconds,
    );
    timer.unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The fault of a request: what was done, and the error of the engine or of the connection. */
export function engineFault(what: string, error: unknown): Infra {
  const { message, code } = error as NodeJS.ErrnoException;
  const text = `${what}: ${message.replace(/\s+/g, ' ').trim()}`;
  if (/no space left on device|disk quota exceeded/i.test(message) || code === 'ENOSPC')
    return infra('disk-full', text);
  if (/host denied|verification failed|no matching host key/i.test(message))
    return infra('engine', `${text}; its key is not the one in known_hosts: connect once with ssh`);
  if (/authentication methods failed/i.test(message))
    return infra('engine', `${text}; which keys the agent has, ssh-add -l says`);
  if (code === 'ENOENT' || code === 'EACCES' || code === 'ECONNREFUSED')
    return infra('engine', `${text}; is the engine running, and may this user reach it?`);
  return infra('engine', text);
}

/** The status with which the engine answered; null when it did not. */
export function statusOf(error: unknown): number | null {
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : null;
}
