/**
 * The identity of the host's system folders, for keys: architecture, C library and distribution release. It reads a
 * few files and starts nothing, since runs with nothing to do ask for it, too.
 */
import { join } from 'node:path';
import { namesIn } from '../basics/folder.ts';
import { readableBytes } from '../basics/readable.ts';

/** The identity of this machine's system; parts that are not known are "unknown". */
export function baseIdentity(): Record<string, string> {
  const release = osRelease();
  return {
    architecture: process.arch,
    libc: libcVersion(),
    distribution: release.ID ?? process.platform,
    release: release.VERSION_ID ?? release.BUILD_ID ?? 'unknown',
  };
}

function osRelease(): Record<string, string> {
  const text = readableBytes('/etc/os-release') ?? readableBytes('/usr/lib/os-release') ?? Buffer.alloc(0);
  const entries = text.toString().matchAll(/^([A-Z_]+)=["']?(.*?)["']?$/gm);
  return Object.fromEntries([...entries].map((entry) => [entry[1]!, entry[2]!]));
}

/** "glibc 2.36" or "musl 1.2.4": both libraries carry their version as text. */
function libcVersion(): string {
  for (const path of libcPaths()) {
    const bytes = readableBytes(path);
    const at = bytes?.indexOf('GNU C Library') ?? -1;
    const version = /version (\d[\d.]*\d)/.exec(bytes?.toString('latin1', at, at + 200) ?? '');
    if (at >= 0 && version !== null) return `glibc ${version[1]}`;
  }
  const musl = namesIn('/lib').find((name) => /^ld-musl-.*\.so\.1$/.test(name));
  const muslBytes = musl === undefined ? null : readableBytes(join('/lib', musl));
  const muslVersion = /\0(1\.\d+\.\d+)\0/.exec(muslBytes?.toString('latin1') ?? '');
  return muslVersion === null ? 'unknown' : `musl ${muslVersion[1]}`;
}

function libcPaths(): string[] {
  const folders = ['/lib64', '/usr/lib64', '/lib', '/usr/lib'];
  const multiarch = namesIn('/usr/lib').filter((name) => name.endsWith('-linux-gnu'));
  const native = multiarch.filter((name) => name.startsWith(process.arch === 'arm64' ? 'aarch64' : 'x86_64'));
  return [...native.map((name) => `/usr/lib/${name}`), ...folders].map((folder) => join(folder, 'libc.so.6'));
}
