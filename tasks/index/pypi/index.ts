/**
 * Python’s indexes as they were at a moment, to any version of pip. Paths are `/MOMENT/INDEX/simple/PROJECT/` for pages, where INDEX counts the
 * host's indexes, and `/INDEX/files/PROJECT/SHA256/FILENAME` for files.
 */

import type { Result } from '../../../basics/result.ts';
import { decodedPart } from '../../../basics/uri.ts';
import type { IndexNote } from '../../../contract/build-index.ts';
import type { Infra } from '../../../schemas/outcome.ts';
import { type IndexFile, normaliseName } from '../../source/package-index.ts';
import { type Answer, absent, type Fetched, fileAnswer, type Refusal, refused } from '../answer.ts';
import { momentOf, pageAsOf } from '../as-of.ts';
import { AskedPages } from './asked-pages.ts';
import { Notes } from './notes.ts';
import { contentType, formFor, renderPage } from './page.ts';
import { type Page, Upstream, type UpstreamOptions } from './upstream.ts';

/** Builds of many days ask for the same project. */
const MAX_RENDERED = 6;

export class PythonIndex {
  readonly #upstream: Upstream;
  readonly #notes = new Notes();
  readonly #pages = new AskedPages();

  constructor(options: UpstreamOptions) {
    this.#upstream = new Upstream(options);
  }

  /** See LocalIndex.urls. */
  urls(origin: string, asOf: string | null): (string | null)[] {
    return this.#upstream.indexes.map((index, at) =>
      index === null ? null : `${origin}/${encodeURIComponent(asOf ?? EVER)}/${at}/simple`,
    );
  }

  /** Answers a GET or HEAD of a path. */
  async serve(path: string, accept: string | undefined): Promise<Answer> {
    const asked = parsePath(path, this.#upstream.indexes.length);
    if (asked === null || this.#upstream.indexes[asked.index] === null)
      return refused(absent('no such path'));
    if (asked.kind === 'page') this.#pages.note(asked.asOf, asked.project);
    const got = await this.#upstream.page(asked.index, asked.project);
    if (!got.ok) return refused(got.fault);
    const { value: page, isNew } = got.value;
    if (asked.kind === 'page') {
      if (page.files.size === 0) return refused({ ...absent('no such project'), isNew });
      return this.#page(asked, page, isNew, accept);
    }
    const file = page.files.get(asked.filename);
    if (file === undefined) return refused({ ...absent('no such file'), isNew });
    if (asked.kind === 'metadata') return metadataAnswer(await this.#upstream.metadata(file));
    const kept = await this.#upstream.file(file);
    return kept.ok ? fileAnswer(kept.value) : refused(kept.fault);
  }

  /** See BuildIndex.uploaded. */
  uploaded(project: string, version: string): Promise<Result<number | null, Infra>> {
    return this.#upstream.uploaded(normaliseName(project), version);
  }

  /** See BuildIndex.listed. */
  listed(project: string, version: string | null, asOf: string | null): Promise<Result<string[], Infra>> {
    return this.#upstream.listed(normaliseName(project), version, asOf);
  }

  /** See BuildIndex.asked. */
  asked(asOf: string | null, since: number): readonly string[] {
    return this.#pages.since(asOf, since);
  }

  /** See BuildIndex.notes. */
  notes(asOf: string | null, since: number): IndexNote[] {
    return this.#notes.since(asOf, since);
  }

  close(): void {
    this.#upstream.close();
  }

  #page(asked: AskedPage, { files, rendered }: Page, isNew: boolean, accept: string | undefined): Answer {
    const { asOf, project, index } = asked;
    const form = formFor(accept);
    const name = `${asOf} ${form}`;
    let body = rendered.get(name);
    if (body === undefined) {
      const there = pageAsOf([...files.values()], project, asOf === null ? null : momentOf(asOf));
      this.#notes.add(asked, there);
      const linkOf = (file: IndexFile) => pathOf(index, project, file);
      body = renderPage(there.files, form, { project, linkOf });
      if (rendered.size >= MAX_RENDERED) rendered.clear();
      rendered.set(name, body);
    }
    this.#notes.asked(asked);
    return { kind: 'body', type: contentType(form), body, isNew };
  }
}

/** In paths, for an index that shows everything. */
const EVER = 'now';

interface AskedPage {
  kind: 'page';
  asOf: string | null;
  index: number;
  project: string;
}

type Asked = AskedPage | { kind: 'file' | 'metadata'; index: number; project: string; filename: string };

/** What a path asks for; null when it is none of ours. */
function parsePath(path: string, indexes: number): Asked | null {
  const parts = path
    .replace(/[?#].*$/, '')
    .split('/')
    .slice(1)
    .map((part) => decodedPart(part) ?? '');
  const [first = '', second = '', third = '', fourth = ''] = parts;
  if (third === 'simple' && isIndex(second, indexes) && (parts.length === 4 || parts[4] === '')) {
    if (fourth === '' || (first !== EVER && momentOf(first) === null)) return null;
    return {
      kind: 'page',
      asOf: first === EVER ? null : first,
      index: Number(second),
      project: normaliseName(fourth),
    };
  }
  if (second !== 'files' || !isIndex(first, indexes) || parts.length !== 5) return null;
  const isMetadata = /\.whl\.metadata$/i.test(parts[4]!);
  const filename = isMetadata ? parts[4]!.slice(0, -'.metadata'.length) : parts[4]!;
  return { kind: isMetadata ? 'metadata' : 'file', index: Number(first), project: third, filename };
}

function isIndex(text: string, indexes: number): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) < indexes;
}

function pathOf(index: number, project: string, file: IndexFile): string {
  return `/${index}/files/${project}/${file.sha256 ?? '-'}/${encodeURIComponent(file.filename)}`;
}

function metadataAnswer(got: Result<Fetched<Buffer | null>, Refusal>): Answer {
  if (!got.ok) return refused(got.fault);
  const { value: body, isNew } = got.value;
  if (body === null) return refused({ ...absent('the wheel has no METADATA'), isNew });
  return { kind: 'body', type: 'text/plain; charset=utf-8', body, isNew };
}
