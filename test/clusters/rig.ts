/** What the tests on machines share: builds given on `control`, their answers, and a real bazel-remote. */
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { atEnd } from '../rig/at-end.ts';
import { goProgram } from '../rig/installed.ts';
import { Project } from '../rig/project.ts';
import { until } from '../rig/until.ts';
import type { Machines } from './machines.ts';

/** Ray gives up after 30 s what starts slowly; it is started once more. */
const TRIES = 4;

export const BIN = join(packageRoot(), 'bin/swemake.js');
export const QUICKSTART = join(packageRoot(), 'projects/quickstart.yaml');
/** Tasks of the quickstart that are built: all with `CLUSTER_MATCH=.`. */
export const MATCH = process.env.CLUSTER_MATCH ?? 'xmltodict';

/** bazel-remote: the program of BAZEL_REMOTE, or one installed from Go's module proxy; null, with the reason printed. */
export const bazelRemote = (): string | null =>
  process.env.BAZEL_REMOTE ?? goProgram('bazel-remote', 'github.com/buchgr/bazel-remote/v2@v2.6.1');

/** The project in the machines' folder, whose commands are given on `control` or on a machine. */
export function projectOn(
  machines: Machines,
  env: Record<string, string> = {},
  on: string | null = null,
): Project {
  const all = { ...machines.env, ...(on !== null && { HOME: machines.get(on).home }), ...env };
  return new Project(machines.folder, all, packageRoot(), machines.on(on));
}

export async function nodes(project: Project, verb: 'up' | 'down'): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const end = await project.run('nodes', verb, 'project.yaml');
    if (end.code === 0) return;
    if (tries === TRIES) throw new Error(`nodes ${verb} ended with ${end.code}: ${end.stdout}${end.stderr}`);
  }
}

export interface Answer {
  key: string;
  status: string;
  digest: string;
}

/** `STAGE@ITEM` -> its answer, of all runs on a cache. */
export function answersOf(project: Project, cache: string): Map<string, Answer> {
  const all = new Map<string, Answer>();
  for (const event of finishedOn(project, cache))
    all.set(`${event.stage}@${event.item}`, {
      ...{ key: event.key, status: event.outcome.status, digest: event.record.digest },
    });
  return all;
}

interface Finished {
  stage: string;
  item: string;
  key: string;
  outcome: { status: string };
  record: { digest: string };
}

function finishedOn(project: Project, cache: string): Finished[] {
  let events: Record<string, unknown>[] = [];
  try {
    events = project.events(cache);
  } catch (error) {
    // No run has begun.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return events.filter(
    ({ type, record }) => type === 'item-finished' && record !== undefined,
  ) as unknown as Finished[];
}

/** A bazel-remote on `control`, that can be killed and started again on the same folder. */
export class BazelRemote {
  #child: ChildProcess | null = null;

  constructor(
    private readonly machines: Machines,
    private readonly program: string,
    /** Flags without their dashes. */
    private readonly flags: { dir: string; http_address: string } & Record<string, string>,
    readonly log: string,
  ) {}

  async start(more: Record<string, string> = {}): Promise<void> {
    const flags = { ...this.flags, max_size: '20', grpc_address: 'none', ...more };
    const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const command = [...this.machines.on(null), this.program, ...words, '--disable_http_ac_validation'];
    const log = openSync(this.log, 'a');
    const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', log, log] });
    this.#child = child;
    atEnd(() => child.kill('SIGKILL'));
    const [host, port] = flags.http_address.split(':');
    await until(() => this.#answers(`exec 3<> /dev/tcp/${host}/${port}`));
  }

  /** Ends the server, whose process nsenter waits for and hands the signal to. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child!;
    const closed = new Promise((resolve) => child.once('close', resolve));
    this.machines.exec(null, `pkill -${signal.slice(3)} -x bazel-remote`);
    await closed;
  }

  #answers(lines: string): boolean {
    try {
      this.machines.exec(null, `${lines} 2> /dev/null`);
      return true;
    } catch {
      // bash ends with 1 while nothing listens.
      return false;
    }
  }
}
