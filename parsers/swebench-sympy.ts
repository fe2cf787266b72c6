/** SWE-bench 5's parser for sympy's own test runner, to the letter. */
import { firstWords, strip } from '../basics/python-text.ts';
import type { WordMap } from './swebench-pytest.ts';

const RESULTS: readonly [ending: string, status: string][] = [
  [' E', 'ERROR'],
  [' F', 'FAILED'],
  [' ok', 'PASSED'],
];

export function parseLogSympy(log: string): WordMap {
  const found: WordMap = new Map();
  const lines = log.split('\n');
  for (const line of lines) {
    const title = failureTitle(line);
    if (title !== null) found.set(title, 'FAILED');
  }
  for (const raw of lines) {
    const line = strip(raw);
    if (!line.startsWith('test_')) continue;
    const [name] = firstWords(line, 1);
    for (const [ending, status] of RESULTS) {
      if (line.endsWith(ending)) found.set(name as string, status);
    }
  }
  return found;
}

/**
 * `___ sympy/a/test_b.py:test_c ___`. Upstream searches `(_*) (.*)\.py:(.*) (_*)`; written out, because that regular
 * expression takes quadratic time on long lines.
 */
function failureTitle(line: string): string | null {
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  if (first < 0) return null;
  const suffix = line.lastIndexOf('.py:', last - '.py:'.length);
  if (suffix <= first || last < suffix + '.py:'.length) return null;
  return `${line.slice(first + 1, suffix)}.py:${line.slice(suffix + '.py:'.length, last)}`;
}
