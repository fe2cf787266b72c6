/** How to build an instance's dependencies and how to run its tests: what a recipe says, once it is resolved. */

/** A program that runs in the workspace beside the tests; ready when its port answers and its command succeeds. */
export interface Service {
  name: string;
  run: string;
  /** Packages of its own, in /opt/env/services/NAME. */
  pip?: string[];
  /** Host names that lead to this workspace. */
  hosts?: string[];
  port?: number;
  ready?: string;
  /** Seconds to become ready; 60 by default. */
  timeout?: number;
}

/** The ecosystem of recipes that name none. */
export const DEFAULT_ECOSYSTEM = 'python';

/** A recipe with every key decided. Each entry of a list of commands is one bash command in `/testbed`; they run in order. */
export interface Recipe {
  /** Name of the ecosystem, such as python or go. */
  ecosystem: string;
  /** Exact versions of toolchains by their names; python is named by its own key. */
  toolchain: Record<string, string>;
  /** Python version such as "3.11", or null: the first Python 3 that is found. */
  python: string | null;
  /** When the package index is looked at: a day, a moment, "commit", or "none" for today's. */
  as_of: string;
  /** Debian packages that the base must have; a host that lacks one is named before anything is built. */
  system: string[];
  /** Submodules of the repository that the build checks out, by their paths. */
  submodules: string[];
  /** Commands before the packages are installed, inside the environment. */
  pre_install: string[];
  /** Lines of a `pip freeze`: pins, installed first and without their own requirements; `# …` for what has none. */
  freeze: string[];
  /** Requirements files of the repository, relative to /testbed, installed first; `FILE?` may be missing. */
  packages: string[];
  /** Requirement strings (PEP 508), installed after `packages`. */
  pip: string[];
  /** Commands that install the project itself. */
  install: string[];
  /** Packages are also fetched for manifests that the row's own patches change. */
  install_after_patch: boolean;
  /** Variables set for install and test commands. */
  env: Record<string, string>;
  /** Commands run in every workspace as soon as it is open, that of an agent, too. */
  start_commands: string[];
  /** Programs beside the tests, in the order in which they are started. */
  background: Service[];
  /** Commands run before the tests in every workspace. */
  eval_commands: string[];
  /** Tests are run by the script that the row brings (`eval_script`), where it brings one. */
  eval_script: boolean;
  /** Commands between patch and tests, in one shell, which compile what the tests need; absent: the ecosystem's own. */
  build?: string[];
  /** Seconds that the commands of `build` may take. */
  build_timeout: number;
  /** The test command; test files of the instance are appended when it is a pytest command. */
  test: string;
  /** Name of the log parser. */
  parser: string;
  /** none: the ecosystem's witness does not watch the tests; absent: it must. */
  witness?: 'required' | 'none';
  /** Seconds that the installation may take in all. */
  timeout: number;
}

/** What one source of settings (dataset row, project, profile) says; the first that says something wins. */
export type PartialRecipe = { [K in keyof Recipe]?: Recipe[K] };

/** Keys that decide the built environment; the others only say how tests are run. */
export type BuildRecipe = Pick<
  Recipe,
  'python' | 'system' | 'pre_install' | 'packages' | 'pip' | 'install' | 'env' | 'timeout'
> &
  Partial<Pick<Recipe, 'ecosystem' | 'toolchain' | 'freeze' | 'as_of' | 'start_commands' | 'submodules'>> & {
    services?: ServicePackages[];
    /** Digest of what its instances' own patches change of the manifests. */
    after_patch?: string;
  };

/** The packages of a service, which are installed beside those of the project. */
export type ServicePackages = Required<Pick<Service, 'name' | 'pip'>>;

export function buildPart(recipe: Recipe): BuildRecipe {
  const { python, as_of, system, pre_install, freeze, packages, pip, install, env, timeout } = recipe;
  const pins = freeze.length === 0 ? {} : { freeze };
  const day = as_of === 'none' ? {} : { as_of };
  const { start_commands, background, submodules, ecosystem, toolchain } = recipe;
  const start = start_commands.length === 0 ? {} : { start_commands };
  const own = background.flatMap(({ name, pip: wanted = [] }) =>
    wanted.length === 0 ? [] : [{ name, pip: wanted }],
  );
  const services = own.length === 0 ? {} : { services: own };
  const modules = submodules.length === 0 ? {} : { submodules };
  // Recipes without these fields keep the cache keys of their environments.
  const other = ecosystem === DEFAULT_ECOSYSTEM ? {} : { ecosystem, toolchain };
  const added = { ...day, ...pins, ...services, ...start, ...modules, ...other };
  return { python, system, pre_install, packages, pip, install, env, timeout, ...added };
}

/** Where a service's own packages are. */
export function serviceFolder(name: string): string {
  return `/opt/env/services/${name}`;
}

/** How tests of an instance are run; the environment brings its own variables. */
export type TestRecipe = Pick<Recipe, 'eval_commands' | 'test' | 'parser'> &
  Partial<Pick<Recipe, 'ecosystem' | 'background' | 'eval_script' | 'build' | 'build_timeout' | 'witness'>>;

/** A TestRecipe with the row's script in place of the flag, if that script runs the tests. */
export type RowTests = Omit<TestRecipe, 'eval_script'> & { eval_script?: string };

export function testPart(recipe: Recipe): TestRecipe {
  const { background, eval_commands, eval_script, test, parser, ecosystem, build, build_timeout, witness } =
    recipe;
  const beside = background.length === 0 ? {} : { background };
  const own = build === undefined ? {} : { build };
  // Python compiles nothing between patch and tests where the recipe names no command for it.
  const compiled = ecosystem === DEFAULT_ECOSYSTEM ? {} : { ecosystem };
  const limit = ecosystem === DEFAULT_ECOSYSTEM && build === undefined ? {} : { build_timeout };
  return {
    ...compiled,
    ...beside,
    ...(eval_script ? { eval_script } : {}),
    ...own,
    ...limit,
    eval_commands,
    test,
    parser,
    ...(witness === 'none' ? { witness } : {}),
  };
}
