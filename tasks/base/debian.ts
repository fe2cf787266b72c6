/**
 * A Debian release as a root: made once by mmdebstrap, or by debootstrap as root, and identified by its list of
 * packages.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { digestOfList } from '../../cache/key.ts';
import type { SourceServices } from '../../contract/machine.ts';
import { type Attempt, type Infra, infra } from '../../schemas/outcome.ts';
import { unpack } from '../images/unpack.ts';
import { sourceDepsOf } from '../source/instance-source.ts';
import { makeWith } from './program.ts';

/** Bump when the same list of packages gives another root. */
const VERSION = 1;
const MIRROR = 'http://deb.debian.org/debian';
/** Besides the essential packages: those that patches, repositories and Python environments need. */
const PACKAGES = ['ca-certificates', 'git', 'patch', 'python3', 'python3-venv'];
const REMEDY = 'apt-get install mmdebstrap';
const FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin'];

/** Hosts that packages of Debian and its relatives come from. */
export const PACKAGE_HOSTS = [
  'deb.debian.org',
  'security.debian.org',
  'archive.ubuntu.com',
  'security.ubuntu.com',
  'ports.ubuntu.com',
];

/** Names what a release holds now: it changes with its point releases, some times a year. */
export function releaseDigest(release: string, services: SourceServices): Attempt<string> {
  const { http, signal } = sourceDepsOf(services);
  const list = `main/binary-${machine()}/Packages.xz`;
  return http.get(`${MIRROR}/dists/${release}/Release`, { signal }, async (response) => {
    const text = await response.text();
    // Of its lists of checksums the one by SHA-256 has the longest.
    const found = [...text.matchAll(/^ ([0-9a-f]{64}) +\d+ (\S+)$/gm)].find(
      ([, , name]) => name === list,
    )?.[1];
    return found === undefined
      ? fault(infra('source-fetch', `Debian ${release} has no packages for ${machine()}`))
      : success(`sha256:${digestOfList('debian release', [`${VERSION}`, release, found, ...PACKAGES])}`);
  });
}

/** Fills the folder with the unpacked release. */
export async function makeRelease(
  release: string,
  digest: string,
  into: string,
  services: SourceServices,
): Promise<Result<string, Infra>> {
  const archive = join(into, 'root.tar');
  const made = await bootstrap(release, archive, into, services);
  if (!made.ok) return made;
  const now = await releaseDigest(release, services);
  if (now.ok && now.value !== digest)
    return fault(infra('lock-drift', `Debian ${release} has moved on since it was looked up; try again`));
  const { size } = await stat(archive);
  const request = { blob: { path: archive, offset: 0, size }, digest: null, diffId: null, into };
  const unpacked = await unpack(request, services.env, services.signal);
  await rm(archive, { force: true });
  return unpacked.ok ? success(JSON.stringify(unpacked.value)) : unpacked;
}

async function bootstrap(
  release: string,
  archive: string,
  into: string,
  services: SourceServices,
): Promise<Result<null, Infra>> {
  // Times of files say nothing of when it was made.
  const more = { SOURCE_DATE_EPOCH: '1000000000' };
  const include = `--include=${PACKAGES.join(',')}`;
  if (
    isThere('mmdebstrap', services.env) ||
    !isThere('debootstrap', services.env) ||
    process.getuid?.() !== 0
  )
    return makeWith(
      ['mmdebstrap', '--variant=minbase', include, release, archive, MIRROR],
      REMEDY,
      services,
      more,
    );
  const folder = join(into, 'debootstrap');
  await mkdir(folder);
  const made = await makeWith(
    ['debootstrap', '--variant=minbase', include, release, folder, MIRROR],
    REMEDY,
    services,
    more,
  );
  if (!made.ok) return made;
  const packed = await makeWith(
    ['tar', '--numeric-owner', '--sort=name', '-C', folder, '-cf', archive, '.'],
    'apt-get install tar',
    services,
  );
  await rm(folder, { recursive: true, force: true });
  return packed;
}

/** Programs of administrators are not on everybody's PATH. */
export function isThere(name: string, env: NodeJS.ProcessEnv): boolean {
  const folders = [...(env.PATH ?? '').split(':').filter((folder) => folder !== ''), ...FOLDERS];
  return folders.some((folder) => existsSync(join(folder, name)));
}

function machine(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}
