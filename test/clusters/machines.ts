/**
 * Machines for trying clusters out on one: each is a set of namespaces with its own network, processes, name and home, joined
 * by a bridge, with a real sshd. They share the disk. Commands are given on one more, `control`, whose network slirp4netns connects
 * with the world. The host's network stays as it is. Needs root, iproute2, iptables, slirp4netns and openssh-server.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd } from '../rig/at-end.ts';
import { hasPrograms } from '../rig/installed.ts';
import { until } from '../rig/until.ts';

/** Address of the machine that commands are given on. */
export const CONTROL = '10.77.0.1';

/** Whether machines can be made; says why not. */
export function canMakeMachines(): boolean {
  if (process.getuid?.() !== 0) {
    console.log('skipped: machines of namespaces are made by root');
    return false;
  }
  return hasPrograms('machines of namespaces', 'ip', 'iptables', 'slirp4netns', '/usr/sbin/sshd', 'nsenter');
}

interface Machine {
  name: string;
  address: string;
  /** Its HOME. */
  home: string;
  /** Process that holds its namespaces, as the host numbers it. */
  pid: number;
}

export class Machines {
  readonly #all = new Map<string, Machine>();
  readonly #outer: ChildProcess[] = [];

  private constructor(
    /** Keys, settings and homes. */
    readonly folder: string,
    private readonly control: number,
  ) {}

  /** The bridge, the way out, and these machines. They end with the test file. */
  static async start(folder: string, ...names: string[]): Promise<Machines> {
    const flags = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
    const outer = spawn('unshare', [...flags, 'sleep', 'infinity'], { stdio: 'ignore' });
    atEnd(() => outer.kill('SIGKILL'));
    // A folder of the disk that all machines share.
    mkdirSync(join(folder, 'shared'));
    const machines = new Machines(folder, await sleeperOf(outer.pid!));
    await machines.#connect();
    machines.#writeSsh();
    for (const name of names) await machines.add(name);
    return machines;
  }

  get(name: string): Machine {
    const machine = this.#all.get(name);
    if (machine === undefined) throw new Error(`there is no machine ${name}`);
    return machine;
  }

  /** Words before a command that make it run on `control`, or on another machine, in the folder of the machines. */
  on(name: string | null): string[] {
    const pid = name === null ? this.control : this.get(name).pid;
    return ['nsenter', '-t', String(pid), '-n', '-p', '-m', '-u', `--wd=${this.folder}`];
  }

  /** Variables of a command that reaches the machines by their names. */
  get env(): Record<string, string> {
    return { PATH: `${this.folder}/bin:${process.env.PATH}` };
  }

  /** Starts a machine, anew where it was killed. */
  async add(name: string): Promise<void> {
    const number = this.#all.has(name) ? Number(this.get(name).address.split('.')[3]) : this.#all.size + 2;
    const address = `10.77.0.${number}`;
    const home = join(this.folder, name);
    mkdirSync(home, { recursive: true });
    const flags = ['--net', '--pid', '--uts', '--mount', '--fork', '--kill-child', '--mount-proc'];
    const [program, ...words] = [...this.on(null), 'unshare', ...flags, 'sleep', 'infinity'];
    const outer = spawn(program!, words, { stdio: 'ignore' });
    this.#outer.push(outer);
    atEnd(() => outer.kill('SIGKILL'));
    this.#all.set(name, { name, address, home, pid: await sleeperOf(outer.pid!) });
    this.#plugIn(number, this.get(name).pid);
    writeFileSync(join(home, 'sshd.conf'), this.#sshd(address, home));
    this.exec(
      name,
      `hostname ${name}; mkdir -p /tmp/ray /run/sshd; mount -t tmpfs none /tmp/ray
       ip link set lo up; ip addr add ${address}/24 dev eth0; ip link set eth0 up; ip route add default via ${CONTROL}
       /usr/sbin/sshd -f ${home}/sshd.conf`,
    );
  }

  /** Runs lines of a shell on a machine, or on `control`; returns what they print. */
  exec(name: string | null, lines: string): string {
    const [program, ...words] = [...this.on(name), 'bash', '-ec', lines];
    const env = { ...process.env, ...(name !== null && { HOME: this.get(name).home }) };
    return execFileSync(program!, words, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'inherit'] });
  }

  /** Ends all processes of a machine at once, as a power cut does. */
  kill(name: string): void {
    process.kill(this.get(name).pid, 'SIGKILL');
  }

  async #connect(): Promise<void> {
    const words = ['--configure', '--mtu=65520', '--disable-host-loopback', String(this.control), 'tap0'];
    const slirp = spawn('slirp4netns', words, { stdio: 'ignore' });
    atEnd(() => slirp.kill());
    this.exec(
      null,
      `ip link set lo up; ip link add br0 type bridge; ip addr add ${CONTROL}/24 dev br0; ip link set br0 up
       echo 1 > /proc/sys/net/ipv4/ip_forward`,
    );
    await until(() => this.exec(null, 'ip -4 addr').includes('tap0'));
    this.exec(null, 'iptables -t nat -A POSTROUTING -s 10.77.0.0/24 -o tap0 -j MASQUERADE');
  }

  #plugIn(number: number, pid: number): void {
    const ip = (...words: string[]) => {
      // The host's numbers of processes are not those of `control`, so that ip is run in its network alone.
      const enter = ['-t', String(this.control), '-n', 'ip', ...words];
      execFileSync('nsenter', enter, { stdio: ['ignore', 'ignore', 'pipe'] });
    };
    const link = `v${number}`;
    try {
      ip('link', 'del', link);
    } catch (error) {
      if (!String(error).includes('Cannot find device')) throw error;
    }
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid));
    ip('link', 'set', link, 'master', 'br0', 'up');
  }

  #writeSsh(): void {
    const { folder } = this;
    mkdirSync(join(folder, 'bin'), { recursive: true });
    for (const name of ['key', 'host'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
    const config = join(folder, 'ssh_config');
    const lines = [
      `IdentityFile ${folder}/key`,
      'StrictHostKeyChecking no',
      `UserKnownHostsFile ${folder}/known`,
      'LogLevel ERROR',
    ];
    writeFileSync(config, `${lines.join('\n')}\n`);
    writeFileSync(join(folder, 'bin/ssh'), `#!/bin/bash\nexec /usr/bin/ssh -F ${config} "$@"\n`);
    chmodSync(join(folder, 'bin/ssh'), 0o755);
  }

  #sshd(address: string, home: string): string {
    const lines = [
      `ListenAddress ${address}`,
      `HostKey ${this.folder}/host`,
      `AuthorizedKeysFile ${this.folder}/key.pub`,
      'PidFile none',
      'StrictModes no',
      'PasswordAuthentication no',
      'PermitRootLogin yes',
      `SetEnv HOME=${home} XDG_STATE_HOME=${home}/state`,
    ];
    return `${lines.join('\n')}\n`;
  }
}

/** The `sleep` at the end of a chain of processes that each started one. */
async function sleeperOf(first: number): Promise<number> {
  let pid = first;
  await until(() => {
    const child = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    if (child !== '') pid = Number(child);
    return readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n';
  });
  return pid;
}
