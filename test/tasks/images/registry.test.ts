/** What a tag means, asked of a registry: with and without a token, refused, and never a password where it may be read. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { imageText, parseImage } from '../../../tasks/images/image-name.ts';
import { imageOf } from '../../../tasks/images/instance-image.ts';
import { Registry } from '../../../tasks/images/registry.ts';
import { SharedWork } from '../../../tasks/source/deps.ts';
import { httpClient } from '../../../tasks/source/http.ts';
import { QUIET_ENV, temporaryFolder } from '../source/helpers.ts';
import { MANIFEST, openRegistry, type Shelf } from './registry-server.ts';

const DIGEST = `sha256:${'1'.repeat(64)}`;
let shelf: Shelf;
const home = temporaryFolder();

beforeAll(async () => {
  shelf = await openRegistry();
});
afterAll(async () => {
  await shelf.close();
  rmSync(home, { recursive: true });
});
beforeEach(() => {
  const quiet = { refusals: [], cut: 0, requests: [], manifest: MANIFEST };
  Object.assign(shelf, { login: 'none', user: null, says: true, ...quiet });
  shelf.tags = { 'acme/tiny:1': DIGEST, 'acme/tiny:2': DIGEST };
});

const registry = (env: NodeJS.ProcessEnv = QUIET_ENV) =>
  new Registry({
    http: httpClient({ env, certificates: [], timeout: 10, pause: 1, tries: 2 }),
    env,
    signal: undefined,
    sharedWork: new SharedWork(),
  });
const ask = (name: string, of = registry()) => of.digest(parseImage(`${shelf.host}/${name}`)!);

function loggedIn(login: string): NodeJS.ProcessEnv {
  mkdirSync(join(home, '.docker'), { recursive: true });
  const auth = Buffer.from(login).toString('base64');
  writeFileSync(join(home, '.docker/config.json'), JSON.stringify({ auths: { [shelf.host]: { auth } } }));
  return { ...QUIET_ENV, HOME: home };
}

test('one HEAD request says the digest', async () => {
  expect(await ask('acme/tiny:1')).toEqual({ ok: true, value: DIGEST });
  expect(shelf.requests).toEqual(['HEAD /v2/acme/tiny/manifests/1']);
});

test('a registry that says no digest is asked for the manifest, whose own it is', async () => {
  shelf.says = false;
  const value = `sha256:${createHash('sha256').update(MANIFEST).digest('hex')}`;
  expect(await ask('acme/tiny:1')).toEqual({ ok: true, value });
});

test.each([
  ['a login page', '<!doctype html><title>Log in</title>'],
  ['JSON of something else', '{"error":"later"}'],
])('%s in place of a manifest is a fault', async (_, manifest) => {
  Object.assign(shelf, { says: false, manifest });
  expect(await ask('acme/tiny:1')).toMatchObject({
    ok: false,
    fault: { status: 'infra', detail: expect.stringContaining('acme/tiny:1') },
  });
});

test('a name that pins itself asks nobody', async () => {
  expect(await ask(`acme/tiny:9@${DIGEST}`)).toEqual({ ok: true, value: DIGEST });
  expect(shelf.requests).toEqual([]);
});

test('a token is fetched where the registry says, once for all tags of a repository', async () => {
  shelf.login = 'token';
  const one = registry();
  expect(await ask('acme/tiny:1', one)).toEqual({ ok: true, value: DIGEST });
  expect(await ask('acme/tiny:2', one)).toEqual({ ok: true, value: DIGEST });
  expect(shelf.requests.filter((line) => line === 'GET /token')).toHaveLength(1);
});

test('a token that breaks off is asked for again', async () => {
  Object.assign(shelf, { login: 'token', cut: 1 });
  expect(await ask('acme/tiny:1')).toEqual({ ok: true, value: DIGEST });
});

test('who has logged in is known to private repositories, others are told how', async () => {
  for (const login of ['token', 'password'] as const) {
    Object.assign(shelf, { login, user: 'me:pass' });
    expect(await ask('acme/tiny:1', registry(loggedIn('me:pass')))).toEqual({ ok: true, value: DIGEST });
    for (const env of [QUIET_ENV, loggedIn('me:wrong')]) {
      const refused = await ask('acme/tiny:1', registry(env));
      expect(refused).toMatchObject({ ok: false, fault: { status: 'infra' } });
      expect(JSON.stringify(refused)).toContain(`docker login ${shelf.host}`);
      expect(JSON.stringify(refused)).not.toMatch(/wrong|bWU6/);
    }
  }
});

test('no password goes in the clear to another machine', async () => {
  Object.assign(shelf, { login: 'elsewhere', user: 'me:pass' });
  expect(await ask('acme/tiny:1', registry(loggedIn('me:pass')))).toMatchObject({
    ok: false,
    fault: { detail: expect.stringContaining('asks for a token in a way that is not known') },
  });
});

test('what is not there, too many requests, and faults that pass', async () => {
  expect(await ask('acme/tiny:3')).toMatchObject({
    ok: false,
    fault: { status: 'failed', reason: 'invalid-row' },
  });
  shelf.refusals = [503];
  expect(await ask('acme/tiny:1')).toEqual({ ok: true, value: DIGEST });
  shelf.refusals = [429, 429];
  expect(await ask('acme/tiny:1')).toMatchObject({
    ok: false,
    fault: { status: 'infra', detail: expect.stringContaining('enough requests') },
  });
});

test.each([
  ['debian', 'docker.io/library/debian:latest'],
  ['swebench/x:v1', 'docker.io/swebench/x:v1'],
  ['index.docker.io/a/b', 'docker.io/a/b:latest'],
  ['ghcr.io/a/b/c:1.0', 'ghcr.io/a/b/c:1.0'],
  ['localhost/a', 'localhost/a:latest'],
  ['127.0.0.1:5000/a/b', '127.0.0.1:5000/a/b:latest'],
  [
    'JYangBallin/swesmith.x86_64.a_1776_b.0123abcd',
    'docker.io/jyangballin/swesmith.x86_64.a_1776_b.0123abcd:latest',
  ],
  [`a/b@${DIGEST}`, `docker.io/a/b:latest@${DIGEST}`],
  ['a b', null],
  ['', null],
  ['https://x/y', null],
])('image name %j', (name, whole) => expect(imageText(parseImage(name))).toBe(whole));

test.each([
  [
    'swe-bench',
    { instance_id: 'Astropy__astropy-1', raw: {} },
    'docker.io/swebench/sweb.eval.x86_64.astropy_1776_astropy-1:latest',
  ],
  [
    'swe-gym',
    { instance_id: 'Project-MONAI__MONAI-1030', raw: {} },
    'docker.io/xingyaoww/sweb.eval.x86_64.project-monai_s_monai-1030:latest',
  ],
  [
    'swe-smith',
    { instance_id: 'a__b.01234567.x', raw: { image_name: 'jyangballin/swesmith.x86_64.a_1776_b.01234567' } },
    'docker.io/jyangballin/swesmith.x86_64.a_1776_b.01234567:latest',
  ],
  ['swe-bench', { instance_id: 'x', raw: { image: 'ghcr.io/o/x:2' } }, 'ghcr.io/o/x:2'],
  [
    'nested',
    { instance_id: 'a__b-1', raw: { test_patch: 'x' } },
    'docker.io/xingyaoww/sweb.eval.x86_64.a_s_b-1:latest',
  ],
  ['custom', { instance_id: 'x', raw: {} }, null],
] as const)('image of a row of %s', (format, instance, name) => {
  expect(imageOf(instance, { format, source: 'SWE-Gym/SWE-Gym' })).toBe(name);
});

test('an image of nested rows is that of the format that the project names for them', () => {
  const instance = { instance_id: 'a__b-1', raw: { test_patch: 'x' } };
  const nested = { format: 'nested', source: 'train.jsonl' };
  expect(imageOf(instance, nested)).toBe('docker.io/swebench/sweb.eval.x86_64.a_1776_b-1:latest');
  expect(imageOf(instance, { ...nested, inner: 'swe-gym' })).toBe(
    'docker.io/xingyaoww/sweb.eval.x86_64.a_s_b-1:latest',
  );
});
