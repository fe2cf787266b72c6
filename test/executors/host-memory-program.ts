/**
 * Workspaces in a process of its own, which the test puts into a control group with little memory: what the kernel ends
 * there lies above the workspace's own limit. Usage: node PROGRAM KIND; prints what became of each command.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment, Workspace } from '../../executors/deployment.ts';
import { createLocal } from '../../executors/local/local.ts';
import { makeSandbox } from './sandbox-fixture.ts';

const MIB = 1 << 20;
const BOMB = `/usr/bin/python3 -c 'x = [bytearray(1 << 24) for _ in range(60)]'`;

async function deploymentOf(kind: string): Promise<{ deployment: Deployment; cleanup(): Promise<void> }> {
  if (kind === 'root') return makeSandbox({ name: kind });
  if (kind === 'user') return makeSandbox({ name: kind, user: { uid: 54321, gid: 54321 } });
  const folder = mkdtempSync(join(tmpdir(), 'swemake-local-'));
  const deployment = await createLocal({ name: 'box', stateFolder: folder, runId: 'test' });
  return { deployment, cleanup: async () => rmSync(folder, { recursive: true, force: true }) };
}

async function inWorkspace<T>(deployment: Deployment, memory: number, body: (one: Workspace) => Promise<T>) {
  const options = { limits: { memory }, network: 'off', storage: 'memory' } as const;
  const opened = await deployment.open({ layers: [], mounts: [], links: {}, variables: {} }, null, options);
  if (!opened.ok) throw new Error(opened.fault.detail);
  try {
    return await body(opened.value);
  } finally {
    await opened.value.close();
  }
}

async function said(workspace: Workspace, command: string): Promise<string> {
  const ran = await workspace.exec(command, { cwd: '/', timeout: 60 });
  if (!ran.ok) return `${ran.fault.status} ${ran.fault.reason}`;
  const { exitCode, exitSignal, output } = ran.value;
  return `${exitSignal ?? exitCode} ${output.trim()}`;
}

const { deployment, cleanup } = await deploymentOf(process.argv[2]!);
const big = 4096 * MIB;
const results = {
  command: await inWorkspace(deployment, big, (one) => said(one, `exec ${BOMB}`)),
  child: await inWorkspace(deployment, big, (one) => said(one, `${BOMB}; exit $?`)),
  hidden: await inWorkspace(deployment, big, (one) => said(one, `${BOMB} 2> /dev/null; exit 0`)),
  background: await inWorkspace(deployment, big, async (one) => {
    await said(one, `(sleep 0.3; ${BOMB}; touch /tmp/over) > /dev/null 2>&1 &`);
    for (let turn = 0; turn < 100; turn++) {
      const answer = await said(one, 'sleep 0.1; [ -e /tmp/over ] && echo over');
      if (answer !== '1 ') return answer;
    }
    return 'nothing';
  }),
  ended: await inWorkspace(deployment, big, async (one) => {
    const running = said(one, 'touch /tmp/begun; exec sleep 60');
    while ((await said(one, '[ -e /tmp/begun ]')) !== '0 ');
    await inWorkspace(deployment, big, (other) => said(other, `exec ${BOMB}`));
    await one.endProcesses();
    return running;
  }),
  own: await inWorkspace(deployment, 64 * MIB, (one) => said(one, `exec ${BOMB}`)),
  itself: await inWorkspace(deployment, big, (one) => said(one, 'kill -9 $$')),
};
console.log(JSON.stringify(results));
await deployment.close();
await cleanup();
