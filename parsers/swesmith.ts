/**
 * SWE-smith's parsers, reproduced exactly: the default for `pytest --verbose`, and those for repositories with
 * another runner. Ids with spaces are cut at the first space or lost; swemake's `pytest` parser has no such limit.
 */
import { firstWords, isSpace, words } from '../basics/python-text.ts';
import { SWEBENCH_STATUSES, type WordMap } from './swebench-pytest.ts';

/** `id STATUS`, the status being any word that begins with one. */
export function parseSmithPytest(log: string): WordMap {
  const found: WordMap = new Map();
  for (const line of log.split('\n')) {
    if (isSpace(line[0])) continue;
    const [id, word] = firstWords(line, 2);
    const status = SWEBENCH_STATUSES.find((one) => word?.startsWith(one));
    if (id !== undefined && status !== undefined) found.set(id, status);
  }
  return found;
}

/** `[gw0] STATUS id` of pytest-xdist. */
export function parseSmithAutograd(log: string): WordMap {
  return statusFirst(log, /^\[gw\p{Nd}\]/u);
}

/** `STATUS id`. */
export function parseSmithParamiko(log: string): WordMap {
  return statusFirst(log, null);
}

function statusFirst(log: string, prefix: RegExp | null): WordMap {
  const found: WordMap = new Map();
  for (const line of log.split('\n')) {
    const start = prefix === null ? '' : prefix.exec(line)?.[0];
    if (start === undefined || (prefix !== null && !isSpace(line[start.length]))) continue;
    const text = prefix === null ? line : line.slice(start.length + 1);
    const status = SWEBENCH_STATUSES.find((one) => text.startsWith(one));
    if (status === undefined || !isSpace(text[status.length]) || isSpace(text[status.length + 1])) continue;
    const [id] = firstWords(text.slice(status.length + 1), 1);
    if (id !== undefined) found.set(id, status);
  }
  return found;
}

const SLUGIFY_ENDINGS: readonly [word: string, status: string][] = [
  ['ok', 'PASSED'],
  ['FAIL', 'FAILED'],
  ['ERROR', 'ERROR'],
];

/** unittest's `name (module.Class) ... ok`, of names without unusual characters. */
export function parseSmithSlugify(log: string): WordMap {
  const found: WordMap = new Map();
  for (const line of log.split('\n')) {
    for (const [word, status] of SLUGIFY_ENDINGS) {
      if (!line.endsWith(word)) continue;
      const dots = line.slice(0, -word.length);
      const name = dots.slice(0, -5);
      const framed = isSpace(dots.at(-1)) && dots.slice(-4, -1) === '...' && isSpace(dots.at(-5));
      if (
        framed &&
        [...name].every((char) => /[a-zA-Z0-9_\-,.()']/.test(char) || isSpace(char)) &&
        name !== ''
      ) {
        found.set(name, status);
      }
    }
  }
  return found;
}

/** tornado's runner: unittest that reports failures only in the list at the end. */
export function parseSmithTornado(log: string): WordMap {
  const found: WordMap = new Map();
  for (const line of log.split('\n')) {
    if (line.endsWith('... ok')) found.set(beforeDots(line), 'PASSED');
    else if (line.includes(' ... skipped ')) found.set(beforeDots(line), 'SKIPPED');
    else if (line.startsWith('ERROR:') || line.startsWith('FAIL:')) {
      found.set(words(line).slice(1, 3).join(' '), 'FAILED');
    }
  }
  return found;
}

function beforeDots(line: string): string {
  const at = line.indexOf(' ... ');
  return at < 0 ? line : line.slice(0, at);
}

/** A status anywhere in the line; the id is its last word. */
export function parseSmithMypy(log: string): WordMap {
  const found: WordMap = new Map();
  for (const line of log.split('\n')) {
    const status = ['PASSED', 'FAILED'].find((one) => line.includes(one));
    const id = status === undefined ? undefined : words(line).at(-1);
    if (status !== undefined && id !== undefined) found.set(id, status);
  }
  return found;
}
