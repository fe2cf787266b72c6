/** A node server whose containers do nothing, so that what is measured is the servers. It prints its address. */
import { type Result, success } from '../basics/result.ts';
import type { ExecResult, Workspace } from '../executors/deployment.ts';
import type { Backend } from '../servers/node/backend.ts';
import { startNode } from '../servers/node/node.ts';

const RAN: ExecResult = {
  ...{ exitCode: 0, exitSignal: null, stdout: 'there\n', stderr: '', output: 'there\n' },
  ...{ timedOut: false, truncated: false, durationMs: 0 },
};
const done = async (): Promise<Result<null, never>> => success(null);
const workspace: Workspace = {
  id: 'nothing',
  ports: [],
  exec: async () => success(RAN),
  endProcesses: done,
  write: done,
  read: done,
  diff: async () => success(''),
  changes: async () => success({ folder: '/nonexistent', removed: [] }),
  network: () => null,
  close: async () => undefined,
};
const open = async () => success(workspace);
const backend: Backend = {
  held: {},
  name: 'no-op',
  health: done,
  images: async () => success([]),
  pull: done,
  open,
  show: open,
  warnings: () => [],
  close: async () => undefined,
};

const started = await startNode({
  address: { host: '127.0.0.1', port: 0 },
  ...{ token: null, tls: null, version: '1', log: () => undefined },
  ...{ backend, folder: process.argv[2]!, maxContainers: 1000, limits: {}, network: 'off', keptLog: 0 },
});
if (!started.ok) throw new Error(started.fault);
console.log(`node server at ${started.value.url}`);
