/**
 * Reads tags of XML amid other output: reports are printed by the tests' own processes, so nothing is trusted to be
 * whole. Text between tags is left out; comments, declarations and CDATA are skipped. Takes linear time.
 */

export interface Tag {
  kind: 'open' | 'close' | 'empty';
  name: string;
  attributes: ReadonlyMap<string, string>;
}

/** Longest tag that is read. */
const MOST = 1 << 16;
const NAME = /[A-Za-z_][\w.:-]*/y;
const ATTRIBUTE = /\s*([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
const SKIPPED: readonly [start: string, end: string][] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];

/** The tags of a text, from the first tag `root` on. */
export function* tagsOf(text: string, root: string): Generator<Tag> {
  const first = text.indexOf(`<${root}`);
  if (first < 0) return;
  const none = new Set<string>();
  for (let at = first; at >= 0; ) {
    const skipped = SKIPPED.find(([start]) => text.startsWith(start, at));
    if (skipped !== undefined) {
      const [start, end] = skipped;
      const to = none.has(end) ? -1 : text.indexOf(end, at + start.length);
      // What is not closed is no such part.
      if (to < 0) none.add(end);
      at = text.indexOf('<', to < 0 ? at + 1 : to + end.length);
      continue;
    }
    const found = tagAt(text, at);
    if (found !== null) yield found.tag;
    at = text.indexOf('<', found === null ? at + 1 : found.end);
  }
}

function tagAt(text: string, at: number): { tag: Tag; end: number } | null {
  const isClose = text[at + 1] === '/';
  NAME.lastIndex = isClose ? at + 2 : at + 1;
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return null;
  let end = NAME.lastIndex;
  const attributes = new Map<string, string>();
  for (;;) {
    ATTRIBUTE.lastIndex = end;
    const found = ATTRIBUTE.exec(text);
    if (found === null) break;
    attributes.set(found[1]!, unescaped(found[2] ?? found[3] ?? ''));
    end = ATTRIBUTE.lastIndex;
    if (end - at > MOST) return null;
  }
  while (end < text.length && /\s/.test(text[end]!)) end++;
  const isEmpty = text[end] === '/';
  if (isEmpty) end++;
  if (text[end] !== '>') return null;
  const kind = isClose ? 'close' : isEmpty ? 'empty' : 'open';
  return { tag: { kind, name, attributes }, end: end + 1 };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescaped(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/g,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return ENTITIES[name as string]!;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
