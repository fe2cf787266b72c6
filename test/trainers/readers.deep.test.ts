/**
 * Rows of rl-data read by those who consume them: pyarrow and datasets, and the classes of slime, Miles, SkyRL and verl
 * by which their trainings read. READERS_PYTHON is an interpreter with the libraries; READERS_PYTHON_SLIME and the like are
 * those with a framework, and READERS_PATH says where checkouts lie. What is not there is skipped, and said.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../basics/canonical.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { RL_TRAINERS } from '../../trainers/registry.ts';
import { parquetOf } from '../../trainers/rows/parquet.ts';
import type { RlTask } from '../../trainers/trainer.ts';
import { temporaryFolder } from '../rig/folder.ts';

type Row = Record<string, Json>;

const READ = `${packageRoot()}/test/trainers/readers.py`;
const LIBRARY = process.env.READERS_PYTHON ?? 'python3';
const FRAMEWORKS = ['slime', 'miles', 'skyrl', 'verl'] as const;

/** More than a row group holds. */
const COUNT = 1200;

/** A row like those of the hub: lists or their text, dates, empty values, columns that some lack, signs of all kinds. */
function taskOf(index: number): RlTask {
  const id = `owner__name-${index}`;
  const problem =
    index === 0
      ? ''
      : `Wrong in ${index}:\r\n\t"ä" 🙂 \u2028 \u0001 \\n {{ x }}\n${'long '.repeat(index % 50)}`;
  const row: Row = {
    instance_id: id,
    repo: 'owner/name',
    problem_statement: problem,
    patch: `--- a/x\n+++ b/x\n`,
    created_at: '2024-01-02T03:04:05Z',
    FAIL_TO_PASS: index % 3 === 0 ? [] : [`test_${index}[é-"1"]`],
    PASS_TO_PASS: JSON.stringify(['a', 'b']),
    hints: null,
    n: index,
    share: index / 4,
    valid: index % 2 === 0,
    deep: { list: [{ at: index, names: index % 2 === 0 ? [] : ['x'] }], none: null },
    ...(index % 5 === 0 ? { rare: 'here' } : {}),
  };
  return { problem, row };
}

const folder = temporaryFolder();
const tasks = Array.from({ length: COUNT }, (_, index) => taskOf(index));

async function written(form: (typeof FRAMEWORKS)[number]): Promise<{ rows: Row[]; file: string }> {
  const { row, ending } = RL_TRAINERS[form].rows!;
  const rows = tasks.map((task, index) => row(task, { source: 'train', split: 'train', index }));
  const file = join(mkdtempSync(join(folder, 'rows-')), `train.${ending}`);
  const lines = () => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  writeFileSync(file, file.endsWith('.jsonl') ? lines() : await parquetOf(rows));
  return { rows, file };
}

async function readBy(
  reader: string,
  form: (typeof FRAMEWORKS)[number],
  python: string,
): Promise<{ rows: Row[]; said: Row[] }> {
  const { rows, file } = await written(form);
  const out = `${file}.read`;
  const path = [process.env.READERS_PATH, process.env.PYTHONPATH].filter((one) => one !== undefined);
  await promisify(execFile)(python, [READ, reader, form, file, out], {
    env: {
      ...process.env,
      PYTHONPATH: path.join(':'),
      HF_HUB_OFFLINE: '1',
      HF_DATASETS_CACHE: `${file}.cache`,
    },
    maxBuffer: 2 ** 26,
  });
  const { version, rows: said } = JSON.parse(readFileSync(out, 'utf8')) as { version: string; rows: Row[] };
  console.log(`${form} read by ${reader} ${version}`);
  return { rows, said };
}

/** A file with columns has a null where a row has nothing. */
function withoutNulls(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}

/** Whether the interpreter has it; what is not there is told once. */
function has(python: string, module: string): boolean {
  const found = spawnSync(python, ['-c', `import ${module}`]);
  if (found.status === 0) return true;
  console.warn(`skipped: ${python} has no ${module}; set READERS_PYTHON`);
  return false;
}

describe('rows of rl-data', () => {
  const forms: Record<string, (typeof FRAMEWORKS)[number][]> = {
    pyarrow: ['skyrl', 'verl'],
    datasets: ['slime', 'miles', 'skyrl', 'verl'],
  };
  for (const [library, readable] of Object.entries(forms)) {
    test.skipIf(!has(LIBRARY, library)).each(readable)(
      `for %s are to ${library} what they are`,
      async (form) => {
        const { rows, said } = await readBy(library, form, LIBRARY);
        expect(said.map(withoutNulls)).toEqual(rows.map(withoutNulls));
      },
      120_000,
    );
  }

  for (const framework of FRAMEWORKS) {
    const python = process.env[`READERS_PYTHON_${framework.toUpperCase()}`];
    if (python === undefined) console.warn(`skipped: no READERS_PYTHON_${framework.toUpperCase()}`);
    test.skipIf(python === undefined)(
      `are read by ${framework}'s own class`,
      async () => {
        const { rows, said } = await readBy(framework, framework, python!);
        expect(said.map(withoutNulls)).toEqual(rows.map(withoutNulls));
      },
      600_000,
    );
  }
});
