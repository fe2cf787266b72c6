/** Reads the pages of a simple repository, in HTML (PEP 503, 592, 658) and in JSON (PEP 691, 700), into index files. */

/** One file that an index offers. */
export interface IndexFile {
  filename: string;
  /** Where it is; may hold credentials, so show it only through `withoutCredentials`. */
  url: string;
  /** 64 lower-case hex digits, or null when the index does not say. */
  sha256: string | null;
  yanked: boolean;
  requiresPython: string | null;
  /** Why it was yanked, where the index says so. */
  yankedFor?: string;
  /** Milliseconds since 1970, where the index has it. */
  uploadedAt?: number;
  /** Bytes, where the index has them. */
  size?: number;
  /** Its METADATA lies beside it: with this sha256, or true when the index has none. */
  metadata?: string | true;
}

/** A page as it was read. */
export interface SimplePage {
  files: IndexFile[];
  /** It says by its form that it is a page of an index, so that it may be empty. */
  saysSo: boolean;
  /** The project that it says it is about. */
  project?: string;
  /** Its title, where it is HTML and has one. */
  title?: string;
}

/**
 * The page that came from `pageUrl`. HTML of any kind can be read: whether it is an index is for the caller to see.
 * @throws for JSON that is no page.
 */
export async function parseSimplePage(
  text: string,
  contentType: string,
  pageUrl: string,
): Promise<SimplePage> {
  return /json/i.test(contentType) ? parseJson(text, pageUrl) : parseHtml(text, pageUrl);
}

interface JsonPage {
  name?: unknown;
  files: {
    filename: string;
    url: string;
    hashes?: Record<string, string>;
    yanked?: boolean | string;
    'requires-python'?: string | null;
    'upload-time'?: string | null;
    size?: number | null;
    'core-metadata'?: JsonMetadata;
    'data-dist-info-metadata'?: JsonMetadata;
  }[];
}

type JsonMetadata = boolean | Record<string, string> | null;

function parseJson(text: string, pageUrl: string): SimplePage {
  const page = JSON.parse(text) as JsonPage | null;
  // A server's own JSON, such as an error, has no list of files.
  if (!Array.isArray(page?.files)) throw new Error('it has no list of files');
  const { name } = page;
  return {
    files: jsonFiles(page, pageUrl),
    saysSo: true,
    ...(typeof name === 'string' ? { project: name } : {}),
  };
}

function jsonFiles(page: JsonPage, pageUrl: string): IndexFile[] {
  return page.files.map((file) => ({
    filename: file.filename,
    url: new URL(file.url, pageUrl).href,
    sha256: file.hashes?.sha256?.toLowerCase() ?? null,
    yanked: Boolean(file.yanked),
    requiresPython: file['requires-python'] ?? null,
    ...factsOf({
      yankedFor: typeof file.yanked === 'string' ? file.yanked : '',
      uploadedAt: Date.parse(file['upload-time'] ?? ''),
      size: file.size,
      metadata: jsonMetadata(file['core-metadata'] ?? file['data-dist-info-metadata']),
    }),
  }));
}

function jsonMetadata(written: JsonMetadata | undefined): string | boolean {
  return typeof written === 'object' && written !== null
    ? (written.sha256?.toLowerCase() ?? true)
    : written === true;
}

/** Only facts that an index gives stand in a file. */
function factsOf(written: {
  yankedFor: string;
  uploadedAt?: number;
  size?: number | null | undefined;
  metadata: string | boolean;
}): Partial<IndexFile> {
  const { yankedFor, uploadedAt = Number.NaN, size, metadata } = written;
  return {
    ...(yankedFor === '' ? {} : { yankedFor }),
    ...(Number.isNaN(uploadedAt) ? {} : { uploadedAt }),
    ...(typeof size === 'number' ? { size } : {}),
    ...(metadata === false ? {} : { metadata }),
  };
}

/** How pages of indexes, and folders that web servers list, are headed. */
const HEADINGS = /^\s*(?:links for\b|simple (?:package )?index\b|index of\b|directory listing (?:for|of)\b)/i;

async function parseHtml(text: string, pageUrl: string): Promise<SimplePage> {
  // Most indexes speak JSON.
  const { Parser } = await import('htmlparser2');
  const files: IndexFile[] = [];
  const heads = { title: '', h1: '' };
  let inside: keyof typeof heads | null = null;
  let baseUrl = pageUrl;
  let isTyped = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'base' && attributes.href !== undefined) baseUrl = new URL(attributes.href, pageUrl).href;
      if (name === 'a') files.push(...linkedFile(attributes, baseUrl));
      if (name === 'meta' && attributes.name === 'pypi:repository-version') isTyped = true;
      if (name === 'title' || name === 'h1') inside = name;
    },
    ontext(part) {
      if (inside !== null) heads[inside] += part;
    },
    onclosetag(name) {
      if (name === inside) inside = null;
    },
  });
  parser.end(text);
  const title = (heads.title || heads.h1).replace(/\s+/g, ' ').trim().slice(0, 80);
  const saysSo = isTyped || HEADINGS.test(heads.title) || HEADINGS.test(heads.h1);
  return { files, saysSo, ...(title === '' ? {} : { title }) };
}

/** The file behind a link; none where it leads elsewhere. */
function linkedFile(attributes: Record<string, string | undefined>, baseUrl: string): IndexFile[] {
  const { href, 'data-yanked': yanked, 'data-requires-python': requiresPython } = attributes;
  if (href === undefined || !URL.canParse(href, baseUrl)) return [];
  const url = new URL(href, baseUrl);
  const filename = decodeURIComponent(url.pathname.split('/').pop() ?? '');
  if (!/\.(whl|zip|tgz|tar\.\w+)$/i.test(filename)) return [];
  const sha256 = /^#sha256=([0-9a-f]{64})/i.exec(url.hash)?.[1]?.toLowerCase() ?? null;
  url.hash = '';
  const metadata = attributes['data-core-metadata'] ?? attributes['data-dist-info-metadata'];
  return [
    {
      filename,
      url: url.href,
      sha256,
      yanked: yanked !== undefined,
      requiresPython: requiresPython ?? null,
      ...factsOf({ yankedFor: yanked ?? '', metadata: htmlMetadata(metadata) }),
    },
  ];
}

function htmlMetadata(written: string | undefined): string | boolean {
  if (written === undefined || written === 'false') return false;
  return /^sha256=([0-9a-f]{64})$/i.exec(written)?.[1]?.toLowerCase() ?? true;
}
