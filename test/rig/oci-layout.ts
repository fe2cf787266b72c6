/** An image as a folder, of layers that a test wrote. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
  const put = (kind: string, bytes: Buffer) => {
    const digest = sha256(bytes);
    writeFileSync(join(blobs, digest.slice('sha256:'.length)), bytes);
    return { mediaType: `application/vnd.oci.image.${kind}`, digest, size: bytes.length };
  };
  const json = (kind: string, value: object) => put(kind, Buffer.from(JSON.stringify(value)));
  const config = json('config.v1+json', {
    ...{ architecture, os: 'linux', config: { Env: env, User: user, WorkingDir: '/testbed' } },
    rootfs: { type: 'layers', diff_ids: layers.map(sha256) },
  });
  const packed = layers.map((layer) => put('layer.v1.tar', layer));
  const manifest = json('manifest.v1+json', {
    ...{ schemaVersion: 2, mediaType: 'application/vnd.oci.image.manifest.v1+json' },
    ...{ config, layers: packed },
  });
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
  return config.digest;
}

function sha256(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
