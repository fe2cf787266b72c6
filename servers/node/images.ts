/**
 * Images without an engine. They are fetched from a registry or read from the disk, unpacked once, and shown to
 * workspaces as their root. A resolved name keeps its meaning until it is pulled again, as in an engine.
 */
import { resolve } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import type { SourceServices } from '../../contract/machine.ts';
import type { EnvironmentView } from '../../executors/deployment.ts';
import { infra, isFault } from '../../schemas/outcome.ts';
import { type Base, type Pull, resolveTag } from '../../tasks/base/base.ts';
import { openRoot, type Root } from '../../tasks/base/root.ts';
import { readImage } from '../../tasks/images/image-file.ts';
import { imageText, parseImage } from '../../tasks/images/image-name.ts';
import type { BackendFault } from './backend.ts';

const MEMO = 'node image ';

export class UnpackedImages {
  readonly #ground: SourceServices;
  /** Whole name -> path of an OCI layout or of what `docker save` writes. */
  readonly #files: ReadonlyMap<string, string>;
  readonly #pull: Pull;
  readonly #views = new Map<string, Promise<Result<EnvironmentView, BackendFault>>>();

  /** `pull`: whether missing images are fetched from a registry. */
  constructor(ground: SourceServices, files: ReadonlyMap<string, string>, pull: Pull) {
    this.#ground = ground;
    this.#pull = pull;
    this.#files = new Map([...files].map(([name, path]) => [canonical(name) ?? name, path]));
  }

  /** Names as engines print them: without the default registry. */
  names(): string[] {
    const { memos } = this.#ground.cache.database;
    const held = [...memos.getRange({ start: MEMO, end: `${MEMO}\u{10ffff}` })].map(({ key }) =>
      key.slice(MEMO.length),
    );
    return [...new Set([...this.#files.keys(), ...held])]
      .map((name) => name.replace(/^docker\.io\/(?:library\/)?/, ''))
      .sort();
  }

  /** The view for a workspace of the image. */
  view(image: string): Promise<Result<EnvironmentView, BackendFault>> {
    const name = canonical(image);
    if (name === null) return Promise.resolve(fault(noImage(`"${image}" is not the name of an image`)));
    const known = this.#views.get(name);
    if (known !== undefined) return known;
    const making = this.#view(name);
    this.#views.set(name, making);
    const forget = () => this.#views.delete(name);
    making.then(({ ok }) => ok || forget(), forget);
    return making;
  }

  /** Looks the image up again, and names the result `as`. */
  async pull(image: string, as: string): Promise<Result<null, BackendFault>> {
    const [name, own] = [canonical(image), canonical(as)];
    if (name === null || own === null) return fault(noImage(`"${image}" is not the name of an image`));
    const base = await this.#find(name);
    if (!base.ok) return base;
    const root = await this.#open(base.value);
    if (!root.ok) return root;
    await this.#remember(own, base.value);
    this.#views.delete(own);
    return success(null);
  }

  async #view(name: string): Promise<Result<EnvironmentView, BackendFault>> {
    const known = this.#ground.cache.database.memos.get(MEMO + name) as Base | undefined;
    const base = known === undefined || this.#files.has(name) ? await this.#find(name) : success(known);
    if (!base.ok) return base;
    const root = await this.#open(base.value);
    if (!root.ok) return root;
    await this.#remember(name, base.value);
    return success(viewOf(root.value));
  }

  async #find(name: string): Promise<Result<Base, BackendFault>> {
    const path = this.#files.get(name);
    if (path === undefined) {
      const found = await resolveTag(parseImage(name)!, this.#ground, this.#pull);
      if (found.ok) return found;
      if (isFault(found.fault) && this.#pull !== 'never') return fault(found.fault);
      return fault(noImage('detail' in found.fault ? found.fault.detail : `there is no image ${name}`));
    }
    const found = await readImage(resolve(this.#ground.projectFolder, path));
    return found.ok
      ? success({ name: `image:${resolve(this.#ground.projectFolder, path)}`, digest: found.value.id })
      : fault(infra('source-fetch', `image ${name}: ${found.fault}`));
  }

  /** For an image that is missing when no registry may be asked: another node may have it. */
  async #open(base: Base): Promise<Result<Root, BackendFault>> {
    const root = await openRoot(base, this.#ground, this.#pull);
    return root.ok || this.#pull !== 'never' ? root : fault(noImage(root.fault.detail));
  }

  async #remember(name: string, base: Base): Promise<void> {
    await this.#ground.cache.database.memos.put(MEMO + name, { ...base });
  }
}

function viewOf({ layers, config }: Root): EnvironmentView {
  const variables = Object.fromEntries(
    config.env
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)
      .filter(([name]) => name !== ''),
  );
  const base = { layers: layers.map(({ folder }) => folder), testbed: true, place: null };
  return { base, layers: [], mounts: [], links: {}, variables };
}

function canonical(image: string): string | null {
  return imageText(parseImage(image));
}

function noImage(detail: string): BackendFault {
  return { status: 'no-image', detail };
}
