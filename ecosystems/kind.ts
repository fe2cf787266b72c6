/**
 * Describes an ecosystem: a language with its toolchain and its package manager. Everything about one is in its folder, and
 * the registry has one line for it. Stages, grading and commands ask an ecosystem what it is and compare no names.
 */

import type { StatusMap } from '../parsers/status.ts';
import type { BuildOutput } from '../patches/leftovers.ts';
import type { TestedInstance } from '../patches/test-files.ts';
import type { BuildRecipe, PartialRecipe, TestRecipe } from '../schemas/recipe.ts';
import type { CodeDoubts } from './doubts.ts';
import type { Hint } from './hints.ts';

export interface EcosystemKind {
  /** What a recipe writes as `ecosystem`. In keys of environments. */
  readonly name: string;
  /** Which languages and tools it is about, for the reference: a phrase without its name. */
  readonly summary: string;
  /** Endings of its source files, whose code `mutate` changes; absent: it changes none. */
  readonly sources?: readonly string[];
  /** Files at the root of a repository that tell it, the surest first. */
  readonly manifests: readonly string[];
  /** Toolchains that its recipes name in `toolchain`, by what provides them; the first one is required. Empty: none. */
  readonly toolchains: Readonly<Record<string, ToolchainSource>>;
  /** What its builds leave in a repository, which is in no patch; absent: nothing that tells itself. */
  readonly output?: readonly BuildOutput[];
  /** What a recipe of it says where no other source of settings does. */
  readonly recipe: PartialRecipe;
  /** Proposes what the recipe of a repository says beside `recipe`; absent: users write such recipes themselves. */
  propose?(repository: ProposedFor): Proposal | string | Promise<Proposal | string>;
  /** What logs of its tools say of a recipe, the surest first; absent: nothing is known. Reports read it, and no key holds it. */
  readonly hints?: readonly Hint[];
  /** How environments are made; null: by the Python provider. */
  readonly build: EcosystemBuild | null;
  /** How tests are run and judged; null: as Python's, by the rules in grading/. */
  readonly tests: EcosystemTests | null;
}

/** A repository for which a recipe is proposed. */
export interface ProposedFor {
  /** The text of a file, by its path; empty where there is none. */
  read(path: string): string;
  /** Paths of its files, as far as they are few; packages that are installed are none. */
  files: readonly string[];
  /** Versions of a toolchain that are folders of this machine, the oldest first. */
  here(toolchain: string): Promise<string[]>;
}

/** A proposed recipe. An ecosystem that proposes none returns a text with the reason. */
export interface Proposal {
  recipe: PartialRecipe;
  /** Where its keys come from, a line each. */
  notes: string[];
  /** What is proposed beside it where it fails; absent: nothing. */
  amendments?: Amendment[];
}

/** Further keys of a proposed recipe, for an environment or tests whose log has the sign. */
export interface Amendment {
  sign: RegExp;
  recipe: PartialRecipe;
  /** Why, one line. */
  note: string;
}

/**
 * Where a toolchain comes from. `go-proxy`: golang.org/toolchain on a module proxy. `npm`: a package of npm's registry, whose name
 * may depend on the version, and has the architecture, as Node calls it, at `{arch}`. `maven`: an artifact in a repository of Maven's layout. `folder`: a folder of the machine. `usual`: the version where a recipe names none; absent: it must.
 * `oldest`: the first one that works here, as numbers with dots; absent: any.
 */
export type ToolchainSource = (
  | { from: 'go-proxy' }
  | { from: 'npm'; package: string | ((version: string) => string) }
  | { from: 'maven'; artifact: string; file: string }
  | MachineToolchain
) & {
  usual?(toolchain: Readonly<Record<string, string>>): string;
  oldest?: string;
};

/** A recipe names its absolute path, or the version that its program says. */
interface MachineToolchain {
  from: 'folder';
  /** Absolute paths of the folders in which such folders are. */
  parents(env: NodeJS.ProcessEnv): string[];
  /** What of the folder belongs to it. */
  parts: readonly string[];
  /** In its folder `bin`; says its version with `option`. */
  program: string;
  option: string;
}

/** Where a toolchain is shown in workspaces. Of one that is named by its path, the last folder's name counts. */
export function toolchainPlace(name: string, version: string): string {
  return `/opt/toolchains/${name}/${version.replace(/\/+$/, '').replace(/^.*\//, '')}`;
}

/** create: the same for all recipes. dependencies: what manifests name. installation: at the instance's own commit. */
export interface EcosystemStep {
  /** Recipe key and index, such as `install[0]`. */
  name: string;
  command: string;
  phase: 'create' | 'dependencies' | 'installation';
}

export interface EcosystemBuild {
  /** All steps in their order. */
  steps(recipe: BuildRecipe): EcosystemStep[];
  /**
   * Fetches the packages of manifests that a task's patches change, in a folder with these alone; what is there for the first state stays.
   * Absent: nothing is fetched for them.
   */
  afterPatch?(recipe: BuildRecipe): string;
  /** Variables of every command, of tests as well; tools find only what was installed. `has`: whether the repository has a file; absent: not known. */
  variables(
    toolchain: Readonly<Record<string, string>>,
    has?: (path: string) => boolean,
  ): Record<string, string>;
  /** The dialect of its registry (tasks/index/registry.ts), which steps reach as the local index has it; null: nothing is fetched. */
  readonly dialect: string | null;
  /** Files of the repository that steps of dependencies see beside those in `packages`; absent: none. */
  reads?(path: string): boolean;
  /** Variables of the steps alone, beside those of the registry. */
  readonly stepVariables: Readonly<Record<string, string>>;
  /** Commands that are run when a workspace is opened on an environment. */
  start: readonly string[];
  /** Prints what is installed, one package a line. */
  listCommand: string;
}

/** What a patch may not change. test: holds tests. support: is read by tests. runner: decides which tests run, and how. */
export type EcosystemFile = 'test' | 'support' | 'runner';

export interface EcosystemTests {
  /** The command for the tests of one instance; where none are listed, for those of the files that its test patch brings, or more. */
  command(test: string, instance: TestedInstance): string;
  /** The command for all tests of a repository; absent: it is the recipe's. */
  all?(test: string): string;
  /** Compiles what the tests need, between patch and tests; null: there is nothing to compile. */
  buildCommand(tests: Pick<TestRecipe, 'test'>, instance: TestedInstance): string | null;
  /** What the build step runs with, and the tests as well; absent: nothing. */
  compiling?: {
    variables: Readonly<Record<string, string>>;
    /** Absolute paths inside of programs that no honest code writes. */
    programs: readonly string[];
  };
  /** The lines of a failed build that say what does not compile. */
  complaint(output: string): string;
  /** Why a patch may not change a file; null: it may. `text`: what the task has there; null: nothing; absent: only the name counts. */
  protects(path: string, text?: () => string | null): EcosystemFile | null;
  /** What the task's own settings and commands make part of the tests, beside what `protects` tells by names; absent: nothing. */
  named?(task: StartedTask): Promise<NamedFiles>;
  /** Protected files whose lists of code a patch may make longer; absent: none are. */
  lists?: GrowingLists;
  /** The part of a protected file that decides the tests, for a file that the solution changes, too; absent, or null: all of it. */
  deciding?(path: string, text: string): string | null;
  /**
   * The files of a repository that agents do not see, since these failing tests are in them: as many as can go away while the rest is still
   * built. Absent: none.
   */
  hides?(failing: readonly string[], repository: RepositoryFiles): string[];
  /** Code of its languages that is doubtful in a patch; absent: none is. */
  doubts?: CodeDoubts;
  /** The file that an id names; null: it names none. Absent: ids are as Python's, or name none. */
  fileOf?(id: string): string | null;
  /** Ids of tests that the witness does not see or that are skipped, so that rows made here do not list them; absent: there are none. */
  unseen?: RegExp;
  /** Adds the witness to a run of the tests. */
  witness(request: WitnessRequest): Promise<EcosystemWitness>;
}

export interface GrowingLists {
  /** Whether a file has such lists, by its name. */
  has(path: string): boolean;
  /** Whether a change only names further sources where code under test is listed. */
  isGrown(change: GrownFile): boolean;
}

export interface GrownFile {
  path: string;
  before: string;
  after: string;
  /** Files that the patch adds and may add. */
  added: ReadonlySet<string>;
  /** Whether a file of the repository is code under test; null: there is no such file. */
  isCode(path: string): boolean | null;
}

export interface RepositoryFiles {
  paths: readonly string[];
  /** The text of a file; empty for what is none. */
  read(path: string): string;
  /** The file that a path links to; null: it is no link. Absent: no path is. */
  linked?(path: string): string | null;
}

/** A task without a patch, for what its settings name. */
export interface StartedTask {
  files: RepositoryFiles;
  /** The commands that start the tests, and those of scripts that they start. */
  commands: readonly string[];
  /** Files that these commands open. */
  started: readonly string[];
  /** Files that the task's solution changes. */
  solution: readonly string[];
  /** Files that its test patch brings; absent: none. */
  tests?: readonly string[];
  /** What it adds to them; absent: nothing. */
  added?: readonly { path: string; text: string }[];
}

export interface NamedFiles {
  /** By their paths. */
  files: ReadonlyMap<string, EcosystemFile>;
  /** Whether a file is a test by a pattern or a folder that the settings name; also one that a patch adds. */
  isTest(path: string): boolean;
  /** Whether a file that `protects` tells by its name is the code under test after all; absent: none is. */
  isCode?(path: string): boolean;
}

export interface WitnessRequest {
  /** Absolute path inside of an empty folder for what the witness reads and writes. */
  folder: string;
  /** Secrets of this run, in hexadecimal digits. */
  nonce: string;
  /** The command for the tests. */
  command: string;
  /** Paths of the instance's test files in the repository. */
  testFiles: readonly string[];
  instance: TestedInstance;
  /** A file of the environment or of the repository, by its absolute path inside; null: it is not there. */
  read(path: string): Promise<string | null>;
  toolchain: Readonly<Record<string, string>>;
}

export interface EcosystemWitness {
  /** Absolute path inside -> content. */
  files: Record<string, string>;
  /** Lines for the shell that runs the tests, directly before their command. */
  before: string[];
  /** The command that also runs the canaries. */
  command: string;
  /** Absolute paths inside of files that no honest code writes while tests run. */
  watched: string[];
  /** Absolute paths inside of what it writes: a file for each process, which are numbered from 0 by `#`. */
  records: string;
  /** What the records say. */
  seen(records: readonly string[]): Seen;
}

/** What the runner itself saw, apart from what was printed. */
export interface Seen {
  /** absent: no process loaded the witness. open: one began and did not end. broken: others wrote the record. */
  state: 'absent' | 'open' | 'broken' | 'closed';
  /** Ids as the parsers write them. Without canaries. */
  statuses: StatusMap;
  /** Of ids for which several tests stand, how many of them were run; absent: nothing is known of it. */
  several?: ReadonlyMap<string, number>;
  /** What of the runner was replaced while tests ran; absent: nothing is known of it. */
  modified?: readonly string[];
  /** What else is compared with the gold runs: subject, key and value; absent: nothing is. */
  observed?: readonly (readonly [subject: string, key: string, value: string])[];
  /** Why the canaries say that the runner did not run tests as it does; null: they did what they must. */
  canaries: string | null;
  /** Whether an id of a log is a canary's. */
  isCanary(id: string): boolean;
}
