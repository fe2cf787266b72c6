/** An image as a folder, of layers that a test wrote. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface LayoutOptions {
  env?: string[];
  user?: string;
  architecture?: string;
}

/** Writes the layout and returns the digest of its configuration. `layers`: archives, the lowest first. */
export function writeLayout(folder: string, layers: readonly Buffer[], options: LayoutOptions = {}): string {
  const machine = process.arch === 'x64' ? 'amd64' : process.arch;
  const { env = [], user = '', architecture = machine } = options;
  const blobs = join(folder, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const put = (bytes: Buffer) => {
    const digest = sha256(bytes);
    writeFileSync(join(blobs, digest.slice('sha256:'.length)), bytes);
    return { digest, size: bytes.length };
  };
  const json = (value: object) => put(Buffer.from(JSON.stringify(value)));
  const config = json({
    ...{ architecture, os: 'linux', config: { Env: env, User: user, WorkingDir: '/testbed' } },
    rootfs: { type: 'layers', diff_ids: layers.map(sha256) },
  });
  const packed = layers.map((layer) => put(gzipSync(layer)));
  const manifest = json({ schemaVersion: 2, config, layers: packed });
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
  return config.digest;
}

function sha256(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
