/** A served model that ends in the midst of rollouts: started again, a few times in a run, and no step is lost. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

/** Answers so many requests, and ends with status 7 in the next one. */
const SERVER = `
import { createServer } from 'node:http';
import { appendFileSync } from 'node:fs';
let left = Number(process.argv[3]);
const reply = (command) => 'Next.\\n\\n\`\`\`mswea_bash_command\\n' + command + '\\n\`\`\`';
createServer((request, response) => {
  const send = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  let body = '';
  request.on('data', (piece) => { body += piece; });
  request.on('end', () => {
    if (request.method === 'GET') return send(200, { data: [{ id: 'm' }] });
    if (left-- === 0) { console.log('out of memory'); process.exit(7); }
    if (request.url === '/tokenize') return send(200, { count: 50 });
    const turns = JSON.parse(body).messages.filter(({ role }) => role === 'assistant').length;
    const content = reply(turns === 0 ? 'echo hello' : 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT');
    const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
    send(200, { choices: [choice], usage: { prompt_tokens: 5, completion_tokens: 3 } });
  });
}).listen(Number(process.argv[2]), '127.0.0.1', () => appendFileSync('starts.txt', process.pid + '\\n'));
`;

/** Three instances, whose model's server answers so many requests in its life. */
function projectWith(answers: number, agent = ''): Project {
  const project = tinyProject({ instances: 3, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  writeFileSync(project.path('server.mjs'), SERVER);
  const command = `"${process.execPath}" server.mjs {port} ${answers}`;
  const text = readFileSync(project.path('p.yaml'), 'utf8');
  writeFileSync(
    project.path('p.yaml'),
    `${text}agent:\n  model: { name: m, identity: "m@1", serve: { command: '${command}' } }\n${agent}`,
  );
  return project;
}

const startsOf = (project: Project) =>
  readFileSync(project.path('starts.txt'), 'utf8').trim().split('\n').length;

test('what was asked of it is asked of the next', { timeout: 240_000 }, async () => {
  const project = projectWith(4);
  const built = await project.build('p.yaml', 'rollouts');
  expect(built).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(built.stages.find(({ stage }) => stage === 'rollouts.train')).toMatchObject({ executed: 3 });
  expect(startsOf(project)).toBe(2);
  const { stdout } = await project.run('logs', 'rollouts.train');
  expect(stdout.match(/step 1: \$ echo hello\n/g)).toHaveLength(3);
  expect(stdout.match(/ended: submitted, 2 steps/g)).toHaveLength(3);
  expect(stdout).toMatch(/the server at \S+ ended with status 7 during the run\n/);
  const logs = readdirSync(project.path('.swemake/servers')).sort();
  expect(logs).toHaveLength(2);
  expect(readFileSync(project.path(`.swemake/servers/${logs[1]}`), 'utf8')).toContain('out of memory');
  expect(project.events().filter(({ type }) => type === 'item-retried')).toEqual([]);
});

test('counts of a prompt too', { timeout: 240_000 }, async () => {
  const project = projectWith(8, '  context: { strategy: head-tail, max_tokens: 9000 }\n');
  const built = await project.build('p.yaml', 'rollouts');
  expect(built).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(startsOf(project)).toBeGreaterThan(1);
});

test('one that always ends is given up', { timeout: 240_000 }, async () => {
  const project = projectWith(0);
  const end = await project.run('build', 'p.yaml', 'rollouts');
  expect(end.code).toBe(3);
  expect(startsOf(project)).toBe(4);
  const shown = `${end.stdout}${end.stderr}`;
  expect(shown).toMatch(/ended with status 7 during the run/);
  expect(shown).toContain('(started again 3 times)');
});
