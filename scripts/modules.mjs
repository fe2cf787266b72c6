/**
 * The code behind each unit of the ledger: the modules that its root reaches by imports, the programs beside them, and
 * the libraries that they use, each with a digest that comments, types and format do not change.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, transform } from 'esbuild';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** What decides whether an item's end is an answer, whatever its stage is. */
const FOR_ALL = ['engine/item-action.ts'];

/** Where what a stage is handed comes from, by the parts of the machine that it declares in `uses`. */
export const HANDED_IN = {
  deployment: ['executors/registry.ts', 'app/deployments.ts'],
  packageIndex: ['app/build-index.ts'],
  processes: ['executors/process/kind.ts', 'app/processes.ts'],
  engineOf: ['app/engines.ts', 'executors/docker/kind.ts'],
};

/** Parts of the machine with no code of their own that could change an answer. The test compares both lists with the contract. */
export const DECIDES_NOTHING = {
  cache: 'its code is imported by those who use it',
  projectFolder: 'a path',
  deploymentIdentity: 'its answer is in the keys',
  env: 'values',
  secrets: 'values',
  pins: 'values',
};

/**
 * What is kept under names of its own, beside the answers of stages: where its version is, and what makes it. Each
 * version is a constant `const NAME = 1;` in `file`.
 */
export const KEPT = {
  'build-step': {
    file: 'stages/environments/step-layers.ts',
    constant: 'STEP_VERSION',
    roots: ['stages/environments/step-layers.ts', 'stages/environments/build-step.ts'],
    uses: ['deployment', 'packageIndex'],
  },
  'debian-base': { file: 'tasks/base/debian.ts', constant: 'VERSION' },
  'docker-layer': { file: 'executors/docker/layers.ts', constant: 'VERSION' },
  'first-state': { file: 'tasks/first-state/first-state.ts', constant: 'VERSION', uses: ['deployment'] },
  'history-seen': { file: 'tasks/source/history-seen.ts', constant: 'HISTORY_VERSION' },
  'hub-listing': { file: 'stages/dataset/readers/hub.ts', constant: 'LISTING_VERSION' },
  'image-config': { file: 'tasks/base/root.ts', constant: 'IMAGE_VERSION' },
  'image-layer': { file: 'tasks/images/unpack.ts', constant: 'VERSION' },
  'mutate-runs': {
    file: 'app/mutation/kept-runs.ts',
    constant: 'VERSION',
    roots: ['app/mutation/kept-runs.ts', 'app/mutation/test-run.ts', 'parsers/registry.ts'],
    uses: ['deployment'],
  },
  'source-tree': { file: 'tasks/source/fetch.ts', constant: 'TREE_VERSION' },
  'system-packages': { file: 'tasks/base/system.ts', constant: 'VERSION', uses: ['deployment'] },
};

/**
 * Every unit with its version, where that is written, and the paths of its code.
 * @returns {Promise<Map<string, { version: number, file: string, pattern: RegExp, modules: Set<string> }>>}
 */
export async function units() {
  const stages = await stagesOf();
  const kept = Object.entries(KEPT).map(([name, { file, constant, roots = [file], uses = [] }]) => ({
    name,
    file,
    pattern: constantPattern(constant),
    roots: [...roots, ...handedIn(uses)],
  }));
  const all = [...stages, ...kept].sort((a, b) => (a.name < b.name ? -1 : 1));
  const graph = await importGraph([...new Set(all.flatMap(({ roots }) => roots))]);
  return new Map(
    all.map(({ name, file, pattern, roots }) => {
      const found = pattern.exec(readFileSync(join(ROOT, file), 'utf8'));
      if (found === null) throw new Error(`${file} has no line that fits ${pattern}`);
      const modules = new Set([...reached(roots, graph)].flatMap((path) => [path, ...programsOf(path)]));
      return [name, { version: Number(found[2]), file, pattern, modules }];
    }),
  );
}

/** The digest of what a path of a unit's code does. */
export async function codeDigest(path) {
  if (path.startsWith('npm:')) return shortDigest(library(path.slice(4)));
  const text = withoutVersion(path, readFileSync(join(ROOT, path), 'utf8'));
  if (path.endsWith('.py')) return shortDigest(barePython(text));
  if (!/\.[jt]s$/.test(path)) return shortDigest(text);
  const { code } = await transform(text, {
    loader: path.endsWith('.ts') ? 'ts' : 'js',
    target: 'node20',
    minifyWhitespace: true,
    legalComments: 'none',
  });
  return shortDigest(code);
}

const STAGE_VERSION = /^( {2}version: )(\d+)(?=,)/m;

function constantPattern(name) {
  return new RegExp(`^(const ${name} = )(\\d+)(?=;)`, 'm');
}

/** A version is not part of the code that it stands for. */
function withoutVersion(path, text) {
  const kept = Object.values(KEPT).find(({ file }) => file === path);
  const pattern = kept === undefined ? STAGE_VERSION : constantPattern(kept.constant);
  return kept !== undefined || path.endsWith('/stage.ts')
    ? text.replace(pattern, (_, before) => `${before}0`)
    : text;
}

function handedIn(uses) {
  return [...new Set(uses.flatMap((part) => HANDED_IN[part] ?? []))];
}

/** The registered stages, as their own code says what they are. */
async function stagesOf() {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['stages/registry.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  // Its libraries are found from a file of this repository alone.
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'dist', 'ledger-'));
  try {
    const file = join(folder, 'stages.mjs');
    writeFileSync(file, outputFiles[0].contents);
    const { STAGES } = await import(pathToFileURL(file));
    return STAGES.map(({ name, uses }) => ({
      name,
      file: `stages/${name}/stage.ts`,
      pattern: STAGE_VERSION,
      roots: [`stages/${name}/stage.ts`, ...FOR_ALL, ...handedIn(uses)],
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Module -> what it imports at run time, from all entries; libraries are named `npm:NAME`. */
async function importGraph(entryPoints) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    outdir: 'dist',
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  return new Map(
    Object.entries(metafile.inputs).map(([path, { imports }]) => [
      path,
      imports.flatMap(({ path: target, external }) => (external ? libraryOf(target) : [target])),
    ]),
  );
}

function libraryOf(target) {
  const name = target.split('/').slice(0, target.startsWith('@') ? 2 : 1);
  return target.startsWith('node:') || builtinModules.includes(name[0]) ? [] : [`npm:${name.join('/')}`];
}

function reached(roots, graph) {
  const found = new Set();
  const waiting = [...roots];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    waiting.push(...(graph.get(path) ?? []));
  }
  return found;
}

/** A module runs what lies in its folder and in folders that hold no modules, and what its text names by path. */
function programsOf(path) {
  if (path.startsWith('npm:')) return [];
  const named = readFileSync(join(ROOT, path), 'utf8').matchAll(
    /['"`]((?:[\w-]+\/)+[\w-]+\.(?:py|sh|json))['"`]/g,
  );
  const others = [...named].map(([, name]) => name).filter((name) => existsSync(join(ROOT, name)));
  // A program of Python imports those beside it.
  const beside = others.flatMap((name) => (name.endsWith('.py') ? programsIn(dirname(name)) : []));
  return [...programsIn(dirname(path)), ...others, ...beside];
}

const programs = new Map();

function programsIn(folder) {
  const known = programs.get(folder);
  if (known !== undefined) return known;
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true }).filter(
    ({ name }) => name !== '__pycache__',
  );
  const found = entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return /\.(?:py|sh)$/.test(path) ? [path] : [];
    const hasModules = readdirSync(join(ROOT, path)).some((name) => name.endsWith('.ts'));
    return hasModules ? [] : programsIn(path);
  });
  programs.set(folder, found);
  return found;
}

/** A program of Python without comments and empty lines. Strings stay as they are, docstrings too. */
export function barePython(text) {
  const parts =
    /('''|""")(?:\\[\s\S]|[^\\])*?\1|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|(?:^[ \t]*|[ \t]*)#.*(\n?)/gm;
  return text
    .replace(parts, (part, quote, end, at) => {
      if (quote !== undefined || !/^[ \t]*#/.test(part)) return part;
      return at === 0 || text[at - 1] === '\n' ? '' : (end ?? '');
    })
    .replace(/\n{2,}/g, '\n');
}

/** A library with all that it brings, by the versions of package-lock.json. */
function library(name) {
  const { packages } = lock();
  const found = new Map();
  const add = (wanted, from) => {
    for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1))) {
      const path = `${place === '' ? '' : `${place}/`}node_modules/${wanted}`;
      const entry = packages[path];
      if (entry !== undefined) {
        if (found.has(path)) return;
        found.set(path, entry.version);
        for (const next of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }))
          add(next, path);
        return;
      }
      if (place === '') return;
    }
  };
  add(name, '');
  return [...found]
    .map(([path, version]) => `${path} ${version}`)
    .sort()
    .join('\n');
}

let lockFile;

function lock() {
  lockFile ??= JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return lockFile;
}

function shortDigest(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
