/**
 * The indexes of the host behind the local one: their pages, asked for once in a while, and their files, downloaded once
 * and kept by digest. Callers that want the same thing at the same time share one piece of work.
 */
import { rm } from 'node:fs/promises';
import { fault, type Result, success } from '../../../basics/result.ts';
import { type Infra, infra } from '../../../schemas/outcome.ts';
import { SharedWork } from '../../source/deps.ts';
import { diskFault } from '../../source/fault.ts';
import { type Http, httpClient } from '../../source/http.ts';
import { controlFault, controlIndex, type KnownProjects, knownProjects } from '../../source/index-control.ts';
import { indexSettings } from '../../source/index-settings.ts';
import { ownMemo } from '../../source/memo.ts';
import { downloadFile, type IndexFile, readRemotePage, versionIn } from '../../source/package-index.ts';
import { BadArchive } from '../../source/unpack-target.ts';
import { readZipEntry } from '../../source/unpack-zip.ts';
import type { Fetched, Refusal } from '../answer.ts';
import { momentOf, pageAsOf } from '../as-of.ts';
import { type FileStore, sha256Of } from '../file-store.ts';

export interface Page {
  files: ReadonlyMap<string, IndexFile>;
  /** Pages that were made of it. */
  rendered: Map<string, string>;
}

export interface UpstreamOptions {
  env: NodeJS.ProcessEnv;
  store: FileStore;
  /** Milliseconds of the first pause after a fault that may pass; see HttpOptions. */
  pause?: number;
  tries?: number;
  /** What the indexes had before; absent: nothing is known. */
  known?: KnownProjects;
}

/** As long as pip and uv believe a page of PyPI. */
const PAGE_LASTS_MS = 600_000;
const MAX_PAGES = 300;

export class Upstream {
  /** Of the network only: folders are shown to builds as they are. null keeps an index's number. */
  readonly indexes: readonly (string | null)[];
  private readonly http: Http;
  private readonly known: KnownProjects;
  private readonly sharedWork = new SharedWork();
  private readonly pages = new Map<string, { page: Page; at: number }>();
  /** sha256 of files whose index has none, by URL. */
  private readonly learned = new Map<string, string>();
  private readonly ended = new AbortController();

  constructor(private readonly options: UpstreamOptions) {
    const { env, store: _, known = knownProjects(ownMemo()), ...tries } = options;
    const settings = indexSettings(env);
    this.indexes = settings.indexes.map((index) => (/^https?:/i.test(index) ? index : null));
    this.http = httpClient({ env, ...settings, ...tries });
    this.known = known;
  }

  /** The files of a project; none when the index does not know it. */
  async page(index: number, project: string): Promise<Result<Fetched<Page>, Refusal>> {
    const name = `${index} ${project}`;
    const known = this.pages.get(name);
    if (known !== undefined && performance.now() - known.at < PAGE_LASTS_MS) {
      this.keepPage(name, known);
      return success({ value: known.page, isNew: false });
    }
    return this.sharedWork.share(`page ${name}`, async () => {
      const got = await this.readPage(`${this.indexes[index]}/${project}/`, project);
      if (!got.ok) return got;
      if (got.value.length > 0) await this.known.add(this.indexes[index]!, project);
      const files = new Map(got.value.map((file) => [file.filename, file]));
      const page = { files, rendered: new Map<string, string>() };
      this.keepPage(name, { page, at: performance.now() });
      return success({ value: page, isNew: true });
    });
  }

  /** When the first file of a release came; null when no index has it. */
  async uploaded(project: string, version: string): Promise<Result<number | null, Infra>> {
    const times: number[] = [];
    for (const [index, url] of this.indexes.entries()) {
      const files = url === null ? success([]) : await this.filesOf(index, project);
      if (!files.ok) return files;
      times.push(...files.value.filter(isOf(project, version)).flatMap(({ uploadedAt }) => uploadedAt ?? []));
    }
    return success(times.length === 0 ? null : Math.min(...times));
  }

  /** See BuildIndex.listed. */
  async listed(
    project: string,
    version: string | null,
    asOf: string | null,
  ): Promise<Result<string[], Infra>> {
    const names = new Set<string>();
    let isThere = false;
    for (const [index, url] of this.indexes.entries()) {
      const files = url === null ? success([]) : await this.filesOf(index, project);
      if (!files.ok) return files;
      isThere ||= files.value.length > 0;
      const shown = pageAsOf(files.value, project, asOf === null ? null : momentOf(asOf)).files;
      const wanted = version === null ? shown : shown.filter(isOf(project, version));
      for (const { filename } of wanted) names.add(filename);
    }
    const broken = isThere ? null : await this.controlled(project);
    return broken === null ? success([...names].sort()) : fault(broken);
  }

  /** The fault when no index that lacks a project answers as one. */
  private async controlled(project: string): Promise<Infra | null> {
    const ends: { index: string; works: boolean }[] = [];
    for (const [at, index] of this.indexes.entries()) {
      if (index === null) continue;
      const countOf = async (other: string) => {
        const files = await this.filesOf(at, other);
        return files.ok ? success(files.value.length) : files;
      };
      const works = await controlIndex(index, await this.known.of(index), countOf);
      if (!works.ok) return works.fault;
      ends.push({ index, works: works.value });
    }
    return controlFault(project, ends);
  }

  /** The files of a project; an index that refuses has none. */
  private async filesOf(index: number, project: string): Promise<Result<IndexFile[], Infra>> {
    const page = await this.page(index, project);
    if (page.ok) return success([...page.value.value.files.values()]);
    return page.fault.isFault ? fault(infra('package-index', page.fault.detail)) : success([]);
  }

  /** Path of a file's bytes. */
  async file(file: IndexFile): Promise<Result<Fetched<string>, Refusal>> {
    const known = file.sha256 ?? this.learned.get(file.url);
    const kept = known === undefined ? null : await this.options.store.find(known);
    if (kept !== null) return success({ value: kept, isNew: false });
    return this.sharedWork.share(`file ${known ?? file.url}`, () => this.download(file));
  }

  /** The METADATA of a wheel: what lies beside it, else what is in it; null for a wheel that has none. */
  async metadata(file: IndexFile): Promise<Result<Fetched<Buffer | null>, Refusal>> {
    const { store } = this.options;
    const kept = file.sha256 === null ? null : await store.noted(metadataName(file.sha256));
    if (kept !== null && isRight(kept, file)) return success({ value: kept, isNew: false });
    return this.sharedWork.share(`metadata ${file.sha256 ?? file.url}`, async () => {
      const beside = await this.besideIt(file);
      const had = beside === null ? await this.withinIt(file) : success(beside);
      if (!had.ok) return had;
      if (had.value !== null && file.sha256 !== null) await store.note(metadataName(file.sha256), had.value);
      return success({ value: had.value, isNew: true });
    });
  }

  close(): void {
    this.ended.abort();
  }

  private async readPage(url: string, project: string): Promise<Result<IndexFile[], Refusal>> {
    let status = 502;
    let isRefused = false;
    const read = await readRemotePage(this.http, url, project, {
      signal: this.ended.signal,
      refusal: (response) => {
        isRefused = true;
        // A client has its own meaning for these: some indexes answer so for what they do not know.
        if (response.status === 401 || response.status === 403) status = response.status;
        return null;
      },
    });
    if (read.ok) return read;
    return fault({
      status,
      detail: read.fault.detail,
      isFault: status >= 500,
      isOfIndex: read.fault.reason === 'package-index' && !isRefused,
    });
  }

  /** The most recent ones stay. */
  private keepPage(name: string, page: { page: Page; at: number }): void {
    this.pages.delete(name);
    this.pages.set(name, page);
    if (this.pages.size > MAX_PAGES) this.pages.delete(this.pages.keys().next().value!);
  }

  private async download(file: IndexFile): Promise<Result<Fetched<string>, Refusal>> {
    const { store } = this.options;
    const temporary = await store.temporaryPath();
    try {
      const got = await downloadFile(this.http, file, temporary, this.ended.signal);
      if (!got.ok) return refusal(got.fault);
      if (file.sha256 === null) this.learned.set(file.url, got.value);
      return success({ value: await store.add(temporary, got.value), isNew: true });
    } catch (error) {
      return refusal(diskFault(error));
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** null when there is nothing of use: the wheel itself has it. */
  private async besideIt(file: IndexFile): Promise<Buffer | null> {
    const url = new URL(file.url);
    if (url.search !== '' && file.metadata === undefined) return null;
    url.pathname += '.metadata';
    const got = await this.http.get(url.href, { signal: this.ended.signal }, async (response) => {
      const bytes = Buffer.from(await response.arrayBuffer());
      if (isRight(bytes, file)) return success(bytes);
      return fault(infra('package-index', `${file.filename}: its METADATA is not what the index says`));
    });
    return got.ok ? got.value : null;
  }

  private async withinIt(file: IndexFile): Promise<Result<Buffer | null, Refusal>> {
    const wheel = await this.file(file);
    if (!wheel.ok) return wheel;
    try {
      return success(
        await readZipEntry(wheel.value.value, (name) => /^[^/]+\.dist-info\/METADATA$/.test(name)),
      );
    } catch (error) {
      if (error instanceof BadArchive) return success(null);
      throw error;
    }
  }
}

/** In the store. */
function metadataName(wheel: string): string {
  return `${wheel}.metadata`;
}

function isOf(project: string, version: string): (file: IndexFile) => boolean {
  return ({ filename }) => {
    const found = versionIn(filename, project);
    return found !== null && plain(found) === plain(version);
  };
}

/** Versions that differ in this way only are one. */
function plain(version: string): string {
  return version
    .toLowerCase()
    .replace(/^v/, '')
    .replace(/[-_+]/g, '.')
    .replace(/(?:\.0)+$/, '');
}

/** A server may answer anything with some page of its own. */
function isRight(bytes: Buffer, { metadata }: IndexFile): boolean {
  if (typeof metadata === 'string') return sha256Of(bytes) === metadata;
  return /^[A-Za-z-]+:/.test(bytes.subarray(0, 100).toString()) && bytes.includes('Metadata-Version:');
}

function refusal({ reason, detail }: { reason: string; detail: string }): Result<never, Refusal> {
  return fault({ status: reason === 'disk-full' ? 507 : 502, detail, isFault: true });
}
