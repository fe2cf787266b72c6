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
export function parseSimplePage(text: string, contentType: string, pageUrl: string): IndexFile[] {
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

function parseHtml(text: string, pageUrl: string): IndexFile[] {
  const page = text.replace(/<!--[\s\S]*?-->/g, '');
  const base = attribute(/<base\s[^>]*>/i.exec(page)?.[0] ?? '', 'href');
  const baseUrl = base === null ? pageUrl : new URL(base, pageUrl).href;
  const files: IndexFile[] = [];
  for (const [tag] of page.matchAll(/<a\s(?:[^>"']|"[^"]*"|'[^']*')*>/gi)) {
    const href = attribute(tag, 'href');
    if (href === null || !URL.canParse(href, baseUrl)) continue;
    const url = new URL(href, baseUrl);
    const filename = decodeURIComponent(url.pathname.split('/').pop() ?? '');
    if (!/\.(whl|zip|tgz|tar\.\w+)$/i.test(filename)) continue;
    const sha256 = /^#sha256=([0-9a-f]{64})/i.exec(url.hash)?.[1]?.toLowerCase() ?? null;
    url.hash = '';
    files.push({
      filename,
      url: url.href,
      sha256,
      yanked: attribute(tag, 'data-yanked') !== null,
      requiresPython: attribute(tag, 'data-requires-python'),
      ...told({ yankedFor: attribute(tag, 'data-yanked') ?? '', metadata: htmlMetadata(tag) }),
    });
  }
  return files;
}

function htmlMetadata(tag: string): string | boolean {
  const said = attribute(tag, 'data-core-metadata') ?? attribute(tag, 'data-dist-info-metadata');
  if (said === null || said === 'false') return false;
  return /^sha256=([0-9a-f]{64})$/i.exec(said)?.[1]?.toLowerCase() ?? true;
}

/** An attribute's value with entities decoded, '' when it has none, null when the tag lacks it. */
function attribute(tag: string, name: string): string | null {
  const found = new RegExp(`\\s${name}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]*)))?(?=[\\s/>])`, 'i').exec(
    tag,
  );
  return found === null ? null : decodeEntities(found[1] ?? found[2] ?? found[3] ?? '');
}

function decodeEntities(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16));
    return named[name] ?? whole;
  });
}
