/** Samples share what is read of their instance and of their agent; each has the key that it would have alone. */
import { expect, test, vi } from 'vitest';
import type { AgentSettings } from '../../agent/settings.ts';
import { planItems } from '../../app/plan-items.ts';
import { openSession } from '../../app/session.ts';
import { fillCache, writeProject } from '../../bench/filled-project.ts';
import { actionKey, type Part } from '../../cache/key.ts';
import { loadProject } from '../../compiler/load.ts';
import { readCatalogue, readInstance } from '../../stages/dataset/blocks/catalogue.ts';
import { seedOf, seenInstance, taskDigest } from '../../stages/rollouts/task.ts';
import { temporaryFolder } from '../rig/folder.ts';

vi.mock(import('../../stages/dataset/blocks/catalogue.ts'), async (actual) => {
  const real = await actual();
  return { ...real, readInstance: vi.fn(real.readInstance) };
});

const INSTANCES = 4;
/** Samples of the agent; the noop is beside them. */
const ROLLOUTS = 5;

test('every planned sample has the key of its own row, agent and seed, and rows are read once for each agent', async () => {
  const { file } = writeProject(temporaryFolder(), INSTANCES, { agent: true });
  const filled = await fillCache(file);
  expect(filled.counts).toMatchObject({ infra: 0 });
  const loaded = await loadProject(file, {
    env: process.env,
    cwd: process.cwd(),
    set: [`agent.rollouts=${ROLLOUTS}`],
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.fault));
  const { stdout, stderr, env } = process;
  const io = { stdout, stderr, env, cwd: process.cwd(), isTTY: false };
  const session = await openSession(loaded.value, io, new AbortController().signal);
  try {
    vi.mocked(readInstance).mockClear();
    const { end, planned } = await planItems(session, ['rollouts.train']);
    // The oracle and the noop read each row; all other samples take what these found.
    expect(vi.mocked(readInstance)).toHaveBeenCalledTimes(2 * INSTANCES);
    // The first sample and the noop were answered.
    expect(planned.size).toBe(INSTANCES * (ROLLOUTS - 1));
    expect(end.nodes.get('rollouts.train')!.state.cached).toBe(2 * INSTANCES);

    const dataset = end.nodes.get('dataset.train')!.state.record('')!;
    const catalogue = await readCatalogue(dataset, session.services);
    const keys = new Set<string>();
    for (const [place, preimage] of planned) {
      const [id = '', sample = ''] = place.slice('rollouts.train@'.length).split('#');
      const row = catalogue.rowOf(id)!;
      const instance = await readInstance(dataset, row, session.services);
      const solver = preimage.parts.solver as unknown as { value: { agent: AgentSettings } };
      const settings = solver.value.agent;
      const own: Record<string, Part> = {
        task: { digest: taskDigest(seenInstance(instance, settings), settings) },
        source: { value: row.source },
        solver: { value: structuredClone(solver.value) as never },
        seed: { value: seedOf(0, id, sample) },
      };
      const key = actionKey(preimage);
      expect(key).toBe(actionKey({ ...preimage, parts: { ...preimage.parts, ...own } }));
      keys.add(key);
    }
    expect(keys.size).toBe(planned.size);
  } finally {
    await session.close();
  }
});
