/**
 * A page of the local index, in JSON (PEP 691, 700) or in HTML (PEP 503, 592, 658), whichever the client reads. Every
 * wheel is listed with its METADATA beside it: the index can always answer that, and resolvers need not have the wheel.
 */
import type { IndexFile } from '../../source/package-index.ts';

export type PageForm = 'json' | 'html';

const JSON_TYPE = 'application/vnd.pypi.simple.v1+json';

export interface PageOptions {
  project: string;
  /** Path of a file on this server. */
  linkOf(file: IndexFile): string;
}

/** Old versions of pip read nothing but HTML, and say so or nothing at all. */
export function formFor(accept: string | undefined): PageForm {
  const wanted = (accept ?? '').split(',').map((part) => part.trim().toLowerCase());
  const isJson = (part: string) =>
    /^application\/vnd\.pypi\.simple\.(?:v1|latest)\+json\s*(?:;|$)/.test(part) &&
    !/;\s*q=0(?:\.0*)?\s*$/.test(part);
  return wanted.some(isJson) ? 'json' : 'html';
}

export function contentType(form: PageForm): string {
  return form === 'json' ? JSON_TYPE : 'text/html; charset=utf-8';
}

export function renderPage(files: readonly IndexFile[], form: PageForm, options: PageOptions): string {
  return form === 'json' ? jsonPage(files, options) : htmlPage(files, options);
}

/** True for files that METADATA can be had of. */
function hasMetadata({ filename }: IndexFile): boolean {
  return /\.whl$/i.test(filename);
}

function jsonPage(files: readonly IndexFile[], { project, linkOf }: PageOptions): string {
  // 1.1 promises a size for every file.
  const version = files.every(({ size }) => size !== undefined) ? '1.1' : '1.0';
  return JSON.stringify({
    meta: { 'api-version': version },
    name: project,
    files: files.map((file) => ({
      filename: file.filename,
      url: linkOf(file),
      hashes: file.sha256 === null ? {} : { sha256: file.sha256 },
      ...(file.requiresPython === null ? {} : { 'requires-python': file.requiresPython }),
      ...(file.size === undefined ? {} : { size: file.size }),
      ...(file.uploadedAt === undefined ? {} : { 'upload-time': new Date(file.uploadedAt).toISOString() }),
      ...(file.yanked ? { yanked: file.yankedFor ?? true } : {}),
      ...(hasMetadata(file) ? { 'core-metadata': jsonHash(file), 'dist-info-metadata': jsonHash(file) } : {}),
    })),
  });
}

function jsonHash({ metadata }: IndexFile): true | { sha256: string } {
  return typeof metadata === 'string' ? { sha256: metadata } : true;
}

function htmlPage(files: readonly IndexFile[], { project, linkOf }: PageOptions): string {
  const links = files.map((file) => {
    const hash = file.sha256 === null ? '' : `#sha256=${file.sha256}`;
    const metadata = typeof file.metadata === 'string' ? `sha256=${file.metadata}` : 'true';
    const attributes = [
      `href="${escaped(linkOf(file) + hash)}"`,
      ...(file.requiresPython === null ? [] : [`data-requires-python="${escaped(file.requiresPython)}"`]),
      ...(file.yanked ? [`data-yanked="${escaped(file.yankedFor ?? '')}"`] : []),
      ...(hasMetadata(file)
        ? [`data-core-metadata="${metadata}"`, `data-dist-info-metadata="${metadata}"`]
        : []),
    ];
    return `<a ${attributes.join(' ')}>${escaped(file.filename)}</a><br>\n`;
  });
  return `<!DOCTYPE html>\n<html><head><title>${escaped(project)}</title></head><body>\n${links.join('')}</body></html>\n`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
