/**
 * The layers of a workspace as they are named in requests to a pool: by the digest of their archives. A layer that
 * the pool lacks is sent.
 */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { EnvironmentView, SourceView } from '../deployment.ts';
import { packTree } from './archive.ts';
import { faultOf, type PoolClient } from './client.ts';

/** Layers do not change while a process shows them, so each is packed once. */
export class SentLayers {
  readonly #client: PoolClient;
  readonly #scratch: string;
  readonly #digests = new Map<string, Promise<Result<string, Infra>>>();

  /** `scratch`: folder for archives while they are sent. */
  constructor(client: PoolClient, scratch: string) {
    this.#client = client;
    this.#scratch = scratch;
  }

  /** The pool lost what was brought: it is packed and brought again when it is needed. */
  forget(): void {
    this.#digests.clear();
  }

  async view(environment: EnvironmentView, source: SourceView | null): Promise<Result<object, Infra>> {
    const { base, layers, mounts, links, variables } = environment;
    const sent = {
      base: await all(base?.layers ?? [], (path) => this.#layer(path, true)),
      layers: await all(layers, (path) => this.#layer(path, true)),
      mounts: await all(mounts, ({ from, hides }) => this.#layer(from, isFolder(from), hides)),
      source: await all(source === null ? [] : [source.layer], (path) => this.#layer(path, true)),
    };
    for (const list of Object.values(sent)) if (!list.ok) return list;
    const digests = (list: Result<string[], Infra>) => (list.ok ? list.value : []);
    return success({
      base: base === undefined ? null : { ...base, layers: digests(sent.base) },
      layers: digests(sent.layers),
      mounts: mounts.map(({ from, to }, index) => ({
        layer: digests(sent.mounts)[index]!,
        name: isFolder(from) ? '.' : basename(from),
        to,
      })),
      links,
      variables,
      source: digests(sent.source)[0] ?? null,
    });
  }

  #layer(path: string, isFolder: boolean, hides: readonly string[] = []): Promise<Result<string, Infra>> {
    const name = [path, ...hides].join('\0');
    const known = this.#digests.get(name);
    if (known !== undefined) return known;
    const bringing = this.#bring(path, isFolder, hides);
    this.#digests.set(name, bringing);
    const forget = () => this.#digests.delete(name);
    bringing.then(({ ok }) => ok || forget(), forget);
    return bringing;
  }

  async #bring(path: string, isFolder: boolean, hides: readonly string[]): Promise<Result<string, Infra>> {
    const packed = await packTree(path, isFolder, hides, this.#scratch).catch((error: Error) => error);
    if (packed instanceof Error)
      return fault(infra('machine', `${path} cannot be packed: ${packed.message}`));
    const { path: file, digest, drop } = packed;
    try {
      const asked = await this.#client.post('/layers', { digests: [digest] });
      if (!asked.ok) return asked;
      if (asked.value.json.ok !== true) return fault(faultOf(asked.value));
      if ((asked.value.json.missing as string[]).length === 0) return success(digest);
      const put = await this.#client.putFile(`/layers/${digest}`, file);
      if (!put.ok) return put;
      return put.value.json.ok === true ? success(digest) : fault(faultOf(put.value));
    } finally {
      await drop();
    }
  }
}

/** What is not there is found out when it is packed. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
}

async function all<T>(
  items: readonly T[],
  work: (item: T) => Promise<Result<string, Infra>>,
): Promise<Result<string[], Infra>> {
  const ends = await Promise.all(items.map(work));
  const failed = ends.find(({ ok }) => !ok);
  if (failed !== undefined && !failed.ok) return failed;
  return success(ends.flatMap((end) => (end.ok ? [end.value] : [])));
}
