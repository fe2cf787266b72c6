/** What an agent takes is told before it is installed, also where no registry says it. */
import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tinyProject } from '../rig/tiny-project.ts';

const MODEL = 'model: { base_url: "http://127.0.0.1:9/v1", name: m, identity: "m@1", context: 60000 }';

test.each([
  ['mini-swe-agent', /agents\.train@mini-swe-agent-2\.4\.6: about 676(\.\d)? MiB to install/],
  ['openhands', /agents\.train@openhands-1\.16\.0: about 519(\.\d)? MiB to install/],
])('%s', async (type, line) => {
  const project = tinyProject({ instances: 1 });
  appendFileSync(project.path('p.yaml'), `agent: { type: ${type}, ${MODEL} }\n`);
  const plan = await project.run('plan', 'p.yaml', 'rollouts');
  expect(plan.stdout).toMatch(line);
  const doctor = await project.run('doctor', 'p.yaml');
  expect(doctor.stdout).toMatch(/of Python’s index: .*, about \d+ MB/);
});
