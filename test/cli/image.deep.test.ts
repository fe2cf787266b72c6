/**
 * The image of the Dockerfile: made on a small Debian with this machine's Node, and run on a project. Sandboxes work in it where
 * the engine allows namespaces.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { debianRoot, noEngine } from '../executors/docker-fixture.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const PREFIX = dirname(dirname(process.execPath));
const hasNpm = existsSync(join(PREFIX, 'lib/node_modules/npm'));
if (!hasNpm) console.log(`skipped: the image: there is no npm in ${PREFIX}`);

const BASE = `swemake-test:node-${process.pid}`;
const IMAGE = `swemake-test:image-${process.pid}`;
/** Certificates of this machine, for one behind a proxy with its own. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const UNCONFINED = ['seccomp', 'apparmor', 'systempaths'].flatMap((one) => [
  '--security-opt',
  `${one}=unconfined`,
]);

function docker(words: string[]) {
  const { status, stdout, stderr } = spawnSync('docker', words, { encoding: 'utf8', timeout: 560_000 });
  return { status, said: `${stdout}${stderr}` };
}

/** What --privileged gives but for one capability, which engines inside of containers often do not have themselves. */
const NEARLY_PRIVILEGED = [
  ...['--cap-add=ALL', '--cap-drop=SYS_RESOURCE', ...UNCONFINED],
  ...['-v', '/sys/fs/cgroup:/sys/fs/cgroup', '-v', '/dev:/dev', '--device-cgroup-rule=a *:* rwm'],
];

/** A Debian with Node and npm, which the Dockerfile then need not fetch. */
function makeBase(): void {
  const more = temporaryFolder();
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(more, 'npm'));
  const hasOwn = existsSync(CERTIFICATES);
  if (hasOwn) cpSync(CERTIFICATES, join(more, 'certificates.crt'));
  const known = hasOwn ? ['NODE_EXTRA_CA_CERTS', 'PIP_CERT', 'SSL_CERT_FILE'] : [];
  const script = [
    `tar -c --transform 's,^bin/node$,usr/local/bin/node,;s,^npm$,usr/local/bin/npm,;s,^lib/node_modules,usr/local/&,'`,
    `-C ${debianRoot()} . -C ${PREFIX} bin/node lib/node_modules/npm -C ${more} npm ${hasOwn ? 'certificates.crt' : ''}`,
    `| docker import ${known.map((name) => `--change 'ENV ${name}=/certificates.crt'`).join(' ')} - ${BASE}`,
  ].join(' ');
  const made = spawnSync('bash', ['-o', 'pipefail', '-c', script], { encoding: 'utf8' });
  expect(made.status, made.stderr).toBe(0);
}

describe.skipIf(noEngine !== null || !hasNpm)('the image', () => {
  afterAll(() => void docker(['rmi', '--force', IMAGE, BASE]), 120_000);

  test('is made, and runs a project with what the engine allows', { timeout: 600_000 }, () => {
    makeBase();
    const built = docker(['build', '--network=host', `--build-arg=BASE=${BASE}`, '-t', IMAGE, packageRoot()]);
    expect(built.status, built.said).toBe(0);
    const build = (options: string[]) => {
      const { folder } = tinyProject({
        instances: 1,
        type: 'auto',
        deployment: '    fallback: local\n',
        isCold: true,
      });
      const shown = ['--network=host', '-v', `${folder}:/work`];
      return docker(['run', '--rm', ...shown, ...options, IMAGE, 'build', 'p.yaml', 'validate']);
    };
    const plain = build([]);
    expect(plain.said).toMatch(/made 3 targets .* isolation: local/);
    const unconfined = build(UNCONFINED);
    expect(unconfined.said).toMatch(/made 3 targets .* isolation: sandbox/);
    const privileged = build(['--privileged']);
    const isRefused = /unable to apply caps/.test(privileged.said);
    if (isRefused) console.log('skipped: --privileged itself: the engine may not give all capabilities');
    const said = isRefused ? build(NEARLY_PRIVILEGED).said : privileged.said;
    expect(said).toMatch(/made 3 targets .* isolation: sandbox/);
  });
});
