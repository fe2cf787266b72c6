/**
 * Images on a disk: an OCI layout as a folder or an archive, and what `docker save` writes in its old and its new
 * form. Nothing is unpacked here. Layers are described by where their bytes are.
 */

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonObject, parsedJson } from '../../basics/json.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { hostPython } from './host-python.ts';
import type { Blob, PackedLayer } from './unpack.ts';

/** What an image's configuration says of running it. */
export interface ImageConfig {
  /** `NAME=value`. */
  env: string[];
  user: string;
  workingFolder: string;
}

export interface ImageFile {
  /** `sha256:…` of its configuration, which names its layers by content: the same however it was packed. */
  id: string;
  config: ImageConfig;
  /** The lowest first. */
  layers: { diffId: string; packed: PackedLayer }[];
}

/** Where the pieces of an image are, by the names that its format has for them. */
interface Container {
  find(name: string): Blob | null;
}

interface Descriptor {
  digest: string;
  platform?: { os?: string; architecture?: string };
}

/** No manifest or configuration is larger. */
const MAX_BYTES = 16 << 20;
/** Seconds; an archive is read from its beginning to its end. */
const LIST_TIMEOUT = 1800;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The image at a path; the fault says why there is none. `blobs`: a folder that holds the blobs of a layout. */
export async function readImage(path: string, blobs?: string): Promise<Result<ImageFile, string>> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return fault(`${path} does not exist`);
  if (found.isDirectory()) return readLayout(folderContainer(path, blobs), path);
  const archive = await archiveContainer(path);
  if (!archive.ok) return archive;
  if (archive.value.find('manifest.json') !== null) return readSaved(archive.value, path);
  return readLayout(archive.value, path);
}

function folderContainer(folder: string, blobs = join(folder, 'blobs')): Container {
  return {
    find(name) {
      const path = name.startsWith('blobs/') ? join(blobs, name.slice('blobs/'.length)) : join(folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() === true ? { path, offset: 0, size: found.size } : null;
    },
  };
}

type Member = { offset: number; size: number } | { link: string };

async function archiveContainer(path: string): Promise<Result<Container, string>> {
  const script = join(packageRoot(), 'tasks/images/list_archive.py');
  const argv = [hostPython(), '-ISEB', script, path];
  const end = await runProgram({ argv, env: { LANG: 'C.UTF-8' }, timeout: LIST_TIMEOUT });
  if (!hasSucceeded(end)) return fault(`${path} could not be read: ${complaintOf(end)}`);
  if (end.truncated) return fault(`${path} holds more files than an image has`);
  const answer = JSON.parse(end.stdout) as { members: Record<string, Member> } | { fault: string };
  if ('fault' in answer) return fault(`${path} is not the archive of an image: ${answer.fault}`);
  const { members } = answer;
  const find = (name: string, links = 0): Blob | null => {
    const member = Object.hasOwn(members, name) ? members[name]! : null;
    if (member === null || links > 9) return null;
    return 'link' in member ? find(member.link, links + 1) : { path, ...member };
  };
  return success({ find });
}

/** What `docker save` wrote: `manifest.json` names a configuration and layers by their paths. */
async function readSaved(container: Container, path: string): Promise<Result<ImageFile, string>> {
  const list = await readJson<{ Config: string; Layers: string[] }[]>(container.find('manifest.json'));
  if (!Array.isArray(list) || list.length === 0) return fault(`${path} holds no image`);
  if (list.length > 1) return fault(`${path} holds ${list.length} images; save one of them by itself`);
  const [{ Config, Layers }] = list as [{ Config: string; Layers: string[] }];
  const bytes = await readBytes(container.find(Config));
  if (bytes === null) return fault(`${path} lacks ${Config}`);
  const id = digestOfBytes(bytes);
  const named = /([0-9a-f]{64})(?:\.json)?$/.exec(Config)?.[1];
  if (named !== undefined && id !== `sha256:${named}`) return fault(`${path}: ${Config} is damaged`);
  return imageOf(path, id, bytes, Layers, (name) => container.find(name));
}

async function readLayout(container: Container, path: string): Promise<Result<ImageFile, string>> {
  const index = await readJson<{ manifests?: Descriptor[] }>(container.find('index.json'));
  if (index?.manifests === undefined)
    return fault(`${path} is neither an OCI layout nor what docker save writes`);
  const manifest = await chooseManifest(container, index.manifests, path);
  if (!manifest.ok) return manifest;
  const { config, layers } = manifest.value;
  const bytes = await blobBytes(container, config.digest);
  if (bytes === null) return fault(`${path}: its configuration is missing or damaged`);
  const digests = layers.map(({ digest }) => digest);
  return imageOf(path, config.digest, bytes, digests, (digest) => blobOf(container, digest));
}

interface Manifest {
  config: Descriptor;
  layers: Descriptor[];
}

/** The one for this machine; lists of manifests may lie in each other. */
async function chooseManifest(
  container: Container,
  from: readonly Descriptor[],
  path: string,
  depth = 0,
): Promise<Result<Manifest, string>> {
  const fits = from.filter(
    ({ platform }) =>
      platform === undefined || (platform.os === 'linux' && platform.architecture === machineName()),
  );
  if (fits.length === 0) return fault(`${path} has no image for linux/${machineName()}`);
  if (fits.length > 1)
    return fault(`${path} holds ${fits.length} images; keep one of them in a layout of its own`);
  const bytes = await blobBytes(container, fits[0]!.digest);
  if (bytes === null) return fault(`${path}: its manifest is missing or damaged`);
  const found = jsonObject<Partial<Manifest> & { manifests?: Descriptor[] }>(bytes.toString('utf8'));
  if (found?.manifests !== undefined && depth < 3)
    return chooseManifest(container, found.manifests, path, depth + 1);
  if (found?.config === undefined || !Array.isArray(found.layers))
    return fault(`${path}: its manifest is none`);
  return success({ config: found.config, layers: found.layers });
}

interface RawConfig {
  architecture?: string;
  os?: string;
  config?: { Env?: string[] | null; User?: string; WorkingDir?: string };
  rootfs?: { diff_ids?: string[] };
}

function imageOf(
  path: string,
  id: string,
  bytes: Buffer,
  names: readonly string[],
  find: (name: string) => Blob | null,
): Result<ImageFile, string> {
  const raw = jsonObject<RawConfig>(bytes.toString('utf8'));
  const diffIds = raw?.rootfs?.diff_ids ?? [];
  if (raw === null || diffIds.length !== names.length || diffIds.some((diffId) => !DIGEST.test(diffId)))
    return fault(`${path}: its configuration does not say what its layers are`);
  if (raw.architecture !== undefined && raw.architecture !== machineName())
    return fault(`${path} is for ${raw.architecture}, and this machine is ${machineName()}`);
  const layers: ImageFile['layers'] = [];
  for (const [index, name] of names.entries()) {
    const blob = find(name);
    if (blob === null) return fault(`${path} lacks its layer ${name}`);
    const digest = DIGEST.test(name) ? name : null;
    layers.push({ diffId: diffIds[index]!, packed: { blob, digest } });
  }
  const { Env, User, WorkingDir } = raw.config ?? {};
  const config = { env: Env ?? [], user: User ?? '', workingFolder: WorkingDir ?? '' };
  return success({ id, config, layers });
}

function machineName(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}

function blobOf(container: Container, digest: string): Blob | null {
  return DIGEST.test(digest) ? container.find(`blobs/${digest.replace(':', '/')}`) : null;
}

/** Null when it is not there, or not what its name says. */
async function blobBytes(container: Container, digest: string): Promise<Buffer | null> {
  const bytes = await readBytes(blobOf(container, digest));
  return bytes !== null && digestOfBytes(bytes) === digest ? bytes : null;
}

async function readBytes(blob: Blob | null): Promise<Buffer | null> {
  if (blob === null || blob.size > MAX_BYTES) return null;
  if (blob.offset === 0 && statSync(blob.path).size === blob.size) return readFile(blob.path);
  const file = await open(blob.path);
  try {
    const bytes = Buffer.alloc(blob.size);
    await file.read(bytes, 0, blob.size, blob.offset);
    return bytes;
  } finally {
    await file.close();
  }
}

async function readJson<T>(blob: Blob | null): Promise<T | null> {
  const bytes = await readBytes(blob);
  return bytes === null ? null : ((parsedJson(bytes.toString('utf8')) ?? null) as T | null);
}

function digestOfBytes(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
