/** Tells a web page from a file: a login page, or the page of a proxy, comes with status 200 in place of what was asked for. */
import { open } from 'node:fs/promises';
import { type Infra, infra } from '../../schemas/outcome.ts';

/** Bytes by which it is recognised. */
const PAGE_HEAD = 512;

/** True for the beginning of a web page, and for nothing at all. */
export function isWebPage(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString('latin1');
  return text === '' || /^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body|!--|\?xml)/i.test(text);
}

/** The same of a file. */
export async function isPageFile(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(PAGE_HEAD), 0, PAGE_HEAD, 0);
    return isWebPage(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** The fault where a file that was downloaded is no archive of `name`, but a web page; null: it is none. */
export async function pageFault(path: string, name: string): Promise<Infra | null> {
  if (!(await isPageFile(path))) return null;
  return infra('source-fetch', `${name}: the answer is no archive, but a web page or nothing`);
}
