/** Tells a web page from a file: a login page, or the page of a proxy, comes with status 200 in place of what was asked for. */

/** Bytes by which it is recognised. */
export const PAGE_HEAD = 512;

/** True for the beginning of a web page, and for nothing at all. */
export function isWebPage(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString('latin1');
  return text === '' || /^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body|!--|\?xml)/i.test(text);
}
