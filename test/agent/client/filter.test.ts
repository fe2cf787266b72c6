/** A content filter is asked once more, with the next seed; then it is an end of its own, and no empty reply. */
import { expect, test } from 'vitest';
import { createJudge } from '../../../agent/judge/judge.ts';
import type { Answer } from '../../rig/model-server.ts';
import { faultOf, replyOf, request, setup } from './rig.ts';

const FINE: Answer = { text: 'fine' };

const FILTERED: [string, Answer][] = [
  ['a reply', { text: '', finish: 'content_filter' }],
  ['a part of a reply', { text: 'half of a', finish: 'content_filter' }],
  ['a reply of Gemini', { text: '', finish: 'SAFETY' }],
  [
    'a prompt at OpenAI',
    { status: 400, body: { error: { message: 'no', code: 'content_policy_violation' } } },
  ],
  [
    'a prompt at Azure',
    { status: 400, body: { error: { code: '', innererror: { code: 'ResponsibleAIPolicyViolation' } } } },
  ],
];

test.each(FILTERED)('%s is sampled once more, with the next seed', async (_name, answer) => {
  const played = await setup([answer, FINE]);
  expect((await replyOf(played)).content).toBe('fine');
  expect(played.server.requests.map(({ body }) => body.seed)).toEqual([7, 8]);
  expect(played.clock.pauses).toEqual([]);
});

test.each(FILTERED)('%s that is filtered twice is an end of its own', async (_name, answer) => {
  const played = await setup([answer, answer, FINE]);
  expect(await faultOf(played)).toMatchObject({ status: 'content-filtered' });
  expect(played.server.requests).toHaveLength(2);
  // The next request begins anew.
  expect((await replyOf(played)).content).toBe('fine');
});

test('the log says it', async () => {
  const { client, server } = await setup([{ text: '', finish: 'content_filter' }, FINE]);
  const lines: string[] = [];
  await client.policy({ log: (line) => lines.push(line) }).reply(request());
  expect(lines).toEqual([`${server.url}: content filter: finish_reason content_filter; sampled once more\n`]);
});

test('a vote of a judge that is filtered is no vote', async () => {
  const { client } = await setup([{ text: '', finish: 'content_filter' }]);
  const settings = { votes: 2, history_steps: 0, skip_submit: false };
  const judge = createJudge(settings, { policy: client.policy(), seed: 1, session: 's' });
  const step = {
    ...{ index: 0, problem_statement: '', reply: '', command: 'ls', exitCode: 0, output: '' },
    ...{ submits: false, earlier: [] },
  };
  expect(await judge.score(step, new AbortController().signal)).toMatchObject({ votes: [null, null] });
});
