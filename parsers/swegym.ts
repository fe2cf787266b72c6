/**
 * SWE-Gym's only own parser, for pydantic, whose runner writes a progress mark after FAILED and colours into the
 * summary. Tests of its other repositories were listed with SWE-bench's plain parser for pytest.
 */
import { firstWords } from '../basics/python-text.ts';
import { SWEBENCH_STATUSES, startsWithStatus, type WordMap } from './swebench-pytest.ts';

export function parseGymPydantic(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    const plain = raw.replace(/\[\p{Nd}+m/gu, '').replace(/[\x01-\x1f]/g, '');
    const line = plain.replaceAll(/FAILED\s*\[.*?\]/gs, 'FAILED');
    if (startsWithStatus(line)) {
      const [status, id] = firstWords(line.startsWith('FAILED') ? line.replaceAll(' - ', ' ') : line, 2);
      if (status !== undefined && id !== undefined) found.set(id, status);
    } else if (SWEBENCH_STATUSES.some((status) => line.endsWith(status))) {
      const [id, status] = firstWords(line, 2);
      if (status !== undefined && id !== undefined) found.set(id, status);
    }
  }
  return found;
}
