/** Puts the witness beside a run of the tests and takes its record; see the parts in witness/. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import type { EnvironmentView, Workspace } from '../../executors/deployment.ts';
import type { Protection } from '../../grading/protect.ts';
import { readWitness, type WitnessRecord } from '../../grading/witness.ts';

export interface PlacedWitness {
  /** Lines for the shell that runs the tests: before the task's own commands, and behind them. */
  before: string[];
  after: string[];
  record(): Promise<WitnessRecord>;
}

/** Together one program, with one namespace. */
const PARTS = ['record', 'code', 'sources', 'items', 'outcomes', 'session', 'process'];
/** Processes of one test command that are looked for; a worker of xdist is one. */
const MOST_PROCESSES = 256;
/** Of all records together; a report takes about a hundred. */
const MOST_BYTES = 128 << 20;
const LIBRARIES = 'opt/env/lib';

/**
 * Writes the witness into a workspace. Interpreters of the environment find it by a file in their site-packages,
 * others by PYTHONPATH. The key is kept by the shell while the task's own commands run, which may run the patch.
 */
export async function placeWitness(
  workspace: Workspace,
  environment: EnvironmentView,
  protection: Protection,
): Promise<PlacedWitness> {
  const mark = randomBytes(8).toString('hex');
  const key = randomBytes(32).toString('hex');
  const folder = `/tmp/.swemake-witness-${mark}`;
  const { start, witness } = await sources();
  // Local workspaces put their own paths into scripts, which they know by these characters.
  const head = [
    '#!',
    `ROOT = '/testbed'`,
    `FOLDER = '${folder}'`,
    `NAME = 'swemake_witness_${mark}'`,
    ...testFiles(protection),
  ];
  await workspace.write(`${folder}/start.py`, `${head.join('\n')}\n${start}`);
  await workspace.write(`${folder}/witness.py`, witness);
  await workspace.write(`${folder}/sitecustomize.py`, startUp(folder));
  await workspace.write(`${folder}/key`, `${key}\n`);
  // Where the environment may not be written, PYTHONPATH is left.
  for (const packages of await packageFolders(environment))
    await workspace
      .write(`${packages}/~swemake-${mark}.pth`, `#!\nimport os; ${startIn(folder)}\n`)
      .catch(() => undefined);
  return {
    before: [`read -r swemake_key < ${folder}/key; : >| ${folder}/key`],
    after: [
      `echo "$$" >| ${folder}/shell; echo "0 $swemake_key" >| ${folder}/pool; unset swemake_key`,
      `export SWEMAKE_WITNESS="command:\${PYTHONPATH-}" PYTHONPATH=${folder}`,
    ],
    async record() {
      const read = async (name: string) => workspace.read(`${folder}/${name}`).catch(() => UNREADABLE);
      const records: (Uint8Array | null)[] = [];
      for (let left = MOST_BYTES; records.length < MOST_PROCESSES; ) {
        const record = await read(`record-${records.length}`);
        if (record === null) break;
        left -= record.length;
        records.push(left < 0 ? UNREADABLE : record);
        if (left < 0) break;
      }
      return readWitness(records, await read('pool'), key);
    },
  };
}

/** What counts as a file of tests, in Python. */
function testFiles({ tests, helpers, folders, solution }: Protection): string[] {
  const modules = (paths: Iterable<string>) => pythonList([...paths].filter((path) => path.endsWith('.py')));
  return [
    `TEST_FOLDERS = tuple(${pythonList(folders)})`,
    `TEST_FILES = frozenset(${modules([...tests, ...helpers])})`,
    `OPEN_FILES = frozenset(${modules(solution)})`,
  ];
}

/** In characters that Python reads whatever the locale. */
function pythonList(texts: readonly string[]): string {
  const escaped = (one: string) => `\\U${one.codePointAt(0)!.toString(16).padStart(8, '0')}`;
  return JSON.stringify(texts).replace(/[^\x20-\x7e]/gu, escaped);
}

const UNREADABLE = Buffer.from('unreadable');

let read: Promise<{ start: string; witness: string }> | null = null;

function sources(): Promise<{ start: string; witness: string }> {
  const text = (name: string) => readFile(join(packageRoot(), 'tasks/testing/witness', `${name}.py`), 'utf8');
  read ??= Promise.all([text('start'), ...PARTS.map(text)]).then(([start, ...parts]) => ({
    start: start!,
    witness: parts.join('\n\n'),
  }));
  return read;
}

/** Where the environment's interpreters look for installed packages. */
async function packageFolders({ layers }: EnvironmentView): Promise<string[]> {
  const found = await Promise.all(
    layers.map((layer) => readdir(join(layer, LIBRARIES)).catch(() => [] as string[])),
  );
  const versions = new Set(found.flat().filter((name) => /^python\d/.test(name)));
  return [...versions].map((name) => `/${LIBRARIES}/${name}/site-packages`);
}

/** Python that starts the witness; what the tests start finds no pool, and goes on at once. */
function startIn(folder: string): string {
  const isAsked = `os.path.exists('${folder}/pool') or '${folder}' in os.environ.get('PYTHONPATH', '')`;
  return `exec(compile(open('${folder}/start.py').read(), '${folder}/start.py', 'exec'), {}) if ${isAsked} else None`;
}

/** For other interpreters: the witness, and then their own start-up code, if any. */
function startUp(folder: string): string {
  return [
    '#!',
    'import os, sys',
    startIn(folder),
    'own = sys.modules.pop("sitecustomize")',
    'try:',
    '    import sitecustomize',
    'except ImportError:',
    '    sys.modules["sitecustomize"] = own',
    '',
  ].join('\n');
}
