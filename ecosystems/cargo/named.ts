/** Files that manifests and settings of cargo make part of the tests, wherever they lie. */

import { parse } from 'smol-toml';
import { fieldsOf } from '../../basics/json.ts';
import { folderOf, repositoryPath } from '../../basics/repository-path.ts';
import type { EcosystemFile, EcosystemTests, NamedFiles, StartedTask } from '../kind.ts';
import { dataOfTests, FilesNamed, OF_TESTS, textsIn } from '../named.ts';

type Table = Record<string, unknown>;

/** Settings of cargo and of nextest. */
const SETTINGS = /(?:^|\/)(?:\.cargo\/config(?:\.toml)?|\.config\/nextest\.toml)$/;
/** Own parts of these that name no program. */
const DATA = new Set(['env', 'patch', 'source', 'registries', 'paths']);

/** Crates that no user of the program needs. */
const BESIDE =
  /(?:^|[/._-])(?:bench(?:es|marks?|ing)?|examples?|fuzz(?:ing)?|xtask|stress|integration)(?=[/._-]|$)/i;

/** Modules in files of their own, by their names or by a path. */
const MODULES =
  /^[^\S\n]*(?:#\[path\s{0,9}=\s{0,9}"([^"\n]{1,200})"\]\s{0,99})?(?:pub(?:\([\w: ]{1,50}\))?[^\S\n]+)?mod[^\S\n]+(\w+)[^\S\n]*;/gm;

export function cargoNamed(task: StartedTask, protects: EcosystemTests['protects']): NamedFiles {
  const named = new FilesNamed(task);
  const manifests = new Map(
    named.all(/(?:^|\/)Cargo\.toml$/).map((path) => [folderOf(path), tableIn(named.read(path))] as const),
  );
  for (const [folder, manifest] of manifests) targets(folder, manifest, named);
  const used = dependenciesIn(manifests);
  for (const folder of helperCrates(manifests, used)) named.addFolder(folder);
  named.setCode(codeCalledAsTests(manifests, used, protects));
  partsOfTests(named, protects);
  modulesForTests(named, firstFiles(manifests));
  dataOfTests(named, {
    isTest: (path) => path.endsWith('.rs') && (protects(path) === 'test' || named.files.get(path) === 'test'),
    sources: /\.rs$/,
    others: /(?:^|\/)(?:Cargo\.toml|Makefile|Dockerfile|justfile)$/,
    isProduct: (path) => /(?:^|\/)src\//.test(path),
  });
  for (const path of named.all(SETTINGS)) {
    const settings = tableIn(named.read(path));
    programs(path, settings, named);
    for (const name of startedBy(inside(settings, 'alias'), task.commands))
      for (const [folder, manifest] of manifests)
        if (folder !== '' && inside(manifest, 'package').name === name) named.addFolder(folder);
  }
  if (task.commands.some((text) => /\bcargo\s+x(?:task|test)?\b/.test(text)))
    for (const folder of manifests.keys()) if (/(?:^|\/)xtask$/.test(folder)) named.addFolder(folder);
  return named;
}

/** A script of the build, and tests and benchmarks by their paths, with their modules. */
function targets(folder: string, manifest: Table, named: FilesNamed): void {
  const { build } = inside(manifest, 'package');
  const script = named.file(folder, typeof build === 'string' ? build : 'build.rs');
  named.add(script, 'runner');
  if (script !== null) modulesOf(script, named, new Set(), 'runner');
  const product = new Set([manifest.lib, ...listOf(manifest.bin)].map((one) => pathOf(folder, one)));
  const seen = new Set<string>();
  for (const one of [...listOf(manifest.test), ...listOf(manifest.bench)]) {
    const path = pathOf(folder, one);
    if (path === null || product.has(path) || /(?:^|\/)src\/(?:lib|main)\.rs$/.test(path)) continue;
    modulesOf(path, named, seen);
  }
}

const PARTS =
  /(?:#\[path\s{0,9}=\s{0,9}"([^"\n]{1,200})"\]|\binclude(?:_str|_bytes)?!\s{0,9}\(\s{0,9}"([^"\n]{1,200})")/g;

/** Modules and texts outside of folders of tests that files of tests take in by their paths, and no code does. */
function partsOfTests(named: FilesNamed, protects: EcosystemTests['protects']): void {
  const { tests = [] } = named.task;
  const isTest = (path: string) =>
    tests.includes(path) || named.files.get(path) === 'test' || protects(path) === 'test';
  const byTests = new Set<string>();
  const byCode = new Set<string>();
  for (const path of named.all(/\.rs$/))
    for (const [, module, text] of named.read(path).matchAll(PARTS)) {
      const part = repositoryPath(folderOf(path), module ?? text!);
      if (part !== null) (isTest(path) ? byTests : byCode).add(part);
    }
  const seen = new Set(byCode);
  for (const part of byTests)
    if (!seen.has(part) && named.has(part) && !/(?:^|\/)src\//.test(part) && protects(part) === null)
      modulesOf(part, named, seen);
}

const FOR_TESTS =
  /^[^\S\n]*#\[cfg\(test\)\]\s{0,99}(?:#\[[^\]\n]{0,200}\]\s{0,99}){0,5}(?:pub(?:\([\w: ]{1,50}\))?[^\S\n]+)?mod[^\S\n]+(\w+)[^\S\n]*;/gm;

/** Files that manifests name as the first ones of a library or a program: their modules lie beside them. */
function firstFiles(manifests: ReadonlyMap<string, Table>): ReadonlySet<string> {
  const found = [...manifests].flatMap(([folder, { lib, bin }]) =>
    [lib, ...listOf(bin)].flatMap((one) => pathOf(folder, one) ?? []),
  );
  return new Set(found);
}

/** Modules of the code that are compiled for tests alone. */
function modulesForTests(named: FilesNamed, first: ReadonlySet<string>): void {
  for (const path of named.all(/\.rs$/))
    for (const [found, name] of named.read(path).matchAll(FOR_TESTS)) {
      const placed = /\bpath\s*=\s*"([^"\n]{1,200})"/.exec(found)?.[1];
      if (placed !== undefined) {
        named.add(named.file(folderOf(path), placed), 'test');
        continue;
      }
      const isBeside = first.has(path) || /(?:^|\/)(?:main|mod|lib)\.rs$/.test(path);
      const own = isBeside ? folderOf(path) : path.replace(/\.rs$/, '');
      for (const end of [`${name}.rs`, `${name}/mod.rs`]) {
        const module = repositoryPath(own, end);
        if (module !== null && named.has(module)) named.add(module, 'test');
      }
    }
}

/** A file and the modules that it declares beside itself; in `src` the file alone, since modules there are the code under test. */
function modulesOf(first: string, named: FilesNamed, seen: Set<string>, as: EcosystemFile = 'test'): void {
  const open = [first];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    // A script of the build may take in a part of the program.
    if (!named.has(path) || seen.has(path) || (as === 'runner' && /(?:^|\/)src\//.test(path))) continue;
    seen.add(path);
    named.add(path, as);
    if (/(?:^|\/)src\//.test(path)) continue;
    const folder = folderOf(path);
    const own = /\/(?:main|mod)\.rs$/.test(path) ? [folder] : [folder, path.replace(/\.rs$/, '')];
    for (const [, file, name] of named.read(path).matchAll(MODULES)) {
      const ends = file === undefined ? [`${name}.rs`, `${name}/mod.rs`] : [file];
      for (const at of file === undefined ? own : [folder])
        for (const end of ends) {
          const module = repositoryPath(at, end);
          if (module !== null) open.push(module);
        }
    }
  }
}

/** Folders of crates that depend on others of the repository in some way, with the folders of these. */
type Dependencies = (kinds: readonly string[]) => ReadonlyMap<string, ReadonlySet<string>>;
const OF_CODE = ['dependencies', 'build-dependencies'];

function dependenciesIn(manifests: ReadonlyMap<string, Table>): Dependencies {
  const shared = [...manifests].flatMap(([folder, manifest]) =>
    Object.entries(inside(inside(manifest, 'workspace'), 'dependencies')).map(
      ([name, one]) => [name, foldersIn(folder, { [name]: one })] as const,
    ),
  );
  return (kinds) =>
    new Map(
      [...manifests].map(([folder, manifest]) => {
        const found = [manifest, ...Object.values(inside(manifest, 'target'))].flatMap((table) =>
          kinds.flatMap((kind) => {
            const dependencies = inside(table, kind);
            const ofWorkspace = shared.filter(([name]) => inside(dependencies, name).workspace === true);
            return [...foldersIn(folder, dependencies), ...ofWorkspace.flatMap(([, folders]) => folders)];
          }),
        );
        return [folder, new Set(found)];
      }),
    );
}

/** What compares, by its name. */
const COMPARES =
  /(?:^|[/._-])(?:checks?|checking|asserts?|assertions?|expect(?:ations?)?|golden|goldie)(?=[/._-]|$)/;

/** Crates of the repository that are called as what only tests need, are given to no user, and are only dependencies of tests. */
function helperCrates(manifests: ReadonlyMap<string, Table>, used: Dependencies): string[] {
  const byCode = allOf(used(OF_CODE));
  return [...allOf(used(['dev-dependencies']))].filter(
    (folder) =>
      (OF_TESTS.test(folder) || COMPARES.test(folder)) && !byCode.has(folder) && isPrivate(folder, manifests),
  );
}

/** Sources of crates that the program needs and that are only called as tests are, as `src/test` of a program `test`. */
function codeCalledAsTests(
  manifests: ReadonlyMap<string, Table>,
  used: Dependencies,
  protects: EcosystemTests['protects'],
): (path: string) => boolean {
  const needs = used(OF_CODE);
  const open = [...manifests.keys()].filter((folder) => !OF_TESTS.test(folder) && !BESIDE.test(folder));
  const needed = new Set<string>();
  for (let folder = open.pop(); folder !== undefined; folder = open.pop())
    for (const one of needs.get(folder) ?? [])
      if (!needed.has(one)) {
        needed.add(one);
        open.push(one);
      }
  return (path) => {
    if (!path.endsWith('.rs') || path.length > 1000) return false;
    let crate = folderOf(path);
    while (crate !== '' && !manifests.has(crate)) crate = folderOf(crate);
    if (crate === '' || !needed.has(crate)) return false;
    const inner = path.slice(crate.length + 1);
    const { lib, bin } = manifests.get(crate)!;
    const isTarget = [lib, ...listOf(bin)].some((one) => pathOf(crate, one) === path);
    return /^src\//.test(inner) && (isTarget || protects(inner) === null);
  };
}

function allOf(folders: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  return new Set([...folders.values()].flatMap((some) => [...some]));
}

/** `publish = false`, an empty list, or either by the workspace above. */
function isPrivate(folder: string, manifests: ReadonlyMap<string, Table>): boolean {
  let { publish } = inside(manifests.get(folder) ?? {}, 'package');
  if (inside({ publish }, 'publish').workspace === true)
    for (let at = folder; at !== ''; ) {
      at = folderOf(at);
      const workspace = manifests.get(at)?.workspace;
      if (workspace === undefined) continue;
      publish = inside(inside({ workspace }, 'workspace'), 'package').publish;
      break;
    }
  return publish === false || (Array.isArray(publish) && publish.length === 0);
}

function foldersIn(folder: string, dependencies: Table): string[] {
  return Object.keys(dependencies).flatMap((name) => {
    const { path } = inside(dependencies, name);
    const found = typeof path === 'string' ? repositoryPath(folder, path) : null;
    return found === null || found === '' ? [] : [found];
  });
}

/** Programs and scripts of the repository that run tests or the compiler, such as a `runner`. */
function programs(path: string, settings: Table, named: FilesNamed): void {
  const folder = folderOf(folderOf(path));
  const own = Object.entries(settings).flatMap(([key, value]) => (DATA.has(key) ? [] : textsIn(value)));
  for (const word of own.flatMap((text) => text.split(/\s+/)))
    if (word.includes('/') || /\.\w+$/.test(word)) named.add(named.file(folder, word), 'runner');
}

/** Packages whose programs an alias of the command starts, as `t = "run -p tester --"`. */
function startedBy(aliases: Table, commands: readonly string[]): string[] {
  return Object.entries(aliases).flatMap(([alias, value]) => {
    const words = textsIn(value).flatMap((text) => text.split(/\s+/));
    const isUsed = commands.some((text) => text.split(/[\s'"]+/).some((word) => word === alias));
    if (!isUsed || !/^r(?:un)?$/.test(words[0] ?? '')) return [];
    return words.flatMap((word, at) => (/^(?:-p|--package)$/.test(word) ? [words[at + 1] ?? ''] : []));
  });
}

function tableIn(text: string): Table {
  try {
    return parse(text);
  } catch {
    return {};
  }
}

function inside(table: unknown, key: string): Table {
  const value = typeof table === 'object' && table !== null ? (table as Table)[key] : undefined;
  return fieldsOf(value);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function pathOf(folder: string, target: unknown): string | null {
  const { path } = inside({ target }, 'target');
  return typeof path === 'string' ? repositoryPath(folder, path) : null;
}
