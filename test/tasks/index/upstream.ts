/** A package index on the loopback, for tests: packages that really install, and every way in which an index may fail. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { withContent, zipBytes } from '../../../tasks/first-state/zip.ts';

export interface OfferedFile {
  filename: string;
  bytes: Buffer;
  /** As PEP 700 has it; null when the index does not tell. */
  uploaded: string | null;
  requiresPython?: string;
  yanked?: string | true;
  /** What the index says of it when that is wrong. */
  sha256?: string;
}

export interface TestUpstream {
  url: string;
  /** Files by project. */
  projects: Map<string, OfferedFile[]>;
  /** Paths that were asked for, in order. */
  asked: string[];
  form: 'json' | 'html';
  /** Answers in place of the index when it returns true. */
  intercept: ((message: IncomingMessage, response: ServerResponse) => boolean) | null;
  close(): Promise<void>;
}

export async function testUpstream(): Promise<TestUpstream> {
  const server = createServer((message, response) => {
    const path = decodeURIComponent(message.url ?? '');
    upstream.asked.push(path);
    if (upstream.intercept?.(message, response)) return;
    const project = /^\/simple\/([^/]+)\/$/.exec(path)?.[1];
    const files = upstream.projects.get(project ?? '');
    if (files !== undefined) return sendPage(response, project!, files, upstream.form);
    const name = /^\/files\/(.+)$/.exec(path)?.[1];
    const file = [...upstream.projects.values()].flat().find(({ filename }) => filename === name);
    if (file === undefined) return void response.writeHead(404).end('nothing');
    response.end(file.bytes);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const upstream: TestUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`,
    projects: new Map(),
    asked: [],
    form: 'json',
    intercept: null,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return upstream;
}

function sendPage(response: ServerResponse, name: string, files: OfferedFile[], form: 'json' | 'html'): void {
  const sha = (file: OfferedFile) => file.sha256 ?? createHash('sha256').update(file.bytes).digest('hex');
  if (form === 'json') {
    response.setHeader('content-type', 'application/vnd.pypi.simple.v1+json');
    const listed = files.map((file) => ({
      filename: file.filename,
      url: `/files/${file.filename}`,
      hashes: { sha256: sha(file) },
      size: file.bytes.length,
      'requires-python': file.requiresPython ?? null,
      ...(file.uploaded === null ? {} : { 'upload-time': file.uploaded }),
      yanked: file.yanked ?? false,
    }));
    response.end(JSON.stringify({ meta: { 'api-version': '1.1' }, name, files: listed }));
    return;
  }
  const links = files.map(({ filename, requiresPython, ...file }) => {
    const needs =
      requiresPython === undefined ? '' : ` data-requires-python="${requiresPython.replace('>', '&gt;')}"`;
    return `<a href="/files/${filename}#sha256=${sha({ filename, ...file })}"${needs}>${filename}</a>`;
  });
  response.setHeader('content-type', 'text/html');
  response.end(`<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`);
}

/** A wheel of one module that says its version. */
export function wheel(
  name: string,
  version: string,
  requires: string[] = [],
  code = '',
): Omit<OfferedFile, 'uploaded'> {
  const info = `${name}-${version}.dist-info`;
  const contents: Record<string, string> = {
    [`${name}.py`]: `__version__ = ${JSON.stringify(version)}\n${code}`,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${requires.map((one) => `Requires-Dist: ${one}\n`).join('')}`,
    [`${info}/WHEEL`]:
      'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py2-none-any\nTag: py3-none-any\n',
  };
  contents[`${info}/RECORD`] = [...Object.keys(contents), `${info}/RECORD`]
    .map((path) => `${path},,\n`)
    .join('');
  const member = { name: '', crc: 0, size: 0, method: 0, flags: 0, packed: Buffer.alloc(0), madeBy: 0x314 };
  const members = Object.entries(contents).map(([path, text]) =>
    withContent({ ...member, attributes: 0o100644 * 65536 }, path, Buffer.from(text)),
  );
  const bytes = zipBytes({ prefix: Buffer.alloc(0), members });
  return { filename: `${name}-${version}-py2.py3-none-any.whl`, bytes };
}

/** A source distribution with these files. */
export function sdist(
  name: string,
  version: string,
  files: Record<string, string>,
): Omit<OfferedFile, 'uploaded'> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-sdist-'));
  try {
    const top = `${name}-${version}`;
    const all = { 'PKG-INFO': `Metadata-Version: 1.0\nName: ${name}\nVersion: ${version}\n`, ...files };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, top, path)), { recursive: true });
      writeFileSync(join(folder, top, path), text);
    }
    execFileSync('tar', ['czf', 'made.tar.gz', top], { cwd: folder });
    return { filename: `${top}.tar.gz`, bytes: readFileSync(join(folder, 'made.tar.gz')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
