/**
 * The passed set is kept in pieces, by blocks of the dataset. Whatever changes, the files are those of a build from
 * nothing, byte for byte, and what they must be by the rows and the verdicts; and only what is new is written.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ActionKey, digestOf } from '../../basics/digest.ts';
import { type FillOptions, fillCache, rowChanger, writeProject } from '../../bench/filled-project.ts';
import { type Cache, openCache, readText } from '../../cache/cache.ts';
import { binaryKey } from '../../cache/database.ts';
import { collectGarbage } from '../../cache/gc.ts';
import { readPieces } from '../../cache/pieces.ts';
import { itemLine, parseLists, readItems } from '../../cache/stage-manifest.ts';
import { repairCache, verifyCache } from '../../cache/verify.ts';
import type { RunEnd } from '../../engine/run.ts';
import { infra, type Outcome } from '../../schemas/outcome.ts';
import type { ActionRecord, Output } from '../../schemas/record.ts';
import { exitStatusesYaml, statusLines } from '../../stages/filter/statuses.ts';
import { command } from '../rig/command.ts';
import { Project } from '../rig/project.ts';

const ROWS = 400;
const DAY = 24 * 3600 * 1000;
const FAILED: Outcome = { status: 'failed', reason: 'gold-fails', detail: 'made up' };
const FLAKY: Outcome = { status: 'flaky', reason: 'repeats-disagree', detail: 'made up' };

let filled: { folder: string; filter: ActionKey };
let project: Project;
/** Key of the filter in the last build. */
let filter: ActionKey;
let file: string;
let rows: string;
/** Outcomes of instances that do not pass, at first every tenth. */
let outcomes: Map<string, Outcome>;

beforeAll(async () => {
  const first = new Project();
  ({ file, rows } = writeProject(first.folder, ROWS));
  outcomes = firstOutcomes();
  await fill();
  filled = { folder: first.folder, filter };
});

beforeEach(() => {
  project = new Project();
  cpSync(filled.folder, project.folder, { recursive: true });
  [file, rows] = [project.path('bench.yaml'), project.path('rows.jsonl')];
  outcomes = firstOutcomes();
  filter = filled.filter;
});

const lines = () => readFileSync(rows, 'utf8').trimEnd().split('\n');
const write = (all: readonly string[]) => writeFileSync(rows, `${all.join('\n')}\n`);
const idOf = (line: string): string => JSON.parse(line).instance_id;
const ids = () => lines().map(idOf);
const edited = (line: string) => line.replace('"patch":"diff', '"patch":"\\ndiff');

const firstOutcomes = () => new Map(ids().flatMap((id, at) => (at % 10 === 3 ? [[id, FAILED]] : [])));

async function fill(options: FillOptions = {}): Promise<RunEnd> {
  const end = await fillCache(file, { outcomeOf: (id) => outcomes.get(id) ?? { status: 'ok' }, ...options });
  filter = end.nodes.get('filter.train')!.state.entries()[0]!.key!;
  return end;
}

async function withCache<T>(work: (cache: Cache) => Promise<T> | T): Promise<T> {
  const cache = await openCache(project.path('.swemake'));
  try {
    return await work(cache);
  } finally {
    await cache.close();
  }
}

function recordIn({ database }: Cache): ActionRecord {
  return database.records.get(binaryKey(filter))!;
}

/** The stage's files as the cache has them. */
async function files(): Promise<Record<string, string | null>> {
  return withCache(async (cache) => {
    const { outputs, notes } = recordIn(cache);
    const texts = Object.entries({ ...outputs, ...notes }).map(async ([name, output]) => {
      return [name, await readText(cache, output)] as const;
    });
    return Object.fromEntries(await Promise.all(texts));
  });
}

const piecesIn = (cache: Cache) => readPieces(cache.blobs, recordIn(cache).outputs['passed.jsonl']!.digest)!;

/** What a build makes of the project as it is, compared with one from nothing. */
async function rebuilt(options: FillOptions = {}): Promise<Record<string, string | null>> {
  const end = await fill(options);
  expect(end.nodes.get('filter.train')!.state.executed).toBe(1);
  const found = await files();
  rmSync(project.path('.swemake'), { recursive: true });
  await fill();
  expect(summaryOf(found)).toEqual(summaryOf(await files()));
  return found;
}

/** Short where it is not as it should be. */
const summaryOf = (all: Record<string, string | null>) =>
  Object.entries(all).map(([name, text]) => [name, text?.length, digestOf(text ?? '')]);

function expectPassed(found: Record<string, string | null>, wanted: string): void {
  const names = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(0, 80));
  expect(names(found['passed.jsonl']!)).toEqual(names(wanted));
  expect(found['passed.jsonl'] === wanted).toBe(true);
}

/** The lines of rows that pass, of those that `wanted` lets through. */
function passing(wanted: (line: string, at: number) => boolean = () => true): string {
  const passed = lines().filter((line, at) => wanted(line, at) && !outcomes.has(idOf(line)));
  return passed.map((line) => `${line}\n`).join('');
}

describe('the passed set', () => {
  test('is in several pieces, and is what passed', async () => {
    expect(await withCache((cache) => piecesIn(cache).length)).toBeGreaterThan(1);
    expectPassed(await files(), passing());
  });

  test.each<[string, (all: string[]) => string[]]>([
    ['a changed row', (all) => all.with(200, edited(all[200]!))],
    ['a changed row that fails', (all) => all.with(203, edited(all[203]!))],
    ['an added row', (all) => all.toSpliced(7, 0, all[300]!.replace(/__(\w{8})"/, '__new$1"'))],
    ['a removed row', (all) => all.toSpliced(399, 1)],
    ['two rows that change places', (all) => all.with(3, all[390]!).with(390, all[3]!)],
  ])('after %s is that of a build from nothing', async (_what, change) => {
    write(change(lines()));
    expectPassed(await rebuilt(), passing());
  });

  test('leaves bad rows out, and knows them again when they are mended', async () => {
    const before = lines();
    write(before.with(100, '{'));
    const without = before.toSpliced(100, 1).filter((line) => !outcomes.has(idOf(line)));
    expectPassed(await rebuilt(), without.map((line) => `${line}\n`).join(''));
    write(before);
    expectPassed(await rebuilt(), passing());
  });

  test.each<[string, Outcome | null]>([
    ['passes', null],
    ['fails', FAILED],
    ['is flaky', FLAKY],
    ['runs into its time limit', { status: 'timeout', reason: 'time-limit', detail: 'made up' }],
  ])('follows an instance that %s now', async (_what, outcome) => {
    const id = ids()[outcome === null ? 303 : 304]!;
    if (outcome === null) outcomes.delete(id);
    else outcomes.set(id, outcome);
    const found = await rebuilt({ forced: [`validate.train@${id}`] });
    expectPassed(found, passing());
    expect(found['failures.md']?.includes(`### ${id}\n`)).toBe(outcome !== null);
    if (outcome !== null) expect(found['failures.md']).toContain(`${id} ends ${outcome.status}\n`);
  });

  test('leaves out what a fault keeps from an answer, and has it after the next build', async () => {
    const id = ids()[250]!;
    outcomes.set(id, infra('disk-full', 'made up'));
    await fill({ forced: [`validate.train@${id}`] });
    const found = await files();
    expectPassed(found, passing());
    expect(found['run_batch_exit_statuses.yaml']).toContain(`infra (disk-full):\n    - ${id}\n`);
    outcomes.delete(id);
    await fill();
    expectPassed(await files(), passing());
  });

  test('follows a selection', async () => {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('    source:', '    select: { slice: "10:390" }\n    source:'));
    expectPassed(
      await rebuilt(),
      passing((_, at) => at >= 10 && at < 390),
    );
    write(lines().with(200, edited(lines()[200]!)));
    expectPassed(
      await rebuilt(),
      passing((_, at) => at >= 10 && at < 390),
    );
  });

  test('reports the environment that an instance has now, whatever its section was made with', async () => {
    const recipe = 'environments: { recipes: [{ match: { repo: "*package0.*" }, pip: [x] }] }\n';
    const instance = ids().find((id) => id.includes('__package0.'))!;
    const rule = recipe.replace('{ repo: "*package0.*" }', `{ instance: "${instance}" }`);
    const before = (await files())['failures.md'];
    writeFileSync(file, `${readFileSync(file, 'utf8')}${rule}`);
    outcomes.set(instance, FAILED);
    const found = await rebuilt({ forced: [`validate.train@${instance}`] });
    expect(found['failures.md']).not.toBe(before);
    expect(found['failures.md']).toMatch(new RegExp(`~[\\w.]+\n\n1 of 1 instance[^#]*### ${instance}`));
  });

  test('is small or empty too', async () => {
    write(lines().slice(0, 2));
    expectPassed(await rebuilt(), passing());
    for (const id of ids()) outcomes.set(id, FAILED);
    write(lines().slice(0, 2).map(edited));
    expect(await rebuilt()).toMatchObject({
      'passed.jsonl': '',
      'run_batch_exit_statuses.yaml': expect.stringMatching(/^instances_by_exit_status:\n {2}failed/),
    });
  });
});

describe('a changed row', () => {
  test('makes one piece and the list anew', async () => {
    const before = await withCache(piecesIn);
    rowChanger(rows)();
    await fill();
    const known = new Set(before.map(({ digest }) => digest));
    const after = await withCache(piecesIn);
    expect(after.filter(({ digest }) => !known.has(digest))).toHaveLength(1);
    expect(after.length).toBe(before.length);
  });

  test('is the same where validation was finished by an earlier version, whose items are in one list', async () => {
    const before = await files();
    await withCache(async ({ database, blobs }) => {
      for (const { key, value } of [...database.stages.getRange({})]) {
        if (value.items !== ROWS) continue;
        const items = readItems(blobs, value.manifest.digest)!;
        const manifest = blobs.write(items.map(itemLine).join(''));
        await database.stages.put(Buffer.from(key), { ...value, manifest });
      }
    });
    const end = await fill({ forced: ['filter.train'] });
    expect(end.nodes.get('validate.train')!.state.fresh).toBe(true);
    expect(await files()).toEqual(before);
  });
});

test('a damaged list of verdicts stops the filter, and the next build makes what it must be', async () => {
  await withCache(({ blobs, database }) => {
    for (const { value } of database.stages.getRange({})) {
      if (value.items !== ROWS) continue;
      const path = blobs.path(itemListsOf(blobs.read(value.manifest.digest)!)[0]!);
      chmodSync(path, 0o644);
      writeFileSync(path, Buffer.alloc(statSync(path).size, 'x'));
    }
  });
  // In another block than the damaged list is about.
  write(lines().with(399, edited(lines()[399]!)));
  const end = await fillCache(file);
  expect(end.nodes.get('filter.train')!.blocked).toMatchObject({ status: 'infra' });
  await fill();
  expectPassed(await files(), passing());
});

const itemListsOf = (manifest: Buffer) => parseLists(manifest.toString('utf8')).map(({ digest }) => digest);

describe('the file for the user', () => {
  const path = () => project.path('out/bench/filter.train/passed.jsonl');
  const build = () => command(project, 'build', 'bench.yaml');

  test('is one, written when it differs and never else', async () => {
    expect((await build()).stdout).toContain('passed.jsonl');
    expect(readFileSync(path(), 'utf8')).toBe(passing());
    const written = statSync(path());
    expect((await build()).stdout).not.toContain('wrote');
    expect(statSync(path()).ino).toBe(written.ino);
    // The same size, and not what it was.
    writeFileSync(path(), readFileSync(path(), 'utf8').replace('the', 'THE'));
    expect((await build()).stdout).toContain('passed.jsonl');
    expect(readFileSync(path(), 'utf8')).toBe(passing());
    rmSync(path());
    expect((await build()).stdout).toContain('passed.jsonl');
    const id = ids()[304]!;
    outcomes.set(id, FLAKY);
    await fill({ forced: [`validate.train@${id}`] });
    expect((await build()).stdout).toContain('passed.jsonl');
    expect(readFileSync(path(), 'utf8')).toBe(passing());
    expect(readdirSync(project.path('out/bench/filter.train')).sort()).toEqual([
      'failures.json',
      'failures.md',
      'passed.jsonl',
      'run_batch_exit_statuses.yaml',
    ]);
  });

  test('is never made of a damaged piece; the next build makes it whole', async () => {
    const piece = await withCache((cache) => {
      const found = cache.blobs.path(piecesIn(cache)[1]!.digest);
      chmodSync(found, 0o644);
      writeFileSync(found, Buffer.alloc(statSync(found).size, 'x'));
      return found;
    });
    await build();
    expect([existsSync(path()), existsSync(piece)]).toEqual([false, false]);
    await build();
    expect(readFileSync(path(), 'utf8')).toBe(passing());
  });
});

describe('pieces in the cache', () => {
  const gc = (limits: object, inDays: number) =>
    withCache((cache) =>
      collectGarbage(
        cache,
        { maxSize: null, maxAge: null, keepRuns: null, failed: false, ...limits },
        { run: '20260101T000000Z-gc', now: Date.now() + inDays * DAY, dryRun: false },
      ),
    );
  const problems = (repair = false) =>
    withCache(async (cache) => {
      const report = await verifyCache(cache, true);
      if (repair) await repairCache(cache, report, '20260101T000000Z-verify');
      return report.problems.map(({ kind, detail }) => `${kind}: ${detail}`);
    });

  test('stay as long as an answer has them, and go with it', async () => {
    expect(await gc({}, 0)).toMatchObject({ answers: 0, files: 0 });
    const list = await withCache((cache) => recordIn(cache).outputs['passed.jsonl']!.digest);
    expect(await problems()).toEqual([]);
    rowChanger(rows)();
    await fill();
    expect(await gc({}, 0)).toMatchObject({ answers: 0, files: 0 });
    await gc({ maxAge: 30 * DAY }, 31);
    await withCache(({ blobs, database: { memos } }) => {
      const pieces = [...memos.getKeys({ start: 'passed ', end: 'passed ~' })];
      expect([pieces, existsSync(blobs.path(list))]).toEqual([[], false]);
    });
    await fill();
    expectPassed(await files(), passing());
    expect(await problems()).toEqual([]);
  });

  test.each<[string, (cache: Cache, output: Output) => string]>([
    ['a piece', (cache) => cache.blobs.path(piecesIn(cache)[1]!.digest)],
    ['the list', (cache, output) => cache.blobs.path(output.digest)],
  ])('are missed when %s is gone, and made again', async (_what, pathOf) => {
    await withCache((cache) => rmSync(pathOf(cache, recordIn(cache).outputs['passed.jsonl']!)));
    const found = await problems(true);
    expect(found[0]).toMatch(/^answer: its output "passed.jsonl" is missing or damaged/);
    expect(await problems()).toEqual([]);
    await fill();
    expectPassed(await files(), passing());
  });
});

test('exit statuses are YAML, whatever instances are called', async () => {
  const { parse, stringify } = await import('yaml');
  const names = [
    'a__b.c-1',
    'no',
    '1__2',
    '1e5',
    'x: y',
    'null',
    `${'a b '.repeat(40)}`,
    '~',
    'a__b-',
    'ä__b',
  ];
  const entries = names.map((name) => ({ name, key: null, outcome: FAILED, digest: 'x' as never }));
  const byStatus = { 'failed (gold-fails)': names, passed: ['z__z'] };
  const passed = await statusLines([{ ...entries[0]!, name: 'z__z', outcome: { status: 'ok' } }]);
  const text = await exitStatusesYaml([
    passed,
    await statusLines(entries.slice(0, 4)),
    await statusLines(entries.slice(4)),
  ]);
  expect(text).toBe(stringify({ instances_by_exit_status: byStatus, total_cost: 0 }));
  expect(parse(text).instances_by_exit_status).toEqual(byStatus);
  expect(await exitStatusesYaml([])).toBe(stringify({ instances_by_exit_status: {}, total_cost: 0 }));
});
