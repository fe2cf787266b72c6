/**
 * Clients of the original, which know addresses alone: a whole episode, and the requests of its pool, with exactly the
 * headers of the libraries that they use. `original.long.test.ts` has the programs themselves.
 */
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Listening } from '../../servers/http/listen.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { EVAL_SCRIPT, IMAGE, makeImage, startTestNode, startTestPool } from './rig.ts';

const TOKEN = 'f'.repeat(64);
const LIBRARIES = {
  httpx: {
    ...{ accept: '*/*', 'accept-encoding': 'gzip, deflate', connection: 'keep-alive' },
    'user-agent': 'python-httpx/0.28.1',
  },
  requests: {
    ...{ 'user-agent': 'python-requests/2.32.3', 'accept-encoding': 'gzip, deflate', accept: '*/*' },
    connection: 'keep-alive',
  },
};

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server says.
type Answer = any;

/** As both send a dictionary as JSON: a login in the address becomes basic authorisation. */
function send(library: keyof typeof LIBRARIES, address: string, body?: object): Promise<Answer> {
  const { hostname, port, host, pathname, username, password } = new URL(address);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const login = Buffer.from(`${username}:${password}`).toString('base64');
  const headers = {
    ...{ host, ...LIBRARIES[library] },
    ...(text === undefined
      ? {}
      : { 'content-length': Buffer.byteLength(text), 'content-type': 'application/json' }),
    ...(password === '' ? {} : { authorization: `Basic ${login}` }),
  };
  const method = text === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: pathname, method, headers, setHost: false }, (response) => {
      let said = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        said += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, ...(JSON.parse(said) as object) }));
    })
      .on('error', reject)
      .end(text);
  });
}

describe.each([TOKEN, null])('with the token %s', (token) => {
  const folder = temporaryFolder();
  let node: Listening;
  let pool: Listening;
  const addressOf = ({ url }: Listening) => (token === null ? url : url.replace('//', `//x:${token}@`));

  beforeAll(async () => {
    node = await startTestNode(join(folder, 'node'), makeImage(folder), token === null ? {} : { token });
    pool = await startTestPool(join(folder, 'pool'), [node.url], { token, nodeToken: token });
  });
  afterAll(async () => {
    await pool?.close();
    await node?.close();
  });

  test('its client has an episode', async () => {
    const post = (path: string, body: object) => send('httpx', `${addressOf(pool)}${path}`, body);
    const { lease_id } = await post('/allocate', { image: IMAGE, instance_id: 'tiny__tiny-1' });
    expect(await post('/heartbeat', { lease_id })).toMatchObject({ status: 200, ok: true });
    const mend = {
      lease_id,
      command: 'sed -i s/broken/fixed/ code.txt',
      cwd: '/testbed',
      timeout: 180,
      env: {},
    };
    expect(await post('/exec', mend)).toMatchObject({ ok: true, returncode: 0 });
    const { patch } = await post('/diff', { lease_id, cwd: '/testbed' });
    expect(patch).toContain('+fixed');
    const evaluation = { lease_id, patch, eval_script: EVAL_SCRIPT, cwd: '/testbed', timeout: 3600 };
    expect(await post('/evaluate', evaluation)).toMatchObject({ ok: true, resolved: true });
    expect(await post('/close', { lease_id })).toMatchObject({ ok: true });
  });

  test('its pool opens and ends a container of a node', async () => {
    const ask = (path: string, body?: object) => send('requests', `${addressOf(node)}${path}`, body);
    expect(await ask('/healthz')).toMatchObject({ status: 200, ok: true });
    const { container_id } = await ask('/container/create', { image: IMAGE, cwd: '/testbed', timeout: 120 });
    const command = { container_id, command: 'cat code.txt', cwd: '/testbed', timeout: 180, env: {} };
    expect(await ask('/container/exec', command)).toMatchObject({ ok: true, output: 'broken\n' });
    expect(await ask('/container/destroy', { container_id })).toMatchObject({ ok: true });
  });

  test.skipIf(token === null)('whoever has the address without the token is told so', async () => {
    expect(await send('httpx', `${pool.url}/allocate`, { image: IMAGE })).toMatchObject({
      status: 401,
      ...{ ok: false, error_code: 'unauthorized', retryable: false },
    });
    expect(await send('requests', `${node.url}/healthz`)).toMatchObject({ status: 200, ok: true });
  });
});
