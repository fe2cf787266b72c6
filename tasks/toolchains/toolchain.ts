/**
 * Toolchains as layers: an exact version is fetched once from a registry of the machine, or copied from a folder of it, to the place where
 * workspaces show it, and kept. Its digest is part of the keys of what is built with it.
 */
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import type { Digest } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { temporaryPath } from '../../cache/folder.ts';
import type { HostServices } from '../../contract/machine.ts';
import { once } from '../../contract/once.ts';
import type { QuestionKind } from '../../contract/question.ts';
import { type ToolchainSource, toolchainPlace } from '../../ecosystems/kind.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { layerDamage } from '../layer-damage.ts';
import { saveStream } from '../source/save-file.ts';
import { unpackArchive } from '../source/unpack.ts';
import { type Archive, goArchive } from './go-proxy.ts';
import { copyFolder, findFolder } from './machine-folder.ts';
import { mavenArchive } from './maven-archive.ts';
import { npmArchive } from './npm-package.ts';
import type { Ecosystem } from './prepare.ts';

/** The toolchains of a recipe: the digest of each one's layer by `NAME VERSION`. */
export const TOOLCHAINS: QuestionKind<Ecosystem, Record<string, Digest>> = {
  name: 'toolchains',
  changes: false,
  async answer(request, services) {
    const layers: Record<string, Digest> = {};
    for (const [name, source] of Object.entries(ecosystemNamed(request.ecosystem).toolchains)) {
      const version = request.toolchain[name] ?? source.usual?.(request.toolchain);
      if (version === undefined) return fault(infra('tool-missing', withoutVersion(request.ecosystem, name)));
      if (source.oldest !== undefined && isOlder(version, source.oldest))
        return fault(
          infra(
            'tool-missing',
            `${name} ${version} is too old; write ${source.oldest} or later into toolchain`,
          ),
        );
      const layer = await toolchainLayer(name, version, source, services);
      if (!layer.ok) return layer;
      layers[`${name} ${version}`] = layer.value;
    }
    return success(layers);
  },
};

function isOlder(version: string, oldest: string): boolean {
  const [own, first] = [version, oldest].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10)),
  );
  const at = first!.findIndex((part, index) => part !== own![index]);
  return at >= 0 && (own![at] ?? 0) < first![at]!;
}

function withoutVersion(ecosystem: string, name: string): string {
  return `the ecosystem ${ecosystem} needs a version of ${name}, and the recipe has none; write toolchain: { ${name}: "VERSION" }`;
}

/** The layer of a toolchain, fetched where the cache does not have it. */
function toolchainLayer(
  name: string,
  version: string,
  source: ToolchainSource,
  services: HostServices,
): Promise<Result<Digest, Infra>> {
  const memo = memoOf(name, version);
  if (source.from === 'folder') return folderLayer(name, version, source, memo, services);
  return keptLayer(memo, services, () => fetchToolchain(name, version, source, services));
}

function memoOf(name: string, version: string): string {
  return `toolchain ${name} ${version} ${process.platform} ${process.arch}`;
}

/** The layer of a folder of the machine as it is now. */
async function folderLayer(
  name: string,
  version: string,
  source: Extract<ToolchainSource, { from: 'folder' }>,
  memo: string,
  services: HostServices,
): Promise<Result<Digest, Infra>> {
  const found = await findFolder(name, version, source, services.env);
  if (!found.ok) return found;
  const { cache } = services;
  return keptLayer(`${memo} ${found.value.state}`, services, async () => {
    const work = temporaryPath(cache.folder);
    try {
      await copyFolder(found.value, join(work, toolchainPlace(name, version).slice(1)), source);
      return success((await cache.layers.add(work)).digest);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

/** The layer that a memo names, made where the cache does not have it whole. */
function keptLayer(
  memo: string,
  services: HostServices,
  make: () => Promise<Result<Digest, Infra>>,
): Promise<Result<Digest, Infra>> {
  const find = async (): Promise<Result<Digest, Infra>> => {
    const { cache } = services;
    const known = cache.database.memos.get(memo) as Digest | undefined;
    if (known !== undefined && (await isWhole(known, services))) return success(known);
    const made = await make();
    if (made.ok) await cache.database.memos.put(memo, made.value);
    return made;
  };
  return once(services.cache, memo, find, ({ ok }) => ok);
}

async function isWhole(layer: Digest, services: HostServices): Promise<boolean> {
  if ((await services.cache.layers.open(layer)) === null) return false;
  return (await layerDamage(layer, services)) === null;
}

async function fetchToolchain(
  name: string,
  version: string,
  source: Exclude<ToolchainSource, { from: 'folder' }>,
  { cache, env, signal }: HostServices,
): Promise<Result<Digest, Infra>> {
  const archive = await toolchainArchive(version, source, { env, signal });
  if (!archive.ok) return archive;
  const work = temporaryPath(cache.folder);
  const folder = join(work, toolchainPlace(name, version).slice(1));
  try {
    await mkdir(dirname(folder), { recursive: true });
    const file = `${work}.archive`;
    const got = await archive.value.http.get(
      archive.value.url,
      { signal, headers: () => archive.value.headers },
      async ({ body }) => {
        if (body === null) return fault(infra('network', `${archive.value.url}: no content`));
        return success(await saveStream(body, file, () => true));
      },
    );
    if (!got.ok)
      return fault(
        infra(
          got.fault.status === 'failed' ? 'tool-missing' : got.fault.reason,
          `toolchain ${name} ${version}: ${got.fault.detail}`,
        ),
      );
    const unpacked = await unpackArchive(file, folder, archive.value.url);
    await rm(file, { force: true });
    await rm(`${folder}.whole`, { recursive: true, force: true });
    if (!unpacked.ok)
      return fault(infra('tool-missing', `toolchain ${name} ${version}: ${unpacked.fault.detail}`));
    await withoutOuterFolder(folder);
    for (const path of archive.value.programs) await makeExecutable(join(folder, path));
    return success((await cache.layers.add(work)).digest);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Where a toolchain can be had, in words, without fetching it; the fault says why it cannot. */
export async function whereToolchain(
  name: string,
  version: string,
  source: ToolchainSource,
  { cache, env, signal }: Pick<HostServices, 'cache' | 'env' | 'signal'>,
): Promise<Result<string, string>> {
  if (source.from === 'folder') {
    const found = await findFolder(name, version, source, env);
    return found.ok ? success('on this machine') : fault(found.fault.detail);
  }
  const known = cache.database.memos.get(memoOf(name, version)) as Digest | undefined;
  if (known !== undefined && (await cache.layers.open(known)) !== null) return success('in the cache');
  const archive = await toolchainArchive(version, source, { env, signal });
  if (!archive.ok) return fault(archive.fault.detail);
  const { http, url, headers } = archive.value;
  const got = await http.get(url, { method: 'HEAD', signal, headers: () => headers }, async () =>
    success(null),
  );
  // A registry that answers no such question says nothing.
  return got.ok || got.fault.detail.includes('HTTP 405')
    ? success('in its registry')
    : fault(got.fault.detail);
}

/** Where the archive of a toolchain is. */
async function toolchainArchive(
  version: string,
  source: Exclude<ToolchainSource, { from: 'folder' }>,
  { env, signal }: Pick<HostServices, 'env' | 'signal'>,
): Promise<Result<Archive, Infra>> {
  switch (source.from) {
    case 'go-proxy':
      return goArchive(version, env);
    case 'npm': {
      const name = typeof source.package === 'string' ? source.package : source.package(version);
      return npmArchive(name.replace('{arch}', process.arch), version, env, signal);
    }
    case 'maven':
      return mavenArchive(source.artifact, source.file, version, env);
  }
}

/** Archives of modules have two folders around their files. */
async function withoutOuterFolder(folder: string): Promise<void> {
  const names = await readdir(folder, { withFileTypes: true });
  if (names.length !== 1 || !names[0]!.isDirectory()) return;
  await rename(join(folder, names[0]!.name), `${folder}.inner`);
  await rm(folder, { recursive: true });
  await rename(`${folder}.inner`, folder);
}

/** All files below a folder; archives of modules have no modes. */
async function makeExecutable(folder: string): Promise<void> {
  const found = await readdir(folder, { withFileTypes: true, recursive: true }).catch(whenAbsent([]));
  for (const entry of found) if (entry.isFile()) await chmod(join(entry.parentPath, entry.name), 0o755);
}
