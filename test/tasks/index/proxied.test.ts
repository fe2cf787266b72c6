/** The real clients as they are in a sandbox: the index has a name that the build proxy alone knows, and the proxy is a port of the loopback. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningProxy, startProxy } from '../../../executors/proxy/proxy.ts';
import { startIndex } from '../../../tasks/index/server.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { tarGzOf } from '../../rig/tar.ts';
import { clientHome } from './door.ts';
import { type StaticRegistry, staticRegistry } from './static-registry.ts';

const AS_OF = '2022-07-01';

let registry: StaticRegistry;
let proxy: RunningProxy;
let port: Server;
let index: ReturnType<typeof startIndex>;

beforeEach(async () => {
  registry = await staticRegistry();
  const home = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  write('.npmrc', `registry=${registry.url}/npm/\n`);
  write(
    '.cargo/config.toml',
    `[source.crates-io]\nreplace-with = "near"\n[source.near]\nregistry = "sparse+${registry.url}/"\n`,
  );
  write(
    '.m2/settings.xml',
    `<settings><mirrors><mirror><id>near</id><mirrorOf>*</mirrorOf><url>${registry.url}/maven</url></mirror></mirrors></settings>`,
  );
  const env = { HOME: home, GOPROXY: `${registry.url}/go`, GOENV: 'off' };
  index = startIndex({ env, store: temporaryFolder(), tries: 1 });
  proxy = await startProxy({
    allow: [],
    socketPath: join(temporaryFolder('sm-'), 's'),
    own: { name: 'index.swemake', serve: (message, response) => index.serve(message, response) },
  });
  port = createServer((client) => {
    const far = connect(proxy.socketPath);
    client.on('error', () => far.destroy());
    far.on('error', () => client.destroy());
    client.pipe(far).pipe(client);
  });
  await new Promise<void>((done) => port.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
  port.close();
  await proxy.close();
  await index.close();
  await registry.close();
});

function client(dialect: string, project: Record<string, string>) {
  const url = `http://127.0.0.1:${(port.address() as AddressInfo).port}`;
  const home = clientHome(index.registry(dialect, 'http://index.swemake', AS_OF), project);
  const proxied = { http_proxy: url, https_proxy: url, HTTP_PROXY: url, HTTPS_PROXY: url };
  const bash = (script: string, more: Record<string, string> = {}) =>
    home.run('bash', ['-ec', script], { ...proxied, no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1', ...more });
  return { ...home, bash };
}

function lacks(program: string, asked = '--version'): string | null {
  try {
    execFileSync(program, [asked], { stdio: 'ignore' });
    return null;
  } catch {
    return `there is no ${program} on this machine`;
  }
}

test('npm', async () => {
  const bytes = tarGzOf([{ name: 'package/package.json', content: '{"name":"left","version":"1.0.0"}' }]);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const dist = { tarball: `${registry.url}/npm/left.tgz`, integrity };
  registry.offer('npm/left.tgz', bytes);
  registry.offer(
    'npm/left',
    JSON.stringify({
      name: 'left',
      'dist-tags': { latest: '1.0.0' },
      time: { '1.0.0': '2020-01-01T00:00:00Z' },
      versions: { '1.0.0': { name: 'left', version: '1.0.0', dist } },
    }),
  );
  expect(await client('npm', {}).bash('npm install left')).toMatchObject({ code: 0 });
});

test('cargo', async ({ skip }) => {
  const lack = lacks('cargo');
  if (lack !== null) skip(lack);
  const bytes = tarGzOf([
    { name: 'left-1.0.0/Cargo.toml', content: '[package]\nname = "left"\nversion = "1.0.0"\n' },
    { name: 'left-1.0.0/src/lib.rs', content: '' },
  ]);
  const cksum = createHash('sha256').update(bytes).digest('hex');
  const line = { name: 'left', vers: '1.0.0', deps: [], cksum, features: {}, yanked: false };
  registry.offer('config.json', JSON.stringify({ dl: `${registry.url}/dl` }));
  registry.offer('dl/left/1.0.0/download', bytes);
  registry.offer('le/ft/left', `${JSON.stringify({ ...line, pubtime: '2020-01-01T00:00:00Z' })}\n`);
  const made = client('crates', {
    'Cargo.toml': '[package]\nname = "own"\nversion = "0.0.1"\n\n[dependencies]\nleft = "1"\n',
    'src/lib.rs': '',
  });
  const rustup = { RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), '.rustup') };
  expect(await made.bash('cargo fetch', rustup)).toMatchObject({ code: 0 });
});

test('go', async ({ skip }) => {
  const lack = lacks('go', 'version');
  if (lack !== null) skip(lack);
  registry.offer('go/example.com/left/@v/list', 'v1.0.0\n');
  registry.offer('go/example.com/left/@v/v1.0.0.info', '{"Version":"v1.0.0","Time":"2020-01-01T00:00:00Z"}');
  registry.offer('go/example.com/left/@v/v1.0.0.mod', 'module example.com/left\n');
  const made = client('go', { 'go.mod': 'module example.com/own\n\ngo 1.18\n' });
  const listed = await made.bash('go list -m -versions example.com/left', { GOTOOLCHAIN: 'local' });
  expect(listed).toMatchObject({ code: 0, output: expect.stringContaining('v1.0.0') });
});

test('mvn, which reads its proxy from no variable', async ({ skip }) => {
  const lack = lacks('mvn');
  if (lack !== null) skip(lack);
  const pom =
    '<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>base</artifactId><version>1</version><packaging>pom</packaging></project>';
  registry.offer('maven/g/base/1/base-1.pom', pom);
  const made = client('maven', {
    'pom.xml':
      '<project><modelVersion>4.0.0</modelVersion><parent><groupId>g</groupId><artifactId>base</artifactId><version>1</version><relativePath/></parent><artifactId>own</artifactId><packaging>pom</packaging></project>',
  });
  const { prelude } = index.registry('maven', 'http://index.swemake', AS_OF);
  const ran = await made.bash(`${prelude}\nmvn -B -Duser.home=$HOME validate`);
  expect(ran).toMatchObject({ code: 0 });
});
