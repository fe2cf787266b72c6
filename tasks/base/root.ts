/** Opens a base: its layers, unpacked and held for as long as this process lives, and what it says of running in it. */
import { existsSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { asJson } from '../../basics/canonical.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { temporaryPath } from '../../cache/folder.ts';
import { digestOfList } from '../../cache/key.ts';
import type { SourceServices } from '../../contract/machine.ts';
import { once } from '../../contract/once.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { type ImageConfig, type ImageFile, readImage } from '../images/image-file.ts';
import { type ImageName, imageText } from '../images/image-name.ts';
import { type HeldLayer, layerOf, unpackedLayer } from '../images/unpack.ts';
import type { Base, Pull } from './base.ts';
import { makeRelease } from './debian.ts';
import { makeWith } from './program.ts';
import { type BaseSpec, parseBase } from './spec.ts';

export interface Root {
  layers: readonly HeldLayer[];
  config: ImageConfig;
}

/** What is remembered of an image, so that it is not looked at again while its layers are there. */
interface KnownImage {
  config: ImageConfig;
  diffIds: string[];
}

/** Raise it when the same image is remembered in another way. */
const IMAGE_VERSION = 1;
const NO_CONFIG: ImageConfig = { env: [], user: '', workingFolder: '' };
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;

/** Opens the root. Missing layers are fetched and unpacked; with `never` only from this disk. */
export function openRoot(
  base: Base,
  services: SourceServices,
  pull: Pull = 'missing',
): Promise<Result<Root, Infra>> {
  return once(
    services.shared,
    `root ${base.digest}${pull === 'never' ? ' of this disk' : ''}`,
    () => open(base, services, pull),
    ({ ok }) => ok,
  );
}

async function open(base: Base, services: SourceServices, pull: Pull): Promise<Result<Root, Infra>> {
  const spec = parseBase(base.name)!;
  return spec.kind === 'debian'
    ? openRelease(spec.release, base, services)
    : openImage(base, services, new Fetched(spec, base, services, pull));
}

async function openRelease(
  release: string,
  { digest }: Base,
  services: SourceServices,
): Promise<Result<Root, Infra>> {
  const { cache, signal } = services;
  const owners = process.getuid?.() === 0 ? 'owners' : 'own';
  const name = digestOfList('debian base', [digest, owners]);
  const make = (into: string) => makeRelease(release, digest, into, services);
  const held = await cache.bases.obtain(name, Number.POSITIVE_INFINITY, make, signal);
  return held.ok ? success({ layers: [layerOf(held.value)], config: NO_CONFIG }) : held;
}

async function openImage(
  base: Base,
  services: SourceServices,
  fetched: Fetched,
): Promise<Result<Root, Infra>> {
  const { memos } = services.cache.database;
  const memo = `image ${IMAGE_VERSION} ${base.digest}`;
  try {
    let known = memos.get(memo) as KnownImage | undefined;
    if (known === undefined) {
      const image = await fetched.image();
      if (!image.ok) return image;
      known = { config: image.value.config, diffIds: image.value.layers.map(({ diffId }) => diffId) };
    }
    const layers: HeldLayer[] = [];
    for (const [index, diffId] of known.diffIds.entries()) {
      const packed = async () => {
        const image = await fetched.image();
        return image.ok ? success(image.value.layers[index]!.packed) : image;
      };
      const layer = await unpackedLayer(diffId, packed, services);
      if (!layer.ok) return fault(ofLayer(layer.fault, index, known.diffIds.length, base));
      layers.push(layer.value);
    }
    await memos.put(memo, asJson(known));
    return success({ layers, config: known.config });
  } finally {
    await fetched.drop();
  }
}

/** The fault with the place where it was found. */
function ofLayer(why: Infra, index: number, count: number, { name }: Base): Infra {
  return infra(why.reason, `${name}, layer ${index + 1} of ${count}: ${why.detail}`);
}

/** The file of `docker login`, if a variable says that it is elsewhere: skopeo does not read that variable. */
function loginOf({ DOCKER_CONFIG: folder = '' }: NodeJS.ProcessEnv): string[] {
  const file = join(folder, 'config.json');
  return folder !== '' && existsSync(file) ? ['--authfile', file] : [];
}

/** An image's packed layers, got when somebody first asks for them. */
class Fetched {
  readonly #spec: BaseSpec;
  readonly #base: Base;
  readonly #services: SourceServices;
  readonly #pull: Pull;
  #image: Promise<Result<ImageFile, Infra>> | null = null;
  #layout: string | null = null;

  constructor(spec: BaseSpec, base: Base, services: SourceServices, pull: Pull) {
    this.#spec = spec;
    this.#base = base;
    this.#services = services;
    this.#pull = pull;
  }

  image(): Promise<Result<ImageFile, Infra>> {
    this.#image ??= this.#spec.kind === 'registry' ? this.#fetch(this.#spec.image) : this.#read();
    return this.#image;
  }

  async drop(): Promise<void> {
    if (this.#layout !== null) await rm(this.#layout, { recursive: true, force: true });
  }

  async #read(): Promise<Result<ImageFile, Infra>> {
    const { name, digest } = this.#base;
    if (this.#spec.kind !== 'file') throw new Error(`${name} is no image`);
    const found = await readImage(resolve(this.#services.projectFolder, this.#spec.path));
    if (!found.ok) return fault(infra('source-fetch', `base ${name}: ${found.fault}`));
    if (found.value.id === digest) return found as Result<ImageFile, Infra>;
    return fault(infra('source-fetch', `base ${name}: the image has changed meanwhile; build again`));
  }

  /** Layers lie in one folder for all images, so that what they share is fetched once. */
  async #fetch(image: ImageName): Promise<Result<ImageFile, Infra>> {
    if (this.#pull === 'never')
      return fault(
        infra(
          'source-fetch',
          `${imageText(image)} is not on this machine, and with pull: never it is not fetched`,
        ),
      );
    const { cache } = this.#services;
    const { digest } = this.#base;
    const blobs = join(cache.folder.sources, 'oci');
    mkdirSync(blobs, { recursive: true });
    const layout = temporaryPath(cache.folder);
    this.#layout = layout;
    const secure = LOOPBACK.test(image.registry) ? ['--src-tls-verify=false'] : [];
    const machine = process.arch === 'x64' ? 'amd64' : process.arch;
    const pulled = await makeWith(
      [
        'skopeo',
        '--insecure-policy',
        ...['--override-os', 'linux', '--override-arch', machine],
        'copy',
        ...['--quiet', '--retry-times', '2', '--dest-shared-blob-dir', blobs],
        ...secure,
        ...loginOf(this.#services.env),
        `docker://${image.registry}/${image.repository}@${digest}`,
        `oci:${layout}:image`,
      ],
      'apt-get install skopeo',
      this.#services,
    );
    if (!pulled.ok) return fault(infra(pulled.fault.reason, `${imageText(image)}: ${pulled.fault.detail}`));
    const found = await readImage(layout, blobs);
    return found.ok ? found : fault(infra('source-fetch', `${imageText(image)}: ${found.fault}`));
  }
}
