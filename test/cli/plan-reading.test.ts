/** A plan reads datasets that have no answer yet, and says why one cannot be read. */
import { expect, test, vi } from 'vitest';
import { runLightStages } from '../../app/run-light-stages.ts';
import { type Session, work } from '../../app/session.ts';
import type { Graph } from '../../compiler/graph.ts';
import { infra, type Outcome } from '../../schemas/outcome.ts';

vi.mock(import('../../app/session.ts'), () => ({ work: vi.fn() }) as never);

const GRAPH = {
  nodes: [
    { address: 'dataset.train', stage: 'dataset', inputs: {} },
    { address: 'environments.train', stage: 'environments', inputs: { dataset: 'dataset.train' } },
  ],
} as unknown as Graph;

async function saidOf(outcome: Outcome): Promise<string[]> {
  const state = { planned: 1, isComplete: () => false, entries: () => [{ name: '', outcome }] };
  const nodes = new Map(GRAPH.nodes.map(({ address }) => [address, { state, blocked: null }]));
  vi.mocked(work).mockResolvedValue({ nodes } as never);
  const said: string[] = [];
  const { signal } = new AbortController();
  await runLightStages({} as Session, GRAPH, signal, (text) => said.push(text));
  return said;
}

test('a fault is told', async () => {
  expect(await saidOf(infra('network', 'no way to github.com'))).toEqual([
    'reading dataset.train',
    'warning: dataset.train could not be read: no way to github.com',
  ]);
});

test('an answer needs no words', async () => {
  expect(await saidOf({ status: 'ok' })).toEqual(['reading dataset.train']);
});
