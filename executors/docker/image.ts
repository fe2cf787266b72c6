/**
 * Makes an image of the engine for what a workspace shows: the layers of its root, of its environment and of its
 * source. Each layer is loaded once and shared by all images that have it, also on an engine of another machine.
 * Images are named by their content. When there are many, the oldest unused ones are removed; an engine keeps a layer
 * as long as some image has it.
 */

import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Header } from 'tar';
import { jsonObject } from '../../basics/json.ts';
import { readableText } from '../../basics/readable.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { EnvironmentView, SourceView } from '../deployment.ts';
import { type Engine, engineFault, statusOf } from './engine.ts';
import { LABELS } from './labels.ts';
import { LayerPacker, type LayerSource, type OwnEntry, type Packed } from './layers.ts';

/** Name before the colon of every image that is made here. */
const REPOSITORY = 'swemake';

/** Unused images that stay. */
const KEPT = 64;
const BLOCK = 512;
/** Two clones of a layer have different inode times; without this git reads every file to compare it. */
const GITCONFIG = '[safe]\n\tdirectory = *\n[core]\n\tcheckStat = minimal\n\ttrustctime = false\n';
/** `/etc/hosts` without a network, as in the sandbox. With the host's network the engine shows a file of its own. */
const HOSTS = '127.0.0.1\tlocalhost swemake\n::1\tlocalhost\n';

/** Facts that are stored about an image that the engine has. */
interface Note {
  diffIds: string[];
}

export class Images {
  readonly #engine: Engine;
  readonly #packer: LayerPacker;
  readonly #notes: string;
  readonly #making = new Map<string, Promise<Result<string, Infra>>>();

  /** `folder`: records which layers engines have. `scratch`: a folder of this run. */
  constructor(engine: Engine, folder: string, scratch: string) {
    this.#engine = engine;
    this.#packer = new LayerPacker(join(folder, 'layers'), scratch);
    const name = createHash('sha256').update(engine.info.id).digest('hex').slice(0, 16);
    this.#notes = join(folder, `engine-${name}`);
    mkdirSync(this.#notes, { recursive: true });
  }

  /** The image's name, when the engine has it. `more`: folders of layers above all others. */
  obtain(
    environment: EnvironmentView,
    source: SourceView | null,
    more: readonly string[] = [],
  ): Promise<Result<string, Infra>> {
    const layers = [...layersOf(environment, source), ...more.map((folder) => layerOf(folder))];
    const name = JSON.stringify(layers);
    const known = this.#making.get(name);
    if (known !== undefined) return known;
    const made = this.#make(layers).catch((error) => fault(engineFault('loading an image', error)));
    this.#making.set(name, made);
    void made.then(({ ok }) => {
      if (!ok) this.#making.delete(name);
    });
    return made;
  }

  /** Forgets that it was made: the engine says that it is not there. */
  forget(): void {
    this.#making.clear();
  }

  async #make(sources: readonly LayerSource[]): Promise<Result<string, Infra>> {
    const known = sources.map((source) => this.#packer.known(source));
    if (known.every((diffId) => diffId !== null)) {
      const name = nameOf(known);
      if (await this.#has(name)) return success(this.#use(name, known));
    }
    // Layers that the engine already has are not sent. The engine itself says whether it still has them.
    const short = await this.#load(sources, known, this.#longestChain(known));
    return short.ok ? short : this.#load(sources, known, 0);
  }

  /** How many of the lowest layers some image has that the engine was given. */
  #longestChain(diffIds: readonly (string | null)[]): number {
    const common = ({ diffIds: own }: Note) => {
      const end = diffIds.findIndex((diffId, index) => diffId === null || diffId !== own[index]);
      return end < 0 ? diffIds.length : end;
    };
    return Math.max(0, ...this.#all().map(({ note }) => common(note)));
  }

  async #load(
    sources: readonly LayerSource[],
    known: readonly (string | null)[],
    skipped: number,
  ): Promise<Result<string, Infra>> {
    const packed: Packed[] = [];
    try {
      for (const source of sources.slice(skipped)) {
        const one = await this.#packer.pack(source);
        if (!one.ok) return one;
        packed.push(one.value);
      }
      const diffIds = [
        ...known.slice(0, skipped).map((diffId) => diffId!),
        ...packed.map(({ diffId }) => diffId),
      ];
      const name = nameOf(diffIds);
      if (!(await this.#has(name))) {
        const refused = await this.#send(name, diffIds, packed);
        if (refused !== null) return fault(refused);
      }
      return success(this.#use(name, diffIds));
    } finally {
      for (const { file } of packed) this.#packer.drop(file);
    }
  }

  async #send(name: string, diffIds: readonly string[], packed: readonly Packed[]): Promise<Infra | null> {
    const { docker, info } = this.#engine;
    const config = JSON.stringify({
      architecture: info.architecture === 'x64' ? 'amd64' : info.architecture,
      os: 'linux',
      created: '1970-01-01T00:00:00Z',
      config: { Labels: { [LABELS.what]: 'image' } },
      rootfs: { type: 'layers', diff_ids: diffIds },
      history: diffIds.map(() => ({ created: '1970-01-01T00:00:00Z' })),
    });
    try {
      const stream = await docker.loadImage(Readable.from(archiveOf(name, config, diffIds, packed)), {});
      const answer = await textOf(stream);
      const complaint = /"error":"((?:[^"\\]|\\.)*)"/.exec(answer)?.[1];
      if (complaint !== undefined) return engineFault('loading an image', new Error(complaint));
      return (await this.#has(name)) ? null : infra('engine', `the engine did not load ${name}: ${answer}`);
    } catch (error) {
      return engineFault('loading an image', error);
    }
  }

  async #has(name: string): Promise<boolean> {
    try {
      await this.#engine.docker.getImage(name).inspect();
      return true;
    } catch (error) {
      if (statusOf(error) === 404) return false;
      throw error;
    }
  }

  #use(name: string, diffIds: readonly (string | null)[]): string {
    writeFileSync(join(this.#notes, name.replace(':', '-')), JSON.stringify({ diffIds }));
    return name;
  }

  #all(): { name: string; file: string; used: number; note: Note }[] {
    return readdirSync(this.#notes).flatMap((entry) => {
      const file = join(this.#notes, entry);
      const note = jsonObject<Note>(readableText(file));
      const used = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
      return note === null || used === undefined ? [] : [{ name: entry.replace('-', ':'), file, used, note }];
    });
  }

  /** Removes the images that were not used for the longest time; what a container uses stays. */
  async prune(): Promise<void> {
    const old = this.#all()
      .sort((a, b) => b.used - a.used)
      .slice(KEPT);
    for (const { name, file } of old) {
      try {
        await this.#engine.docker.getImage(name).remove();
        rmSync(file, { force: true });
      } catch (error) {
        if (statusOf(error) === 404) rmSync(file, { force: true });
      }
    }
  }
}

function nameOf(diffIds: readonly (string | null)[]): string {
  const digest = createHash('sha256').update(diffIds.join('\n')).digest('hex');
  return `${REPOSITORY}:${digest.slice(0, 32)}`;
}

/** The layers of a workspace's root, the lowest first. */
function layersOf({ base, layers, links }: EnvironmentView, source: SourceView | null): LayerSource[] {
  const { layers: below, testbed, place } = base!;
  // Without root all files belong to one user, so there are no owners to keep.
  const keepsOwners = process.getuid?.() === 0;
  const shown = { ...links, ...(place === null ? {} : { '/opt/env': place }) };
  return [
    ...below.map((folder) => layerOf(folder, keepsOwners)),
    { folder: null, keepsOwners: false, entries: overBase(testbed, place) },
    ...layers.map((folder) => layerOf(folder)),
    ...(source === null ? [] : [layerOf(source.layer)]),
    ...(Object.keys(shown).length === 0
      ? []
      : [{ folder: null, keepsOwners: false, entries: linkEntries(shown) }]),
  ];
}

function layerOf(folder: string, keepsOwners = false): LayerSource {
  return { folder, keepsOwners, entries: [] };
}

/** The entries above every root: folders that are private to a workspace begin empty. */
function overBase(testbed: boolean, place: string | null): OwnEntry[] {
  const folder = (path: string, more: { mode?: number; opaque?: boolean } = {}): OwnEntry => ({
    ...{ path, kind: 'folder' },
    ...more,
  });
  return [
    folder('etc'),
    { path: 'etc/gitconfig', kind: 'file', text: GITCONFIG },
    { path: 'etc/hosts', kind: 'file', text: HOSTS },
    { path: 'etc/resolv.conf', kind: 'file', text: '' },
    folder('opt'),
    ...(place === null ? [folder('opt/env')] : []),
    folder('root'),
    folder('run', { opaque: true }),
    folder('run/lock'),
    folder('testbed', { opaque: !testbed }),
    folder('tmp', { mode: 0o1777, opaque: true }),
    folder('var'),
    folder('var/tmp', { mode: 0o1777, opaque: true }),
  ];
}

function linkEntries(links: Readonly<Record<string, string>>): OwnEntry[] {
  const folders = new Set<string>();
  const entries: OwnEntry[] = [];
  for (const [at, target] of Object.entries(links).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const parts = at.split('/').filter((part) => part !== '' && part !== '.');
    if (parts.includes('..')) throw new Error(`${at} is not a plain absolute path`);
    for (let end = 1; end < parts.length; end += 1) {
      const path = parts.slice(0, end).join('/');
      if (folders.has(path)) continue;
      folders.add(path);
      entries.push({ path, kind: 'folder' });
    }
    entries.push({ path: parts.join('/'), kind: 'link', target });
  }
  return entries;
}

/** In the form that `docker save` writes, without the layers that the engine has. */
async function* archiveOf(
  name: string,
  config: string,
  diffIds: readonly string[],
  packed: readonly Packed[],
): AsyncGenerator<Buffer> {
  const layerPath = (diffId: string) => `${diffId.slice('sha256:'.length)}.tar`;
  for (const { diffId, size, file } of packed) {
    yield headerOf(layerPath(diffId), size);
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) yield chunk as Buffer;
    yield padding(size);
  }
  const configName = `${createHash('sha256').update(config).digest('hex')}.json`;
  const manifest = [{ Config: configName, RepoTags: [name], Layers: diffIds.map(layerPath) }];
  for (const [path, text] of [
    [configName, config],
    ['manifest.json', JSON.stringify(manifest)],
  ] as const) {
    const bytes = Buffer.from(text);
    yield headerOf(path, bytes.length);
    yield bytes;
    yield padding(bytes.length);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function headerOf(path: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const header = new Header({ path, size, mode: 0o644, type: 'File', mtime: new Date(0), uid: 0, gid: 0 });
  header.encode(block, 0);
  return block;
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** The end of what it says. */
async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text = (text + String(chunk)).slice(-4000);
  return text;
}
