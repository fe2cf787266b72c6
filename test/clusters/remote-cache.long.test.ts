/**
 * Hosts that share a real bazel-remote over TLS, with a password for writing and none for reading, a shared folder, and S3
 * behind the server. Each host is a machine with a cache of its own and builds tasks of the quickstart. As root; needs openssl, htpasswd
 * (Debian's apache2-utils), bazel-remote, and for S3 `moto[server]` from the package index.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { atEnd } from '../rig/at-end.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { hasPrograms, pythonWith } from '../rig/installed.ts';
import { hasPackageIndex } from '../rig/quickstart.ts';
import { until } from '../rig/until.ts';
import { CONTROL, canMakeMachines, Machines } from './machines.ts';
import { BazelRemote, bazelRemote, MATCH, projectOn, QUICKSTART } from './rig.ts';

const LONG = 1_800_000;
const PASSWORD = 'writer:correct-horse';
const HOSTS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];

const isPossible =
  canMakeMachines() && hasPrograms('a cache over TLS', 'openssl', 'htpasswd') && hasPackageIndex();
const program = isPossible ? bazelRemote() : null;
const moto = program === null ? null : pythonWith('moto', ['moto[server]']);
const on = test.skipIf(program === null);
const withS3 = test.skipIf(moto === null);

interface Build {
  code: number | null;
  executed: number;
  outcomes: Record<string, number>;
  /** Answers that were written to the remote cache. */
  given: number;
  /** Lists of items, which name every answer. */
  files: string;
}

const folder = temporaryFolder();
let machines: Machines;
let server: BazelRemote;
let first: Build;

beforeAll(async () => {
  if (program === null) return;
  machines = await Machines.start(folder, ...HOSTS);
  makeCertificates();
  const remote = { url: `https://${CONTROL}:8443`, tls: { ca: join(folder, 'ca.pem') } };
  const profiles = {
    writer: { cache: { remote: { ...remote, token: '${secret:CACHE_TOKEN}' } } },
    reader: { cache: { remote: { ...remote, write: false } } },
    folder: { cache: { remote: { path: join(folder, 'shared') } } },
  };
  const dataset = { train: { select: { match: MATCH } } };
  writeFileSync(join(folder, 'project.yaml'), JSON.stringify({ extends: QUICKSTART, dataset, profiles }));
  const flags = {
    ...{ dir: join(folder, 'remote'), http_address: `${CONTROL}:8443`, htpasswd_file: join(folder, 'users') },
    ...{ tls_cert_file: join(folder, 'server.pem'), tls_key_file: join(folder, 'server-key.pem') },
    allow_unauthenticated_reads: 'true',
  };
  server = new BazelRemote(machines, program, flags, join(folder, 'server.log'));
  await server.start();
  first = await build('first', 'writer', PASSWORD);
}, LONG);

/** An authority of our own, and the server's certificate by it. */
function makeCertificates(): void {
  const openssl = (line: string) =>
    execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'ignore' });
  const key = '-newkey rsa:2048 -nodes';
  openssl(`req -x509 ${key} -days 2 -subj /CN=authority -keyout ca-key.pem -out ca.pem`);
  openssl(`req ${key} -subj /CN=cache -keyout server-key.pem -out server.csr`);
  writeFileSync(join(folder, 'names'), `subjectAltName=IP:${CONTROL}\n`);
  openssl(
    'x509 -req -in server.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -extfile names -out server.pem',
  );
  writeFileSync(join(folder, 'users'), execFileSync('htpasswd', ['-nbB', ...PASSWORD.split(':')]));
}

/** A build on a host, with a cache of its own. */
async function build(host: string, profile: string, token?: string): Promise<Build> {
  const { home } = machines.get(host);
  const project = projectOn(machines, token === undefined ? {} : { CACHE_TOKEN: token }, host);
  const own = ['--set', `cache.folder=${home}/cache`, '--set', `out=${home}/out`];
  const end = await project.build('project.yaml', '--profile', profile, ...own);
  const { remote } = end as unknown as { remote?: { given?: number } };
  const { code, executed, outcomes } = end;
  return { code, executed, outcomes, given: remote?.given ?? 0, files: listsBelow(join(home, 'out')) };
}

/** Lists of items, whose folder is named by what was chosen. */
function listsBelow(out: string): string {
  const names = readdirSync(out, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.jsonl') && statSync(join(out, name)).isFile())
    .map((name) => `${name.slice(name.indexOf('/'))} ${readFileSync(join(out, name), 'utf8')}`)
    .sort()
    .join('\n');
}

function expectSame(one: Build): void {
  expect(one.outcomes).toEqual(first.outcomes);
  expect(one.files).toBe(first.files);
}

on('a reader without a password executes nothing', { timeout: LONG }, async () => {
  expect(first).toMatchObject({ code: 0 });
  expect(first.executed).toBeGreaterThan(20);
  const second = await build('second', 'reader');
  expect(second.executed).toBe(0);
  expectSame(second);
});

on('a wrong password writes nothing, and the build has its answers', { timeout: LONG }, async () => {
  const third = await build('third', 'writer', 'writer:wrong');
  expect(third.given).toBe(0);
  expectSame(third);
});

on('damaged contents are not taken', { timeout: LONG }, async () => {
  await server.end('SIGTERM');
  cpSync(join(folder, 'remote'), join(folder, 'whole'), { recursive: true });
  expect(damage(join(folder, 'remote/cas.v2'))).toBeGreaterThan(10);
  await server.start();
  const fourth = await build('fourth', 'reader');
  expect(fourth.executed).toBeGreaterThan(0);
  expectSame(fourth);
  await server.end('SIGTERM');
  rmSync(join(folder, 'remote'), { recursive: true });
  renameSync(join(folder, 'whole'), join(folder, 'remote'));
  await server.start();
});

/** Turns the last byte of each content around, as a disk does. */
function damage(below: string): number {
  const paths = readdirSync(below, { recursive: true, encoding: 'utf8' }).map((name) => join(below, name));
  const files = paths.filter((path) => statSync(path).isFile());
  for (const path of files) {
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.at(-1)! ^ 1, bytes.length - 1);
    writeFileSync(path, bytes);
  }
  return files.length;
}

on('a server that is killed in the middle is a miss', { timeout: LONG }, async () => {
  const isRead = () => readFileSync(join(folder, 'server.log'), 'utf8').split('GET').length;
  const before = isRead();
  const building = build('fifth', 'reader');
  await until(() => isRead() > before + 5);
  await server.end('SIGKILL');
  const fifth = await building;
  expect(fifth.code).toBe(first.code);
  expectSame(fifth);
});

on('a shared folder does the same', { timeout: LONG }, async () => {
  await build('first', 'folder');
  const sixth = await build('sixth', 'folder');
  expect(sixth.executed).toBe(0);
  expectSame(sixth);
});

withS3(
  'a server that was emptied is filled again, and S3 behind it is enough',
  { timeout: LONG },
  async () => {
    rmSync(join(folder, 'remote'), { recursive: true });
    const s3 = await startS3();
    await server.start(s3);
    const again = await build('first', 'writer', PASSWORD);
    expect(again.executed).toBe(0);
    expect(again.given).toBeGreaterThan(0);
    const seventh = await build('seventh', 'reader');
    expect(seventh.executed).toBe(0);
    expectSame(seventh);
    await settled();
    await server.end('SIGTERM');
    rmSync(join(folder, 'remote'), { recursive: true });
    await server.start(s3);
    const eighth = await build('eighth', 'reader');
    expect(eighth.executed).toBe(0);
    expectSame(eighth);
    await server.end('SIGTERM');
  },
);

const ADDRESS = `${CONTROL}:5555`;
/** As signed requests have it; the service and the region are read from it. */
const SIGNED = `-H 'authorization: AWS4-HMAC-SHA256 Credential=key/20240101/us-east-1/s3/aws4_request'`;

/** S3 with a bucket; the server's flags that name it. Keys are not looked at. */
async function startS3(): Promise<Record<string, string>> {
  const command = [...machines.on(null), join(dirname(moto!), 'moto_server'), '-H', CONTROL, '-p', '5555'];
  const log = openSync(join(folder, 's3.log'), 'a');
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', log, log] });
  atEnd(() => child.kill('SIGTERM'));
  await until(
    () =>
      machines.exec(
        null,
        `curl -s ${SIGNED} -o /dev/null -w '%{http_code}' -X PUT http://${ADDRESS}/swemake || true`,
      ) === '200',
  );
  return {
    's3.endpoint': ADDRESS,
    's3.bucket': 'swemake',
    's3.disable_ssl': 'true',
    's3.auth_method': 'access_key',
    's3.access_key_id': 'key',
    's3.secret_access_key': 'secret',
    's3.region': 'us-east-1',
  };
}

/** Waits until S3 holds as many objects as the server has files, which it writes in the background. */
async function settled(): Promise<void> {
  const held = () =>
    readdirSync(join(folder, 'remote'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, 'remote', name))
      .filter((path) => statSync(path).isFile()).length;
  const objects = () => {
    const text = machines.exec(
      null,
      `curl -sf ${SIGNED} 'http://${ADDRESS}/swemake?list-type=2&max-keys=100000'`,
    );
    return Number(/<KeyCount>(\d+)</.exec(text)?.[1] ?? 0);
  };
  await until(() => objects() > 0 && objects() >= held());
}
