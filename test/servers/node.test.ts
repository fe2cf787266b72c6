/** The node server on unpacked images: its routes keep the original's keys and meanings, and nothing else can be reached. */
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loopbackNames } from '../../basics/entry.ts';
import { type Listening, listen, parseAddress } from '../../servers/http/listen.ts';
import { evaluate } from '../../servers/node/evaluate.ts';
import { makeSandbox, withWorkspace } from '../executors/sandbox-fixture.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { ask, EVAL_SCRIPT, FIX, IMAGE, makeImage, startTestNode } from './rig.ts';

let node: Listening;
const folder = temporaryFolder();
const post = (route: string, body: unknown) => ask(node.url, route, body);

beforeAll(async () => {
  const layout = makeImage(folder);
  node = await startTestNode(join(folder, 'node'), layout, { maxContainers: 6 });
});
afterAll(() => node?.close());

async function withContainer(use: (id: string) => Promise<void>): Promise<void> {
  const made = await post('/container/create', { image: IMAGE });
  expect(made).toMatchObject({
    status: 200,
    body: { ok: true, name: expect.stringMatching(/^swe-[0-9a-f]{12}$/) },
  });
  expect(made.body.container_id).toMatch(/^[0-9a-f]{64}$/);
  try {
    await use(made.body.container_id);
  } finally {
    expect((await post('/container/destroy', { container_id: made.body.container_id })).body).toEqual({
      ok: true,
    });
  }
}

test('says how it is, and which images it has', async () => {
  expect((await ask(node.url, '/healthz')).body).toMatchObject({ ok: true, running_containers: '0' });
  expect((await ask(node.url, '/images')).body).toEqual({
    ok: true,
    images: ['xingyaoww/sweb.eval.x86_64.tiny_s_tiny-1:latest'],
    count: 1,
  });
  await withContainer(async (id) => {
    const { body } = await ask(node.url, '/status');
    expect(body).toMatchObject({ ok: true, active_containers: 1, max_containers: 6 });
    expect(body.containers[id]).toMatchObject({ image: IMAGE, created_at: expect.any(Number) });
  });
  expect((await ask(node.url, '/metrics')).body).toContain('swemake_node_containers_created_total 1\n');
});

test('that gets nothing from registries says that it has no such image', async () => {
  const place = join(folder, 'alone');
  const alone = await startTestNode(place, join(folder, 'layout'), { pull: 'never' });
  try {
    const other = { image: 'registry.invalid/lab/it:1' };
    for (const route of ['/container/create', '/images/pull'])
      expect(await ask(alone.url, route, other)).toMatchObject({
        status: 404,
        body: { error_code: 'image_unavailable', error: expect.stringContaining('pull: never') },
      });
    expect((await ask(alone.url, '/images/pull', { image: IMAGE, as: 'lab/same:1' })).body.ok).toBe(true);
    const { body } = await ask(alone.url, '/container/create', { image: 'lab/same:1' });
    expect(body.ok).toBe(true);
    await ask(alone.url, '/container/destroy', { container_id: body.container_id });
  } finally {
    await alone.close();
  }
});

test('runs commands in a login shell, in the repository of the image', async () => {
  await withContainer(async (container_id) => {
    const exec = async (command: string, more = {}) =>
      (await post('/container/exec', { container_id, command, ...more })).body;
    expect(
      await exec('pwd; echo $LOGGED_IN $FROM_IMAGE $MINE; cat code.txt', { env: { MINE: 'm' } }),
    ).toMatchObject({
      ok: true,
      returncode: 0,
      output: '/testbed\nyes yes m\nbroken\n',
    });
    expect(await exec('echo out; echo err >&2; echo out; exit 3')).toMatchObject({
      returncode: 3,
      output: 'out\nout\nerr\n',
    });
    expect(await exec("echo 'it'; kill -9 $$")).toMatchObject({ returncode: 137 });
    expect(await exec('echo early; sleep 60', { timeout: 3 })).toMatchObject({
      ok: true,
      returncode: -1,
      output: 'early\nCommand timed out after 3s',
    });
    expect((await exec("printf 'a\\377b'")).output).toBe('a\ufffdb');
    const long = await exec(`echo ${'x'.repeat(300_000)} | wc -c; echo "$0 $#"`);
    expect(long).toMatchObject({ returncode: 0, output: '300001\nbash 0\n' });
    expect(await exec('pwd', { cwd: '/root', timeout: '5', env: null })).toMatchObject({ output: '/root\n' });
  });
});

test('runs what carries an idempotency key once', async () => {
  await withContainer(async (container_id) => {
    const body = {
      container_id,
      command: 'sleep 0.2; echo x >> /tmp/times; wc -l < /tmp/times',
      idempotency_key: 'k1',
    };
    const both = await Promise.all([post('/container/exec', body), post('/container/exec', body)]);
    const again = await post('/container/exec', body);
    expect([...both, again].map((reply) => reply.body.output.trim())).toEqual(['1', '1', '1']);
  });
});

test('takes a diff of any repository as git means it, and none whose bytes would be others', async () => {
  await withContainer(async (container_id) => {
    const cwd = '/tmp/other';
    const run = (command: string) => post('/container/exec', { container_id, command, cwd: '/tmp' });
    const commit = 'git -c user.name=t -c user.email=t@example.invalid commit -qm base';
    await run(`git init -q other && cd other && echo one > a.txt && git add -A && ${commit}`);
    await run('cd other && git config diff.noprefix true && git config color.ui always && echo two > a.txt');
    const diff = () => post('/container/diff', { container_id, cwd });
    const { body } = await diff();
    expect(body).toMatchObject({ ok: true, returncode: 0, error: '' });
    expect(body.patch).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n[\s\S]*\n-one\n\+two\n$/);
    await run("printf 'caf\\351\\n' > other/a.txt");
    expect(await diff()).toMatchObject({ status: 409, body: { ok: false, error_code: 'refused' } });
    const nowhere = await post('/container/diff', { container_id, cwd: '/tmp' });
    expect(nowhere.body).toMatchObject({ ok: true, patch: '', returncode: 128 });
  });
});

test('takes a diff, and evaluates it where nobody worked', async () => {
  await withContainer(async (container_id) => {
    const evaluate = async (patch: string, eval_script = EVAL_SCRIPT, more = {}) =>
      (await post('/container/evaluate', { container_id, patch, eval_script, ...more })).body;
    expect(await evaluate(FIX)).toMatchObject({
      ok: true,
      resolved: true,
      returncode: 0,
      reward: 1,
      fresh_container: false,
    });
    await post('/container/exec', {
      container_id,
      command:
        'echo fixed > code.txt; rm doomed.txt; echo n > new.txt; printf "#!/bin/bash\\nexit 0\\n" > /usr/bin/grep',
    });
    const diff = await post('/container/diff', { container_id, cwd: '/testbed' });
    expect(diff.body).toMatchObject({ ok: true, returncode: 0, error: '' });
    expect(diff.body.patch).toContain('+fixed');
    expect(await evaluate(diff.body.patch)).toMatchObject({
      resolved: true,
      outcome: 'resolved',
      fresh_container: true,
    });
    // What the agent did to the programs counts for nothing.
    const wrong = FIX.replace('+fixed', '+worse');
    expect(await evaluate(wrong)).toMatchObject({
      ok: true,
      resolved: false,
      outcome: 'unresolved',
      returncode: 1,
      reward: 0,
    });
    expect(await evaluate('no patch')).toMatchObject({
      ok: true,
      resolved: false,
      outcome: 'patch_error',
      error: expect.stringMatching(/^patch validation failed/),
    });
    expect(await evaluate(FIX.replace('-broken', '-else'))).toMatchObject({
      resolved: false,
      outcome: 'patch_error',
      error: expect.stringMatching(/^git apply failed/),
    });
    const deletion = [
      'diff --git a/doomed.txt b/doomed.txt',
      'deleted file mode 100644',
      '--- a/doomed.txt',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-doomed',
      '',
    ].join('\n');
    expect(await evaluate(deletion, '[ ! -e /testbed/doomed.txt ]')).toMatchObject({ resolved: true });
    const heavy = `${FIX}\n`;
    expect(await evaluate(heavy, `: ${'y'.repeat(200_000)}\necho EOF\nexit 4`)).toMatchObject({
      returncode: 4,
      output: 'EOF\n',
    });
    expect(await evaluate(FIX, 'echo on; sleep 60', { timeout: 1 })).toMatchObject({
      resolved: false,
      outcome: 'timeout',
      returncode: -1,
      error: 'Evaluation timed out after 1s',
    });
  });
  expect((await ask(node.url, '/status')).body.active_containers).toBe(0);
});

test('what keeps a patch from being tried is no verdict on it', async () => {
  const patch = FIX;
  await withContainer(async (container_id) => {
    for (const cwd of ['/root', '/nowhere'])
      expect(
        await post('/container/evaluate', { container_id, patch, eval_script: EVAL_SCRIPT, cwd }),
      ).toMatchObject({
        status: 503,
        body: { ok: false, reward: null, outcome: 'infra' },
      });
  });
  const made = await makeSandbox({ name: 'as root' });
  const request = { patch, script: 'exit 0', cwd: '/testbed', timeout: 60, kept: 0, maxOutput: 1 << 20 };
  // Programs of the machine that are killed, or have no room to start.
  for (const program of ['kill -9 $$', 'kill -TERM $$'])
    await withWorkspace(made.deployment, async (workspace) => {
      await workspace.write('/usr/local/bin/git', `#!/bin/bash\n${program}\n`, 0o755);
      expect(await evaluate(workspace, request)).toMatchObject({ ok: false, fault: { status: 'infra' } });
    });
  await made.cleanup();
});

test('creates once under one name, and no more than it may hold', async () => {
  const name = 'swe-0123456789ab';
  const made = await Promise.all(
    [1, 2].map(() => post('/container/create', { image: IMAGE, name, owner: 'me' })),
  );
  expect(made[0]!.body.container_id).toBe(made[1]!.body.container_id);
  const others = await Promise.all([1, 2, 3, 4, 5, 6].map(() => post('/container/create', { image: IMAGE })));
  const statuses = others.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 200, 200, 200, 200, 503]);
  expect(others.find(({ status }) => status === 503)!.body).toMatchObject({
    ok: false,
    error_code: 'capacity_limited',
    retryable: true,
    reward: null,
  });
  const ids = others.flatMap(({ body }) => (body.ok ? [body.container_id] : []));
  await Promise.all([name, ...ids].map((container_id) => post('/container/destroy', { container_id })));
});

test('knows no container but its own, and no image that is none', async () => {
  for (const route of ['exec', 'diff', 'evaluate', 'read'])
    expect(
      await post(`/container/${route}`, { container_id: 'f'.repeat(64), command: 'id', path: '/etc/passwd' }),
    ).toMatchObject({
      status: 404,
      body: { ok: false, error_code: 'unknown_container', reward: null },
    });
  for (const image of ['--privileged', '-v/:/host', '', 'a b', '../../etc', 5, null])
    expect([404, 400]).toContain((await post('/container/create', { image })).status);
  expect((await post('/container/create', {})).body.error).toBe('image is required');
  expect((await post('/container/exec', { container_id: 'x' })).body.error).toBe(
    'container_id and command are required',
  );
  expect((await post('/container/exec', 'not json')).status).toBe(400);
});

describe('who may ask', () => {
  const raw = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const { port } = new URL(node.url);
      request({ host: '127.0.0.1', port, path: '/healthz', headers, setHost: false }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      })
        .on('error', reject)
        .end();
    });

  test('on loopback whoever names it exactly', async () => {
    const { port } = new URL(node.url);
    for (const host of loopbackNames('127.0.0.1', Number(port))) expect(await raw({ host })).toBe(200);
    for (const host of [`evil.example:${port}`, 'localhost', '127.0.0.1:1'])
      expect(await raw({ host })).toBe(421);
  });

  test('elsewhere whoever has the token', async () => {
    const options = { title: 't', version: '1', log: () => undefined, tls: null };
    for (const token of [null, 'short'])
      expect(await listen([], { ...options, address: { host: '0.0.0.0', port: 0 }, token })).toMatchObject({
        ok: false,
      });
    const token = 'a-token-that-is-long';
    const opened = await listen([], { ...options, address: { host: '0.0.0.0', port: 0 }, token });
    if (!opened.ok) throw new Error(opened.fault);
    const { port } = new URL(opened.value.url);
    const url = `http://127.0.0.1:${port}`;
    try {
      expect((await ask(url, '/openapi.json')).status).toBe(401);
      expect((await ask(url, '/nowhere')).status).toBe(401);
      for (const wrong of [`Bearer ${token}x`, 'Bearer', `Basic ${token}`])
        expect((await ask(url, '/openapi.json', undefined, { authorization: wrong })).status).toBe(401);
      const basic = Buffer.from(`any:${token}`).toString('base64');
      for (const right of [`Bearer ${token}`, `Basic ${basic}`])
        expect((await ask(url, '/openapi.json', undefined, { authorization: right })).status).toBe(200);
    } finally {
      await opened.value.close();
    }
  });

  test('files for TLS that hold none, and a socket whose path the kernel would cut, are named', async () => {
    const options = { title: 't', version: '1', log: () => undefined, token: null };
    const [none, junk] = [join(folder, 'none.pem'), join(folder, 'junk.pem')];
    writeFileSync(junk, 'junk\n');
    for (const file of [none, junk]) {
      const tls = { certificate: file, key: file };
      const opened = await listen([], { ...options, tls, address: { host: '127.0.0.1', port: 0 } });
      expect(opened).toMatchObject({
        ok: false,
        fault: expect.stringContaining(`--tls-certificate ${file}`),
      });
    }
    const path = join(folder, 'x'.repeat(120));
    const opened = await listen([], { ...options, tls: null, address: { path } });
    expect(opened).toMatchObject({ ok: false, fault: expect.stringContaining('too long for a socket') });
  });

  test('addresses are read as they are meant', () => {
    expect(
      ['5000', ':5000', 'localhost:5000', '[::1]:5000', '0.0.0.0:5000', 'x', '1:99999', ''].map(parseAddress),
    ).toEqual([
      { host: '127.0.0.1', port: 5000 },
      { host: '127.0.0.1', port: 5000 },
      { host: 'localhost', port: 5000 },
      { host: '::1', port: 5000 },
      { host: '0.0.0.0', port: 5000 },
      null,
      null,
      null,
    ]);
  });
});

test('is described, and answers as it is described', async () => {
  const { body } = await ask(node.url, '/openapi.json');
  expect(body.openapi).toBe('3.1.0');
  const ajv = new Ajv2020({ strict: false });
  for (const [path, methods] of Object.entries(body.paths as Record<string, Record<string, never>>))
    for (const [method, operation] of Object.entries(
      methods as Record<
        string,
        { responses: Record<string, { content: { 'application/json': { schema: object } } }> }
      >,
    )) {
      const { schema } = operation.responses['200']!.content['application/json'];
      const validate = ajv.compile(schema);
      if (method !== 'get' || path === '/metrics') continue;
      expect([path, validate((await ask(node.url, path)).body)]).toEqual([path, true]);
    }
  expect(Object.keys(body.paths)).toEqual(
    expect.arrayContaining([
      '/healthz',
      '/images',
      '/status',
      ...['create', 'exec', 'diff', 'evaluate', 'destroy'].map((name) => `/container/${name}`),
    ]),
  );
});
