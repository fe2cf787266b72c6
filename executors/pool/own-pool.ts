/**
 * A pool server that a command starts over the project's nodes. It reads its standard input, so it ends when this
 * process ends in any way. Its folder stays, so that the next pool finds containers that were left on nodes and ends
 * them.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { makeToken } from '../../basics/server-token.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

export interface OwnPool {
  url: string;
  /** What it asks its clients for: other users of the machine reach its port, too. */
  token: string;
  end(): Promise<void>;
}

export interface OwnPoolOptions {
  nodes: readonly { address: string; containers: number }[];
  /** Of the nodes; null: it is found for those of this user on loopback. */
  token: string | null;
  stateFolder: string;
  env: NodeJS.ProcessEnv;
}

/** Runs that have a pool of their own at the same time. */
const MAX_RUNS = 64;

export async function startOwnPool(options: OwnPoolOptions): Promise<Result<OwnPool, Infra>> {
  for (let number = 1; number <= MAX_RUNS; number += 1) {
    const started = await start(options, join(options.stateFolder, `own-${number}`));
    if (typeof started !== 'string') return success(started);
    if (!started.includes('another pool uses'))
      return fault(infra('pool', `no pool could be started: ${started}`));
  }
  return fault(infra('pool', `there are ${MAX_RUNS} pools of other runs in ${options.stateFolder}`));
}

function start({ nodes, token: nodeToken, env }: OwnPoolOptions, folder: string): Promise<OwnPool | string> {
  const { PATH = '', HOME = '', XDG_RUNTIME_DIR = '', NODE_EXTRA_CA_CERTS = '' } = env;
  const token = makeToken();
  const given = nodes.flatMap(({ address, containers }) => ['--node', `${address}=${containers}`]);
  const words = [
    'serve',
    'pool',
    '--listen',
    '127.0.0.1:0',
    '--folder',
    folder,
    '--end-leases',
    '--until-input-ends',
  ];
  const child = spawn(process.execPath, [join(packageRoot(), 'bin/swemake.js'), ...words, ...given], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Never as words of a command line, which every user of the machine sees.
    env: {
      ...{ PATH, HOME, XDG_RUNTIME_DIR },
      // By which this process knows the certificates of nodes, too.
      ...(NODE_EXTRA_CA_CERTS === '' ? {} : { NODE_EXTRA_CA_CERTS }),
      ...{ SWEMAKE_SERVER_TOKEN: token, SWEMAKE_NODE_TOKEN: nodeToken ?? '' },
    },
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  return new Promise((resolve) => {
    let [stdout, stderr] = ['', ''];
    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      stderr = (stderr + part).slice(-2000);
    });
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      stdout += part;
      const url = /server at (\S+)\n/.exec(stdout)?.[1];
      if (url === undefined) return;
      const end = async () => {
        child.stdin.end();
        await ended;
      };
      resolve({ url, token, end });
    });
    child.once('error', ({ message }) => resolve(message));
    child.once('close', () => resolve(stderr.trim() || 'it ended'));
  });
}
