/** What a recipe starts in every workspace is there for an agent, and goes on while it works. */
import { expect, test } from 'vitest';
import { startModelServer } from '../rig/model-server.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { fenced, SUBMIT, turnOf } from '../rig/solver.ts';

test('start commands run in the workspace of an agent', async () => {
  const look = 'cat /tmp/made; kill -0 "$(cat /tmp/pid)" && echo it goes on; git status --short | wc -l';
  const server = await startModelServer((request) => fenced(turnOf(request) === 0 ? look : SUBMIT));
  const project = rolloutProject({
    url: server.url,
    instances: 1,
    recipe:
      '      env: { FROM: the recipe }\n      start_commands: ["echo made by $FROM > /tmp/made", "sleep 600 & echo $! > /tmp/pid"]\n',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  });
  const end = await project.build('p.yaml', 'rollouts');
  await server.stop();
  expect(end).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  const seen = server.requests.at(-1)!.body.messages.at(-1)!.content;
  expect(seen).toMatch(/made by the recipe\s+it goes on\s+0\b/);
}, 240_000);
