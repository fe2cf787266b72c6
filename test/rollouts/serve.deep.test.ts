/** A model's server that the project starts itself: up when it is needed, gone with the run, in no key. */
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tinyProject } from '../rig/tiny-project.ts';

const SERVER = `
import { createServer } from 'node:http';
import { appendFileSync } from 'node:fs';
const port = Number(process.argv[2]);
const REPLY = 'Done.\\n\\n\`\`\`mswea_bash_command\\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\\n\`\`\`';
const started = Date.now();
createServer((request, response) => {
  const send = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  request.resume();
  if (request.url === '/health') return send(Date.now() - started > 500 ? 200 : 503, {});
  if (request.url === '/v1/models') return send(200, { data: [{ id: 'm', root: 'org/weights', revision: 'abcdef1' }] });
  const choice = { index: 0, message: { role: 'assistant', content: REPLY }, finish_reason: 'stop' };
  return send(200, { choices: [choice], usage: { prompt_tokens: 5, completion_tokens: 3 } });
}).listen(port, '127.0.0.1', () => appendFileSync('starts.txt', process.pid + '\\n'));
`;

test('serves the rollouts of a run and ends with it', async () => {
  const project = tinyProject({ instances: 2, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  writeFileSync(project.path('server.mjs'), SERVER);
  const command = `"${process.execPath}" server.mjs {port}`;
  appendFileSync(
    project.path('p.yaml'),
    `agent:\n  model: { name: m, identity: "m@1", serve: { command: '${command}', ready: /health, timeout: 60s } }\n`,
  );
  const starts = () => readFileSync(project.path('starts.txt'), 'utf8').trim().split('\n').map(Number);
  const built = await project.build('p.yaml', 'rollouts');
  expect(built).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(built.stages.find(({ stage }) => stage === 'rollouts.train')).toMatchObject({ executed: 2 });
  expect(starts()).toHaveLength(1);
  expect(existsSync(`/proc/${starts()[0]}`)).toBe(false);
  expect(readdirSync(project.path('.swemake/executors/process'))).toEqual([]);
  expect(await project.build('p.yaml', 'rollouts')).toMatchObject({ executed: 0 });
  expect(starts()).toHaveLength(1);

  rmSync(project.path('server.mjs'));
  const broken = await project.run('build', 'p.yaml', 'rollouts', '--set', 'agent.rollouts=2');
  expect(broken.code).toBe(3);
  expect(`${broken.stdout}${broken.stderr}`).toMatch(/ended with status 1 before it was ready/);
});

test('is neither asked nor started by commands that only read', async () => {
  const project = tinyProject({ instances: 1, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  writeFileSync(project.path('server.mjs'), SERVER);
  const command = `"${process.execPath}" server.mjs {port}`;
  // Without an identity, only the server can say which weights it has.
  appendFileSync(
    project.path('p.yaml'),
    `agent:\n  model: { name: m, serve: { command: '${command}', ready: /health, timeout: 60s } }\n`,
  );
  const starts = () =>
    existsSync(project.path('starts.txt'))
      ? readFileSync(project.path('starts.txt'), 'utf8').trim().split('\n').length
      : 0;
  const reading = [
    ['status', 'p.yaml'],
    ['plan', 'p.yaml', '--json'],
    ['graph', 'p.yaml'],
    ['why', 'rollouts.train@tiny.0#0', '--project', 'p.yaml'],
    ['logs', 'rollouts.train@tiny.0#0', '--project', 'p.yaml'],
    ['export', 'rollouts.train', '--format', 'mini', '--to', 'out', '--project', 'p.yaml'],
  ];
  const readAll = async () => {
    for (const args of reading) await project.run(...args);
  };
  expect(await project.build('p.yaml', 'validate')).toMatchObject({ code: 0 });
  await readAll();
  expect(starts()).toBe(0);
  expect(await project.build('p.yaml', 'rollouts')).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(starts()).toBe(1);
  await readAll();
  expect(starts()).toBe(1);
  // By what the build learned of the model, there is nothing to do.
  const { stdout } = await project.run('plan', 'p.yaml', '--json');
  const { stages } = JSON.parse(stdout) as { stages: { stage: string; stale: number; new: number }[] };
  expect(stages.find(({ stage }) => stage === 'rollouts.train')).toMatchObject({ stale: 0, new: 0 });
}, 180_000);
