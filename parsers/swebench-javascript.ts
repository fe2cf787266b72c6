/** SWE-bench's parsers for JavaScript that follow indentation or several lines, by the rules of swebench 4.1.0. */
import { isSpace, rstrip, strip } from '../basics/python-text.ts';
import type { WordMap } from './swebench-pytest.ts';

/** Colours and other sequences of a terminal, removed. */
export function withoutEscapes(text: string): string {
  return text.replace(/\x1b(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])/g, '');
}

function indentOf(line: string): number {
  let at = 0;
  while (isSpace(line[at])) at++;
  return at;
}

/** Karma's tree below the line about the browser, up to the summary. */
export function parseKarma(log: string): WordMap {
  const found: WordMap = new Map();
  const suites: string[] = [];
  let depth = -1;
  let hasBegun = false;
  for (const line of log.split('\n')) {
    if (line.startsWith('SUMMARY:')) break;
    if (line.includes('Starting browser')) hasBegun = true;
    else if (hasBegun) {
      const leading = indentOf(line);
      const mark = line[leading] ?? '';
      if ((mark === '✔' || mark === '✖') && isSpace(line[leading + 1])) {
        const name = [...suites, line.slice(leading + 2)].join(' > ');
        found.set(name, mark === '✔' ? 'PASSED' : 'FAILED');
        continue;
      }
      // The last blank in front of a suite is no part of its indentation.
      const indent = leading - 1;
      if (indent < 1) continue;
      if (indent > depth) suites.push(line.slice(leading));
      else if (indent < depth) suites.pop();
      depth = indent;
    }
  }
  return found;
}

/** Jest's trees behind each command that the shell printed; suites are joined by " - ". */
export function parseCalypso(log: string): WordMap {
  const found: WordMap = new Map();
  let suites: { name: string; indent: number }[] = [];
  for (const chunk of log.split(' ./node_modules/.bin/jest ').slice(1)) {
    for (const line of chunk.split('\n')) {
      if (line.startsWith('Test Suites') || line.startsWith('  ● ')) break;
      const text = strip(line);
      const indent = indentOf(line);
      if (text.startsWith('✓') || text.startsWith('✕')) {
        const name = indent > 0 && isSpace(line[indent + 1]) ? calypsoName(line.slice(indent + 2)) : null;
        const parents = suites.map((suite) => suite.name).join(' - ');
        if (name !== null) found.set(strip(`${parents} - ${name}`), text[0] === '✓' ? 'PASSED' : 'FAILED');
      } else if (indent > 0) {
        suites = suites.slice(0, suites.findLastIndex((suite) => suite.indent < indent) + 1);
        suites.push({ name: text, indent });
      }
    }
  }
  return found;
}

/** Without the time at its end; null: there is a time elsewhere, which upstream does not read. */
function calypsoName(text: string): string | null {
  if (!/\(\d+ms\)/.test(text)) return text;
  const at = text.lastIndexOf('(');
  return /^\(\d+ms\)$/.test(text.slice(at)) ? text.slice(0, at) : null;
}

/** p5.js: failures alone, in the list that Mocha prints at its end; blocks of JSON and XML are taken out before. */
export function parseP5(log: string): WordMap {
  const found: WordMap = new Map();
  const text = withoutTags(withoutJson(withoutEscapes(log)));
  let from = 0;
  while (from < text.length) {
    const lineEnd = text.indexOf('\n', from);
    const next = lineEnd < 0 ? text.length : lineEnd + 1;
    let at = from;
    while (at < next && isSpace(text[at])) at++;
    let close = at;
    while (/[0-9]/.test(text[close] ?? '')) close++;
    const colon =
      close > at && text[close] === ')' ? text.slice(close + 1, close + MOST_TITLE + 2).indexOf(':') : -1;
    if (colon < 0) {
      from = next;
      continue;
    }
    const lines = text.slice(close + 1, close + 1 + colon).split('\n');
    if (isTree(lines)) found.set(lines.map(strip).join(':'), 'FAILED');
    // The next failure begins on a line behind this one's colon.
    const behind = text.indexOf('\n', close + 1 + colon);
    from = behind < 0 ? text.length : behind + 1;
  }
  return found;
}

const MOST_TITLE = 1000;

/** Each line is indented deeper than the one before. */
function isTree(lines: readonly string[]): boolean {
  const indents = lines.map(indentOf);
  return indents.every((indent, at) => indent > (at === 0 ? 0 : indents[at - 1]!));
}

function withoutJson(text: string): string {
  const kept: string[] = [];
  let [inObject, inList] = [false, false];
  for (const line of text.split('\n')) {
    const end = rstrip(line);
    if (end.endsWith('{')) inObject = true;
    else if (end.endsWith('[')) inList = true;
    else if (end === '}' && inObject) inObject = false;
    else if (end === ']' && inList) inList = false;
    else if (inObject || inList) continue;
    else if (end.startsWith('{') && end.endsWith('}')) continue;
    else if (end.startsWith('[') && end.endsWith(']')) continue;
    else kept.push(line);
  }
  return kept.join('\n');
}

interface TextTag {
  at: number;
  end: number;
  isEnd: boolean;
}

/** Without `<a>…</a>`, also nested. Where ends are missing, the open tags stay, without what was between them. */
function withoutTags(text: string): string {
  const byName = new Map<string, TextTag[]>();
  const opens: { at: number; name: string; place: number }[] = [];
  for (const found of text.matchAll(/<(\/?)([\p{L}\p{N}_]+)>/gu)) {
    const [whole, slash, name = ''] = found;
    const same = byName.get(name) ?? [];
    if (slash === '') opens.push({ at: found.index, name, place: same.length });
    same.push({ at: found.index, end: found.index + whole.length, isEnd: slash !== '' });
    byName.set(name, same);
  }
  const kept: string[] = [];
  let from = 0;
  for (const { at, name, place } of opens) {
    if (at < from) continue;
    const removed = removal(byName.get(name)!, place);
    if (removed === null) continue;
    kept.push(text.slice(from, at), `<${name}>`.repeat(removed.open));
    from = removed.end;
  }
  return kept.join('') + text.slice(from);
}

/** How far the text from a tag on is removed, and how many such tags stay open; null: nothing ends it. */
function removal(tags: TextTag[], place: number): { end: number; open: number } | null {
  let open = 0;
  let closed: { end: number; open: number } | null = null;
  for (let at = place; at < tags.length; at++) {
    const tag = tags[at]!;
    open += tag.isEnd ? -1 : 1;
    if (tag.isEnd) closed = { end: tag.end, open };
    if (open === 0) break;
  }
  // Those behind have no end either.
  if (closed === null) tags.length = place;
  return closed;
}
