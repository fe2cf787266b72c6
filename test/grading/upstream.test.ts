/**
 * The parsers and the grader against real logs: 854 of SWE-bench, with the status maps and verdicts of its own
 * package, and SWE-smith's with its reports. Read from ../shared/data, skipped when that is absent.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { layoutOf, readTestLog, testOutput } from '../../grading/logs/log.ts';
import { findPreset } from '../../grading/rules/presets.ts';
import { gradeRun } from '../../grading/rules/verdict.ts';
import { findParser, parserNameOf } from '../../parsers/registry.ts';

const DATA = resolve(import.meta.dirname, '../../../shared/data');
const LOGS = join(DATA, 'grading/evaluation-logs.tar.gz');
const missing = !existsSync(LOGS);
if (missing) console.log(`skipped: ${LOGS} is not there`);

interface Row {
  instance_id: string;
  repo: string;
  log: string;
  parser: string;
  gradable: boolean;
  n_tests: number;
  status_map_sha256: string;
  verified?: { f2p: [number, number]; p2p: [number, number]; status_5_0_1: string };
}

const rules = (preset: string) => {
  const found = findPreset(preset);
  if (found === null) throw new Error(preset);
  return found.rules;
};

describe.skipIf(missing)('logs of SWE-bench', () => {
  let folder = '';
  let rows: Row[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'swemake-logs-'));
    execFileSync('tar', ['xzf', LOGS, '-C', folder]);
    const lines = readFileSync(join(DATA, 'grading/verdicts.jsonl'), 'utf8').trim().split('\n');
    rows = lines.map((line) => JSON.parse(line) as Row);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const read = (row: Row) => readFileSync(join(folder, row.log), 'utf8');

  test('every status map is upstream’s', () => {
    const wrong = rows.filter((row) => {
      const output = testOutput(read(row), 'v1');
      const words = output.ok ? findParser(row.parser)?.words(output.text) : new Map<string, string>();
      return words === undefined || mapDigest(words) !== row.status_map_sha256;
    });
    expect(rows).toHaveLength(854);
    expect(wrong.map((row) => row.log)).toEqual([]);
  });

  test('the repository names the parser', () => {
    const parserOf = (row: Row) => findParser(parserNameOf(row.repo))?.name;
    expect(rows.filter((row) => parserOf(row) !== row.parser)).toEqual([]);
  });

  test('every verdict is that of swebench 5.0.1', async () => {
    const lists = await verifiedLists();
    const graded = rows.filter((row) => row.verified !== undefined);
    const wrong = graded.filter((row) => {
      const parser = findParser(row.parser);
      const instance = lists.get(row.instance_id);
      if (parser === null || instance === undefined) return true;
      const log = read(row);
      const verdict = gradeRun(
        readTestLog(log, parser, { layout: layoutOf(log) }),
        instance,
        rules('swebench-5'),
      );
      const status = verdict.resolved ? 'FULL' : verdict.partial ? 'PARTIAL' : 'NO';
      const tests = verdict.tests_status;
      const counts = tests && {
        f2p: [tests.FAIL_TO_PASS.success.length, tests.FAIL_TO_PASS.failure.length],
        p2p: [tests.PASS_TO_PASS.success.length, tests.PASS_TO_PASS.failure.length],
      };
      const { f2p, p2p, status_5_0_1 } = row.verified as NonNullable<Row['verified']>;
      if (counts !== null && JSON.stringify(counts) !== JSON.stringify({ f2p, p2p })) return true;
      return `RESOLVED_${status}` !== status_5_0_1;
    });
    expect(graded).toHaveLength(263);
    expect(wrong.map((row) => row.log)).toEqual([]);
  });
});

describe.skipIf(missing)('reports of SWE-smith', () => {
  const runs = ['pandas-dev__pandas.95280573.pr_53652', 'pydantic__pydantic.acb0f10f.pr_8316'];
  test.each(runs)('%s', (run) => {
    const folder = join(DATA, 'swesmith/run_evaluation', run);
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
    const log = readFileSync(join(folder, 'test_output.txt'), 'utf8');
    const group = (name: string) => [
      ...report.tests_status[name].success,
      ...report.tests_status[name].failure,
    ];
    const lists = { FAIL_TO_PASS: group('FAIL_TO_PASS'), PASS_TO_PASS: group('PASS_TO_PASS') };
    for (const name of ['swe-smith', 'pytest']) {
      const parser = findParser(name);
      if (parser === null) throw new Error(name);
      const verdict = gradeRun(readTestLog(log, parser), lists, rules('swe-smith'));
      expect(verdict.resolved).toBe(report.resolved);
      expect(verdict.tests_status?.FAIL_TO_PASS).toEqual(report.tests_status.FAIL_TO_PASS);
      expect(verdict.tests_status?.PASS_TO_PASS).toEqual(report.tests_status.PASS_TO_PASS);
    }
  });

  test('the validation report follows from its two logs', () => {
    const folder = join(DATA, 'swesmith/run_validation');
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
    for (const name of ['swe-smith', 'pytest']) {
      const read = (file: string) => {
        const parser = findParser(name);
        if (parser === null) throw new Error(name);
        return readTestLog(readFileSync(join(folder, file), 'utf8'), parser).statusMap;
      };
      // Upstream calls the broken state "post" in its file names' order; statuses tell which is which.
      const [one, two] = [read('test_output.txt'), read('test_output_pre_gold.txt')];
      const [broken, clean] = [...one.values()].includes('FAILED') ? [one, two] : [two, one];
      const becomes = (from: string) =>
        [...clean].filter(([id, status]) => status === 'PASSED' && broken.get(id) === from).map(([id]) => id);
      expect(becomes('FAILED')).toEqual(report.FAIL_TO_PASS);
      expect(becomes('PASSED')).toEqual(report.PASS_TO_PASS);
    }
  });
});

/** Digest of a status map as the data's README defines it. */
function mapDigest(words: ReadonlyMap<string, string>): string {
  const entries = [...words].sort(([a], [b]) => (a < b ? -1 : 1));
  const json = entries.map(([id, word]) => `${JSON.stringify(id)}:${JSON.stringify(word)}`).join(',');
  const ascii = `{${json}}`.replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return createHash('sha256').update(ascii).digest('hex');
}

async function verifiedLists(): Promise<Map<string, { FAIL_TO_PASS: string[]; PASS_TO_PASS: string[] }>> {
  const { asyncBufferFromFile, parquetReadObjects } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const file = await asyncBufferFromFile(join(DATA, 'swebench/verified-test.parquet'));
  const columns = ['instance_id', 'FAIL_TO_PASS', 'PASS_TO_PASS'];
  const rows = (await parquetReadObjects({ file, columns, compressors })) as Record<string, string>[];
  const entry = (row: Record<string, string>) => {
    const lists = {
      FAIL_TO_PASS: JSON.parse(row.FAIL_TO_PASS as string) as string[],
      PASS_TO_PASS: JSON.parse(row.PASS_TO_PASS as string) as string[],
    };
    return [row.instance_id as string, lists] as const;
  };
  return new Map(rows.map(entry));
}
