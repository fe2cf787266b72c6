/** Generated from schemas/project.schema.json by scripts/generate.mjs; change the schema instead. */

/**
 * A swemake project file. Text values may hold ${env:NAME} or ${env:NAME:-default}, which insert an environment variable, and, where a key allows it, ${secret:NAME}, which is handed to the process that needs it and is stored nowhere. Write $${env:NAME} for the text itself. Other ${...} is left to bash. YAML is read as version 1.2: yes, no, on and off are text, and 010 is ten.
 */
export interface Project {
  /**
   * Version of the file format.
   */
  version: 1;
  /**
   * Name of the project in reports and run labels. It is part of no key.
   */
  name: string;
  /**
   * Datasets by id. A stage over one is addressed STAGE.ID, an item of it STAGE.ID@INSTANCE.
   */
  dataset: {
    [k: string]: DatasetConfig;
  };
  environments: EnvironmentsConfig;
  deployments: Deployments;
  validation: ValidationConfig;
  cache: CacheConfig;
  resources: ResourcesConfig;
}
/**
 * Where task rows come from, how they are read and which of them are used.
 */
export interface DatasetConfig {
  /**
   * A file or folder of rows (.jsonl, .json, .parquet, .arrow), relative to the file that says it, or the id of a dataset on the Hugging Face hub, OWNER/NAME. What looks like OWNER/NAME and has no such ending is a hub id; write ./OWNER/NAME for a folder. HF_ENDPOINT and HF_TOKEN are read from the environment.
   */
  source: string;
  /**
   * Commit, tag or branch of a hub dataset; absent, it is the branch main. A branch or tag is looked up once and remembered in the cache. A commit keeps the rows what they are on every machine.
   */
  revision?: string;
  /**
   * Split of the dataset; needed when it has several. For hub datasets with several configs, CONFIG/SPLIT.
   */
  split?: string;
  /**
   * How rows are read. mutation: a named mutation of a package, from which the patch is derived. nested: the instance inside instance or metadata of a trainer's row (SkyRL, slime, Miles).
   */
  format: 'swe-bench' | 'swe-smith' | 'swe-gym' | 'custom' | 'mutation' | 'nested';
  /**
   * Format of the instances inside nested rows; absent, each row is read as its columns look.
   */
  inner?: 'swe-bench' | 'swe-smith' | 'swe-gym' | 'custom';
  select: SelectConfig;
  /**
   * Where the code of a repository comes from, by a glob over the row's repo; the longest that matches wins. A template may hold {column} of the row. Kinds: pypi:NAME==VERSION, git+URL@COMMIT, archive:PATH-OR-URL.
   */
  sources: {
    [k: string]: string;
  };
}
/**
 * Which rows are used. Applied in the order match, sample, slice; absent, all rows are used.
 */
export interface SelectConfig {
  /**
   * Regular expression (JavaScript, with the u flag) that must occur in the instance_id.
   */
  match?: string;
  /**
   * Number of rows drawn at random; all when there are fewer. The order of the dataset is kept.
   */
  sample?: number;
  /**
   * Seed of the sample.
   */
  seed: number;
  /**
   * Rows START:END of what is left, END not included; either may be absent, and negative numbers count from the end.
   */
  slice?: string;
}
/**
 * How the environments of the instances are built.
 */
export interface EnvironmentsConfig {
  python: PythonConfig;
  /**
   * Recipes for instances. For each key of an instance's recipe, the row's own value wins, then the first recipe that matches and has the key.
   */
  recipes: RecipeConfig[];
}
/**
 * Where Python interpreters come from.
 */
export interface PythonConfig {
  /**
   * What makes environments. venv: python -m venv and pip. uv: uv, which is fetched. conda: as venv, with the interpreters of trees only. All find interpreters of the host by version; conda installs no conda packages.
   */
  provider: 'venv' | 'uv' | 'conda';
  /**
   * Folder of conda trees, one a Python version: TREES/3.11/miniconda3. Searched first; the provider conda needs it.
   */
  trees?: string;
  /**
   * Interpreters by version, for those that the provider does not find: version to absolute path.
   */
  versions: {
    [k: string]: string;
  };
}
/**
 * What to install for the instances that match, and how to run their tests.
 */
export interface RecipeConfig {
  match: MatchConfig;
  /**
   * Python version; quoted, as versions are text.
   */
  python?: string;
  /**
   * Debian packages that the base must have. A host that lacks one is named before anything is built.
   */
  system?: string[];
  /**
   * Bash commands in /testbed before any package is installed.
   */
  pre_install?: string[];
  /**
   * A file as pip freeze writes it, such as that of an image, relative to the file that says it. Its pins are installed before packages and pip, without their own requirements.
   */
  freeze?: string;
  /**
   * Requirements files of the repository, relative to /testbed, installed first.
   */
  packages?: string[];
  /**
   * Requirement strings (PEP 508), installed after packages.
   */
  pip?: string[];
  /**
   * Bash commands in /testbed that install the project itself.
   */
  install?: string[];
  /**
   * Variables of install and test commands. Values may be secrets.
   */
  env?: {
    [k: string]: string;
  };
  /**
   * Bash commands before the tests in every workspace.
   */
  eval_commands?: string[];
  /**
   * The test command; the instance's test files are appended when it is a pytest command.
   */
  test?: string;
  /**
   * Name of the log parser.
   */
  parser?: string;
  /**
   * Time that the installation may take in all. In seconds.
   */
  timeout?: number;
}
/**
 * Globs that must all match. In a glob * stands for any characters, ? for one, [abc] for one of these and {a,b} for a or b. An empty map matches every instance.
 */
export interface MatchConfig {
  /**
   * Glob over the row's repo.
   */
  repo?: string;
  /**
   * Glob over the instance_id.
   */
  instance?: string;
  /**
   * Glob over the row's image name.
   */
  image?: string;
  /**
   * Glob over the row's version; quoted, as versions are text.
   */
  version?: string;
}
/**
 * Places where workspaces are opened, by name. Absent, there is one called default, of type auto.
 */
export interface Deployments {
  [k: string]: DeploymentConfig;
}
/**
 * One place where workspaces are opened.
 */
export interface DeploymentConfig {
  /**
   * sandbox: Linux namespaces. local: plain processes on a private copy, without a fence. auto: sandbox where the kernel allows it, else local with a warning in every summary.
   */
  type: 'auto' | 'sandbox' | 'local';
  limits: LimitsConfig;
  network: NetworkConfig;
  /**
   * Further hosts that the proxy lets through: a name, *.NAME for all below it, with :PORT for a port other than 80 and 443.
   */
  allow_hosts: string[];
  /**
   * Folders or files of the host shown read-only inside.
   */
  mounts: MountConfig[];
}
/**
 * Caps for one workspace; what is absent is not limited.
 */
export interface LimitsConfig {
  /**
   * Memory of all processes together. In bytes.
   */
  memory?: number;
  /**
   * Processes and threads alive at once.
   */
  pids?: number;
  /**
   * Data that may be written. In bytes.
   */
  disk?: number;
  /**
   * Processors' worth of time; fractions are allowed.
   */
  cpus?: number;
}
/**
 * What a workspace may reach, by what it is used for. off: itself only. proxy: HTTP and HTTPS through swemake's proxy, to package indexes and allow_hosts. host: the host's network. A local deployment cannot fence the network: there the default is host and nothing else is accepted.
 */
export interface NetworkConfig {
  /**
   * While environments are built.
   */
  build: 'off' | 'proxy' | 'host';
  /**
   * While an agent works.
   */
  rollout: 'off' | 'proxy' | 'host';
  /**
   * While tests run, in validation and grading.
   */
  grade: 'off' | 'proxy' | 'host';
}
/**
 * One folder or file of the host shown inside.
 */
export interface MountConfig {
  /**
   * Path on the host, absolute or relative to the file that says it.
   */
  from: string;
  /**
   * Absolute path inside.
   */
  to: string;
}
/**
 * How instances are checked before they are used.
 */
export interface ValidationConfig {
  /**
   * Where the checks run; needed only when there are several deployments.
   */
  deployment: string;
  /**
   * The only dataset whose environments are built and whose instances are validated; all of them when absent.
   */
  dataset?: string;
  /**
   * How often the tests run with the gold patch; runs that disagree make the instance flaky.
   */
  gold_runs: number;
  /**
   * Time that one run of an instance's tests may take. Absent, it depends on the dataset's format: 10 minutes for swe-gym, 5 minutes otherwise. In seconds.
   */
  timeout?: number;
  /**
   * The weakest isolation whose verdicts may be used for training data.
   */
  allow_isolation: 'sandbox' | 'local';
}
/**
 * Where results are kept. It is part of no key.
 */
export interface CacheConfig {
  /**
   * Folder of the cache, relative to the file that says it.
   */
  folder: string;
  /**
   * Size above which gc removes what was not used for longest. Absent, gc removes only what nothing refers to. In bytes.
   */
  max_size?: number;
}
/**
 * What actions on this host may use together; what is absent is measured. It is part of no key.
 */
export interface ResourcesConfig {
  /**
   * Actions that keep a processor busy.
   */
  cpu?: number;
  /**
   * Workspaces open at once.
   */
  sandbox?: number;
}
