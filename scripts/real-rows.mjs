/**
 * Real rows of SWE-bench over real repositories: which of them validate here, and what holds the others back. Outside of
 * CI, since it takes clones with their whole history, the tables of an installed swebench, and minutes per repository.
 *
 *   node scripts/real-rows.mjs ROWS.parquet OWNER/NAME=CLONE… [--python PYTHON] [--folder DIR] [--match REGEXP] [--set KEY=VALUE…]
 *     [--target STAGE] [--beside DIR]
 *
 * CLONE is a local repository, bare or not. PYTHON has swebench 4.1.0 (default: a virtual environment in DIR, made for it).
 * DIR (default: a new one) keeps the project and its cache. STAGE (default: filter) is built. The table says each row's
 * outcome; the exit code is 0 when the command itself worked, whatever came out.
 *
 * --beside compares the environments and verdicts with those of an earlier run in another folder, and names every file in
 * which an environment differs. The exit code is then 1 if something differs.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { differences } from './answers-beside.mjs';

const SWEMAKE = fileURLToPath(new URL('../bin/swemake.js', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    python: { type: 'string' },
    folder: { type: 'string' },
    match: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    target: { type: 'string', default: 'filter' },
    beside: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  const [header] = readFileSync(fileURLToPath(import.meta.url), 'utf8').split(' */');
  console.log(header.replace(/^\/?\*\*? ?| \* ?/gm, '').trim());
  process.exit(0);
}
const [rows, ...named] = positionals;
const clones = named.map((one) => one.split('='));
if (
  rows === undefined ||
  clones.length === 0 ||
  clones.some(([repo, path]) => !repo?.includes('/') || !path)
) {
  console.error(
    'usage: node scripts/real-rows.mjs ROWS.parquet OWNER/NAME=CLONE… [--python PYTHON] [--folder DIR] [--target STAGE] [--beside DIR]',
  );
  process.exit(2);
}
const folder = resolve(values.folder ?? mkdtempSync(join(tmpdir(), 'swemake-real-rows-')));
mkdirSync(folder, { recursive: true });

writeRecipes();
writeFileSync(join(folder, 'project.yaml'), project());
const started = performance.now();
const args = ['build', 'project.yaml', values.target, ...values.set.flatMap((one) => ['--set', one])];
const built = spawnSync(process.execPath, [SWEMAKE, ...args], { cwd: folder, stdio: 'inherit' });
if (![0, 1, 3].includes(built.status)) process.exit(built.status ?? 3);
report((performance.now() - started) / 1000);
if (values.beside !== undefined) await compare(resolve(values.beside));

function writeRecipes() {
  if (existsSync(join(folder, 'swebench.yaml'))) return;
  const python = values.python ?? madePython();
  const args = ['import-recipes', '--from', 'swebench', '--python', python, '-o', 'swebench.yaml'];
  execFileSync(process.execPath, [SWEMAKE, ...args], { cwd: folder, stdio: 'inherit' });
}

function madePython() {
  const tables = join(folder, 'tables');
  execFileSync('python3', ['-m', 'venv', tables], { stdio: 'inherit' });
  execFileSync(join(tables, 'bin/pip'), ['install', '-q', 'swebench==4.1.0'], { stdio: 'inherit' });
  return join(tables, 'bin/python');
}

function project() {
  const sources = clones.map(([repo, path]) => `      "${repo}": "git+file://${resolve(path)}@{commit}"`);
  const ids = clones.map(([repo]) => repo.replace('/', '__')).join('|');
  return `version: 1
name: real-rows
extends: swebench.yaml
dataset:
  rows:
    source: ${JSON.stringify(resolve(rows))}
    format: swe-bench
    select: { match: ${JSON.stringify(values.match ?? `^(${ids})-`)} }
    sources:
${sources.join('\n')}
deployments:
  box: { type: sandbox, network: { build: proxy, grade: off } }
validation: { deployment: box, gold_runs: 1, timeout: 30m }
`;
}

/** The last outcome of each row, from the records of the build. */
function report(seconds) {
  const shown = execFileSync(process.execPath, [SWEMAKE, 'status', 'project.yaml', '--json'], {
    cwd: folder,
  });
  writeFileSync(join(folder, 'status.json'), shown);
  const isOurs = (name) => {
    const list = join(folder, 'out', name, 'made-by.json');
    return existsSync(list) && String(JSON.parse(readFileSync(list, 'utf8')).set) === String(values.set);
  };
  const made = existsSync(join(folder, 'out')) ? readdirSync(join(folder, 'out')).find(isOurs) : undefined;
  const path = join(folder, 'out', made ?? 'real-rows', 'filter.rows/run_batch_exit_statuses.yaml');
  if (existsSync(path)) console.log(readFileSync(path, 'utf8'));
  console.log(`${seconds.toFixed(0)} s; project and cache: ${folder}`);
}

async function compare(other) {
  const { compared, different } = await differences(join(other, '.swemake'), join(folder, '.swemake'));
  for (const line of different) console.log(line);
  console.log(`${compared} environments and verdicts compared with ${other}: ${different.length} differ`);
  if (different.length > 0 || compared === 0) process.exitCode = 1;
}
