/**
 * When a registry is asked for an image: a real one on loopback that wants a password, a tag that moves, a registry that is
 * gone. Without skopeo and docker-registry it is skipped, with the reason.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createProxy, request as send } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Prewarm } from '../../../app/prewarm.ts';
import { success } from '../../../basics/result.ts';
import { type Cache, openCache } from '../../../cache/cache.ts';
import type { Services } from '../../../contract/machine.ts';
import type { Item, StageNode } from '../../../contract/stage.ts';
import { deferred } from '../../../engine/deferred.ts';
import type { EnvironmentView } from '../../../executors/deployment.ts';
import { BASE, type Base, movedFrom, type Pull } from '../../../tasks/base/base.ts';
import { isThere } from '../../../tasks/base/debian.ts';
import { openRoot } from '../../../tasks/base/root.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { writeLayout } from '../../rig/oci-layout.ts';
import type { BuildResult } from '../../rig/project.ts';
import { tarOf } from '../../rig/tar.ts';
import { tinyProject } from '../../rig/tiny-project.ts';

const folder = temporaryFolder();
/** In the form of Apache's files of passwords; null where Python cannot make one. */
const hash = /^\$2b\$\S+/.exec(
  spawnSync(
    'python3',
    ['-Wi', '-c', 'import crypt; print(crypt.crypt("open", crypt.mksalt(crypt.METHOD_BLOWFISH)))'],
    {
      encoding: 'utf8',
    },
  ).stdout ?? '',
)?.[0];
const missing = ['skopeo', 'docker-registry'].filter((name) => !isThere(name, process.env));
const why =
  missing.length > 0 ? `there is no ${missing.join(', ')}` : hash === undefined ? 'no hashes' : null;
if (why !== null) console.log(`skipped: pulling images: ${why}`);

let registry: ChildProcess | null = null;
let host: string;
const env: NodeJS.ProcessEnv = { ...process.env, DOCKER_CONFIG: join(folder, 'login') };
const caches: Cache[] = [];
afterAll(async () => {
  registry?.kill();
  for (const cache of caches) await cache.close();
});

beforeAll(async () => {
  if (why !== null) return;
  const port = await freePort();
  host = `127.0.0.1:${port}`;
  writeFileSync(join(folder, 'passwords'), `me:${hash}\n`);
  const config = {
    version: 0.1,
    storage: { filesystem: { rootdirectory: join(folder, 'registry') } },
    http: { addr: host },
    auth: { htpasswd: { realm: 'here', path: join(folder, 'passwords') } },
  };
  writeFileSync(join(folder, 'registry.yml'), JSON.stringify(config));
  registry = spawn('docker-registry', ['serve', join(folder, 'registry.yml')], { stdio: 'ignore' });
  for (let tries = 0; tries < 200; tries += 1) {
    const isThere = await fetch(`http://${host}/v2/`).then(
      ({ status }) => status === 401,
      () => false,
    );
    if (isThere) break;
    await new Promise((done) => setTimeout(done, 100));
  }
  mkdirSync(env.DOCKER_CONFIG!);
  push('one');
});

function push(content: string, name = 'it'): void {
  const layout = join(folder, `image ${content}`);
  writeLayout(layout, [tarOf([{ name: 'mark', content }])]);
  const to = [
    '--dest-tls-verify=false',
    '--dest-creds',
    'me:open',
    `oci:${layout}`,
    `docker://${host}/lab/${name}:1`,
  ];
  execFileSync('skopeo', ['--insecure-policy', 'copy', '-q', ...to]);
}

function logIn(password: string, at = host): void {
  const auth = Buffer.from(`me:${password}`).toString('base64');
  writeFileSync(join(env.DOCKER_CONFIG!, 'config.json'), JSON.stringify({ auths: { [at]: { auth } } }));
}

async function machine(): Promise<Cache> {
  const cache = await openCache(temporaryFolder());
  caches.push(cache);
  return cache;
}

/** What the image shows to one command; a text is a fault. */
async function look(cache: Cache, pull: Pull, name = `${host}/lab/it:1`, pins?: Services['pins']) {
  const services = {
    ...{ cache, env, projectFolder: folder, signal: new AbortController().signal, shared: {} },
    config: { deployments: { box: { base: `image:${name}`, pull } } },
    deploymentIdentity: async () => ({ ok: true, value: { isolation: 'sandbox' } }),
    ...(pins === undefined ? {} : { pins }),
  } as unknown as Services;
  const base = await BASE.answer({ deployment: 'box', image: null }, services);
  if (!base.ok) return 'detail' in base.fault ? base.fault.detail : base.fault.status;
  const found = base.value as unknown as Base;
  const root = await openRoot(found, services, pull);
  if (!root.ok) return root.fault.detail;
  const mark = readFileSync(join(root.value.layers[0]!.folder, 'mark'), 'utf8');
  return { mark, digest: found.digest, moved: movedFrom(found, services) !== null };
}

test.skipIf(why !== null)(
  'images of what is to be built are got ahead, so many at once, and what does not come is told',
  async () => {
    logIn('open');
    const cache = await machine();
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) push(`of ${name}`, name);
    const brought: EnvironmentView[] = [];
    let [now, most] = [0, 0];
    // Each waits for another one: nothing would come if they were brought one after the other.
    let pair = deferred<void>();
    const bring = async (view: EnvironmentView) => {
      now += 1;
      most = Math.max(most, now);
      if (now === 2) {
        pair.resolve();
        pair = deferred();
      } else await pair.promise;
      brought.push(view);
      now -= 1;
      return success(null);
    };
    const services = {
      ...{ cache, env, projectFolder: folder, signal: new AbortController().signal, shared: {} },
      config: { deployments: { box: { pull: 'missing', prewarm: 2 }, later: { pull: 'missing' } } },
      deployment: async () => success({ bring }),
      deploymentIdentity: async () => ({ ok: true, value: { isolation: 'sandbox' } }),
    } as unknown as Services;
    const prewarm = new Prewarm(services, []);
    const nodeOf = (stage: string) => ({ stage }) as StageNode;
    const itemOf = (name: string, digest: string, deployment = 'box') => {
      const base = success({ name: `image:${host}/lab/${name}:1`, digest });
      return { name, needs: {}, data: { deployment, data: { base } } } as unknown as Item;
    };
    const bases = new Map<string, Base>();
    for (const name of names) {
      const config = { deployments: { box: { base: `image:${host}/lab/${name}:1`, pull: 'missing' } } };
      const base = await BASE.answer({ deployment: 'box', image: null }, { ...services, config } as never);
      if (!base.ok) throw new Error('no digest');
      bases.set(name, base.value as unknown as Base);
    }
    const none = `sha256:${'0'.repeat(64)}`;
    prewarm.want(nodeOf('environments'), itemOf('none', none));
    for (const name of [...names, ...names])
      prewarm.want(nodeOf('environments'), itemOf(name, bases.get(name)!.digest));
    // What asks for nothing of the kind, and what is no environment.
    prewarm.want(nodeOf('environments'), itemOf('a', `sha256:${'1'.repeat(64)}`, 'later'));
    prewarm.want(nodeOf('validate'), itemOf('a', `sha256:${'2'.repeat(64)}`));
    for (let tries = 0; brought.length < names.length && tries < 600; tries += 1)
      await new Promise((done) => setTimeout(done, 100));
    expect(brought).toHaveLength(names.length);
    expect(most).toBe(2);
    for (const name of names) {
      // They are here: nobody is asked.
      expect(await look(cache, 'never', `${host}/lab/${name}@${bases.get(name)!.digest}`)).toMatchObject({
        mark: `of ${name}`,
      });
    }
    rmSync(join(env.DOCKER_CONFIG!, 'config.json'));
    await prewarm.close();
    expect(prewarm.problems()).toEqual([
      expect.stringContaining('lab/none:1 could not be fetched in advance'),
    ]);
  },
  120_000,
);

/** In front of the registry: it gives out none of these layers before all of them were asked for. */
async function gateBefore(layers: ReadonlySet<string>): Promise<{ host: string; close(): void }> {
  const asked = new Set<string>();
  const open = deferred<void>();
  const server = createProxy(async (request, response) => {
    const [, digest = ''] = /\/blobs\/(sha256:[0-9a-f]{64})$/.exec(request.url!) ?? [];
    if (layers.has(digest)) {
      asked.add(digest);
      if (asked.size === layers.size) open.resolve();
      await open.promise;
    }
    const { method, headers } = request;
    const onward = send(`http://${host}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy()).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    open.resolve();
    server.close();
    server.closeAllConnections();
  };
  return { host: `127.0.0.1:${port}`, close };
}

/** The one layer of an image in the registry. */
async function layerOf(name: string): Promise<string> {
  const manifest = await fetch(`http://${host}/v2/lab/${name}/manifests/1`, {
    headers: {
      accept: 'application/vnd.oci.image.manifest.v1+json',
      authorization: `Basic ${Buffer.from('me:open').toString('base64')}`,
    },
  });
  const { layers } = (await manifest.json()) as { layers: { digest: string }[] };
  return layers[0]!.digest;
}

test.skipIf(why !== null)(
  'a build with one item at a time gets the images of the others ahead',
  async () => {
    const names = ['p', 'q', 'r', 's'];
    for (const name of names) push(`of ${name}`, name);
    const gate = await gateBefore(new Set(await Promise.all(names.map(layerOf))));
    try {
      logIn('open', gate.host);
      const login = { DOCKER_CONFIG: env.DOCKER_CONFIG! };
      const project = tinyProject({ instances: names.length, env: login });
      const rows = readFileSync(project.path('rows.jsonl'), 'utf8').trim().split('\n');
      const named = rows.map((row, index) => {
        const image_name = `${gate.host}/lab/${names[index]}:1`;
        return `${JSON.stringify({ ...JSON.parse(row), image_name })}\n`;
      });
      writeFileSync(project.path('rows.jsonl'), named.join(''));
      const sets = ['deployments.box.base=image', `deployments.box.prewarm=${names.length}`];
      const args = ['-j', '1', ...sets.flatMap((text) => ['--set', text])];
      // It ends: the first item alone would wait for its layer for ever. No Python is in the images.
      const { stdout } = await project.run('build', 'p.yaml', 'environments.train', ...args, '--json');
      const { stages } = JSON.parse(stdout.trim().split('\n').at(-1)!) as BuildResult;
      expect(stages.find(({ stage }) => stage === 'environments.train')).toMatchObject({
        items: names.length,
      });
    } finally {
      gate.close();
    }
  },
  900_000,
);

test.skipIf(why !== null)(
  'a registry is asked as the project says, and by who may ask',
  async () => {
    const [first, second] = [await machine(), await machine()];
    expect(await look(first, 'missing')).toContain(`docker login ${host}`);
    logIn('wrong');
    expect(await look(first, 'missing')).toContain(`docker login ${host}`);
    logIn('open');
    expect(await look(first, 'never')).toContain('pull: never');
    const one = await look(first, 'missing');
    expect(one).toMatchObject({ mark: 'one', moved: false });
    push('two');
    // Looked up once a day, or each time.
    expect(await look(first, 'missing')).toEqual(one);
    expect(await look(first, 'never')).toEqual(one);
    const two = await look(first, 'always');
    expect(two).toMatchObject({ mark: 'two', moved: true });
    expect(await look(first, 'never')).toEqual(two);
    // What a lock file pins is neither looked up nor moved.
    const digest = (one as { digest: string }).digest;
    const pins = { images: { [`${host}/lab/it:1`]: digest } } as unknown as Services['pins'];
    expect(await look(first, 'always', undefined, pins)).toMatchObject({ mark: 'one', digest });
    expect(await look(first, 'always')).toEqual(two);
    expect(await look(second, 'never', `${host}/lab/it@${digest}`)).toContain(
      'with pull: never it is not fetched',
    );
    expect(await look(second, 'always', `${host}/lab/it@${digest}`)).toMatchObject({ mark: 'one' });
    expect(await look(second, 'never', `${host}/lab/it@${digest}`)).toMatchObject({ mark: 'one' });

    registry!.kill();
    expect(await look(first, 'missing')).toEqual(two);
    expect(await look(first, 'never')).toEqual(two);
    expect(typeof (await look(first, 'always'))).toBe('string');
  },
  120_000,
);

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
