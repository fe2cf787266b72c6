/**
 * A client of Python package indexes: which files a package has, and those files on the disk. It reads the same
 * settings as pip and uv, so private mirrors, proxies and folders of wheels work without further words.
 */
import { createReadStream } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Infra } from '../../schemas/outcome.ts';
import { infra, isFault } from '../../schemas/outcome.ts';
import { diskFault, errorCode, notFound, type SourceFault, withoutCredentials } from './fault.ts';
import { type GetOptions, type Http, httpClient } from './http.ts';
import { controlFault, controlIndex, type KnownProjects, knownProjects } from './index-control.ts';
import { type IndexSettings, indexSettings } from './index-settings.ts';
import { ownMemo } from './memo.ts';
import { saveStream } from './save-file.ts';
import { type IndexFile, parseSimplePage, type SimplePage } from './simple-page.ts';
import { pageFault } from './web-page.ts';

export type { IndexFile } from './simple-page.ts';

export interface PackageIndex {
  /**
   * All files of a package, of every index and folder; `invalid-row` when none of them knows it. An index that does not
   * answer as one is a fault.
   */
  files(name: string, signal?: AbortSignal): Promise<Result<IndexFile[], SourceFault>>;
  /** Puts a file at `toPath`, checked against its sha256 when the index has one; returns the sha256. */
  download(file: IndexFile, toPath: string, signal?: AbortSignal): Promise<Result<string, Infra>>;
}

const ACCEPT =
  'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01';

/** The index that `env` (and pip.conf) describes; nothing is read or connected before the first call. */
export function packageIndex(
  env: NodeJS.ProcessEnv,
  options: { pause?: number; tries?: number; known?: KnownProjects } = {},
): PackageIndex {
  const { known = knownProjects(ownMemo()), ...tries } = options;
  let opened: Opened | undefined;
  const open = () => {
    if (opened) return opened;
    const settings = indexSettings(env);
    opened = { settings, known, http: httpClient({ env, ...settings, ...tries }) };
    return opened;
  };
  return {
    files: (name, signal) => listFiles(open(), name, signal),
    download: (file, toPath, signal) => downloadFile(open().http, file, toPath, signal),
  };
}

/** A package's name as indexes spell it (PEP 503). */
export function normaliseName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

interface Opened {
  settings: IndexSettings;
  http: Http;
  known: KnownProjects;
}

async function listFiles(
  { settings, http, known }: Opened,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Result<IndexFile[], SourceFault>> {
  const project = normaliseName(name);
  const pages = [
    ...settings.findLinks.map((link) => readPage(http, link, null, signal)),
    ...settings.indexes.map((index) => readIndex(http, index, project, known, signal)),
  ];
  const found = new Map<string, IndexFile>();
  for (const page of await Promise.all(pages)) {
    if (!page.ok) return page;
    for (const file of page.value) {
      if (belongsTo(file.filename, project) && !found.has(file.filename)) found.set(file.filename, file);
    }
  }
  if (found.size > 0) return success([...found.values()]);
  const ends: { index: string; works: boolean }[] = [];
  for (const index of settings.indexes.filter(isRemote)) {
    const countOf = async (other: string) => {
      const files = await readIndex(http, index, other, known, signal);
      return files.ok ? success(files.value.length) : files;
    };
    const works = await controlIndex(index, await known.of(index), countOf);
    if (!works.ok) return works;
    ends.push({ index, works: works.value });
  }
  const broken = controlFault(name, ends);
  if (broken !== null) return fault(broken);
  const sought = { kind: 'release', project, version: null, asOf: null } as const;
  return fault(notFound(`no package index or folder in use has a package "${name}"`, sought));
}

/** The page of a project; what has files is remembered of the index. */
async function readIndex(
  http: Http,
  index: string,
  project: string,
  known: KnownProjects,
  signal: AbortSignal | undefined,
): Promise<Result<IndexFile[], Infra>> {
  const page = await readPage(http, `${index}/${project}/`, project, signal);
  if (page.ok && page.value.length > 0 && isRemote(index)) await known.add(index, project);
  return page;
}

function isRemote(place: string): boolean {
  return /^https?:\/\//i.test(place);
}

/** Folders hold files of many projects: `foo-1.0.tar.gz` is of foo, `foo-bar-1.0.tar.gz` is not. */
function belongsTo(filename: string, project: string): boolean {
  return versionIn(filename, project) !== null;
}

/** The version of `project` that a file's name says, as it is written there; null for files of others. */
export function versionIn(filename: string, project: string): string | null {
  const dashes = [...filename.matchAll(/-(?=v?\d)/g)];
  const dash = dashes.find(({ index }) => normaliseName(filename.slice(0, index)) === project);
  if (dash === undefined) return null;
  const rest = filename.slice(dash.index + 1);
  return /\.whl$/i.test(rest) ? rest.split('-')[0]! : rest.replace(/\.(?:zip|tgz|tar\.\w+|egg|exe)$/i, '');
}

/** One page or folder; a page that is not there is an empty one. `project`: whose page of an index it is. */
function readPage(
  http: Http,
  place: string,
  project: string | null,
  signal: AbortSignal | undefined,
): Promise<Result<IndexFile[], Infra>> {
  if (!isRemote(place)) {
    return readLocalPage(/^file:/i.test(place) ? fileURLToPath(place) : place, project !== null);
  }
  return readRemotePage(http, place, project, { signal });
}

/**
 * A page on the network; one that is not there is empty. `project` says of which project an index shows it, null: it is a
 * page of links. One that is no page of an index, such as a login page with status 200, is a fault.
 */
export async function readRemotePage(
  http: Http,
  place: string,
  project: string | null,
  options: Pick<GetOptions, 'signal' | 'refusal'>,
): Promise<Result<IndexFile[], Infra>> {
  const page = await http.get(place, { ...options, accept: ACCEPT }, async (response) => {
    const text = await response.text();
    const where = withoutCredentials(place);
    try {
      const type = response.headers.get('content-type') ?? '';
      const read = await parseSimplePage(text, type, response.url || place);
      if (isPageOf(read, project)) return success(read.files);
      const title = read.title === undefined ? '' : ` but a page with the title "${read.title}"`;
      return fault(infra('package-index', `${where}: the answer is no page of a package index${title}`));
    } catch {
      // Whatever the page has in place of a list of files.
      return fault(infra('package-index', `${where}: the page cannot be understood`));
    }
  });
  if (page.ok) return success(page.value.map((file) => ({ ...file, url: withLogin(file.url, place) })));
  return isFault(page.fault) ? fault(page.fault) : success([]);
}

/** A page of links says by its links what it is; one of a project lists its files, or says itself that it is an index. */
function isPageOf({ files, saysSo, project: named }: SimplePage, project: string | null): boolean {
  if (project === null) return saysSo || files.length > 0;
  if (named !== undefined && normaliseName(named) !== project) return false;
  return saysSo || files.some(({ filename }) => /\.whl$/i.test(filename) || belongsTo(filename, project));
}

/** An index's credentials count for its files too when they lie on the same host. */
function withLogin(url: string, place: string): string {
  const [file, index] = [new URL(url), new URL(place)];
  if (file.origin !== index.origin || file.username !== '') return url;
  file.username = index.username;
  file.password = index.password;
  return file.href;
}

async function readLocalPage(path: string, isIndex: boolean): Promise<Result<IndexFile[], Infra>> {
  try {
    if (/\.html?$/i.test(path)) {
      const text = await readFile(path, 'utf8');
      return success((await parseSimplePage(text, 'text/html', pathToFileURL(path).href)).files);
    }
    const names = await readdir(path);
    if (isIndex && names.includes('index.html')) return readLocalPage(join(path, 'index.html'), false);
    return success(names.map((filename) => localFile(join(path, filename))));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return success([]);
    return fault(infra('package-index', `${path}: ${code ?? 'cannot be read'}`));
  }
}

function localFile(path: string): IndexFile {
  return {
    filename: basename(path),
    url: pathToFileURL(path).href,
    sha256: null,
    yanked: false,
    requiresPython: null,
  };
}

/** See PackageIndex.download. */
export async function downloadFile(
  http: Http,
  file: IndexFile,
  toPath: string,
  signal: AbortSignal | undefined,
): Promise<Result<string, Infra>> {
  const isRight = (sha256: string) => file.sha256 === null || file.sha256 === sha256;
  const checked = (sha256: string): Result<string, Infra> =>
    isRight(sha256)
      ? success(sha256)
      : fault(infra('package-index', `${file.filename}: sha256 is ${sha256}, the index says ${file.sha256}`));
  if (/^file:/i.test(file.url)) {
    try {
      return checked(await saveStream(createReadStream(fileURLToPath(file.url)), toPath, isRight));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return fault(infra('package-index', `${file.filename}: is gone`));
      return fault(diskFault(error));
    }
  }
  const got = await http.get(file.url, { signal }, async (response) => {
    const saved = checked(await saveStream(response.body ?? emptyBody(), toPath, isRight));
    const page = saved.ok && file.sha256 === null ? await pageFault(toPath, file.filename) : null;
    if (page === null) return saved;
    await rm(toPath);
    return fault(page);
  });
  if (got.ok || isFault(got.fault)) return got as Result<string, Infra>;
  return fault(infra('package-index', `${got.fault.detail}, though the index lists it`));
}

async function* emptyBody(): AsyncIterable<Uint8Array> {}
