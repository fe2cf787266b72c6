/**
 * A recipe for a repository by the files that say how it is developed. Of Python: extras and groups for tests, files of
 * requirements, plugins that the configuration of pytest names, what the tests import and another extra or group has, a version of Python. What is not named stays as usual, `pip install -e .` and pytest. Other languages are
 * told by their manifests, and their ecosystems propose.
 */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { byCodeUnit } from '../../basics/canonical.ts';
import { named } from '../../basics/named.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Amendment } from '../../ecosystems/kind.ts';
import { ECOSYSTEMS } from '../../ecosystems/registry.ts';
import type { Infra } from '../../schemas/outcome.ts';
import type { PartialRecipe } from '../../schemas/recipe.ts';
import { DEFAULT_RECIPE } from '../../stages/environments/recipe.ts';
import { pluginsOf } from '../../stages/filter/hints.ts';
import { findInterpreter, type Interpreter } from '../../tasks/python/interpreter.ts';
import { versionsHere } from '../../tasks/toolchains/machine-folder.ts';
import { type Declared, readDeclared } from './declared.ts';
import {
  brings,
  dependenciesIn,
  holdersOf,
  linesOf,
  nameOf,
  type PackageSource,
  poetryRange,
  sourcesIn,
  type Table,
  tableAt,
  texts,
  withExtra,
} from './sources.ts';

export interface RecipeProposal {
  recipe: PartialRecipe;
  /** Why, a line each. */
  notes: string[];
  /** Path -> text of the files that it was read from. */
  files: Record<string, string>;
  /** Where they name packages; absent: nowhere, or it is no package of Python. */
  sources?: PackageSource[];
  /** What is proposed beside it where it fails; absent: nothing. */
  amendments?: readonly Amendment[];
}

/** Why nothing can be proposed: sentences without a full stop. */
export interface NoProposal {
  message: string;
  remedy: string;
}

export interface ProposalOptions {
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

/** What packages for tests are called, from what says most to what says least. */
const TEST_NAMES = ['test', 'tests', 'testing', 'unittest', 'unittests', 'pytest', 'test-all'];
const DEV_NAMES = ['dev', 'develop', 'development', 'dev-dependencies', 'all'];

const TEST_FILES = [
  'requirements-test.txt',
  'requirements-tests.txt',
  'requirements-testing.txt',
  'requirements_test.txt',
  'requirements_tests.txt',
  'test-requirements.txt',
  'test_requirements.txt',
  'requirements/test.txt',
  'requirements/tests.txt',
  'requirements/testing.txt',
  'tests/requirements.txt',
  'test/requirements.txt',
];
const DEV_FILES = [
  'requirements-dev.txt',
  'requirements_dev.txt',
  'dev-requirements.txt',
  'dev_requirements.txt',
  'requirements/dev.txt',
  'requirements/development.txt',
];

/** Versions of Python that are tried, the usual ones first. */
const PYTHONS = ['3.11', '3.12', '3.10', '3.9', '3.13', '3.8', '3.14', '3.7', '3.6'];

/** Files that declare a package of Python. */
const PYTHON_FILES = ['pyproject.toml', 'setup.py', 'setup.cfg'];
/** Files of languages that are no ecosystem here. */
const OTHER_FILES = ['composer.json', 'Gemfile'];

const READ_FILES = ['pyproject.toml', 'setup.cfg', 'setup.py', 'tox.ini', 'pytest.ini', '.pytest.ini'];

/** A line with one requirement, or one of Poetry's: what it is, and its name. */
const REQUIREMENT =
  /^[\s[]*(["']?)((?!version\b|name\b)([A-Za-z0-9][\w.-]*)(?:\s*(?:[<>~!=]=|[<>;@[(]|=\s*["'{]).*?)?)\1[,\]\s]*$/;

/** One way to get the packages of the tests. */
interface Way {
  /** A name of {@link TEST_NAMES} or {@link DEV_NAMES}. */
  name: string;
  /** The line about it. */
  note: string;
  recipe: PartialRecipe;
  requirements: readonly string[];
}

/**
 * What the files in `folder` propose. There is no proposal for some languages, or where pyproject.toml cannot be read, which is reported with file, line and column; no Python that runs here is an infra outcome.
 */
export async function proposeRecipe(
  folder: string,
  options: ProposalOptions,
): Promise<Result<RecipeProposal, Infra | NoProposal>> {
  const read = (name: string) => textIn(folder, name);
  const other = await otherLanguage(folder, read, options.env);
  if (other !== null) return other;
  const python = await findInterpreter(null, options);
  if (!python.ok) return python;
  const { executable } = python.value;
  const text = read('pyproject.toml');
  const pyproject = readToml(text);
  if (!pyproject.ok) return pyproject;
  const { testpaths } = tableAt(pyproject.value, 'tool', 'pytest', 'ini_options');
  const paths = typeof testpaths === 'string' ? testpaths.split(/\s+/) : texts(testpaths);
  const declared = await readDeclared(folder, paths, { python: executable, signal: options.signal });
  if (!declared.ok) return declared;
  return success(proposalOf(folder, pyproject.value, text, declared.value, python.value, read));
}

/** The text of a file of the repository; empty if it is no regular file, or a link that leads out of the folder. */
function textIn(folder: string, name: string): string {
  const path = join(folder, name);
  if (!existsSync(path)) return '';
  const isInside = realpathSync(path).startsWith(realpathSync(folder) + sep);
  return isInside && statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
}

/** What is proposed for a repository without a package of Python whose files name another language; null: none does. */
async function otherLanguage(
  folder: string,
  read: (name: string) => string,
  env: NodeJS.ProcessEnv,
): Promise<Result<RecipeProposal, NoProposal> | null> {
  const isThere = (name: string) => existsSync(join(folder, name));
  if (PYTHON_FILES.some(isThere)) return null;
  const known = ECOSYSTEMS.filter(({ build }) => build !== null);
  const found = known.find(({ manifests }) => manifests.some(isThere));
  const file = [...(found?.manifests ?? []), ...OTHER_FILES].find(isThere);
  if (file === undefined) return null;
  if (found === undefined)
    return fault({
      message: `the repository has ${file} and no ${PYTHON_FILES.join(', ')}: its language is not supported`,
      remedy: 'docs/languages.md names the languages whose rows can be built',
    });
  const here = async (name: string): Promise<string[]> => {
    const source = found.toolchains[name];
    return source?.from === 'folder' ? versionsHere(source, env) : [];
  };
  const proposed =
    (await found.propose?.({ read, here, files: filesIn(folder) })) ??
    `no recipe is proposed for a repository with ${file}`;
  if (typeof proposed === 'string')
    return fault({
      message: proposed,
      remedy: `write a project whose recipe has ecosystem: ${found.name}, as docs/languages.md shows, and name it with --project of swemake mutate or mine`,
    });
  const { recipe, ...further } = proposed;
  return success({
    ...{ recipe: { ecosystem: found.name, ...recipe }, ...further },
    files: { [file]: read(file) },
  });
}

/** A proposal with what it says for an environment or tests with this log; null where that is nothing, or nothing new. */
export function amended(proposal: RecipeProposal, log: string): RecipeProposal | null {
  const { recipe, notes, amendments = [], ...others } = proposal;
  const found = amendments.find(({ sign }) => sign.test(log));
  if (found === undefined) return null;
  return {
    recipe: { ...recipe, ...found.recipe, env: { ...recipe.env, ...found.recipe.env } },
    notes: [...notes, found.note],
    amendments: amendments.filter((one) => one !== found),
    ...others,
  };
}

/** Files and folders that are looked at. */
const MOST_FILES = 50_000;

/** The files below a folder, by their paths from there, the highest first. */
function filesIn(folder: string): string[] {
  const files: string[] = [];
  const open = [''];
  let seen = 0;
  for (const prefix of open)
    for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
      seen += 1;
      if (seen > MOST_FILES) return files.sort(byCodeUnit);
      // Its name is no UTF-8.
      if (entry.name.includes('\ufffd')) continue;
      const path = `${prefix}${entry.name}`;
      if (entry.isFile()) files.push(path);
      else if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git')
        open.push(`${path}/`);
    }
  return files.sort(byCodeUnit);
}

function proposalOf(
  folder: string,
  pyproject: Table,
  text: string,
  declared: Declared,
  usual: Interpreter,
  read: (name: string) => string,
): RecipeProposal {
  const notes: string[] = [];
  const recipe: PartialRecipe = { pip: ['pytest'] };
  const python = wantedPython(pyproject, declared, usual.version, read('.python-version'));
  if (python !== null) {
    recipe.python = python.version;
    notes.push(python.note);
  }
  const isPackage = text !== '' || read('setup.py') !== '' || declared.setup_cfg.metadata !== undefined;
  const sources = sourcesIn(pyproject, declared).filter(({ isExtra }) => isPackage || !isExtra);
  const ways = [...waysOf(sources), ...fileWays(folder, read)];
  const rank = ({ name }: Way) => [...TEST_NAMES, ...DEV_NAMES].indexOf(name);
  const [way] = ways.sort((a, b) => rank(a) - rank(b));
  if (way !== undefined) {
    Object.assign(recipe, way.recipe);
    notes.push(way.note);
  }
  const pip = recipe.pip ?? ['pytest'];
  const settings = pytestSettings(pyproject, declared);
  const plugins = pluginsNamed(settings).filter((one) => !pip.some((other) => nameOf(other) === nameOf(one)));
  if (plugins.length > 0) {
    recipe.pip = [...pip, ...plugins];
    notes.push(`The configuration of pytest needs ${plugins.join(', ')}.`);
  }
  if (/(?:^|\s)--cov\b/.test(wordsOf(settings.addopts))) {
    recipe.test = `${DEFAULT_RECIPE.test} --no-cov`;
    notes.push(
      'Coverage is not measured: the tests of one task cover less than all do, and a limit would fail them.',
    );
  }
  if (!isPackage) {
    recipe.install = [];
    recipe.env = { PYTHONPATH: existsSync(join(folder, 'src')) ? 'src' : '.' };
    notes.push('pip cannot install it; the tests import its code from the path.');
    if (existsSync(join(folder, 'requirements.txt'))) {
      recipe.packages = ['requirements.txt', ...(recipe.packages ?? [])];
      notes.push('requirements.txt is installed.');
    }
  }
  const has = [...dependenciesIn(pyproject, declared), ...(way?.requirements ?? []), ...(recipe.pip ?? [])];
  const missing = declared.imports.filter((module) => !has.some((one) => brings(one, module)));
  addMissing(recipe, notes, missing, sources);
  const paths = [...READ_FILES, ...(recipe.packages ?? [])];
  const files = Object.fromEntries(paths.map((name) => [name, read(name)]));
  return { recipe, notes, files, sources };
}

/** Adds what other lists have of the modules that the tests import: whole extras, and of the others single requirements. */
function addMissing(
  recipe: PartialRecipe,
  notes: string[],
  missing: readonly string[],
  sources: readonly PackageSource[],
): void {
  for (const { source, modules, requirements } of holdersOf(missing, sources)) {
    const { name, place, isExtra } = source;
    const install = isExtra ? withExtra(recipe.install ?? INSTALL, [name]) : null;
    if (install !== null) recipe.install = install;
    else recipe.pip = [...(recipe.pip ?? ['pytest']), ...requirements];
    notes.push(
      `Its tests import ${named(modules)}: ${install === null ? `${requirements.join(', ')} of ` : ''}${place}.`,
    );
  }
}

/** The installation of a recipe that names none. */
const INSTALL = ['python -m pip install -e .'];

/** Where the files in a folder name packages; none where they cannot be read. `python` is the absolute path of an interpreter. */
export async function sourcesOf(folder: string, reading: Reading): Promise<Result<PackageSource[], Infra>> {
  const read = await declarationOf(folder, reading);
  if (!read.ok) return read;
  return success(read.value === null ? [] : sourcesIn(read.value.pyproject, read.value.declared));
}

/** The settings of pytest that the files in a folder have; none where they cannot be read. */
export async function pytestSettingsOf(folder: string, reading: Reading): Promise<Result<Table, Infra>> {
  const read = await declarationOf(folder, reading);
  if (!read.ok) return read;
  return success(read.value === null ? {} : pytestSettings(read.value.pyproject, read.value.declared));
}

interface Reading {
  python: string;
  signal?: AbortSignal | undefined;
}

/** null: they cannot be parsed. */
async function declarationOf(
  folder: string,
  { python, signal }: Reading,
): Promise<Result<{ pyproject: Table; declared: Declared } | null, Infra>> {
  const pyproject = readToml(textIn(folder, 'pyproject.toml'));
  if (!pyproject.ok) return success(null);
  const declared = await readDeclared(folder, null, { python, signal });
  return declared.ok ? success({ pyproject: pyproject.value, declared: declared.value }) : declared;
}

function readToml(text: string): Result<Table, NoProposal> {
  try {
    return success(parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = error.message.split('\n', 1)[0]!.replace(/^Invalid TOML document: /, '');
    return fault({
      message: `pyproject.toml:${error.line}:${error.column}: ${why}`,
      remedy: 'mend the file in the repository',
    });
  }
}

/** Lists of packages by the names of those for tests. */
function waysOf(sources: readonly PackageSource[]): Way[] {
  return sources.flatMap(({ name, place, isExtra, requirements }) =>
    asTests(name, (known) =>
      isExtra
        ? {
            name: known,
            note: `The package has an extra "${name}".`,
            recipe: { install: [`python -m pip install -e .[${name}]`] },
            requirements,
          }
        : {
            name: known,
            note: `Packages for tests are those of ${place}.`,
            recipe: { pip: withPytest(requirements) },
            requirements,
          },
    ),
  );
}

function fileWays(folder: string, read: (name: string) => string): Way[] {
  const wayOf = (file: string, name: string): Way => ({
    ...{ name, note: `Packages are those of ${file}.` },
    recipe: { packages: [file] },
    requirements: requirementsIn(file, read, new Set()),
  });
  return [
    ...TEST_FILES.map((file) => wayOf(file, 'test')),
    ...DEV_FILES.map((file) => wayOf(file, 'dev')),
  ].filter(({ recipe }) => existsSync(join(folder, recipe.packages![0]!)));
}

/** The lines of a file of requirements, with those of files that it includes. */
function requirementsIn(file: string, read: (name: string) => string, seen: Set<string>): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  return linesOf(read(file)).flatMap((line) => {
    const [, other] = /^(?:-r\s*|--requirement[\s=]+)(\S+)/.exec(line) ?? [];
    return other === undefined ? [line] : requirementsIn(posix.join(posix.dirname(file), other), read, seen);
  });
}

/** A way under its name, written as PEP 685 normalises it; none where the name is not one of tests. */
function asTests(key: string, way: (name: string) => Way): Way[] {
  const name = key.toLowerCase().replace(/[-_.]+/g, '-');
  return TEST_NAMES.includes(name) || DEV_NAMES.includes(name) ? [way(name)] : [];
}

/** Plugins without which pytest refuses its own configuration, as requirements. */
function pluginsNamed({ addopts, required_plugins: required }: Table): string[] {
  return [...new Set([...wordsOf(required).split(/\s+/), ...pluginsOf(wordsOf(addopts))])].filter(
    (one) => one !== '',
  );
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : texts(value).join(' ');
}

/** The settings of pytest: those of the first file that has some count, and no other. */
function pytestSettings(
  pyproject: Table,
  { setup_cfg: cfg, tox_ini: tox, pytest_ini: own }: Declared,
): Table {
  const named = tableAt(pyproject, 'tool', 'pytest', 'ini_options');
  if (own.pytest !== undefined) return own.pytest;
  if (Object.keys(named).length > 0) return named;
  return tox.pytest ?? cfg['tool:pytest'] ?? {};
}

/** pytest with them, unless they have it whatever the machine is. */
function withPytest(requirements: readonly string[]): string[] {
  const has = requirements.some((one) => /^pytest(?![\w.-])/i.test(one) && !one.includes(';'));
  return [...new Set(has ? requirements : ['pytest', ...requirements])];
}

/** The version that the project names, or one that it takes where the usual one is none of them. */
function wantedPython(
  pyproject: Table,
  { setup_cfg: cfg, setup_py: setup }: Declared,
  usual: string,
  file: string,
): { version: string; note: string } | null {
  const named = /^\s*(3\.\d+)/.exec(file)?.[1];
  if (named !== undefined) return { version: named, note: `.python-version says ${named}.` };
  const ranges = [
    ['requires-python in pyproject.toml', tableAt(pyproject, 'project')['requires-python']],
    ['python of Poetry in pyproject.toml', tableAt(pyproject, 'tool', 'poetry', 'dependencies').python],
    ['python_requires in setup.cfg', cfg.options?.python_requires],
    ['python_requires in setup.py', setup.python_requires],
  ] as const;
  for (const [place, range] of ranges) {
    if (typeof range !== 'string' || range.trim() === '') continue;
    const specifiers = place.includes('Poetry') ? poetryRange(range) : range;
    if (takes(specifiers, usual)) return null;
    const version = PYTHONS.find((one) => takes(specifiers, `${one}.99`));
    return version === undefined
      ? null
      : { version, note: `${place} is ${range.trim().replaceAll(/\s+/g, ' ')}.` };
  }
  return null;
}

/** Whether specifiers of PEP 440 take a version of Python. What is no specifier takes all. */
function takes(specifiers: string, version: string): boolean {
  const numbersOf = (text: string) => text.split('.').map(Number);
  const own = numbersOf(version);
  return specifiers.split(',').every((part) => {
    const [, sign = '', release = ''] = /^\s*(===?|~=|!=|[<>]=?)\s*(\d+(?:\.\d+)*)/.exec(part) ?? [];
    const given = numbersOf(release);
    const isBelow = (count: number) => given.slice(0, count).every((number, at) => own[at] === number);
    const difference = given.map((number, at) => (own[at] ?? 0) - number).find((by) => by !== 0) ?? 0;
    if (sign === '!=') return !isBelow(given.length);
    if (sign.startsWith('==')) return isBelow(given.length);
    if (sign === '~=') return difference >= 0 && isBelow(given.length - 1);
    if (sign === '>') return difference > 0 || (difference === 0 && own.length > given.length);
    if (sign === '<=') return difference < 0 || (difference === 0 && own.length <= given.length);
    return sign === '' || (sign === '>=' ? difference >= 0 : difference < 0);
  });
}

/**
 * Where a file of the proposal has the requirement that a complaint of pip names, as `pyproject.toml:44 asks for name>=2`; null where no
 * file has one.
 */
export function requirementIn(complaint: string, { files }: RecipeProposal): string | null {
  const words = new Set(complaint.toLowerCase().match(/[a-z0-9][\w.-]*/g));
  for (const [path, text] of Object.entries(files))
    for (const [at, line] of text.split('\n').entries()) {
      const [, , requirement, name = ''] = REQUIREMENT.exec(line.replace(/(?:^|\s)#.*$/, '')) ?? [];
      if (requirement !== undefined && words.has(name.toLowerCase()))
        return `${path}:${at + 1} asks for ${requirement}`;
    }
  return null;
}
