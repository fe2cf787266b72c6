/**
 * Layers that were sent to a node server, each once, under the digest of its archive. A request names the layers of
 * its workspace. The server answers which ones are missing, and these are sent. A lost file would look like a failing
 * test. So each layer is checked before it is shown for the first time: a machine that went down may have left half
 * of it.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { whenAbsent } from '../../basics/absent.ts';
import { byCodeUnit } from '../../basics/canonical.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import type { EnvironmentView, SourceView } from '../../executors/deployment.ts';
import { unpackTree } from '../../executors/pool/archive.ts';
import { storeBytes } from '../http/store-bytes.ts';

/** What a request says of a workspace's layers: digests in place of folders. */
export interface SentView {
  base?: { layers: string[]; testbed: boolean; place: string | null } | null;
  layers: string[];
  mounts: { layer: string; name: string; to: string }[];
  links: Record<string, string>;
  variables: Record<string, string>;
  source: string | null;
}

export type Shown = { environment: EnvironmentView; source: SourceView | null } | { missing: string[] };

/** Milliseconds after which an unused layer is removed, when the server starts. */
const UNUSED = 14 * 86_400_000;
const DIGEST = /^[0-9a-f]{64}$/;
/** The file that lists the entries of the tree. */
const LIST = 'entries';

export class LayerFolder {
  readonly #folder: string;
  readonly #taking = new Map<string, Promise<string | null>>();
  /** Layers that were checked, or are being checked. */
  readonly #whole = new Map<string, Promise<boolean>>();

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (!DIGEST.test(name) || Date.now() - statSync(path).mtimeMs > UNUSED)
        rmSync(path, { recursive: true, force: true });
    }
  }

  async shown(view: SentView): Promise<Shown> {
    const { base, layers, mounts, links, variables, source } = view;
    const named = [...(base?.layers ?? []), ...layers, ...mounts.map(({ layer }) => layer)];
    const all = source === null ? named : [...named, source];
    const digests = [...new Set(all)];
    const isHere = await Promise.all(digests.map((digest) => this.#isWhole(digest)));
    const missing = digests.filter((_, index) => !isHere[index]);
    if (missing.length > 0) return { missing };
    const now = new Date();
    for (const digest of all) utimesSync(join(this.#folder, digest), now, now);
    const environment: EnvironmentView = {
      layers: layers.map((digest) => this.#tree(digest)),
      mounts: mounts.map(({ layer, name, to }) => ({ from: join(this.#tree(layer), safe(name)), to })),
      links,
      variables,
      ...(base == null ? {} : { base: { ...base, layers: base.layers.map((digest) => this.#tree(digest)) } }),
    };
    return { environment, source: source === null ? null : { layer: this.#tree(source) } };
  }

  /** Stores a layer; returns why it was refused, or null. */
  take(digest: string, bytes: Readable): Promise<string | null> {
    if (!DIGEST.test(digest)) return Promise.resolve('the name of a layer is 64 hexadecimal digits');
    const known = this.#taking.get(digest);
    if (known !== undefined || this.#has(digest)) {
      bytes.resume();
      return known ?? Promise.resolve(null);
    }
    const taking = this.#take(digest, bytes).finally(() => this.#taking.delete(digest));
    this.#taking.set(digest, taking);
    return taking;
  }

  async #take(digest: string, bytes: Readable): Promise<string | null> {
    const making = join(this.#folder, `making-${randomBytes(6).toString('hex')}`);
    await mkdir(join(making, 'tree'), { recursive: true, mode: 0o755 });
    try {
      const archive = join(making, 'layer.tar');
      const found = await storeBytes(bytes, archive);
      if (!found.ok) return found.fault;
      if (found.value !== digest) return 'the SHA-256 of the bytes is not the layer’s name';
      await unpackTree(archive, join(making, 'tree'));
      await rm(archive);
      await writeFile(join(making, LIST), await entriesOf(join(making, 'tree')), { flush: true });
      await rename(making, join(this.#folder, digest));
      return null;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EDQUOT') throw error;
      return `the layer was not stored: ${message}`;
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  }

  async #isWhole(digest: string): Promise<boolean> {
    if (!this.#has(digest)) return false;
    const looking = this.#whole.get(digest) ?? this.#look(digest);
    this.#whole.set(digest, looking);
    let isWhole = false;
    try {
      isWhole = await looking;
    } finally {
      // Also after a look that failed, so that the next request looks again.
      if (!isWhole) this.#whole.delete(digest);
    }
    return isWhole;
  }

  async #look(digest: string): Promise<boolean> {
    const folder = join(this.#folder, digest);
    const listed = await readFile(join(folder, LIST), 'utf8').catch(whenAbsent(null));
    if (listed !== null && listed === (await entriesOf(join(folder, 'tree')).catch(whenAbsent(null))))
      return true;
    // Open workspaces may still use the damaged layer, so its folder is only renamed. The next start removes it.
    const removed = join(this.#folder, `making-${randomBytes(6).toString('hex')}`);
    await rename(folder, removed).catch(whenAbsent(undefined));
    return false;
  }

  #has(digest: string): boolean {
    return existsSync(join(this.#folder, digest));
  }

  #tree(digest: string): string {
    return join(this.#folder, digest, 'tree');
  }
}

/** Lists all entries of a tree, one a line: path, mode with the kind, and the size or the link's target. Names must be valid text. */
async function entriesOf(tree: string): Promise<string> {
  const lines: string[] = [];
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const names = await readdir(join(tree, folder));
    const paths = names.map((name) => (folder === '' ? name : `${folder}/${name}`));
    const found = await mapLimit(paths, 32, async (path) => {
      const stat = await lstat(join(tree, path)).catch(whenAbsent(null));
      const content = stat?.isSymbolicLink() === true ? await readlink(join(tree, path)) : stat?.size;
      if (stat?.isDirectory() !== true) return JSON.stringify([path, stat?.mode, content]);
      waiting.push(path);
      return JSON.stringify([path, stat.mode]);
    });
    lines.push(...found);
  }
  return lines.sort(byCodeUnit).join('\n');
}

/** Returns `name` if it is one part of a path, else `.`, so that no mount leaves its layer. */
function safe(name: string): string {
  return /^[^/]+$/.test(name) && name !== '..' ? name : '.';
}
