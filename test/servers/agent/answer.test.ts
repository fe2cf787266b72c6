/** The answer of `/run` for an agent whose calls are a tree. */
import { expect, test } from 'vitest';
import { trainingSamples } from '../../../agent/tokens/samples.ts';
import { NOTHING, sizeOf } from '../../../grading/grade.ts';
import { unrewarded } from '../../../grading/grade-verdict.ts';
import { PRESETS } from '../../../grading/rules/presets.ts';
import { episodeAnswer, type Sequence } from '../../../servers/agent/answer.ts';
import type { EpisodeRequest, Graded } from '../../../servers/agent/episode.ts';
import { readTask } from '../../../servers/agent/request.ts';
import { EpisodeStore } from '../../../servers/agent/store.ts';
import { exampleTree } from '../../agent/tree/example.ts';

const trajectory = exampleTree();
const request: Omit<EpisodeRequest, 'actor'> = { ...readTask({ instance_id: 'a__b-1' })!, id: 'e' };

function graded(samples: Graded['samples']): Graded {
  return {
    kind: 'graded',
    trajectory,
    timings: { total: 1, waited: 0, calls: [], steps: [], diff: 0 },
    verdict: unrewarded(
      { status: 'failed', reason: 'content-filtered', detail: '' },
      PRESETS[0]!,
      sizeOf(NOTHING, ''),
      [],
    ),
    graded: 1,
    samples,
    // The weights changed with every call.
    versions: trajectory.calls.map((_, call) => ({ first: call, last: call })),
    basis: '',
  };
}

test('names who asked, the calls that a sequence trains, and the weights that wrote those', () => {
  const answer = episodeAnswer(request, graded(trainingSamples(trajectory, 'turns', null, 'agents')));
  const sequences = answer.sequences as Sequence[];
  const helper = sequences.find(({ agent }) => agent === 'agent-1')!;
  expect(helper).toMatchObject({ trained_calls: [2, 3], calls: [2, 3], policy_versions: [2, 3] });
  for (const { agent, trained_calls: calls, policy_versions } of sequences) {
    expect(['main', 'agent-1']).toContain(agent);
    expect(policy_versions).toEqual([Math.min(...calls!), Math.max(...calls!)]);
  }
  const messages = answer.messages as { content: string }[];
  expect(messages.map(({ content }) => content)).toContain('I mend it.');
  expect(messages.map(({ content }) => content)).not.toContain('You search.');
});

test('a request for other replies is another rollout', () => {
  const store = new EpisodeStore('folder', 'project');
  const of = (train: EpisodeRequest['train']) =>
    store.askedFor({ ...request, train, actor: { kind: 'baseline', type: 'oracle' } });
  expect(of('main')).not.toBe(of('agents'));
});

test.each([
  [undefined, 'main'],
  [null, 'main'],
  ['agents', 'agents'],
  ['all', 'all'],
])('train: %s asks for %s', (given, train) => {
  expect(readTask({ instance_id: 'a', train: given })!.train).toBe(train);
});
