/**
 * Names in diffs: quoting, splitting the two names of a `diff --git` line, and names that lead out of the repository
 * or into git's folder on any file system.
 */

/** The name in a `---` or `+++` line with the text after it; null for /dev/null. A tab separates it from a time. */
export function headerName(text: string): { name: string | null; time: string } {
  const end = text.startsWith('"') ? closingQuote(text) : untilTab(text);
  const name = text.startsWith('"') ? unquoted(text.slice(0, end)) : text.slice(0, end).trimEnd();
  return { name: name === '/dev/null' ? null : name, time: text.slice(end).trim() };
}

/** GNU diff writes a tab and a time; some tools write spaces and a time. */
function untilTab(text: string): number {
  const tab = text.indexOf('\t');
  if (tab >= 0) return tab;
  const time = /\s+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: [+-]\d{4})?\s*$/.exec(text);
  return time === null ? text.length : time.index;
}

/** Where a `diff --git` line can be cut into two names; unquoted ones may hold spaces. */
export function gitNames(text: string): [string, string][] {
  if (text.startsWith('"')) {
    const end = closingQuote(text);
    const rest = text.slice(end + 1);
    return text[end] === ' ' && rest !== '' ? [[unquoted(text.slice(0, end)), unquoted(rest)]] : [];
  }
  const found: [string, string][] = [];
  for (let at = text.indexOf(' '); at > 0; at = text.indexOf(' ', at + 1)) {
    const rest = text.slice(at + 1);
    if (rest !== '' && (!rest.startsWith('"') || closingQuote(rest) === rest.length))
      found.push([text.slice(0, at), unquoted(rest)]);
    if (found.length === MAX_CUTS) break;
  }
  return found;
}

/** Names with more spaces than that are not considered. */
const MAX_CUTS = 200;

/** Offset after the quote that closes the one at 0. */
function closingQuote(text: string): number {
  for (let at = 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** Git writes names with unusual bytes as C strings, a byte above 127 as three octal digits. */
export function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  const inner = text.length > 1 && text.endsWith('"') ? text.slice(1, -1) : text.slice(1);
  const parts = inner.match(/\\[0-3][0-7]{2}|\\[\s\S]|[^\\]+|\\$/g) ?? [];
  return Buffer.concat(parts.map(unescaped)).toString('utf8');
}

function unescaped(part: string): Buffer {
  if (!part.startsWith('\\')) return Buffer.from(part);
  if (part.length === 4) return Buffer.from([Number.parseInt(part.slice(1), 8)]);
  return Buffer.from([ESCAPES[part[1] ?? '\\'] ?? part.charCodeAt(1) & 255]);
}

/** The name as git writes it. A name with a space is quoted too, since other tools would cut it there. */
export function quoted(name: string): string {
  if (/^[\w./+@%=:,~^-]+$/.test(name)) return name;
  const bytes = [...Buffer.from(name)].map((byte) => {
    if (byte === 34 || byte === 92) return `\\${String.fromCharCode(byte)}`;
    return byte < 32 || byte > 126 ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte);
  });
  return `"${bytes.join('')}"`;
}

/** The name without its first `count` folders; null when it has too few. */
export function stripped(name: string, count: number): string | null {
  let rest = name;
  for (let at = 0; at < count; at++) {
    const slash = rest.indexOf('/');
    if (slash < 0) return null;
    rest = rest.slice(slash + 1);
  }
  return rest === '' ? null : rest;
}

/** `./x//y` is `x/y`; the workspace's own name for the repository is taken off. Nothing else is changed. */
export function plain(name: string): string {
  const inside = name.startsWith('/testbed/') ? name.slice('/testbed/'.length) : name;
  if (inside.startsWith('/')) return inside;
  const parts = inside.split('/').filter((part) => part !== '' && part !== '.');
  return parts.join('/');
}

/** Characters that HFS+ ignores in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Why no file of a patch may have this name; null when one may. */
export function unsafeName(name: string): string | null {
  if (name === '' || name.includes('\0')) return 'no name of a file';
  if (name.includes('\ufffd')) return 'a name that is not UTF-8';
  if (name.startsWith('/')) return 'outside of the repository';
  const parts = name.split(/[/\\]/);
  if (parts.includes('..')) return 'outside of the repository';
  return parts.some(isGitFolder) ? 'in .git' : null;
}

/** Also names that file systems treat as .git because they ignore case or some characters. */
function isGitFolder(part: string): boolean {
  const name = part.replace(IGNORED, '').toLowerCase();
  return /^(?:\.git|git~\d+)[ .]*(?::.*)?$/.test(name);
}

/** Names above `path`, and itself. */
export function ancestors(path: string): string[] {
  const found: string[] = [];
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
    found.push(path.slice(0, end));
  return path === '' ? found : [...found, path];
}
