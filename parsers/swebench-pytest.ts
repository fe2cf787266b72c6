/**
 * SWE-bench 5's parsers for pytest's short summary, reproduced exactly, with their odd results: SWE-bench's lists of
 * tests were made with them. A word that only begins with a status (`ERROR:`) is kept, as upstream keeps it.
 */
import { firstWords, words } from '../basics/python-text.ts';

export const SWEBENCH_STATUSES = ['FAILED', 'PASSED', 'SKIPPED', 'ERROR', 'XFAIL'] as const;

/** Upstream's status map, whose values may be any word. */
export type WordMap = Map<string, string>;

export function startsWithStatus(line: string): boolean {
  return SWEBENCH_STATUSES.some((status) => line.startsWith(status));
}

export function parseLogPytest(log: string): WordMap {
  return summaryWords(log, (id) => id);
}

/** Options that are absolute paths are cut down to their last part. */
export function parseLogPytestOptions(log: string): WordMap {
  return summaryWords(log, shortOption);
}

export function parseLogMatplotlib(log: string): WordMap {
  const numbered = log.replaceAll('MouseButton.LEFT', '1').replaceAll('MouseButton.RIGHT', '3');
  return summaryWords(numbered, (id) => id);
}

function summaryWords(log: string, rename: (id: string) => string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    if (!startsWithStatus(raw)) continue;
    const line = raw.startsWith('FAILED') ? raw.replaceAll(' - ', ' ') : raw;
    const [status, id] = firstWords(line, 2);
    if (status === undefined || id === undefined) continue;
    if (isSkipCount(status, id)) continue;
    found.set(rename(id), status);
  }
  return found;
}

/** `SKIPPED [3] file.py:7: reason` counts places, it names no test. */
function isSkipCount(status: string | undefined, id: string | undefined): boolean {
  return status === 'SKIPPED' && id !== undefined && /^\[\d+\]$/.test(id);
}

function shortOption(id: string): string {
  const open = id.indexOf('[');
  const close = id.lastIndexOf(']');
  if (open < 0 || close < open) return id;
  let option = id.slice(open + 1, close);
  if (option.startsWith('/') && !option.startsWith('//') && !option.includes('*')) {
    option = option.slice(option.lastIndexOf('/'));
  }
  return `${id.slice(0, open)}[${option}]`;
}

/** For astropy, scikit-learn and sphinx: colours removed, ids with spaces, and `id STATUS` lines. */
export function parseLogPytestV2(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    const line = raw.replace(/\[\p{Nd}+m/gu, '').replace(/[\x01-\x1f]/g, '');
    const ends = SWEBENCH_STATUSES.some((status) => line.endsWith(status));
    if (!ends && !startsWithStatus(line)) continue;
    const parts = words(line);
    if (parts.length < 2 || isSkipCount(parts[0], parts[1])) continue;
    if (startsWithStatus(line)) {
      const dash = line.startsWith('FAILED') ? line.indexOf(' - ') : -1;
      const [status, ...id] = dash < 0 ? parts : words(line.slice(0, dash));
      if (id.length > 0) found.set(id.join(' '), status as string);
    } else {
      found.set(parts.slice(0, -1).join(' '), parts.at(-1) as string);
    }
  }
  return found;
}

export function parseLogSeaborn(log: string): WordMap {
  const found: WordMap = new Map();
  for (const line of log.split('\n')) {
    const passed = line.includes(' PASSED ');
    if (!passed && !line.startsWith('FAILED') && !line.startsWith('PASSED')) continue;
    const [first, second] = firstWords(line, 2);
    if (first === undefined || second === undefined) continue;
    if (line.startsWith('FAILED')) found.set(second, 'FAILED');
    else if (passed) {
      if (second === 'PASSED') found.set(first, 'PASSED');
    } else found.set(second, 'PASSED');
  }
  return found;
}
