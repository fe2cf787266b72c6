/** Servers for tests: an image with a repository in it, node servers that know it, and requests to them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openNode } from '../../app/servers/node.ts';
import { findToken } from '../../basics/server-token.ts';
import type { Listening } from '../../servers/http/listen.ts';
import { type PoolServerOptions, startPool } from '../../servers/pool/server.ts';
import { writeLayout } from '../rig/oci-layout.ts';
import { GIT_TOOLS, makeTinyRoot } from '../rig/tiny-root.ts';

export const IMAGE = 'docker.io/xingyaoww/sweb.eval.x86_64.tiny_s_tiny-1:latest';
export const EVAL_SCRIPT = '#!/bin/bash\nset -e\ncd /testbed\ngrep -q fixed code.txt\n';
export const FIX = [
  'diff --git a/code.txt b/code.txt',
  '--- a/code.txt',
  '+++ b/code.txt',
  '@@ -1 +1 @@',
  '-broken',
  '+fixed',
  '',
].join('\n');

/** Path of the layout. */
export function makeImage(folder: string): string {
  const root = join(folder, 'root');
  makeTinyRoot(root, GIT_TOOLS);
  const testbed = join(root, 'testbed');
  mkdirSync(testbed);
  writeFileSync(join(testbed, 'code.txt'), 'broken\n');
  writeFileSync(join(testbed, 'doomed.txt'), 'doomed\n');
  // A shell that is logged in reads it, as those of prebuilt images do.
  writeFileSync(join(root, 'root/.bash_profile'), 'export LOGGED_IN=yes\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: testbed,
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'base');
  chmodSync(testbed, 0o755);
  const layer = execFileSync(
    'tar',
    ['-C', root, '--owner=0', '--group=0', '--numeric-owner', '-cf', '-', '.'],
    {
      maxBuffer: 1 << 30,
    },
  );
  const layout = join(folder, 'layout');
  writeLayout(layout, [layer], { env: ['PATH=/usr/bin:/bin', 'FROM_IMAGE=yes'] });
  return layout;
}

/** A pool over the nodes at `urls`, with an open address on loopback. */
export async function startTestPool(
  folder: string,
  urls: readonly string[],
  more: Partial<PoolServerOptions> = {},
): Promise<Listening> {
  const opened = await startPool({
    ...{ address: { host: '127.0.0.1', port: 0 }, token: null, tls: null, version: '1' },
    ...{ log: () => undefined, folder, nodeToken: null },
    nodes: urls.map((address) => ({ address, name: null, max: null })),
    ...{ maxPerNode: 4, maxLeases: 1000, ttl: 60_000, longestWait: 10_000, createTimeout: 60 },
    ...{ lookEvery: 100, endsLeases: true, ...more },
  });
  if (!opened.ok) throw new Error(opened.fault);
  return opened.value;
}

export interface NodeOptions {
  token?: string;
  maxContainers?: number;
  port?: number;
  /** Default `missing`. */
  pull?: 'missing' | 'never';
  /** Default the sandbox. */
  backend?: string;
}

export async function startTestNode(
  folder: string,
  layout: string,
  options: NodeOptions = {},
): Promise<Listening> {
  const log = { write: (text: string) => process.stderr.write(text) };
  const io = { stdout: log, stderr: log, env: process.env, cwd: folder, isTTY: false };
  const opened = await openNode(
    {
      address: { host: '127.0.0.1', port: options.port ?? 0 },
      ...{ token: options.token ?? null, entry: options.token === undefined ? 'none' : 'given', tls: null },
      folder,
      backend: options.backend ?? 'sandbox',
      maxContainers: options.maxContainers ?? 16,
      limits: {},
      ...{ network: 'off' as const, pull: options.pull ?? 'missing' },
      keptLog: 1_000_000,
      images: new Map([[IMAGE, layout]]),
    },
    io,
  );
  if (!opened.ok) throw new Error(opened.fault);
  return opened.value;
}

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server says.
  body: any;
}

/** A server that made a token has it in a file. */
export async function ask(
  url: string,
  route: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const init =
    body === undefined
      ? {}
      : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) };
  const token = findToken(url, process.env);
  const usual = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${url}${route}`, { ...init, headers: { ...usual, ...headers } });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}
