/** Connections to models are the run's: where it ends, they end. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openSession } from '../../app/session.ts';
import { loadProject } from '../../compiler/load.ts';
import { identityOf } from '../../stages/rollouts/model.ts';
import { Project } from '../rig/project.ts';

test('closing the session cuts the connections to models, and is no matter without any', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: [{ id: 'm', root: 'weights', digest: 'abcdef1' }] }));
  });
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connections = promisify(server.getConnections.bind(server));
  const project = new Project();
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    project.path('p.yaml'),
    `version: 1
name: asks
dataset: { train: { source: rows.jsonl, format: custom } }
deployments: { box: { type: local } }
validation: { deployment: box }
agent: { model: { base_url: "http://127.0.0.1:${port}/v1", name: m } }
trainer: { sft: { type: none } }
`,
  );
  const loaded = await loadProject(project.path('p.yaml'), { env: process.env, cwd: project.folder });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  const { stdout, stderr, env } = process;
  const io = { stdout, stderr, env, cwd: project.folder, isTTY: false };
  try {
    const session = await openSession(loaded.value, io, new AbortController().signal);
    expect(await identityOf(loaded.value.config.agent!.model!, session.services)).toMatchObject({ ok: true });
    expect(await connections()).toBe(1);
    await session.close();
    await expect.poll(connections).toBe(0);
    const other = await openSession(loaded.value, io, new AbortController().signal);
    await other.close();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
