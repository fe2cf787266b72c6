/** An agent that takes the programs of its own workspace away has given its answer, which is graded and is no fault. */
import { expect, test } from 'vitest';
import { startModelServer } from '../rig/model-server.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { fenced, SUBMIT, turnOf } from '../rig/solver.ts';

test('an agent that removes /bin and all programs has an answer without a reward', async () => {
  const remove = 'rm -rf /bin /usr/bin/* /opt/env/bin /lib64 /lib 2> /dev/null; rm -rf /usr; echo gone';
  const server = await startModelServer((request) => fenced(turnOf(request) === 0 ? remove : SUBMIT));
  const project = rolloutProject({ url: server.url, instances: 1 });
  const end = await project.build('p.yaml', 'grade', '--set', 'agent.limits.steps=5');
  await server.stop();
  expect(end).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(end.stages.find(({ stage }) => stage === 'grade.train')!.outcomes).toMatchObject({ failed: 1 });
  expect(JSON.stringify(server.requests.at(-1)!.body.messages)).toContain('/bin/bash: No such file');
}, 240_000);
