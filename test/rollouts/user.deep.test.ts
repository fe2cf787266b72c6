/** `agent.user.model`: a second model plays the user, through a build. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { startModelServer } from '../rig/model-server.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { solve } from '../rig/solver.ts';

const agent = await startModelServer([]);
const user = await startModelServer([]);
afterAll(() => Promise.all([agent.stop(), user.stop()]));

test('it answers to submissions, its work is graded, and another prompt is another sample', async () => {
  agent.play(solve);
  user.play(({ body }) => ({
    text: `${body.messages.at(-1)!.content}`.includes('Your answer 1') ? 'DONE' : 'And a test.',
  }));
  const project = rolloutProject({ url: agent.url, instances: 1 });
  const text = readFileSync(project.path('p.yaml'), 'utf8');
  const withUser = (prompt: string) =>
    text.replace(
      '  rollouts: 1\n',
      `  rollouts: 1\n  user: { prompt: "${prompt}", model: { base_url: "${user.url}", name: u, identity: "u@1" } }\n`,
    );
  // A column of the row, as in any template.
  writeFileSync(project.path('p.yaml'), withUser('It is strict about the {{ patch_role }}.'));
  const built = await project.build('p.yaml', 'grade');
  expect(built).toMatchObject({ code: 0, outcomes: { infra: 0, failed: 0 } });
  expect(user.requests).toHaveLength(2);
  expect(user.requests[0]!.body.messages.at(-1)!.content).toContain('It is strict about the bug.');
  expect(await project.build('p.yaml', 'grade')).toMatchObject({ executed: 0 });
  writeFileSync(project.path('p.yaml'), withUser('It is kind.'));
  expect(await project.build('p.yaml', 'grade')).toMatchObject({ outcomes: { infra: 0, failed: 0 } });
  expect(user.requests).toHaveLength(4);
});
