/**
 * The files that settings of runners and the command name, and that run as a part of the runner: what is loaded before tests, environments,
 * reporters, transforms. Settings are read as they are without a patch, and none is run. What tests import as the code under test stays a
 * patch's to change. A repository may be made to hold up its reader, so all that is read has a bound. Settings near the root are read first.
 */
import { jsonObject } from '../../basics/json.ts';
import { folderOf, repositoryPath } from '../../basics/repository-path.ts';
import { simpleCommands } from '../../basics/shell.ts';
import type { EcosystemFile, EcosystemTests, NamedFiles, StartedTask } from '../kind.ts';
import { pathWords, textsIn } from '../named.ts';
import { matcherOf } from './globs.ts';
import { dataOfTests, helpersIn, type Repository } from './helpers.ts';
import { type Literal, literalsIn } from './literals.ts';
import { optionsIn, settingsWithin } from './options.ts';
import { isSource, Sources } from './sources.ts';

/** Settings of runners, and of what they compile tests with. */
const SETTINGS =
  /(?:^|\/)(?:\.mocharc(?:\.\w+)?|\.babelrc(?:\.\w+)?|\.swcrc|\.taprc|\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|nyc\.config\.\w+|[tj]sconfig(?:\.[\w-]+)*\.json|(?:babel|jest|vitest|vite|karma|ava|webpack|web-test-runner)(?:\.[\w-]+)*\.(?:conf(?:ig)?|workspace|projects|preset)(?:\.[\w-]+)*\.\w+)$/;
/** Settings of builders, of which the targets for tests are read. */
const TARGETS = /(?:^|\/)(?:angular|project)\.json$/;
const OF_TARGETS = new Set(['main', 'karmaConfig', 'jestConfig', 'setupFile', 'setupFiles', 'configFile']);
/** Keys of folders from which other paths are told. */
const ROOTS = new Set(['rootDir', 'root', 'roots', 'dir']);
/** Parts of a package.json that are such settings. */
const SECTIONS = /^(?:jest|mocha|ava|tap|nyc|c8|babel|vitest|ts-node)$/;
/** Keys of what a runner loads itself. */
const LOADED = new Set([
  ...['setupFiles', 'setupFilesAfterEnv', 'setupTestFrameworkScriptFile', 'globalSetup', 'globalTeardown'],
  ...[
    'testEnvironment',
    'environment',
    'snapshotEnvironment',
    'environmentMatchGlobs',
    'runner',
    'testRunner',
  ],
  ...['reporters', 'reporter', 'testResultsProcessor', 'testSequencer', 'sequencer', 'snapshotSerializers'],
  ...[
    'snapshotResolver',
    'resolveSnapshotPath',
    'transform',
    'resolver',
    'dependencyExtractor',
    'hasteImplModulePath',
  ],
  ...['customProviderModule', 'customContextFile', 'customDebugFile', 'customClientContextFile', 'diff'],
]);
/** The same, directly under their key: others stand in options of plugins. */
const LOADED_DIRECTLY = new Set(['require', 'file', 'ui', 'loader', 'import', 'plugins', 'presets']);
/** Keys of further settings, which are read in turn. */
const SETTINGS_OF = new Set(['preset', 'extends', 'config', 'opts', 'projects', 'workspace']);
/** Keys of modules that stand for others, and of files that a browser is given: a library's own ones as well. */
const REPLACED = new Set(['moduleNameMapper', 'alias', 'files']);
/** Keys of files with tests. */
const TESTS = new Set(['spec', 'testMatch']);
/** Options that name the folder in which a command or its runner works; `-r` is Vitest's. */
const PLACES =
  /^(?:-r|-C|-w|-F|--root|--root-?dir|--roots?|--dir|--cwd|--prefix|--workspace|--filter|--scope)$/i;
/** Commands that run scripts of packages in a repository with many. */
const OF_PACKAGES =
  /\b(?:lerna|turbo|nx|rush|wsrun|ultra)\b|\b(?:npm|pnpm|yarn)\b.*(?:\s-r\b|--recursive|--workspaces?\b|\s-ws?\b|\bworkspaces?\s|--filter|\s-F\b)/;
const MAX_PLACES = 50;
const MAX_MANIFESTS = 2000;
/** Runners whose command names files of tests by patterns. */
const RUNNERS = /^(?:_?mocha|ava|tape)$/;
/** Words of what only tests need, in the path of a file. */
const OF_TESTS =
  /(?:^|[/._-])(?:tests?|testing|specs?|jest|vitest|mocha|karma|jasmine|setup|mocks?|stubs?|fakes?|fixtures?|harness)(?=[/._-]|[A-Z]|$)|(?:Tests?|Specs?|Jest|Setup|Mocks?|Stubs?|Fakes?)(?=[/._-]|[A-Z]|$)/;
/** Folders of scripts, which import parts of settings and are no code under test. */
const TOOLS = /(?:^|\/)(?:scripts?|build|tools?|tasks?|configs?|bench(?:mark)?s?|examples?|docs?|website)\//;
/** Names that tests have, and code as well; and those that only tests have. */
const CALLED_AS_TEST =
  /(?:^|\/)(?:tests?|specs?)\/|(?:^|\/)test(?:-[^/]+)?\.[cm]?[jt]s$|[_-]test\.[cm]?[jt]s$/;
const ONLY_TEST =
  /(?:^|\/)(?:__\w+__|node_modules|\.yarn|fixtures?)\/|\.(?:test|spec)\.[cm]?[jt]sx?$|\.(?:conf|config)\.|(?:^|\/)\.|rc\.\w+$/;
/** Tests with titles, and not only functions or texts that are called so. */
const TITLED = /^[^\S\n]{0,99}(?:it|test|describe|suite|specify|context)(?:\.\w+)*\s{0,9}\(\s{0,99}['"`]/m;
const CALLS = /\b(?:it|test|describe|suite|specify)(?:\.\w+)*\s*\(|\bQUnit\.|\btape\b/;
const NAMED_AS_TEST = /(?:[._-](?:tests?|specs?)|(?:Test|Spec)s?)\.\w+$|(?:^|\/)tests?\.\w+$/;
/** Folders whose settings are mostly data of tests, which are read last. */
const DATA = /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|__fixtures__|examples?)\//;
/** Files of settings that are read, words that are looked up as paths, and patterns for tests. */
const MAX_SETTINGS = 500;
const MAX_WORDS = 50_000;
const MAX_PATTERNS = 300;
const MAX_REACHED = 20_000;
/** Folders above a file in which what it names is looked for. */
const MAX_ABOVE = 8;
/** A comment of a file of tests that names its environment. */
const ENVIRONMENT = /@(?:jest|vitest)-environment[^\S\n]{1,9}(\S{1,300})/g;

/** By the rules of `protects` for names. */
export async function npmNamed(task: StartedTask, protects: EcosystemTests['protects']): Promise<NamedFiles> {
  const named = new Named(task, protects);
  // What the command says is read first, as what is read has a bound.
  await named.commands();
  await named.settings();
  named.follow();
  return {
    files: named.files,
    isTest: (path) => named.isTest(path),
    isCode: (path) => named.isCode(path),
  };
}

class Named {
  readonly files = new Map<string, EcosystemFile>();
  private readonly task: StartedTask;
  private readonly protects: EcosystemTests['protects'];
  private readonly sources: Sources;
  private readonly solved: ReadonlySet<string>;
  private readonly patterns: Pattern[] = [];
  private readonly tried = new Set<string>();
  private readonly called = new Map<string, boolean>();
  private words = 0;
  /** Settings by their names or because others name them, and those that are still to be read. */
  private readonly known = new Set<string>();
  private readonly open: string[] = [];
  /** Files that settings name: to be loaded, or in the place of others. */
  private readonly loaded = new Map<string, EcosystemFile>();
  private readonly replaced = new Set<string>();
  /** Packages of the repository that settings load, and names for which files stand. */
  private readonly loadedPackages = new Set<string>();
  private readonly aliases = new Map<string, Set<string>>();
  /** Folders with what tests read. */
  private data: ReadonlySet<string> = new Set();
  /** Files that settings usually name, by their names. */
  private readonly setups: readonly string[];
  private readonly mains: ReadonlySet<string>;
  private reached: ReadonlySet<string> | null = null;
  private stems: ReadonlySet<string> | null = null;
  private packages: ReadonlyMap<string, string[]> | null = null;
  private published: ReadonlyMap<string, readonly string[]> | null = null;
  private parsed: readonly { folder: string; manifest: Record<string, unknown> }[] | null = null;
  /** Parts of packages in which the solution works. */
  private readonly worked: ReadonlySet<string>;

  constructor(task: StartedTask, protects: EcosystemTests['protects']) {
    this.task = task;
    this.protects = protects;
    this.sources = new Sources(task.files);
    this.solved = new Set(task.solution);
    this.mains = this.mainsOf();
    this.setups = task.files.paths.filter(
      (path) =>
        isSource(path) &&
        protects(path) === 'runner' &&
        !/(?:^|\/)node_modules\//.test(path) &&
        // `setup.test.js` with the tests of `setup.js`.
        !TITLED.test(task.files.read(path)),
    );
    const code = task.solution.filter((path) => isSource(path) && protects(path) === null);
    this.worked = new Set(code.map((path) => this.partOf(path)));
  }

  isTest(path: string): boolean {
    return this.isInstead(path) || this.isOfPattern(path) || this.isData(path);
  }

  /** A new file that is found before one of the runner's, as `hooks.js` before `hooks/index.js`. */
  private isInstead(path: string): boolean {
    if (this.sources.paths.has(path)) return false;
    this.stems ??= new Set(
      [...this.files.keys(), ...this.setups, ...this.known]
        .filter((one) => !/(?:^|\/)package\.json$/.test(one))
        .map(importName),
    );
    return this.stems.has(importName(path));
  }

  private isData(path: string): boolean {
    if (this.data.size === 0 || isSource(path)) return false;
    for (let at = folderOf(path); at !== ''; at = folderOf(at)) if (this.data.has(at)) return true;
    return false;
  }

  private isOfPattern(path: string): boolean {
    return (
      isSource(path) &&
      this.patterns.some(
        ({ matches, isMixed }) =>
          matches(path) && (!isMixed || NAMED_AS_TEST.test(path) || this.callsTests(path)),
      )
    );
  }

  /** Code that is only called as tests or their setup are: a package gives it away, or it is imported from there on. */
  isCode(path: string): boolean {
    if (!isSource(path) || ONLY_TEST.test(path) || !this.sources.paths.has(path)) return false;
    // A program of the package that the tests' command starts, as a runner does to test itself.
    if (this.task.started.includes(path) && this.isGiven(path) && this.protects(path) === null)
      return !this.files.has(path);
    const kind = this.protects(path);
    if (kind === null || (kind === 'test' && !CALLED_AS_TEST.test(path))) return false;
    if (this.files.has(path) || this.loaded.has(path) || this.known.has(path)) return false;
    if (TITLED.test(this.sources.textOf(path))) return false;
    this.reached ??= this.reach();
    return this.reached.has(path);
  }

  /** Files that packages give away, and all that these import. Packages for tests, of tools and of examples give nothing away. */
  private reach(): ReadonlySet<string> {
    const isBeside = (folder: string) =>
      DATA.test(`${folder}/`) ||
      TOOLS.test(`${folder}/`) ||
      (folder !== '' && this.protects(`${folder}/x.js`) !== null);
    const beside = new Map<string, boolean>();
    const open = this.task.files.paths.filter((path) => {
      if (!isSource(path) || this.protects(path) !== null || !this.isGiven(path)) return false;
      const folder = this.sources.packageOf(path);
      if (!beside.has(folder)) beside.set(folder, isBeside(folder));
      return beside.get(folder) === false;
    });
    const reached = new Set(open);
    for (let path = open.pop(); path !== undefined && reached.size < MAX_REACHED; path = open.pop()) {
      if (ONLY_TEST.test(path) || TITLED.test(this.sources.textOf(path))) continue;
      for (const one of this.importsOf(path))
        if (!reached.has(one)) {
          reached.add(one);
          open.push(one);
        }
    }
    return reached;
  }

  async settings(): Promise<void> {
    for (const path of this.settingsByName()) this.read(path);
    for (const text of this.task.commands)
      for (const { text: word, keys } of optionsIn(text)) if (keys.includes('config')) this.further('', word);
    // What they import may hold a part of them; whether it is the product's is known only when all else is read.
    for (let isLast = false; !isLast; ) {
      for (let path = this.open.shift(); path !== undefined; path = this.open.shift())
        await this.readLiterals(path);
      for (const path of this.known)
        for (const one of this.importsOf(path)) if (!this.isProduct(one)) this.read(one);
      isLast = this.open.length === 0;
    }
  }

  /** What files of tests name as their environment. */
  private environments(): void {
    for (const path of this.sources.all()) {
      if (!this.isOfTests(path)) continue;
      for (const [, word] of this.sources.textOf(path).matchAll(ENVIRONMENT))
        for (const at of new Set([this.sources.packageOf(path), folderOf(path)]))
          this.literal(at, word!, ['testEnvironment']);
    }
  }

  private isOfTests(path: string): boolean {
    return this.protects(path) === 'test' || this.kindOf(path) === 'test';
  }

  /** Those near the root first. */
  private settingsByName(): string[] {
    const rank = (path: string) => path.split('/').length + (DATA.test(path) ? 1000 : 0);
    return this.task.files.paths
      .filter((path) => !/(?:^|\/)node_modules\//.test(path) && this.isSettings(path))
      .sort((a, b) => rank(a) - rank(b));
  }

  private isSettings(path: string): boolean {
    if (SETTINGS.test(path)) return true;
    if (TARGETS.test(path)) return /"(?:targets|architect)"/.test(this.sources.textOf(path));
    if (!/(?:^|\/)package\.json$/.test(path)) return false;
    const manifest = jsonObject<Record<string, unknown>>(this.sources.textOf(path)) ?? {};
    return Object.keys(manifest).some((key) => SECTIONS.test(key));
  }

  private async readLiterals(path: string): Promise<void> {
    const found = await this.literalsOf(path);
    const folder = folderOf(path);
    const roots = found.flatMap(({ text, keys }) =>
      ROOTS.has(keys[0] ?? '') ? (repositoryPath(folder, text.replace(/^<rootDir>\/?/, '')) ?? []) : [],
    );
    const folders = [...new Set([folder, ...roots])].slice(0, 10);
    for (const { text, keys } of found) for (const at of folders) this.literal(at, text, keys);
  }

  /** What options of the commands name, and the tests that they choose by a pattern or a folder. */
  async commands(): Promise<void> {
    const opts = this.task.files.paths.filter((path) => /(?:^|\/)mocha\.opts$/.test(path));
    const scripts = this.scriptsOfPackages();
    const texts = new Set([...this.task.commands, ...opts.map((path) => this.sources.textOf(path))]);
    for (const { text } of scripts) texts.add(text);
    for (const text of texts) {
      const places = new Set(['', ...this.placesOf(text)]);
      for (const script of scripts)
        if (script.text === text && places.size < MAX_PLACES) places.add(script.folder);
      const found = [...optionsIn(text), ...(await settingsWithin(text))];
      for (const { text: word, keys } of found) for (const at of places) this.literal(at, word, keys);
      for (const { words } of simpleCommands(text)) {
        const plain = words.map((word) => word.text.replace(/^['"]|['"]$/g, ''));
        const at = plain.findIndex((word) => RUNNERS.test(word.slice(word.lastIndexOf('/') + 1)));
        if (at < 0 && !plain.includes('--test')) continue;
        const isMocha = /mocha$/.test(plain[at] ?? '');
        for (const word of plain.slice(at + 1))
          if (!word.startsWith('-') && (/[*{]/.test(word) || isMocha))
            for (const place of places) this.tests(place, word);
      }
    }
  }

  /** Folders that a command enters or names as where it works. */
  private placesOf(text: string): string[] {
    const words = text.split(/[\s'"`;&|()]+/);
    return words.flatMap((word, at) => {
      const [, name = word, value = words[at + 1] ?? ''] = /^(-[\w-]+)=(.*)$/s.exec(word) ?? [];
      const isPlace = word === 'cd' || word === 'pushd' || word === 'workspace' || PLACES.test(name);
      const path = isPlace ? repositoryPath('', value.replace(/^\/testbed\/?/, '')) : null;
      if (path !== null && path !== '' && this.sources.hasFolder(path)) return [path];
      return isPlace ? (this.packagesByName().get(value) ?? []) : [];
    });
  }

  /** Scripts for tests in packages of the repository, with their folders, where a command runs those of packages. */
  private scriptsOfPackages(): { text: string; folder: string }[] {
    const isWanted = this.task.commands.some((text) => OF_PACKAGES.test(text));
    const known = new Set(this.task.commands);
    return this.manifests().flatMap(({ folder, manifest }) =>
      Object.entries(recordOf(manifest.scripts)).flatMap(([name, text]) => {
        if (typeof text !== 'string' || text.length > 5000) return [];
        const isTests = isWanted && /^(?:pre|post)?(?:test|unit|ci)\b/.test(name) && !DATA.test(`${folder}/`);
        return isTests || known.has(text) ? [{ text, folder }] : [];
      }),
    );
  }

  private packagesByName(): ReadonlyMap<string, string[]> {
    this.packages ??= new Map(
      this.manifests().flatMap(({ folder, manifest }): [string, string[]][] =>
        typeof manifest.name === 'string' && folder !== '' ? [[manifest.name, [folder]]] : [],
      ),
    );
    return this.packages;
  }

  private manifests(): readonly { folder: string; manifest: Record<string, unknown> }[] {
    this.parsed ??= this.task.files.paths
      .filter((path) => /(?:^|\/)package\.json$/.test(path) && !/(?:^|\/)node_modules\//.test(path))
      .slice(0, MAX_MANIFESTS)
      .map((path) => ({
        folder: folderOf(path),
        manifest: jsonObject<Record<string, unknown>>(this.sources.textOf(path)) ?? {},
      }));
    return this.parsed;
  }

  /** Of the files that settings name those that are the runner's, what these import, and so on. */
  follow(): void {
    this.environments();
    for (const { folder, manifest } of this.manifests())
      for (const [name, target] of Object.entries(recordOf(manifest.imports)))
        for (const word of textsIn(target)) {
          const file = this.sources.file(folder, word);
          if (file !== null) this.instead(file, name);
        }
    for (const [path, as] of this.loaded) if (as === 'test' || !this.isProduct(path)) this.add(path, as);
    for (const path of this.replaced)
      if (OF_TESTS.test(path) && !this.isGiven(path) && this.sources.importersOf(path).size === 0)
        this.add(path);
    for (let before = -1; before < this.files.size; ) {
      before = this.files.size;
      this.followOnce();
      for (const path of helpersIn(this.repository())) this.add(path);
    }
    const data = dataOfTests(this.repository());
    for (const path of data.files) this.add(path, 'test');
    this.data = data.folders;
  }

  private repository(): Repository {
    return {
      sources: this.sources,
      kindOf: (path) => this.kindOf(path) ?? (this.known.has(path) ? 'runner' : null),
      isTest: (path) => this.isOfTests(path),
      isGiven: (path) => this.isGiven(path),
      isPublished: (path) => this.isPublished(path),
      isLibrary: (path) => this.isLibrary(path),
      isForTests: (path) => OF_TESTS.test(path),
      solution: this.task.solution,
      packages: this.manifests().flatMap(({ folder, manifest: { name, private: isPrivate } }) =>
        typeof name !== 'string' ? [] : [{ folder, name, isPrivate: isPrivate === true }],
      ),
      added: (this.task.added ?? []).filter(({ path }) => isSource(path)),
      loaded: this.loadedPackages,
      aliases: this.aliases,
    };
  }

  /** A file that others of the runner's import is known to be so only when these are. */
  private followOnce(): void {
    for (const path of this.known)
      for (const one of this.importsOf(path)) if (!this.isProduct(one)) this.add(one);
    const scripts = this.task.started.filter((path) => TOOLS.test(path));
    const open = [...this.files.keys(), ...scripts, ...this.setups];
    const seen = new Set(this.known);
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      const isTest = this.kindOf(path) === 'test' && !scripts.includes(path);
      if (seen.has(path) || isTest) continue;
      seen.add(path);
      for (const one of this.importsOf(path)) {
        if (this.isProduct(one) || (this.isWorkedIn(one) && !OF_TESTS.test(one))) continue;
        this.add(one);
        open.push(one);
      }
    }
  }

  /** Of settings that cannot be read, each word that can be a path. */
  private async literalsOf(path: string): Promise<Literal[]> {
    const text = this.sources.textOf(path);
    let found: Literal[];
    try {
      found = await literalsIn(path, text);
    } catch {
      found = pathWords(text).map((word) => ({ text: word, keys: ['setupFiles'] }));
    }
    if (TARGETS.test(path)) {
      this.loaded.set(path, 'runner');
      return found.flatMap(({ text: word, keys }) =>
        OF_TARGETS.has(keys[0] ?? '') && keys.some((key) => /test/i.test(key))
          ? [{ text: word, keys: ['config'] }]
          : [],
      );
    }
    if (/\.(?:workspace|projects)\.\w+$/.test(path))
      return found.map(({ text: word, keys }) => ({
        text: word,
        keys: keys.length === 0 ? ['projects'] : keys,
      }));
    if (!/(?:^|\/)package\.json$/.test(path)) return found;
    return found.filter(({ keys }) => SECTIONS.test(keys.at(-1) ?? ''));
  }

  /** A text under keys, seen from a folder. */
  private literal(folder: string, text: string, keys: readonly string[]): void {
    // Options of Node: `import=./a.mjs`.
    if (keys[0] === 'node-option') {
      this.literal(folder, text.replace(/^[\w-]+[= ]/, ''), ['require']);
      return;
    }
    const has = (some: ReadonlySet<string>) => keys.some((key) => some.has(key));
    const isTests = has(TESTS) || (keys[0] === 'include' && keys[1] === 'test');
    if (isTests || keys.includes('files')) this.tests(folder, text);
    // What stands deeper, as below `projects`, has keys of its own.
    const isSettings = SETTINGS_OF.has(keys[0] ?? '');
    if (isSettings) this.further(folder, text);
    const isLoaded = isTests || has(LOADED) || isSettings || LOADED_DIRECTLY.has(keys[0] ?? '');
    if (!isLoaded && !has(REPLACED)) return;
    const file = this.fileOf(folder, text, keys[0] === 'require' || keys[0] === 'file');
    if (file === null) {
      const name = /^(?:@[\w.-]+\/)?[\w.-]+/.exec(text)?.[0];
      if (isLoaded && name !== undefined && this.packagesByName().has(name)) this.loadedPackages.add(name);
      if (has(LOADED)) this.composed(folder, text);
      return;
    }
    if (!isLoaded) this.instead(file, keys[0] ?? '');
    else if (this.loaded.get(file) !== 'runner') this.loaded.set(file, isTests ? 'test' : 'runner');
  }

  /** A file that stands for a name, which may be written as a pattern. */
  private instead(file: string, key: string): void {
    this.replaced.add(file);
    const name = key.replace(/^\^|\$$/g, '').replaceAll('\\', '');
    if (!/^[@#~$]?[\w./@-]+$/.test(name) || this.isGiven(file)) return;
    this.aliases.set(file, (this.aliases.get(file) ?? new Set()).add(name));
  }

  /** A name that code composes, as `./boot/${name}.js`: each file of the folder may be meant. */
  private composed(folder: string, text: string): void {
    const [, inside] = /^(?:<rootDir>\/)?([^*{}]{1,200}\/)(?:\.\w+)?$/.exec(text) ?? [];
    if (inside === undefined) return;
    for (const at of new Set([folder, this.sources.packageOf(`${folder}/x`)])) {
      const path = repositoryPath(at, inside);
      if (path === null || path === '' || !this.sources.hasFolder(path)) continue;
      for (const file of this.task.files.paths)
        if (folderOf(file) === path && isSource(file) && !this.loaded.has(file))
          this.loaded.set(file, 'runner');
    }
  }

  /** Settings that others name, also by a pattern. */
  private further(folder: string, text: string): void {
    const file = this.fileOf(folder, text);
    if (file !== null) this.read(file);
    // A pattern for folders names no file: the settings in these are known by their names.
    if (!/[*{].*\.\w+$/.test(text) || text.startsWith('!') || text.length > 200) return;
    const plain = text.replace(/^<rootDir>\/?|^\.\//, '');
    const matches = matcherOf(folder, plain);
    if (matches === null) return;
    const depth = plain.split('/').length + (folder === '' ? 0 : folder.split('/').length);
    for (const path of this.task.files.paths) {
      if (!isSource(path) && !path.endsWith('.json')) continue;
      if (!plain.includes('**') && path.split('/').length !== depth) continue;
      if (/(?:^|\/)node_modules\//.test(path) || !matches(path)) continue;
      this.read(path);
      if (!this.loaded.has(path)) this.loaded.set(path, 'runner');
    }
  }

  private read(path: string): void {
    if (this.known.has(path) || this.known.size >= MAX_SETTINGS) return;
    this.known.add(path);
    this.open.push(path);
  }

  /** The file that a word of settings in a folder names: from there, from a folder above, or from the root. */
  private fileOf(folder: string, text: string, isBare = false): string | null {
    const word = text
      .replace(/^<rootDir>\/?/, './')
      .replace(/^file:\/*/, './')
      .replace(/^\/testbed\//, '');
    if (word === '' || word.length > 300 || /[*\n]/.test(word)) return null;
    this.words += 1;
    if (this.words > MAX_WORDS) return null;
    for (let at = folder, above = 0; ; at = above < MAX_ABOVE ? folderOf(at) : '', above += 1) {
      const found = this.sources.file(at, word);
      // A word alone is a package, but for what mocha loads.
      const own = repositoryPath(at, word);
      const isOwn = found === `${own}.js` || found === `${own}/index.js`;
      if (found !== null && (/[./]/.test(word) || (isBare && isOwn))) return found;
      if (at === '') return null;
    }
  }

  /** Tests by a pattern or a folder, unless the solution or mostly other code is there, too. */
  private tests(from: string, text: string): void {
    const plain = text
      .replace(/^<rootDir>\/?/, '')
      .replace(/^\.\//, '')
      .replace(/\/$/, '');
    if (plain === '' || plain.length > 200 || /^[!./]|\n/.test(plain)) return;
    const folders = [this.sources.packageOf(`${from}/x`), from];
    for (const folder of new Set(folders)) {
      const tried = `${folder} ${plain}`;
      if (this.tried.has(tried) || this.tried.size >= MAX_PATTERNS) continue;
      this.tried.add(tried);
      this.testsIn(folder, plain);
    }
  }

  private testsIn(folder: string, plain: string): void {
    const inside = `${repositoryPath(folder, plain)}/`;
    const isFolder = this.task.files.paths.some((one) => one.startsWith(inside));
    if (!/[*{]/.test(plain) && !isFolder) return;
    const matches = matcherOf(folder, isFolder ? `${plain}/**` : plain);
    if (matches === null || this.task.solution.some((one) => matches(one))) return;
    const found = this.task.files.paths.filter((one) => isSource(one) && matches(one));
    const tests = found.filter((one) => this.callsTests(one));
    if (tests.length === 0 || tests.length * 2 < found.length) return;
    this.patterns.push({ matches, isMixed: isFolder && tests.length < found.length });
  }

  private callsTests(path: string): boolean {
    const known = this.called.get(path) ?? CALLS.test(this.sources.textOf(path));
    this.called.set(path, known);
    return known;
  }

  /** With what it links to. */
  private add(path: string, as: EcosystemFile = 'runner'): void {
    if (this.solved.has(path) || this.files.has(path)) return;
    this.files.set(path, as);
    const target = this.task.files.linked?.(path) ?? null;
    if (target !== null) this.add(target, as);
  }

  private kindOf(path: string): EcosystemFile | null {
    return (
      this.files.get(path) ??
      this.loaded.get(path) ??
      this.protects(path) ??
      (this.isTest(path) ? 'test' : null)
    );
  }

  /** Code under test: what a package gives away, what other code imports, and what tests import where the solution works. */
  private isProduct(path: string): boolean {
    if (this.isGiven(path)) return true;
    for (const one of this.sources.importersOf(path)) {
      if (this.known.has(one)) continue;
      const kind = this.isGiven(one) ? null : this.kindOf(one);
      const isTested = kind === 'test' && (this.isWorkedIn(path) || this.isLibrary(path));
      if (kind === null ? !TOOLS.test(one) : isTested) return true;
    }
    return false;
  }

  /** Below the sources of its package, and not called as what only tests need. */
  private isLibrary(path: string): boolean {
    const inner = this.sources.inPackage(path);
    return /^(?:src|lib|source)\//.test(inner) && !OF_TESTS.test(inner);
  }

  /** Below one of the `files` of its package. */
  private isPublished(path: string): boolean {
    this.published ??= new Map(
      this.manifests().map(({ folder, manifest }) => [
        folder,
        textsIn(manifest.files).map((word) => word.replace(/^\.?\//, '').replace(/\/?\**$/, '')),
      ]),
    );
    const inner = this.sources.inPackage(path);
    const words = this.published.get(this.sources.packageOf(path)) ?? [];
    return words.some((word) => word !== '' && (inner === word || inner.startsWith(`${word}/`)));
  }

  private importsOf(path: string): readonly string[] {
    return isSource(path) ? this.sources.importsOf(path) : [];
  }

  private isWorkedIn(path: string): boolean {
    return this.worked.has(this.partOf(path));
  }

  /** The first folder of its package in which a file is. */
  private partOf(path: string): string {
    const [first, ...more] = this.sources.inPackage(path).split('/');
    return `${this.sources.packageOf(path)} ${more.length === 0 ? '' : first}`;
  }

  private isGiven(path: string): boolean {
    return this.solved.has(path) || this.mains.has(stemOf(this.sources.packageOf(path), path));
  }

  /** Of packages, the files that they give away: also the sources of what a build makes. */
  private mainsOf(): ReadonlySet<string> {
    const found = new Set<string>();
    for (const path of this.task.files.paths) {
      if (!/(?:^|\/)package\.json$/.test(path) || /(?:^|\/)node_modules\//.test(path)) continue;
      const { main, module, exports, bin, browser, types } =
        jsonObject<Record<string, unknown>>(this.sources.textOf(path)) ?? {};
      const folder = folderOf(path);
      found.add(stemOf(folder, 'index.js'));
      if (path.length > 500) continue;
      for (const word of textsIn([main, module, exports, bin, browser, types])) {
        const file = this.sources.file(folder, word);
        found.add(stemOf(folder, file ?? word));
      }
    }
    return found;
  }
}

/** The shortest name by which Node and compilers find a file. */
function importName(path: string): string {
  return path.replace(/\.(?:[cm]?[jt]sx?|json|node)$/, '').replace(/\/index$/, '');
}

/** A package and the name of a file, in whichever folder of sources or output it is. */
function stemOf(folder: string, path: string): string {
  const inner = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  const bare = inner.replace(/^(?:\.\/)?(?:(?:src|lib|dist|build|out|source|esm|cjs|es)\/)*/, '');
  return `${folder} ${bare.replace(/(?:\.(?:min|d))?\.\w+$/, '').replace(/\/index$/, '')}`;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

interface Pattern {
  matches(path: string): boolean;
  /** A folder that also holds other files than tests. */
  isMixed: boolean;
}
