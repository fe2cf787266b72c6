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
  /** Why it was yanked, where the index tells. */
  yankedFor?: string;
  /** Milliseconds since 1970, where the index tells. */
  uploadedAt?: number;
  /** Bytes, where the index tells. */
  size?: number;
  /** Its METADATA lies beside it: with this sha256, or true when the index tells none. */
  metadata?: string | true;
}

/** The files on a page that came from `pageUrl`. Text that is neither form gives an empty list. */
export async function parseSimplePage(
  text: string,
  contentType: string,
  pageUrl: string,
): Promise<IndexFile[]> {
  return /json/i.test(contentType) ? parseJson(text, pageUrl) : parseHtml(text, pageUrl);
}

interface JsonPage {
  files?: {
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

function parseJson(text: string, pageUrl: string): IndexFile[] {
  const page = JSON.parse(text) as JsonPage;
  return (page.files ?? []).map((file) => ({
    filename: file.filename,
    url: new URL(file.url, pageUrl).href,
    sha256: file.hashes?.sha256?.toLowerCase() ?? null,
    yanked: Boolean(file.yanked),
    requiresPython: file['requires-python'] ?? null,
    ...told({
      yankedFor: typeof file.yanked === 'string' ? file.yanked : '',
      uploadedAt: Date.parse(file['upload-time'] ?? ''),
      size: file.size,
      metadata: jsonMetadata(file['core-metadata'] ?? file['data-dist-info-metadata']),
    }),
  }));
}

function jsonMetadata(said: JsonMetadata | undefined): string | boolean {
  return typeof said === 'object' && said !== null ? (said.sha256?.toLowerCase() ?? true) : said === true;
}

/** Only what an index said has a place in a file. */
function told(said: {
  yankedFor: string;
  uploadedAt?: number;
  size?: number | null | undefined;
  metadata: string | boolean;
}): Partial<IndexFile> {
  const { yankedFor, uploadedAt = Number.NaN, size, metadata } = said;
  return {
    ...(yankedFor === '' ? {} : { yankedFor }),
    ...(Number.isNaN(uploadedAt) ? {} : { uploadedAt }),
    ...(typeof size === 'number' ? { size } : {}),
    ...(metadata === false ? {} : { metadata }),
  };
}

async function parseHtml(text: string, pageUrl: string): Promise<IndexFile[]> {
  // Most indexes speak JSON.
  const { Parser } = await import('htmlparser2');
  const files: IndexFile[] = [];
  let baseUrl = pageUrl;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'base' && attributes.href !== undefined) baseUrl = new URL(attributes.href, pageUrl).href;
      if (name === 'a') files.push(...linkedFile(attributes, baseUrl));
    },
  });
  parser.end(text);
  return files;
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
      ...told({ yankedFor: yanked ?? '', metadata: htmlMetadata(metadata) }),
    },
  ];
}

function htmlMetadata(said: string | undefined): string | boolean {
  if (said === undefined || said === 'false') return false;
  return /^sha256=([0-9a-f]{64})$/i.exec(said)?.[1]?.toLowerCase() ?? true;
}
