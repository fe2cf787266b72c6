/**
 * Translates the tables of SWE-smith and SWE-bench into recipes of a project. Their images are built as root with
 * conda. What a recipe cannot express becomes a note beside the recipe, so that no difference is silent. Pure.
 */

import { literalGlob } from '../../basics/glob.ts';
import { condaPackages } from '../../formats/recipe-hints.ts';
import { DEFAULT_PARSER, findParser, parserNameOf } from '../../parsers/registry.ts';
import type { PartialRecipe } from '../../schemas/recipe.ts';
import { dockerSpec } from './imported-dockerfile.ts';
import {
  compact,
  type LanguageSpec,
  type LanguageTables,
  languageRecipe,
  listOf,
  MODULE_LANGUAGES,
} from './imported-languages.ts';
import { knownRecipe, knownTools } from './known-recipes.ts';
import { servicesOf } from './known-services.ts';
import { submodulesOf } from './known-submodules.ts';
import { hostsIn, imageCommands } from './shell-commands.ts';

export interface ImportedRecipe {
  match: { repo: string; version?: string; instance?: string };
  recipe: PartialRecipe;
  notes: string[];
}

/** A class of swesmith.profiles. */
export interface SmithProfile {
  owner: string;
  repo: string;
  commit: string;
  python: string;
  effectivePython: string;
  install: string[];
  test: string;
  isDefaultTest: boolean;
  ownParser: boolean;
  ownImage: boolean;
}

/** A class of swesmith.profiles for another language. */
export interface SmithLanguageProfile {
  owner: string;
  repo: string;
  commit: string;
  /** The name of its module. */
  language: string;
  dockerfile: string;
  test: string;
  /** The name of the function that reads its logs, without `parse_log_`; empty where it has its own. */
  parser: string;
}

/** An entry of swebench's MAP_REPO_VERSION_TO_SPECS. */
interface BenchSpec {
  python?: string;
  packages?: string;
  pip_packages?: string[];
  pre_install?: string[];
  install?: string | string[];
  test_cmd?: string | string[];
  eval_commands?: string[];
  [key: string]: unknown;
}

export interface BenchTable {
  specs: Record<string, Record<string, BenchSpec>>;
  /** Requirements files of a repository, the first that is there counts. */
  requirements: Record<string, string[]>;
  /** Files of conda by repository; the first that is there counts. */
  condaFiles: Record<string, string[]>;
  /** Names of log parsers. */
  parsers: Record<string, string>;
  /** Tables of other languages; absent in older releases. */
  languages?: LanguageTables;
}

/** Recipes of SWE-smith's profiles; a repository with several commits is matched by its mirrors. */
export function smithRecipes(profiles: readonly SmithProfile[], asOf?: string): ImportedRecipe[] {
  const matchOf = mirrorMatches(profiles);
  return profiles.map((profile) =>
    dated({ match: matchOf(profile), ...withKnown(smithRecipe(profile), upstreamOf(profile)) }, asOf),
  );
}

/** The same of SWE-smith's other languages, and the repositories that no ecosystem builds. */
export function smithLanguageRecipes(profiles: readonly SmithLanguageProfile[]) {
  const matchOf = mirrorMatches(profiles);
  const leftOut: string[] = [];
  const recipes = profiles.flatMap((profile): ImportedRecipe[] => {
    const made = smithLanguageRecipe(profile);
    if (made === null) leftOut.push(upstreamOf(profile));
    return made === null ? [] : [{ match: matchOf(profile), ...made }];
  });
  return { recipes, leftOut: [...new Set(leftOut)] };
}

/** Programs that no ecosystem has. */
const NO_ECOSYSTEM = /\bbun\b|ANDROID_|android-sdk|\bmeson\b|\bbazel\b|\bcomposer\b/;

function smithLanguageRecipe(profile: SmithLanguageProfile): Omit<ImportedRecipe, 'match'> | null {
  const { dockerfile, test, parser } = profile;
  const language = MODULE_LANGUAGES[profile.language];
  if (language === undefined || NO_ECOSYSTEM.test(`${dockerfile}\n${test}`)) return null;
  const { spec, env, notes } = dockerSpec(dockerfile, test);
  const known =
    parser === '' || findParser(`swe-smith-${parser}`) === null ? undefined : `swe-smith-${parser}`;
  const { install = [], ...others } = spec;
  // What a repository of C compiles is the patched state.
  const made = languageRecipe(
    language,
    language === 'c' ? { ...others, build: [install].flat() } : spec,
    known ?? 'swe-smith-own',
  );
  if (made === null) return null;
  if (known === undefined) notes.push('its log parser is its own, and not imported: choose one under parser');
  return {
    recipe: compact({ ...made.recipe, env: Object.keys(env).length > 0 ? env : undefined, parser: known }),
    notes: [...notes, ...made.notes],
  };
}

const upstreamOf = ({ owner, repo }: { owner: string; repo: string }) => `${owner}/${repo}`;

/** A repository with several commits is matched by its mirrors. */
function mirrorMatches<P extends { owner: string; repo: string; commit: string }>(profiles: readonly P[]) {
  const count = new Map<string, number>();
  for (const profile of profiles) count.set(upstreamOf(profile), (count.get(upstreamOf(profile)) ?? 0) + 1);
  return (profile: P) => {
    const mirror = `${profile.owner}__${profile.repo}.${profile.commit.slice(0, 8)}`;
    const isOnly = count.get(upstreamOf(profile)) === 1;
    return { repo: isOnly ? literalGlob(upstreamOf(profile)) : `*${literalGlob(mirror)}` };
  };
}

function smithRecipe(profile: SmithProfile): Omit<ImportedRecipe, 'match'> {
  const { system, commands, notes } = imageCommands(profile.install);
  if (profile.effectivePython !== profile.python)
    notes.push(
      `SWE-smith writes Python ${profile.python}, and its own build takes ${profile.effectivePython}`,
    );
  if (profile.ownImage) notes.push('SWE-smith builds its image in a way of its own, which is not imported');
  const test = profile.test.replace(/^(?:source\s+\S*activate;\s*)?(?:conda activate \w+;\s*)?/, '');
  if (/\/root\//.test(test)) notes.push(`left out, as it is a program outside of the environment: ${test}`);
  const parser = parserNameOf(`swesmith/${profile.owner}__${profile.repo}.${profile.commit.slice(0, 8)}`);
  return {
    recipe: compact({
      python: profile.python,
      system,
      install: commands,
      test: profile.isDefaultTest || /\/root\//.test(test) ? undefined : test,
      parser: profile.ownParser && parser !== DEFAULT_PARSER ? parser : undefined,
    }),
    notes,
  };
}

/** Recipes of SWE-bench's tables; versions with the same spec share one. */
export function benchRecipes(
  { specs, requirements, condaFiles, parsers }: BenchTable,
  asOf?: string,
): ImportedRecipe[] {
  return Object.entries(specs).flatMap(([repo, versions]) =>
    bySpec(versions).map(({ spec, versions: list }) => {
      const match = { repo: literalGlob(repo), version: oneOf(list) };
      const files = { requirements: requirements[repo], conda: condaFiles[repo] };
      const made = withKnown(benchRecipe(spec, files, parsers[repo]), repo);
      const submodules = submodulesOf(repo, list);
      const added = submodules.length === 0 ? {} : { submodules };
      return dated(
        { match, ...made, recipe: withServices({ ...added, ...made.recipe }, servicesOf(repo)) },
        asOf,
      );
    }),
  );
}

/** Recipes of SWE-bench's tables of other languages, and the repositories that no ecosystem builds. */
export function languageRecipes({ languages = {}, parsers }: Pick<BenchTable, 'languages' | 'parsers'>) {
  const leftOut: string[] = [];
  const recipes = Object.entries(languages).flatMap(([language, specs]) =>
    Object.entries(specs).flatMap(([repo, versions]) =>
      bySpec(withTools(repo, versions)).flatMap(({ spec, versions: list }): ImportedRecipe[] => {
        const made = languageRecipe(language, spec, parsers[repo]);
        if (made === null && !leftOut.includes(repo)) leftOut.push(repo);
        const match = { repo: literalGlob(repo), version: oneOf(list) };
        return made === null ? [] : [{ match, ...withKnown(made, repo) }];
      }),
    ),
  );
  return { recipes, leftOut };
}

function withTools(repo: string, versions: Record<string, LanguageSpec>): Record<string, LanguageSpec> {
  const all = Object.entries(versions).map(([version, spec]): [string, LanguageSpec] => {
    const known = knownTools(repo, version);
    const isPlain = Object.keys(known).length === 0;
    return [version, isPlain ? spec : { ...spec, docker_specs: { ...known, ...spec.docker_specs } }];
  });
  return Object.fromEntries(all);
}

/** Versions with the same spec stand together. */
function bySpec<S extends object>(versions: Record<string, S>): { spec: S; versions: string[] }[] {
  const same = new Map<string, { spec: S; versions: string[] }>();
  for (const [version, spec] of Object.entries(versions)) {
    const name = JSON.stringify(Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = same.get(name) ?? { spec, versions: [] };
    known.versions.push(version);
    same.set(name, known);
  }
  return [...same.values()];
}

/** The recipe with what is known of the repository in place of what its table says; null there leaves a key out. */
function withKnown<T extends Pick<ImportedRecipe, 'recipe' | 'notes'>>(made: T, repo: string): T {
  const known = knownRecipe(repo);
  if (known === null) return made;
  const recipe = Object.entries({ ...made.recipe, ...known.recipe }).filter(([, value]) => value !== null);
  return { ...made, recipe: Object.fromEntries(recipe), notes: [...made.notes, ...known.notes] };
}

/** The recipe with the day of the index that fits its table. */
function dated(one: ImportedRecipe, asOf: string | undefined): ImportedRecipe {
  if (asOf === undefined) return one;
  const { python, ...recipe } = one.recipe;
  const begin = python === undefined ? {} : { python };
  return { ...one, recipe: { ...begin, as_of: asOf, ...recipe } };
}

function withServices(recipe: PartialRecipe, services: PartialRecipe): PartialRecipe {
  const { eval_commands: before = [], ...rest } = services;
  const commands = [...before, ...(recipe.eval_commands ?? [])];
  return { ...recipe, ...rest, ...(commands.length === 0 ? {} : { eval_commands: commands }) };
}

/** Keys that are translated. Other keys are named in a note. */
const KNOWN = new Set([
  ...['python', 'packages', 'pip_packages', 'pre_install', 'install', 'test_cmd', 'eval_commands'],
  // These concern how an image is made, and not its content.
  ...['no_use_env', 'nano_cpus', 'docker_specs'],
]);

function benchRecipe(
  spec: BenchSpec,
  files: { requirements: readonly string[] | undefined; conda: readonly string[] | undefined },
  parserName: string | undefined,
): Omit<ImportedRecipe, 'match'> {
  const before = imageCommands(spec.pre_install ?? []);
  const after = imageCommands(listOf(spec.install));
  const evaluation = imageCommands(spec.eval_commands ?? [], true);
  const notes = [...before.notes, ...after.notes, ...evaluation.notes];
  const makesLocale = notes.some((note) => LOCALE_MADE.test(note));
  if (makesLocale) notes.push('C.UTF-8, which every system has, stands for the locale that these make');
  const hosts = hostsIn([...before.commands, ...after.commands]);
  if (hosts.length > 0)
    notes.push(`fetches files from ${hosts.join(', ')}: allow_hosts of the deployment lets it`);
  const fromNpm = [...before.commands, ...after.commands].filter((one) => NPM_INSTALLS.test(one));
  if (fromNpm.length > 0)
    notes.push('fetches packages of npm: allow_hosts: [registry.npmjs.org] of the deployment lets it');
  const packages = spec.packages === 'requirements.txt' ? (files.requirements ?? []) : [];
  const conda = spec.packages === 'environment.yml' ? (files.conda ?? []) : [];
  if (spec.packages === 'environment.yml' && conda.length === 0)
    notes.push('packages come from an environment.yml of the repository: name it under packages');
  const parser = parserName === undefined || findParser(parserName) === null ? undefined : parserName;
  if (parserName !== undefined && parser === undefined)
    notes.push(`its log parser ${parserName} is not known`);
  const unknown = Object.keys(spec).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) notes.push(`not imported: ${unknown.join(', ')}`);
  const tests = listOf(spec.test_cmd);
  const ofConda = forPip(condaPackages(spec), spec.python);
  notes.push(...ofConda.notes);
  const pip = [...new Set([...ofConda.packages, ...(spec.pip_packages ?? []).map((one) => ofConda.of(one))])];
  return {
    recipe: compact({
      python: spec.python,
      system: [...new Set([...before.system, ...after.system])].filter(
        (name) => !(makesLocale && name === 'locales'),
      ),
      pre_install: before.commands,
      packages: firstOf(packages.length > 0 ? packages : conda),
      pip,
      install: after.commands,
      // What is installed for all users belongs to the environment, and not to the machine.
      env: fromNpm.some((one) => NPM_GLOBAL.test(one)) ? { npm_config_prefix: '/opt/env' } : undefined,
      // Every instance shows its own files, so edits that the build made in them are made again before the tests.
      eval_commands: [
        ...evaluation.commands.map((command) => (makesLocale ? withKnownLocale(command) : command)),
        ...before.commands.filter(changesTests),
      ],
      test: tests.length === 0 ? undefined : tests.join(' ; '),
      parser,
    }),
    notes,
  };
}

/**
 * Releases that conda has as binaries for a Python version, and the index only as sources; with the first later
 * release that has a wheel.
 */
const FIRST_WHEELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '3.9': { 'numpy==1.19.2': 'numpy==1.19.3', 'scipy==1.5.2': 'scipy==1.5.4' },
};
/**
 * conda stopped building for these versions before Cython 3 came out, but the index offers Cython 3 for them.
 * Packages of that time need 0.29.
 */
const BEFORE_CYTHON_3 = new Set(['2.7', '3.5', '3.6', '3.7']);

/** The pip requirements for packages of conda; `of` names what else is installed with them. */
function forPip(packages: readonly string[], python: string | undefined) {
  const wheels = FIRST_WHEELS[python ?? ''] ?? {};
  const of = (one: string) => wheels[one] ?? one;
  const isOld = BEFORE_CYTHON_3.has(python ?? '');
  return {
    packages: packages.map((one) => (isOld && one === 'cython' ? 'cython<3' : of(one))),
    of,
    notes: packages
      .filter((one) => of(one) !== one)
      .map(
        (one) =>
          `of ${one} conda alone has a build for Python ${python}; ${of(one)} is the first with a wheel`,
      ),
  };
}

const NPM_INSTALLS = /\bnpm (?:install|i|ci)\b/;
const NPM_GLOBAL = /\bnpm (?:install|i)\b[^&;|\n]* (?:-g|--global|--location[= ]global)\b/;

/** In a note on a command that was left out. */
const LOCALE_MADE = /\blocale-gen\b|\blocale\.gen\b/;

/** Without its locale, Python before 3.7 reads and writes ASCII alone. */
function withKnownLocale(command: string): string {
  return command.replace(/^(export (?:LANG|LC_\w+)=)\w+\.UTF-?8$/i, '$1C.UTF-8');
}

/** The requirements file, or the first of several that the commit has. */
function firstOf(files: readonly string[]): string[] {
  return files.length === 0 ? [] : [files.join(' | ')];
}

/** True for edits of files that configure the tests. Edits for the project's own build are needed only once. */
function changesTests(command: string): boolean {
  const file = /\bsed -i\b.*?(\S+)(?:\n:)?$/s.exec(command)?.[1];
  return file !== undefined && !/^(?:setup\.(?:py|cfg)|pyproject\.toml|.*\.txt)$/.test(file);
}

function oneOf(values: readonly string[]): string {
  const list = values.map((value) => literalGlob(value));
  return list.length === 1 ? list[0]! : `{${list.join(',')}}`;
}
