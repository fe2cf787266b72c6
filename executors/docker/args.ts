/**
 * Flags of `docker run` that a deployment may have in `args`, and what each one sets. All others are refused by name:
 * those for which the deployment has a key, and those that would let code out of its container.
 */
import type { HostConfig } from 'dockerode';
import { fault, type Result, success } from '../../basics/result.ts';

/** What flags add to a container. */
export interface Extra {
  host: HostConfig;
  hostname?: string;
  /** Names without `CAP_`. */
  capabilities: { add: string[]; drop: string[] };
}

interface Flag {
  /** Null: the flag stands by itself. */
  value: string | null;
  /** What is wrong with the value, or null. */
  apply(extra: Extra, value: string): string | null;
}

const text = (value: string, set: (host: HostConfig, value: string) => void): Flag => ({
  value,
  apply: ({ host }, given) => {
    set(host, given);
    return null;
  },
});

const pair = (set: (host: HostConfig, name: string, value: string) => void): Flag => ({
  value: 'NAME=VALUE',
  apply: ({ host }, given) => {
    const at = given.indexOf('=');
    if (at < 1) return 'is not NAME=VALUE';
    set(host, given.slice(0, at), given.slice(at + 1));
    return null;
  },
});

/** What it asks for is always done. */
const nothing: Flag = { value: null, apply: () => null };

export const FLAGS: Readonly<Record<string, Flag>> = {
  '--add-host': text('HOST:IP', (host, value) => {
    host.ExtraHosts = [...((host.ExtraHosts as string[]) ?? []), value];
  }),
  '--cap-add': {
    value: 'NAME',
    apply: ({ capabilities }, given) => {
      const name = given.toUpperCase().replace(/^CAP_/, '');
      if (!GIVEN.includes(name)) return `is refused: only ${GIVEN.join(', ')} can be given`;
      capabilities.add.push(name);
      return null;
    },
  },
  '--cap-drop': {
    value: 'NAME',
    apply: ({ capabilities }, given) => {
      capabilities.drop.push(given.toUpperCase().replace(/^CAP_/, ''));
      return null;
    },
  },
  '--cpu-shares': {
    value: 'NUMBER',
    apply: ({ host }, given) => {
      if (!/^\d+$/.test(given)) return 'is not a whole number';
      host.CpuShares = Number(given);
      return null;
    },
  },
  '--cpuset-cpus': text('LIST', (host, value) => {
    host.CpusetCpus = value;
  }),
  '--dns': text('IP', (host, value) => {
    host.Dns = [...(host.Dns ?? []), value];
  }),
  '--gpus': {
    value: 'all|NUMBER',
    apply: ({ host }, given) => {
      if (given !== 'all' && !/^[1-9]\d*$/.test(given)) return 'is neither all nor a number';
      host.DeviceRequests = [
        { Driver: '', Count: given === 'all' ? -1 : Number(given), Capabilities: [['gpu']] },
      ] as HostConfig['DeviceRequests'];
      return null;
    },
  },
  '--hostname': {
    value: 'NAME',
    apply: (extra, given) => {
      if (!/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(given)) return 'is not the name of a machine';
      extra.hostname = given;
      return null;
    },
  },
  '--init': nothing,
  '--ipc': {
    value: 'private|none',
    apply: ({ host }, given) => {
      if (given !== 'private' && given !== 'none') return 'is neither private nor none';
      host.IpcMode = given;
      return null;
    },
  },
  '--memory-swap': {
    value: 'SIZE',
    apply: ({ host }, given) => {
      const size = given === '-1' ? -1 : parseSize(given);
      if (size === null) return 'is not a size';
      host.MemorySwap = size;
      return null;
    },
  },
  '--rm': nothing,
  '--runtime': text('NAME', (host, value) => {
    host.Runtime = value;
  }),
  '--shm-size': {
    value: 'SIZE',
    apply: ({ host }, given) => {
      const size = parseSize(given);
      if (size === null) return 'is not a size';
      host.ShmSize = size;
      return null;
    },
  },
  '--storage-opt': pair((host, name, value) => {
    host.StorageOpt = { ...host.StorageOpt, [name]: value };
  }),
  '--sysctl': pair((host, name, value) => {
    host.Sysctls = { ...host.Sysctls, [name]: value };
  }),
  '--tmpfs': text('PATH', (host, value) => {
    const at = value.indexOf(':');
    const [path, options] = at < 0 ? [value, ''] : [value.slice(0, at), value.slice(at + 1)];
    host.Tmpfs = { ...host.Tmpfs, [path]: options };
  }),
  '--ulimit': {
    value: 'NAME=SOFT[:HARD]',
    apply: ({ host }, given) => {
      const [, Name, soft, hard] = /^([a-z]+)=(-?\d+)(?::(-?\d+))?$/.exec(given) ?? [];
      if (Name === undefined) return 'is not NAME=SOFT:HARD';
      const limit = { Name, Soft: Number(soft), Hard: Number(hard ?? soft) };
      host.Ulimits = [...(host.Ulimits ?? []), limit];
      return null;
    },
  },
};

/** Capabilities of Docker that a container may be given back, beside those that it has. */
const GIVEN = ['AUDIT_WRITE', 'MKNOD', 'NET_RAW', 'SETFCAP', 'SYS_NICE', 'IPC_LOCK'];

/** As Docker reads sizes: 64m is 64 MiB. */
function parseSize(given: string): number | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([bkmgt]?)(?:i?b)?$/i.exec(given) ?? [];
  if (amount === undefined) return null;
  return Math.round(Number(amount) * 1024 ** Math.max(0, 'bkmgt'.indexOf(unit.toLowerCase())));
}

/** Flags for which something else is to be used, with what. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  '--memory': 'write limits: { memory: … }',
  '-m': 'write limits: { memory: … }',
  '--pids-limit': 'write limits: { pids: … }',
  '--cpus': 'write limits: { cpus: … }',
  '--network': 'write network: { grade: off }',
  '--net': 'write network: { grade: off }',
  '--env': 'write env: { NAME: value }',
  '-e': 'write env: { NAME: value }',
  '--volume': 'write mounts: [{ from: …, to: … }]',
  '-v': 'write mounts: [{ from: …, to: … }]',
  '--mount': 'write mounts: [{ from: …, to: … }]',
  '--pull': 'write pull: missing',
  '-h': 'write --hostname=NAME',
  '--privileged': 'code would be root on the host; there is no way to say so',
  '--pid': 'processes of the host would be seen and ended; remove it',
  '--userns': 'it is a setting of the engine; remove it',
  '--device': 'devices lead out of a container; for GPUs write --gpus=all',
  '--security-opt': 'the rules of the workspace are what integrity rests on; remove it',
  '--user': 'commands run as root inside; remove it',
  '-u': 'commands run as root inside; remove it',
  '--workdir': 'commands run in /testbed; remove it',
  '-w': 'commands run in /testbed; remove it',
  '--entrypoint': 'process 1 is ours; remove it',
  '--name': 'names are given, and labels tell whose a container is; remove it',
  '--label': 'labels tell whose a container is; remove it',
  '--detach': 'it always is; remove it',
  '-d': 'it always is; remove it',
  '--restart': 'a container ends with its workspace; remove it',
};

/** The fault says which of them is wrong, and why. */
export function translate(args: readonly string[]): Result<Extra, string> {
  const extra: Extra = { host: {}, capabilities: { add: [], drop: [] } };
  for (const arg of args) {
    const at = arg.indexOf('=');
    const name = at < 0 ? arg : arg.slice(0, at);
    const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name]! : null;
    if (flag === null) return fault(`${name} is not supported${elsewhere(name)}`);
    if (flag.value === null) {
      if (at >= 0) return fault(`${name} takes no value`);
      continue;
    }
    if (at < 0 || at === arg.length - 1) return fault(`${name} needs a value: ${name}=${flag.value}`);
    const problem = flag.apply(extra, arg.slice(at + 1));
    if (problem !== null) return fault(`${arg} ${problem}`);
  }
  return success(extra);
}

function elsewhere(name: string): string {
  return Object.hasOwn(ELSEWHERE, name) ? `: ${ELSEWHERE[name]}` : '';
}
