/** Images that lack what others have, and encrypted ways to an engine. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenOptions } from '../../executors/deployment.ts';
import { engineAddress } from '../../executors/docker/address.ts';
import { createDocker } from '../../executors/docker/docker.ts';
import { makeTinyRoot } from '../rig/tiny-root.ts';
import { type MadeDocker, makeDocker, noEngine } from './docker-fixture.ts';

const OPTIONS: OpenOptions = { limits: {}, network: 'off', storage: 'disk' };
const folder = mkdtempSync(join(tmpdir(), 'swemake-ways-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const viewOf = (root: string) => ({
  base: { layers: [root], testbed: false, place: null },
  ...{ layers: [], mounts: [], links: {}, variables: { PATH: '/bin' } },
});

describe.skipIf(noEngine !== null)('an image without Python', () => {
  let made: MadeDocker;
  beforeAll(async () => {
    made = await makeDocker();
  });
  afterAll(() => made?.cleanup());

  test.each([
    ['that has a shell', []],
    ['that has none where it is looked for', ['bin/sh']],
  ])(
    '%s is given one',
    async (name, without) => {
      const root = join(folder, name);
      makeTinyRoot(root);
      for (const path of without) rmSync(join(root, path));
      const opened = await made.deployment.open(viewOf(root), null, OPTIONS);
      if (!opened.ok) throw new Error(opened.fault.detail);
      const workspace = opened.value;
      const said = await workspace.exec(
        'id -u; cat /etc/tiny-release; touch /opt/new; (exec -a python3 python3)',
        {
          cwd: '/',
          timeout: 30,
        },
      );
      // Code inside does not find it by its name.
      expect(said).toMatchObject({
        ok: true,
        value: { output: expect.stringMatching(/^0\ntiny\n.*not found/s) },
      });
      const late = await workspace.exec('while :; do :; done & wait', { cwd: '/', timeout: 1 });
      expect(late).toMatchObject({ ok: true, value: { timedOut: true } });
      expect(await workspace.write('/opt/text', 'text')).toMatchObject({ ok: true });
      const changes = await workspace.changes();
      expect(changes).toMatchObject({ ok: true, value: { removed: [] } });
      if (changes.ok) {
        expect(readFileSync(join(changes.value.folder, 'opt/text'), 'utf8')).toBe('text');
        const brought = spawnSync('find', [changes.value.folder, '-name', '.swemake*'], { encoding: 'utf8' });
        expect(brought.stdout).toBe('');
      }
      await workspace.close();
    },
    120_000,
  );
});

describe.skipIf(noEngine !== null || spawnSync('openssl', ['version']).status !== 0)(
  'an engine by TLS',
  () => {
    const certificates = join(folder, 'certificates');
    let way: Server;
    let address: string;

    beforeAll(async () => {
      mkdirSync(certificates);
      makeCertificates(certificates);
      const pem = (name: string) => readFileSync(join(certificates, `${name}.pem`));
      way = createServer(
        { ca: pem('ca'), cert: pem('server'), key: pem('key'), requestCert: true, rejectUnauthorized: true },
        (client) => {
          const engine = connect('/var/run/docker.sock');
          for (const socket of [client, engine]) socket.on('error', () => socket.destroy());
          client.pipe(engine).pipe(client);
        },
      );
      await new Promise<void>((done) => way.listen(0, '127.0.0.1', done));
      address = `tcp://127.0.0.1:${(way.address() as AddressInfo).port}`;
    });
    afterAll(() => way?.close());

    const make = async (env: NodeJS.ProcessEnv) => {
      const found = engineAddress(address, env);
      if (!found.ok) throw new Error(found.fault);
      return createDocker({
        ...{ name: 'box', address: found.value, extra: { host: {}, capabilities: { add: [], drop: [] } } },
        ...{ stateFolder: join(folder, 'state'), keptFolder: join(folder, 'kept'), runId: 'tls' },
        ...{ variables: {}, env },
      });
    };

    test('opens workspaces to who has a certificate, and says nothing of it in summaries', async () => {
      const made = await make({ DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: certificates });
      if (!made.ok) throw new Error(made.fault.detail);
      const root = join(folder, 'tls root');
      makeTinyRoot(root);
      const opened = await made.value.open(viewOf(root), null, OPTIONS);
      if (!opened.ok) throw new Error(opened.fault.detail);
      expect(await opened.value.exec('echo through', { cwd: '/', timeout: 30 })).toMatchObject({
        value: { output: 'through\n' },
      });
      expect(made.value.warnings().join()).not.toContain('encrypted');
      await made.value.close();
    });

    test('is a fault to who has none, or does not know the one of the engine', async () => {
      const refused = { ok: false, fault: { status: 'infra', reason: 'engine' } };
      expect(await make({ DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: join(folder, 'nothing') })).toMatchObject(
        refused,
      );
      expect(await make({})).toMatchObject(refused);
      const foreign = join(folder, 'foreign');
      mkdirSync(foreign);
      makeCertificates(foreign);
      const unknown = await make({ DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: foreign });
      expect(unknown).toMatchObject({
        ...refused,
        fault: { detail: expect.stringMatching(/certificate|self/) },
      });
      // Its own authority for the engine, and a certificate that the engine does not know.
      renameSync(join(foreign, 'ca.pem'), join(foreign, 'other.pem'));
      execFileSync('cp', [join(certificates, 'ca.pem'), join(foreign, 'ca.pem')]);
      expect(await make({ DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: foreign })).toMatchObject(refused);
    });
  },
);

/** An authority with one certificate for both sides. */
function makeCertificates(into: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: into, stdio: 'ignore' });
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...key, '-subj', '/CN=authority', '-keyout', 'ca-key.pem', '-out', 'ca.pem');
  const names = ['-subj', '/CN=engine', '-addext', 'subjectAltName=IP:127.0.0.1'];
  openssl('req', ...key.slice(0, 3), ...names, '-keyout', 'key.pem', '-out', 'request.pem');
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-days', '2'];
  openssl(
    'x509',
    '-req',
    '-in',
    'request.pem',
    ...signing,
    '-copy_extensions',
    'copyall',
    '-out',
    'server.pem',
  );
  execFileSync('cp', ['server.pem', 'cert.pem'], { cwd: into });
}
