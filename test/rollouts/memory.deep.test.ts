/** `resources.memory`: rollouts begin only while their limits of memory fit into it together. */
import { afterAll, expect, test } from 'vitest';
import { startModelServer } from '../rig/model-server.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { solve } from '../rig/solver.ts';
import { until } from '../rig/until.ts';

const INSTANCES = 5;
const server = await startModelServer([]);
afterAll(() => server.stop());

test('so many rollouts run at once as fit', { timeout: 600_000 }, async () => {
  const project = rolloutProject({
    url: server.url,
    instances: INSTANCES,
    deployment: '    limits: { memory: 1GiB }\n',
    mounted: () => undefined,
    rest: 'resources: { memory: 2500MiB }',
  });
  let [waiting, left] = [0, INSTANCES];
  server.play(async (request) => {
    if (request.body.messages.some(({ role }) => role === 'assistant')) return solve(request);
    waiting += 1;
    await until(() => waiting >= Math.min(2, left));
    waiting -= 1;
    left -= 1;
    return solve(request);
  });
  const built = await project.build('p.yaml', 'rollouts');
  expect(built.outcomes).toMatchObject({ infra: 0 });
  expect(server.requests.length).toBeGreaterThanOrEqual(INSTANCES);
  let [running, most] = [0, 0];
  for (const { type, stage } of project.events()) {
    if (!`${stage}`.startsWith('rollouts.')) continue;
    running += type === 'item-started' ? 1 : type === 'item-finished' ? -1 : 0;
    most = Math.max(most, running);
  }
  expect(most).toBe(2);
});
