/** Adds the witness to a test run and reads its record. Its parts are in witness/. */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { shellWord } from '../../basics/shell.ts';
import type { EnvironmentView, Workspace, WorkspaceLost } from '../../executors/deployment.ts';
import { fileFault } from '../../executors/helper-fault.ts';
import { hostPathsOf } from '../../tasks/environment/host-paths.ts';
import type { RunResult } from '../logs/log.ts';
import type { Protection } from '../rules/protect.ts';
import { readWitness, type WitnessRecord } from '../rules/witness.ts';
import { comparedWithLayers } from './layer-files.ts';
import { compiledWitness } from './witness-code.ts';

export interface PlacedWitness {
  /** Absolute paths of what it is made of, with its folder. No honest code writes there while tests run. */
  program: string[];
  /** Lines for the shell that runs the tests: before the task's own commands, and behind them. */
  before: string[];
  after: string[];
  /** Asks how many keys were handed out; called when the tests have ended, and before all processes are. */
  count?(signal: AbortSignal): Promise<void>;
  /** What it wrote, or that the workspace is gone. */
  record(): Promise<Result<WitnessRecord, WorkspaceLost>>;
  /** The command in place of the task's own; absent: that one. */
  command?: string;
  /** Called behind `record`: the run without what the witness added to it, and what its canaries show. */
  settle?(run: RunResult): { run: RunResult; canaries: string | null };
}

/** What is recorded beyond what each run records; each name is that of its part. */
export type Recorder = 'reads' | 'operands';

/** Together one program, with one namespace. */
const PARTS = [
  'record', 'digests', 'code', 'traces', 'programs', 'loads', 'limits', 'items', 'callers', 'outcomes', 'settings', 'asked', 'failures', 'examples', 'session', 'process',
]; // biome-ignore format: a list of words
/** Processes of one test command that are looked for; a worker of xdist is one. */
const MAX_PROCESSES = 256;
/** Of all records together; a report takes about a hundred. */
const MAX_BYTES = 128 << 20;
const LIBRARIES = 'opt/env/lib';

/**
 * Writes the witness into a workspace. Interpreters of the environment find it by a file in their site-packages,
 * others by PYTHONPATH. `isShared`: other code may run before the tests do, or beside them. Then a process that no other can
 * look into holds the keys (keys.py); where it cannot be, the shell does.
 */
export async function placeWitness(
  workspace: Workspace,
  environment: EnvironmentView,
  protection: Protection,
  record: readonly Recorder[] = [],
  isShared = false,
): Promise<Result<PlacedWitness, WorkspaceLost>> {
  const mark = randomBytes(8).toString('hex');
  const key = randomBytes(32).toString('hex');
  const folder = `/tmp/.swemake-witness-${mark}`;
  const program = `/tmp/.swemake-program-${mark}`;
  const keys = `swemake-keys-${randomBytes(8).toString('hex')}`;
  const { start, witness, keeper } = await sources(record);
  // Local workspaces put their own paths into scripts, which they know by these characters.
  const head = [
    '#!',
    `ROOT = '/testbed'`,
    `FOLDER = '${folder}'`,
    `PROGRAM = '${program}'`,
    `NAME = 'swemake_witness_${mark}'`,
    `KEYS = '${keys}'`,
    ...testFiles(protection),
    `RECORD = frozenset(${JSON.stringify(record)})`,
  ];
  const code = compiledWitness(witness, environment);
  const starter = startIn(program, folder);
  const files: Record<string, string | Uint8Array> = {
    [`${program}/start.py`]: `${head.join('\n')}\n${start}`,
    [`${program}/witness.py`]: witness,
    [`${program}/sitecustomize.py`]: startUp(starter),
    // A file of this name: no interpreter puts compiled files here.
    [`${program}/__pycache__`]: '',
    [`${folder}/key`]: `${key}\n`,
    ...(isShared ? { [`${program}/keys.py`]: keeper } : {}),
    ...(code === null ? {} : { [`${program}/witness.code`]: code }),
  };
  const placed = await Promise.all(
    Object.entries(files).map(([path, content]) => workspace.write(path, content)),
  );
  const lost = placed.find(({ ok }) => !ok);
  if (lost?.ok === false) return fault(fileFault('placing the witness', lost.fault));
  const starters: string[] = [];
  for (const packages of await packageFolders(environment)) {
    const path = `${packages}/~swemake-${mark}.pth`;
    const written = await workspace.write(path, `#!\nimport os; ${starter}\n`);
    if (written.ok) starters.push(path);
    // Where the environment may not be written, PYTHONPATH is left.
    if (!written.ok && written.fault.status !== 'refused') return fault(written.fault);
  }
  let handed: number | null = null;
  const own = Object.keys(files).filter((path) => path.startsWith(program));
  return success({
    program: [program, ...own, ...starters],
    before: [
      'swemake_keys=',
      ...(isShared ? [`${askPython(`${program}/keys.py ${keys} ${folder}/key`)} && swemake_keys=ask`] : []),
      `[ -n "$swemake_keys" ] || { read -r swemake_key < ${folder}/key; : >| ${folder}/key; }`,
    ],
    after: [
      `echo "$$" >| ${folder}/shell; echo "\${swemake_keys:-0 $swemake_key}" >| ${folder}/pool; unset swemake_key swemake_keys`,
      `export SWEMAKE_WITNESS="command:\${PYTHONPATH-}" PYTHONPATH=${program}`,
    ],
    async count(signal) {
      if (!isShared) return;
      const nonce = randomBytes(16).toString('hex');
      const command = askPython(`-c ${shellWord(COUNT)} ${keys} ${nonce}`);
      const asked = await workspace.exec(command, { timeout: COUNT_TIMEOUT, cwd: '/', signal });
      if (!asked.ok) return;
      const [count, seal] = asked.value.stdout.trim().split(' ');
      if (seal === hashOf(`count ${key} ${count} ${nonce}`)) handed = Number(count);
    },
    async record() {
      const records = await readRecords(`${folder}/record-#`, MAX_PROCESSES, workspace);
      if (!records.ok) return records;
      const pool = await readPart(`${folder}/pool`, workspace);
      if (!pool.ok) return pool;
      const isAsked = isShared && pool.value?.toString() === 'ask\n';
      const left = isAsked ? poolAfter(handed, key) : pool.value;
      const read = readWitness(records.value, left, key);
      return success({ ...read, observed: await comparedWithLayers(read.observed, environment) });
    },
  });
}

/** The first interpreter that can do it; it loads nothing of the environment. */
function askPython(words: string): string {
  const each = ['/opt/env/bin/python', 'python3', 'python'].map(
    (python) => `${python} -I -S ${words} 2> /dev/null`,
  );
  return `{ ${each.join(' || ')}; }`;
}

/** Asks for the number of keys: the name of the socket, and what the answer is sealed with. */
const COUNT =
  "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect('\\0' + sys.argv[1]); s.send(sys.argv[2].encode()); print(s.recv(200).decode())";
/** Seconds. */
const COUNT_TIMEOUT = 30;

/** The pool as it would be after so many keys; null when that is not known. */
function poolAfter(handed: number | null, first: string): Buffer | null {
  if (handed === null) return null;
  let key = first;
  for (let at = 0; at < handed; at += 1) key = hashOf(`next ${key}`);
  return Buffer.from(`${handed} ${key}\n`);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Records of processes, by a path with `#` for their number; one behind all that may be there together is void. */
export async function readRecords(
  path: string,
  most: number,
  workspace: Workspace,
): Promise<Result<Buffer[], WorkspaceLost>> {
  const records: Buffer[] = [];
  for (let rest = MAX_BYTES; records.length < most && rest >= 0; ) {
    const record = await readPart(path.replace('#', `${records.length}`), workspace);
    if (!record.ok) return record;
    if (record.value === null) break;
    rest -= record.value.length;
    records.push(rest < 0 ? UNREADABLE : record.value);
  }
  return success(records);
}

/** If the code inside replaced a part, the record is void. */
async function readPart(path: string, workspace: Workspace): Promise<Result<Buffer | null, WorkspaceLost>> {
  const read = await workspace.read(path);
  if (read.ok) return success(read.value === null ? null : Buffer.from(read.value));
  return read.fault.status === 'refused' ? success(UNREADABLE) : fault(read.fault);
}

/** What counts as a file of tests, in Python. */
function testFiles({ tests, helpers, folders, solution, data }: Protection): string[] {
  const modules = (paths: Iterable<string>) => pythonList([...paths].filter((path) => path.endsWith('.py')));
  return [
    `TEST_FOLDERS = tuple(${pythonList(folders)})`,
    `TEST_FILES = frozenset(${modules([...tests, ...helpers])})`,
    `OPEN_FILES = frozenset(${modules(solution)})`,
    `DATA_FILES = frozenset(${pythonList([...data, ...tests.filter((path) => !path.endsWith('.py'))])})`,
  ];
}

/** In characters that Python reads whatever the locale. */
function pythonList(texts: readonly string[]): string {
  const escaped = (one: string) => `\\U${one.codePointAt(0)!.toString(16).padStart(8, '0')}`;
  return JSON.stringify(texts).replace(/[^\x20-\x7e]/gu, escaped);
}

const UNREADABLE = Buffer.from('unreadable');

const read = new Map<string, Promise<string>>();

async function sources(
  record: readonly Recorder[],
): Promise<{ start: string; keeper: string; witness: string }> {
  const text = (name: string) => {
    const path = join(packageRoot(), 'grading/run/witness', `${name}.py`);
    const reading = read.get(name) ?? readFile(path, 'utf8');
    read.set(name, reading);
    return reading;
  };
  const [start = '', keeper = '', ...parts] = await Promise.all(
    ['start', 'keys', ...PARTS, ...record].map(text),
  );
  return { start, keeper, witness: parts.join('\n\n') };
}

/** Where the environment's interpreters look for installed packages. */
export async function packageFolders(environment: EnvironmentView): Promise<string[]> {
  const places = hostPathsOf(`/${LIBRARIES}`, environment);
  const found = await Promise.all(places.map((place) => readdir(place).catch(whenAbsent<string[]>([]))));
  const versions = new Set(found.flat().filter((name) => /^python\d/.test(name)));
  return [...versions].map((name) => `/${LIBRARIES}/${name}/site-packages`);
}

/** Python that starts the witness; what the tests start finds no pool, and goes on at once. */
function startIn(program: string, folder: string): string {
  const isAsked = `os.path.exists('${folder}/pool') or '${program}' in os.environ.get('PYTHONPATH', '')`;
  const start = `${program}/start.py`;
  // Python's own warnings may be on: the file is closed, and read as bytes.
  const run = `with open('${start}', 'rb') as file:\\n exec(compile(file.read(), '${start}', 'exec'), {})`;
  return `exec("${run}", {}) if ${isAsked} else None`;
}

/** For other interpreters: the witness, and then their own start-up code, if any. */
function startUp(starter: string): string {
  return [
    '#!',
    'import os, sys',
    starter,
    'own = sys.modules.pop("sitecustomize")',
    'try:',
    '    import sitecustomize',
    'except ImportError:',
    '    sys.modules["sitecustomize"] = own',
    '',
  ].join('\n');
}
