/** Generated from schemas/project.schema.json by scripts/generate.mjs; change the schema instead. */

/**
 * Text in which * stands for any characters, ? for one, [abc] for one of these and {a,b} for a or b.
 */
export type Glob = string;
/**
 * What builds and plans make that name no target, with all that it needs: stages, STAGE.DATASET, items, globs, as on the command line. Absent: everything. If the project trains a model: the trainings, the data of trainers of type none, the evaluation, and the files of filter and report whose answers are needed anyway. Then the agent of an RL training, whose endpoint exists only while the training runs, is not rolled out or evaluated besides. It is part of no key.
 *
 * @minItems 1
 */
export type Targets = [string, ...string[]];
/**
 * Folder in which builds write files for people and other tools, relative to the file that names it. It has a folder NAME for the project as it is written, and a folder NAME+… for each combination of profiles and --set. It is part of no key.
 */
export type Out = string;
/**
 * Machines, and what runs on each: a node server, an agent server, a part of a Ray cluster. `swemake nodes up` starts it. They are part of no key.
 */
export type NodesConfig = NodeConfig[];

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
   * Datasets by id. A stage of one dataset is addressed as STAGE.ID, and one of its items as STAGE.ID@INSTANCE.
   */
  dataset: {
    [k: string]: DatasetConfig;
  };
  environments: EnvironmentsConfig;
  deployments: Deployments;
  validation: ValidationConfig;
  agent?: AgentConfig;
  grading: GradingConfig;
  trainer?: TrainerConfig;
  evaluation?: EvaluationConfig;
  targets?: Targets;
  out: Out;
  cache: CacheConfig;
  nodes: NodesConfig;
  resources: ResourcesConfig;
}
/**
 * Where the task rows come from, how they are read, and which of them are used.
 */
export interface DatasetConfig {
  /**
   * A file or folder of rows (.jsonl, .json, .parquet, .arrow), relative to the file that names it, or the id of a dataset on the Hugging Face hub, OWNER/NAME. Text of the form OWNER/NAME without such an ending is a hub id; write ./OWNER/NAME for a folder. HF_ENDPOINT and HF_TOKEN are read from the environment.
   */
  source: string;
  /**
   * Commit, tag or branch of a hub dataset. Absent: the branch main. A branch or tag is looked up once, and the cache remembers its commit. With a commit, the rows are the same on every machine.
   */
  revision?: string;
  /**
   * Split of the dataset. It is needed when there are several. For hub datasets with several configs, write CONFIG/SPLIT.
   */
  split?: string;
  /**
   * How rows are read. swe-bench: the columns of SWE-bench, Lite, Verified and SWE-bench-Live. swe-smith: the columns of SWE-smith. swe-gym: the columns of SWE-Gym. swe-rebench: the columns of SWE-rebench. swe-rebench-v2: the columns of SWE-rebench V2. r2e-gym: the columns of R2E-Gym. multi-swe-bench: the columns of Multi-SWE-bench and Multi-SWE-RL. swe-bench-pro: the columns of SWE-bench Pro. swe-polybench: the columns of SWE-PolyBench. mutation: a named change to a package, from which the patch is derived. custom: the columns of the page on datasets. nested: the instance is inside the column instance or metadata of a trainer's row (SkyRL, slime, Miles).
   */
  format:
    | 'swe-bench'
    | 'swe-smith'
    | 'swe-gym'
    | 'swe-rebench'
    | 'swe-rebench-v2'
    | 'r2e-gym'
    | 'multi-swe-bench'
    | 'swe-bench-pro'
    | 'swe-polybench'
    | 'mutation'
    | 'custom'
    | 'nested';
  /**
   * Format of the instances inside nested rows. Absent: it is recognised by the columns of each row.
   */
  inner?: 'swe-bench' | 'swe-smith' | 'swe-gym' | 'swe-rebench' | 'custom';
  /**
   * Whether FAIL_TO_PASS and PASS_TO_PASS are measured for rows that have none: their tests are run before and with the patch, each several times. Rows without a test that the patch makes pass are left out. Absent: false.
   */
  discover_tests?: boolean;
  /**
   * Deployment for all work on this dataset: building its environments, validating its instances, grading its patches, and running its agents. It replaces the deployments of validation, grading and agent.
   */
  deployment?: string;
  select: SelectConfig;
  /**
   * Where the code of a repository comes from, by a glob over the row's repo. The longest glob that matches wins. The value is pypi:NAME==VERSION, go:MODULE@VERSION, npm:NAME@VERSION, crate:NAME@VERSION, git+URL@COMMIT or archive:PATH-OR-URL, and may use columns of the row as {column}.
   */
  sources: {
    [k: string]: string;
  };
}
/**
 * Which rows are used: match, sample and slice are applied in this order. Absent: all rows.
 */
export interface SelectConfig {
  /**
   * Regular expression (JavaScript, flag u) that must match somewhere in the instance_id.
   */
  match?: string;
  /**
   * Number of rows that are drawn at random. A dataset with fewer rows gives all of them. The dataset's order is kept.
   */
  sample?: number;
  /**
   * Seed of the sample.
   */
  seed: number;
  /**
   * Rows START:END of those that are left, without END. Either may be absent. Negative numbers count from the end.
   */
  slice?: string;
}
/**
 * How the environments of the instances are built.
 */
export interface EnvironmentsConfig {
  python: PythonConfig;
  /**
   * Recipes for instances. Each key is looked up by itself: the row's own value wins, then the first recipe that matches and has the key.
   */
  recipes: RecipeConfig[];
}
/**
 * Where Python interpreters come from.
 */
export interface PythonConfig {
  /**
   * What makes environments. venv: python -m venv and pip. uv: uv, which swemake downloads; Python versions that uv does not support get venv. conda with channels: interpreters and packages from conda. conda with trees: venv and pip with the interpreters in trees alone. venv and uv search the host for an interpreter of the right version.
   */
  provider: 'venv' | 'uv' | 'conda';
  /**
   * Date of the package index, for recipes without one. Files that were published later are hidden. A day counts to its end in UTC, and a moment is exact. commit: the day of the commit that is built, or of the newest version pinned in the recipe if that is later. none: the index as it is today. Files for which the index gives no time are always shown.
   */
  as_of: string;
  /**
   * Channels for the provider conda: names, URLs or folders. The first one has priority. Python, and what an environment.yml in packages names, are solved and installed from them. Builds can reach the host of a channel when the deployment's allow_hosts names it.
   */
  channels: string[];
  /**
   * Folder of conda installations, one for each Python version: TREES/3.11/miniconda3. It is searched first. The provider conda needs trees or channels.
   */
  trees?: string;
  /**
   * Interpreters that the provider does not find by itself: a map from version to absolute path.
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
   * The language and its tools, which decide how dependencies are installed and tests are run. python: Python with pip, uv or conda. go: Go modules. pnpm: JavaScript and TypeScript with pnpm, tested by mocha, jest, vitest, QUnit, karma or Node itself. yarn: JavaScript and TypeScript with Yarn, tested by mocha, jest, vitest, QUnit, karma or Node itself. npm: JavaScript and TypeScript with npm, tested by mocha, jest, vitest, QUnit, karma or Node itself. cargo: Rust with cargo. maven: Java with Maven, tested by JUnit. gradle: Java with Gradle, which its user gives as a folder, tested by JUnit. cmake: C and C++ with CMake, tested by GoogleTest or doctest. Absent: python.
   */
  ecosystem?: 'python' | 'go' | 'pnpm' | 'yarn' | 'npm' | 'cargo' | 'maven' | 'gradle' | 'cmake';
  /**
   * Exact versions of the ecosystem's toolchains, by their names. Each is fetched once from the registry of the ecosystem, or copied from a folder of this machine, and is a read-only layer. Quote versions, since they are text. Python has its own key.
   */
  toolchain?: {
    [k: string]: string;
  };
  /**
   * Python version. Quote it, since versions are text. Absent: the first Python 3 that is found on this machine.
   */
  python?: string;
  /**
   * Date of the package index for these instances, in place of environments.python.as_of.
   */
  as_of?: string;
  /**
   * Debian packages that the base must have. If one is missing, the build stops before it builds anything and names it.
   */
  system?: string[];
  /**
   * Paths of git submodules that are checked out before pre_install, each at the commit that the instance's own commit names. They are fetched from the addresses in .gitmodules by git of this machine, and not over the network of the build. The folders of other submodules are empty.
   */
  submodules?: string[];
  /**
   * Bash commands in /testbed, at the instance's own commit. They run after freeze, packages and pip, and before install.
   */
  pre_install?: string[];
  /**
   * A file in the form of pip freeze, such as that of an image, relative to the file that names it. Its versions are installed before packages and pip, without their own requirements.
   */
  freeze?: string;
  /**
   * Requirements files of the repository, relative to /testbed, installed after freeze and before pip. FILE? is left out where the commit lacks it, and the build log says so. Of `A | B` the first that the commit has is installed. A file that ends in .yml or .yaml is an environment.yml of conda. Without channels, pip installs its packages under their names on the package index.
   */
  packages?: string[];
  /**
   * Requirements (PEP 508), installed after packages. Absent: pytest.
   */
  pip?: string[];
  /**
   * Bash commands in /testbed that install the project itself. Absent: python -m pip install -e .
   */
  install?: string[];
  /**
   * Variables of the install and test commands. Values may be secrets.
   */
  env?: {
    [k: string]: string;
  };
  /**
   * Bash commands that run in every workspace as soon as it is open, before an agent works or a patch is applied: what agents need as well as tests. Programs that they start keep running.
   */
  start_commands?: string[];
  /**
   * Programs that run beside the tests and end with them. They are started in this order.
   */
  background?: ServiceConfig[];
  /**
   * Bash commands that run before the tests in every workspace.
   */
  eval_commands?: string[];
  /**
   * Whether packages are also fetched for manifests that the row's own patches change, such as go.mod or package.json. Such a row has an environment of its own. Python and gradle fetch nothing more. Absent: true.
   */
  install_after_patch?: boolean;
  /**
   * Whether rows with a column eval_script are graded by that script, in place of test and eval_commands. parser still reads its output. Absent: false.
   */
  eval_script?: boolean;
  /**
   * Bash commands in /testbed between patch and tests, in one shell, which compile what the tests need. If one fails, no test runs and the outcome is failed, build-failed. Absent: the ecosystem's own; none for python.
   */
  build?: string[];
  /**
   * Time for the build between patch and tests. Absent: 30 minutes. In seconds.
   */
  build_timeout?: number;
  /**
   * Test command. If it is a pytest command, the instance's test files are appended. Absent: pytest --disable-warnings --color=no --tb=no -rA -p no:cacheprovider.
   */
  test?: string;
  /**
   * Name of the log parser. Absent: pytest.
   */
  parser?: string;
  /**
   * Whether the ecosystem's witness must have watched the tests. none: results are what the tests print, for runners that have no witness, such as Catch2 or a script. A patch can print results, so do not train on such rewards. Not for python. Absent: required.
   */
  witness?: 'required' | 'none';
  /**
   * Time for all steps of the installation together. Absent: 30m. In seconds.
   */
  timeout?: number;
}
/**
 * Globs that must all match. * stands for any characters, ? for one character, [abc] for one of these, and {a,b} for a or b. An empty map matches every instance.
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
   * Glob over the row's version. Quote it, since versions are text.
   */
  version?: string;
}
/**
 * A program that runs beside the tests. Give a port, a ready command, or both: it is ready when the port accepts connections and the command succeeds.
 */
export interface ServiceConfig {
  /**
   * Name of the service. Its packages are in /opt/env/services/NAME.
   */
  name: string;
  /**
   * Bash command that starts the service in /testbed and stays in the foreground.
   */
  run: string;
  /**
   * Requirements of the service. They are installed into a virtual environment that only the service sees.
   */
  pip?: string[];
  /**
   * Host names that lead to this workspace, for tests that name a public server. It works only in a sandbox.
   */
  hosts?: string[];
  /**
   * Port of 127.0.0.1 on which the service accepts connections once it is ready.
   */
  port?: number;
  /**
   * Bash command, run in /testbed, that succeeds once the service is ready.
   */
  ready?: string;
  /**
   * Time in which the service must become ready. In seconds.
   */
  timeout: number;
}
/**
 * Places where workspaces are opened, by name. Absent: one of type auto, with the name default.
 */
export interface Deployments {
  [k: string]: DeploymentConfig;
}
/**
 * A place where workspaces are opened, or where programs of the host run.
 */
export interface DeploymentConfig {
  /**
   * auto: sandbox; where the kernel refuses it, the fallback that the deployment names, and else nothing is run. sandbox: Linux namespaces. local: plain processes on a private copy, not isolated from the host. docker: containers of a Docker engine. pool: containers of many machines, leased from a pool server. process: programs of the host as they are, with its GPUs, for trainers; no workspaces. ray: sandboxes on the machines of a Ray cluster, to which items are sent as jobs.
   */
  type: 'auto' | 'sandbox' | 'local' | 'docker' | 'pool' | 'process' | 'ray';
  limits: LimitsConfig;
  network: NetworkConfig;
  /**
   * Further hosts that the proxy allows: a name, or *.NAME for all names below it. Add :PORT for a port other than 80 and 443.
   */
  allow_hosts: string[];
  /**
   * The root file system. host: this machine's system folders. image: the image that each row names. image:REF: one image for all rows, from a registry, or by path an OCI layout or a file of docker save. debian:RELEASE: a Debian release, which swemake makes once. A sandbox downloads and unpacks images itself and needs no container engine.
   */
  base: string;
  /**
   * When the image registry is asked. missing: once a day for the meaning of a tag, and for layers that are not here. always: by each command for the meaning of a tag; a registry that does not answer is a fault. never: not at all; an image that is not here is a fault. Images pinned in the lock file are not looked up. It is part of no key.
   */
  pull: 'missing' | 'always' | 'never';
  /**
   * How many images are fetched in advance at the same time, before the environments that stand on them are built: they are downloaded, unpacked, and brought to the engine or pool. An image that cannot be fetched in advance is reported, and fetched when its environment is built. Absent: none is fetched in advance. It is part of no key.
   */
  prewarm?: number;
  /**
   * Folders and files of the host that are shown read-only in workspaces.
   */
  mounts: MountConfig[];
  /**
   * What is used where the sandbox does not work, with a warning in every summary. local: plain processes, in which code can do whatever you can, so it is for code that you trust. Absent: nothing is run there. It is part of no key; the kind that was used is.
   */
  fallback?: 'local';
  /**
   * Address of the container engine: unix:///PATH, tcp://HOST:PORT or ssh://USER@HOST. Absent: DOCKER_HOST, or else unix:///var/run/docker.sock. A tcp address is encrypted if DOCKER_TLS_VERIFY is set or the port is 2376; the certificates are in DOCKER_CERT_PATH.
   */
  host?: string;
  env: ContainerVariables;
  /**
   * Flags of docker run, each as --NAME=VALUE. The page on containers lists the flags that are supported; others are errors.
   */
  args: string[];
  /**
   * Address of a pool server, or unix:PATH of its socket. Absent: each command starts a pool of its own over the project’s nodes.
   */
  url?: string;
  /**
   * Token that the pool server asks for. Without url: the token that the node servers ask for. Absent: the tokens of servers of the same user on loopback are found.
   */
  token?: string;
  /**
   * How the machines of the pool open containers, as in `serve node --backend`. It is in every key of what runs there. Machines with another backend get no work.
   */
  backend: 'sandbox' | 'docker';
  resources: ProcessResources;
  /**
   * Shell line that runs before each program, in the same shell, for example to activate a Python environment.
   */
  activate?: string;
  /**
   * Address of the cluster’s dashboard, which accepts jobs.
   */
  address?: string;
  /**
   * Command that starts swemake on the machines. A shell runs it.
   */
  program: string;
  /**
   * Cache folder on each machine. ~ is the home folder there. All jobs on a machine share it.
   */
  folder: string;
  /**
   * Most items in one job.
   */
  items: number;
  /**
   * Items of one job that run at the same time. The job asks for so many times the resources of one item, or less if no machine has that much.
   */
  at_once: number;
  /**
   * How long a job and the build may be out of touch. After it, the job stops its work, and the build counts the machine as lost and runs the items elsewhere. In seconds.
   */
  lease: number;
  /**
   * How long a build waits for a cluster or a remote cache that does not answer. In seconds.
   */
  wait: number;
}
/**
 * Limits of one workspace. Without a key there is no such limit.
 */
export interface LimitsConfig {
  /**
   * Memory of all its processes together. In bytes.
   */
  memory?: number;
  /**
   * Processes and threads that exist at the same time.
   */
  pids?: number;
  /**
   * Amount of data that it may write. In bytes.
   */
  disk?: number;
  /**
   * Processors that it may use. Fractions are allowed.
   */
  cpus?: number;
}
/**
 * What a workspace can reach, for each kind of work. off: only itself. proxy: HTTP and HTTPS through swemake's proxy, to package indexes and to allow_hosts. host: the host's network. A local deployment cannot limit the network, so there host is the default and the only value.
 */
export interface NetworkConfig {
  /**
   * Network of the workspaces in which environments are built.
   */
  build: 'off' | 'proxy' | 'host';
  /**
   * Network of the workspaces in which agents work.
   */
  rollout: 'off' | 'proxy' | 'host';
  /**
   * Network of the workspaces in which tests run, in validation and grading.
   */
  grade: 'off' | 'proxy' | 'host';
}
/**
 * One folder or file of the host.
 */
export interface MountConfig {
  /**
   * Path on the host, absolute or relative to the file that names it.
   */
  from: string;
  /**
   * Absolute path in the workspace.
   */
  to: string;
}
/**
 * Variables of every command. They replace those of the image and of the environment.
 */
export interface ContainerVariables {
  [k: string]: string;
}
/**
 * What the programs of this deployment share.
 */
export interface ProcessResources {
  /**
   * Number of GPUs. Each program gets GPUs for itself alone. They are those that CUDA_VISIBLE_DEVICES names (indices, GPU or MIG ids), or else 0 and up.
   */
  gpu: number;
  /**
   * Processes and threads that one program and all of its descendants may have at the same time. A program that reaches it is ended, and the fault says so. Absent: 1024 for each processor of the machine, and at least 4096. It is part of no key.
   */
  pids?: number;
}
/**
 * How instances are checked before they are used.
 */
export interface ValidationConfig {
  /**
   * Deployment that builds environments and checks instances, for datasets without a deployment of their own. It is needed only when there are several deployments.
   */
  deployment: string;
  /**
   * The only dataset that is validated. Environments are built for it and for the benchmark. Absent: all datasets are validated.
   */
  dataset?: string;
  /**
   * How many times the tests run with the gold patch. If the runs disagree, the instance is flaky.
   */
  gold_runs: number;
  /**
   * How many small mutations of the code that the gold patch changes are kept for each instance, of those that its listed tests catch. A patch that passes is then run once more with each of them: where its tests do not notice one, its reward is masked. Python only. 0: none.
   */
  mutants: number;
  /**
   * Time for one run of an instance's tests. Absent: 30 minutes for datasets of the formats swe-rebench-v2, multi-swe-bench and swe-polybench, 10 minutes for datasets of the formats swe-gym and nested, 60 minutes for datasets of the format swe-bench-pro, 5 minutes for others. In seconds.
   */
  timeout?: number;
  /**
   * Smallest share of a dataset's instances that must pass validation. If it is smaller, the build ends with code 1. Absent: one instance; `0%` accepts none. It is part of no key.
   */
  min_pass?: string;
  /**
   * Weakest isolation whose verdicts may become training data.
   */
  allow_isolation: 'sandbox' | 'local';
}
/**
 * What works on the instances. Absent: there are no rollouts.
 */
export interface AgentConfig {
  /**
   * bash: one shell command a turn, as in mini-swe-agent. tools: bash, str_replace_editor and submit, as SWE-agent’s XML function calls or as tool calls. command: a program that the project describes (`program`). acp: a program that the project describes (`program`) and that speaks the Agent Client Protocol. claude-code: Anthropic's coding agent for terminals. codex: OpenAI's coding agent for terminals. gemini-cli: Google's coding agent for terminals. mini-swe-agent: the small agent of the makers of SWE-bench. opencode: the open coding agent of SST. openhands: the agent of OpenHands, without its user interface. qwen-code: Qwen's coding agent for terminals. swe-agent: SWE-agent. oracle: applies the gold patch. noop: submits nothing.
   */
  type:
    | 'bash'
    | 'tools'
    | 'command'
    | 'acp'
    | 'claude-code'
    | 'codex'
    | 'gemini-cli'
    | 'mini-swe-agent'
    | 'opencode'
    | 'openhands'
    | 'qwen-code'
    | 'swe-agent'
    | 'oracle'
    | 'noop';
  /**
   * The only dataset with rollouts. Absent: all validated datasets but evaluation.dataset.
   */
  dataset?: string;
  /**
   * Deployment in which agents work. Absent: validation.deployment. If its base is another one, environments are built for it too.
   */
  deployment?: string;
  /**
   * Rollouts for each instance. If it is raised later, only the new ones run.
   */
  rollouts: number;
  /**
   * Seed from which the seed of each rollout is made. Not every endpoint gives the same reply for the same seed.
   */
  seed: number;
  /**
   * Baselines that run beside the agent, one rollout for each instance. They are reported separately and are never training data.
   */
  baselines: ('oracle' | 'noop')[];
  /**
   * The agent’s loop. v2: that of mini-swe-agent 2. swe-rl: that of OpenClaw-RL’s swe-rl, for models that were trained with it. For bash.
   */
  dialect: 'v2' | 'swe-rl';
  /**
   * Regular expression (JavaScript, flags su) whose first group is the command, with actions: fence. Absent: that of the dialect. For bash.
   */
  action_regex?: string;
  /**
   * How the model writes an action. fence: one fenced block. xml: one tag. tool-calls: the endpoint’s tool calls. Type tools takes its own XML or tool-calls. Absent: what templates.from asks for, or else fence. For bash and tools.
   */
  actions?: 'fence' | 'xml' | 'tool-calls';
  model?: ModelConfig;
  limits: RolloutLimitsConfig;
  context: ContextConfig;
  history: HistoryConfig;
  step_rewards?: StepRewardsConfig;
  templates: TemplatesConfig;
  /**
   * A user who answers each time that the agent submits: with texts (`says`), or by a model that plays the user (`model`). The agent gets the answer as a message and works on; when it submits and the user has nothing more to say, its work counts. Absent: the first submission counts. For bash and tools.
   */
  user?: {
    /**
     * What the user says, one text each time, as templates with the columns of the task. A text that is empty for a task is not said to it.
     *
     * @minItems 1
     */
    says?: [string, ...string[]];
    model?: ModelConfig;
    /**
     * What a user that a model plays knows and wants beyond the task, as a template with the columns of the task. Absent: the task alone.
     */
    prompt?: string;
    /**
     * How often a user that a model plays answers at most. It answers less often when it writes DONE, as it is content.
     */
    turns: number;
  };
  /**
   * Variables of the agent’s commands. They are added to those of templates.from, or, without it, to PAGER and MANPAGER (cat), LESS (-R), PIP_PROGRESS_BAR (off) and TQDM_DISABLE (1). For bash and tools and command and acp and a program by name.
   */
  env?: {
    [k: string]: string;
  };
  /**
   * Arguments of the program, after those that it always gets. Absent: none. For command and acp and a program by name.
   */
  args?: string[];
  /**
   * Whether the program follows what the repository says to agents (CLAUDE.md, AGENTS.md, hooks, .mcp.json). ignore: these files are hidden while it works. allow: it sees them. Absent: ignore. For command and acp and a program by name.
   */
  repository_settings?: 'ignore' | 'allow';
  /**
   * The tools that the program may use, by its own names for them; fewer tools make shorter prompts. Absent: all that work without a network. For command and acp and a program by name.
   *
   * @minItems 1
   */
  tools?: [string, ...string[]];
  program?: AgentProgram;
  /**
   * Version of the program. Absent: the one that this swemake was tried with. For a program by name.
   */
  version?: string;
  /**
   * The day whose package indexes the program is installed from, with all that it needs. Absent: none, and the lock file of the first installation is kept. For a program by name.
   */
  as_of?: string;
  /**
   * A folder with the source of the program, which is in no package index. It is copied to /opt/agent/source and installed from there. For a program by name.
   */
  source?: string;
}
/**
 * A model behind an OpenAI-compatible endpoint.
 */
export interface ModelConfig {
  /**
   * Address of an OpenAI-compatible endpoint, with its /v1. It is part of no key: the same model at another address gives the same samples.
   */
  base_url?: string;
  /**
   * Name of the model in requests.
   */
  name?: string;
  /**
   * Which weights answer: OWNER/NAME@REVISION of the hub, a digest, or a name of your own without OWNER/. Keys name the model by it. A branch or tag of the hub counts as its commit, as locked, else as the hub names it when a build asks. Absent: the server must report a digest or a revision; a name alone is not enough.
   */
  identity?: string;
  /**
   * API key of the endpoint. It is sent only to the origin (scheme, host, port) of the base_url that it is written beside. A model under evaluation.models with another origin has its own, or is asked without one; the same holds for secrets in extra.
   */
  api_key?: string;
  /**
   * Sampling temperature. It is always sent, since servers have defaults of their own.
   */
  temperature: number;
  /**
   * Nucleus sampling: the share of probability that is sampled from. Absent: not sent.
   */
  top_p?: number;
  /**
   * Number of likeliest tokens that are sampled from. -1: all. Absent: not sent.
   */
  top_k?: number;
  /**
   * Smallest probability of a token, relative to the likeliest one. Absent: not sent.
   */
  min_p?: number;
  /**
   * Above 1, tokens that already occurred become less likely. Absent: not sent.
   */
  repetition_penalty?: number;
  /**
   * Texts at which a reply ends.
   */
  stop?: string[];
  /**
   * Most tokens in one reply.
   */
  max_tokens: number;
  /**
   * Further parameters, which are added to the request body as they are, such as chat_template_kwargs.
   */
  extra?: {
    [k: string]: unknown;
  };
  /**
   * Whether token ids and log-probabilities are requested and kept. auto: they are requested, and rollouts go on without them if the endpoint has none.
   */
  tokens: 'auto' | 'off';
  /**
   * Form in which the model writes tool calls, for an endpoint that is started without a parser of them. swemake then reads calls and thoughts from the text. A reply that breaks the form asks for nothing, and stays a reply of the model. Absent: the endpoint parses.
   */
  tool_format?: 'hermes' | 'qwen3-coder' | 'llama3-json' | 'mistral' | 'glm4' | 'kimi-k2' | 'gpt-oss';
  /**
   * Who makes the tokens of a prompt. chat: the endpoint, from the messages. exact: a prompt that continues a call is sent as ids, those that the call read and wrote and those of the new messages by tokenizer, so no reply is tokenised again. Where it cannot be proved that the history stays as it was, the endpoint renders, and the call says why (fell_back). It needs tokenizer, and tool_format where tools are offered. Absent: chat.
   */
  render?: 'chat' | 'exact';
  /**
   * Folder with the model's tokenizer.json and tokenizer_config.json (or chat_template.jinja). It is used to count tokens and to make masks where the endpoint cannot.
   */
  tokenizer?: string;
  /**
   * Most tokens of prompt and reply together. Absent: unknown; without identity, what the server reports.
   */
  context?: number;
  /**
   * Time limit of one request. In seconds.
   */
  timeout: number;
  /**
   * How long a request is repeated while the endpoint is down, overloaded or unreachable. After that, the rollout is an infrastructure fault and gets no reward. In seconds.
   */
  retry: number;
  /**
   * Requests to the endpoint at the same time, over all rollouts.
   */
  concurrency: number;
  /**
   * Price table in the format of LiteLLM's model registry: a JSON map of names to input_cost_per_token and output_cost_per_token (US dollars).
   */
  prices?: string;
  serve?: ServeConfig;
}
/**
 * A model server that swemake starts when it is needed and stops at the end of the run. A server that ends by itself or hangs is started again, at most three times.
 */
export interface ServeConfig {
  /**
   * Engine that serves the model. swemake writes its command line. vllm: vLLM, by `vllm serve`. sglang: SGLang, by `python -m sglang.launch_server`. llama.cpp: llama.cpp, by `llama-server`. Absent: command is used.
   */
  engine?: 'vllm' | 'sglang' | 'llama.cpp';
  /**
   * Shell command that serves the model in the foreground, in place of engine. {port} is replaced by a free port, and {model} by the folder of the checkpoint or of weights.path.
   */
  command?: string;
  weights?: ServedWeights;
  /**
   * Deployment of type process. The server gets its GPUs and runs its activate line first. Absent: all GPUs of the host, and no activate line.
   */
  deployment?: string;
  /**
   * GPUs of each replica, which no other program gets. It is also the engine’s degree of tensor parallelism.
   */
  gpus: number;
  /**
   * Number of servers with the same weights. With more than one, a router sends all requests of a rollout to the same server.
   */
  replicas: number;
  /**
   * Machines that run one replica each, as ssh knows them. ssh starts the command there and must need no password.
   *
   * @minItems 1
   */
  hosts?: [string, ...string[]];
  /**
   * Port of 127.0.0.1 on which the router listens, for other programs of this host. Absent: a free port.
   */
  port?: number;
  /**
   * Further arguments of the engine. If an argument is given twice, the last one counts.
   */
  args: string[];
  env: ServerVariables;
  /**
   * Path that answers 200 once the server is ready. Absent: /health for an engine, /v1/models for a command.
   */
  ready?: string;
  /**
   * Time in which the server must become ready. In seconds.
   */
  timeout: number;
  /**
   * How long a server may answer nothing while requests wait. After half of this time it is asked for one token. If it still answers nothing, it is started again. If the server makes one reply at a time, this must be longer than its longest reply. In seconds.
   */
  hang: number;
}
/**
 * What is served: id or path. Without model.identity, keys name the model by it. With from, the checkpoint is served instead.
 */
export interface ServedWeights {
  /**
   * Id of a model on the hub, OWNER/NAME. The engine downloads it.
   */
  id?: string;
  /**
   * Commit of the hub model. It is passed to the engine.
   */
  revision?: string;
  /**
   * Folder with a model in the hub's layout, or a file such as a GGUF. Keys name it by its content.
   */
  path?: string;
}
/**
 * Further variables of the server.
 */
export interface ServerVariables {
  [k: string]: string;
}
/**
 * When a rollout ends. 0 means no limit. An absent key has the value of the file in templates.from, or else the value given at the key.
 */
export interface RolloutLimitsConfig {
  /**
   * Most model calls in a rollout. Absent: 100, or 20 with dialect swe-rl.
   */
  steps?: number;
  /**
   * Time of one rollout, without the time that it waits for a free request or a workspace. Absent: 1h. In seconds.
   */
  time?: number;
  /**
   * Time of one command. After it, all processes of the command are ended and the agent is told so. Absent: 60s, or 180s with dialect swe-rl. In seconds.
   */
  command?: number;
  /**
   * Most US dollars for one rollout, by model.prices. Absent: 0.
   */
  cost?: number;
  /**
   * Most tokens that the model writes in all replies of a rollout together, as the endpoint counts them. A reply that passes it is the last one. Absent: no limit.
   */
  tokens?: number;
  /**
   * Replies in a row without a well-formed action after which the rollout ends. Absent: 3, or 0 with dialect swe-rl.
   */
  format_errors?: number;
  /**
   * How often in a row a command may be given before its observation says so; the rollout goes on. Miles' collapse_limit. Absent: 0.
   */
  repeated_commands?: number;
}
/**
 * Which part of the history the model sees.
 */
export interface ContextConfig {
  /**
   * full: everything. head-tail: whole turns from the beginning and from the end, as many as fit into max_tokens. summary: when the history does not fit into max_tokens, the model writes a summary of all but the newest turn, and goes on from that. With the last two the newest turn is always kept.
   */
  strategy: 'full' | 'head-tail' | 'summary';
  /**
   * Most tokens of prompt and reply together, for head-tail and summary.
   */
  max_tokens?: number;
  /**
   * Tokens of max_tokens that are reserved for the reply. Absent: model.max_tokens.
   */
  max_response_tokens?: number;
  /**
   * Share of the remaining tokens for turns from the beginning. The rest is for turns from the end.
   */
  head: number;
}
/**
 * How observations are shortened.
 */
export interface HistoryConfig {
  /**
   * Number of newest observations that are shown in full. Older ones become one line that says how many lines are left out. 0: all are shown in full.
   */
  last_observations: number;
  /**
   * Most characters of one observation. From a longer one the beginning and the end are kept. Absent: the template decides.
   */
  max_observation?: number;
}
/**
 * A judge model that scores each step of a rollout with +1 or -1 while the rollout runs.
 */
export interface StepRewardsConfig {
  model: ModelConfig;
  /**
   * How many times the judge is asked about each step. The step's value is the mean of the replies that can be read.
   */
  votes: number;
  /**
   * Weight of the steps in the final reward: outcome (+1 or -1) + coefficient × mean of the steps' values.
   */
  coefficient: number;
  /**
   * How many earlier steps the judge sees.
   */
  history_steps: number;
  /**
   * Whether the step that submits is left unscored.
   */
  skip_submit: boolean;
}
/**
 * Texts of the agent, as Jinja templates. An absent one is that of the dialect.
 */
export interface TemplatesConfig {
  /**
   * A configuration file (YAML) of mini-swe-agent or SWE-agent. Its templates, limits and environment variables are used where this project has none of its own.
   */
  from?: string;
  /**
   * The system message.
   */
  system?: string;
  /**
   * The first user message; {{task}} is the problem statement.
   */
  instance?: string;
  /**
   * What the agent sees after a command. Variables: output.output, output.returncode.
   */
  observation?: string;
  /**
   * What the agent sees after a reply without a well-formed action. Variables: error, actions.
   */
  format_error?: string;
}
/**
 * A program that is an agent: how it is installed, how it is told where the model is, and how it is started.
 */
export interface AgentProgram {
  /**
   * How the program speaks to its model.
   */
  protocol: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'google-generate';
  /**
   * The bash command that starts it, in the repository. It works until it ends by itself. Variables: MODEL_URL (a loopback address, without a path), MODEL_KEY, MODEL_NAME, MODEL_CONTEXT and MODEL_MAX_TOKENS (tokens), TASK_FILE (a file with the task), AGENT_TOOLS (agent.tools with commas between; empty: all); agent.args are its arguments ("$@").
   */
  run: string;
  install?: AgentInstall;
  /**
   * Files below its home folder (HOME), which is outside of the repository: path -> Jinja template of its text. Variables: url, key, model, context (tokens; empty where it is not known), max_tokens, version, tools (a list; empty: all).
   */
  files?: {
    [k: string]: string;
  };
  /**
   * Variables of the program; values are templates like those of files, and one that comes out empty is not set.
   */
  env?: {
    [k: string]: string;
  };
  /**
   * Files and folders of the repository that the program writes for itself. The patch leaves them out.
   */
  leaves?: string[];
  /**
   * Files and folders of the repository, at any depth, that tell the program what to do: instructions, settings, hooks. With agent.repository_settings: ignore they are hidden while it works.
   */
  obeys?: string[];
}
/**
 * What is installed once into /opt/agent, which all workspaces show read-only. Absent: the program is in the environment or the base.
 */
export interface AgentInstall {
  /**
   * A folder of yours with the program's source, copied to /opt/agent/source before packages are installed, without its .git. Packages may name that path. Absent: none.
   */
  source?: string;
  /**
   * Packages as npm takes them, in /opt/agent/node_modules. {{version}} is agent.version.
   */
  npm?: string[];
  /**
   * The Node that the packages run on, at /opt/agent/node/bin/node. Absent: they bring their own program.
   */
  node?: string;
  /**
   * Requirements as pip takes them, in a virtual environment at /opt/agent/venv. {{version}} is agent.version.
   */
  pip?: string[];
  /**
   * The Python of that virtual environment. Absent: the machine's own python3.
   */
  python?: string;
  /**
   * Platforms that the packages are for. On another one nothing is installed. Absent: any.
   */
  platforms?: string[];
  /**
   * A bash command that shows that the program starts, run after the installation in a workspace without a network. If it fails, the installation is agent-failed. Absent: nothing is tried.
   */
  check?: string;
}
/**
 * How patches become verdicts.
 */
export interface GradingConfig {
  /**
   * Rules of grading. strict: a status other than PASSED counts only if the gold runs show it for the same test. The other presets reproduce what other systems count as solved. Each report names the preset and says where it is less strict.
   */
  preset:
    'strict' | 'swebench-5' | 'swebench-4' | 'swe-smith' | 'swe-gym' | 'minisandbox-compat' | 'returncode';
  /**
   * Time for one run of the tests. Absent: as in validation.timeout. In seconds.
   */
  timeout?: number;
  /**
   * Deployment in which patches are graded. Absent: validation.deployment. It must have the same base as that one, since a verdict is compared with the gold runs of validation.
   */
  deployment?: string;
  /**
   * Largest patch. A larger one is refused. In bytes.
   */
  max_patch: number;
  /**
   * Further files, as globs, that a patch may not change. They are restored before the tests run. Test files, conftest.py and other configuration of the test runner are always protected, unless the gold patch changes them too.
   */
  protect: Glob[];
  /**
   * How many times a patch that passed is graded again, each time in a fresh workspace. A patch that passes only sometimes is flaky and has no reward. 0: not at all.
   */
  repeats: number;
  /**
   * What happens to a patch that passes and whose code does what a solution hardly ever does, such as reading its callers' variables or a comparison that is always true. mask: it has no reward, neither 1 nor 0. note: it keeps its reward, and the verdict names the lines. off: the code is not judged. Absent: mask for rollouts, note for predictions of an evaluation.
   */
  suspicion?: 'mask' | 'note' | 'off';
}
/**
 * Which training data is made, and which models are trained on it.
 */
export interface TrainerConfig {
  sft?: SftConfig;
  rl?: RlConfig;
}
/**
 * Supervised fine-tuning on golden trajectories.
 */
export interface SftConfig {
  /**
   * Framework that trains. none: the data is written and nothing is trained. command: your own command.
   */
  type: 'none' | 'torchtune' | 'trl' | 'skyrl' | 'slime' | 'verl' | 'command';
  golden: GoldenConfig;
  balance: BalanceConfig;
  /**
   * Whether to leave out instances that are also in the evaluation dataset: those with the same id, with the same repository and base commit, or with the same issue text.
   */
  decontaminate: boolean;
  /**
   * How actions are written in the data. xml: function calls as XML text. ticks: fenced blocks. tools: tool calls.
   */
  style: 'xml' | 'ticks' | 'tools';
  /**
   * trajectory: one conversation for each trajectory. step: one for each model call, with exactly what the model saw.
   */
  samples: 'trajectory' | 'step';
  /**
   * Whose replies are in the data, of agents from outside. main: the agent’s own. agents: those of its sub-agents too. all: every reply, also titles, summaries, and what commands of the agent asked. Absent: main.
   */
  train?: 'main' | 'agents' | 'all';
  data?: SftDataSource;
  model?: SftModel;
  /**
   * Deployment of type process that trains. Absent: the only one of that type.
   */
  deployment?: string;
  /**
   * GPUs on each node. Absent: all GPUs of the deployment.
   */
  gpus?: number;
  /**
   * Hosts that train together.
   */
  nodes: number;
  /**
   * Bash command that trains, in place of the framework’s own. It starts in folder, or in the project’s folder. Variables such as PROMPT_DATA, HF_CKPT and OUTPUT_DIR say what it needs. It must leave the checkpoint in OUTPUT_DIR.
   */
  command?: string;
  /**
   * Further variables of the trainer.
   */
  env: {
    [k: string]: string;
  };
  /**
   * fresh: each configuration trains in a folder of its own, from the beginning. fixed: training goes on from the last checkpoint in output_folder, whatever configuration made it.
   */
  output: 'fresh' | 'fixed';
  /**
   * Folder for output: fixed.
   */
  output_folder?: string;
  /**
   * Which of the checkpoints that the trainer saved on the way stay when the training has ended: all, last (the newest), a number of the newest ones, or best: the one at whose step the reward was highest, or where there is no reward, the loss lowest. The last checkpoint is in the cache besides. Trajectories, logs and TensorBoard files that the trainer wrote always stay. swemake gc lists the folders, and removes them with --trainings. A folder of output: fixed stays as it is.
   */
  keep: string | number;
  metrics: TrainerMetrics;
  image?: TrainerImage;
  /**
   * Time limit of the training. In seconds.
   */
  timeout: number;
  /**
   * How many times the data is used.
   */
  epochs: number;
  /**
   * Highest learning rate. For torchtune, trl, skyrl, slime and verl.
   */
  learning_rate: number;
  /**
   * Weight decay. For torchtune, trl, skyrl, slime and verl.
   */
  weight_decay: number;
  /**
   * Optimizer steps over which the learning rate rises. For torchtune, trl, skyrl, slime and verl.
   */
  warmup_steps: number;
  /**
   * Conversations in one batch on each GPU.
   */
  batch_size: number;
  /**
   * Batches whose gradients make up one optimizer step.
   */
  accumulation: number;
  /**
   * Most tokens of a conversation. A longer one is cut. slime trains it whole; there this is the size of a batch of several. For torchtune, trl, skyrl, slime and verl.
   */
  max_length: number;
  /**
   * Seed of the order of data and of initial values. For torchtune, trl, skyrl, slime and verl.
   */
  seed: number;
  /**
   * Optimizer steps after which training ends; with torchtune, after which each epoch ends. slime has no such limit. Absent: none. For torchtune, trl, skyrl, verl and command.
   */
  max_steps?: number;
  /**
   * Further options of the framework, under its own names. null removes an option that swemake sets. For torchtune, trl, skyrl, slime and verl.
   */
  overrides: {
    [k: string]: unknown;
  };
  /**
   * Number format of the computation. For torchtune and trl.
   */
  dtype: 'bf16' | 'fp32';
  lora?: LoraConfig;
  /**
   * Recipe of torchtune. Absent: full_finetune_distributed, or full_finetune_single_device with fewer than two GPUs. For torchtune.
   */
  recipe?: string;
  /**
   * Optimizer steps between checkpoints from which training can go on. Absent: 500 for TRL, 100 for SkyRL, 1000 for slime, each epoch for verl. torchtune always saves after each epoch. For trl, skyrl, slime and verl.
   */
  save_every?: number;
  /**
   * Folder of the framework’s checkout, for frameworks that are not packages. The trainer is started in it. For skyrl, slime and command.
   */
  folder?: string;
  /**
   * Commit at which folder must be, whole or its first digits. At another one nothing is trained. Absent: any commit. For skyrl, slime and command.
   */
  commit?: string;
}
/**
 * Which trajectories are used for training.
 */
export interface GoldenConfig {
  /**
   * Exit statuses that count as a clean end.
   */
  exit: (
    | 'submitted'
    | 'limits_exceeded'
    | 'time_exceeded'
    | 'repeated_format_error'
    | 'context_exceeded'
    | 'truncated'
  )[];
  /**
   * Smallest reward of a golden trajectory.
   */
  reward: number;
  /**
   * What happens to a trajectory in which the agent saw the solution elsewhere than in its own work. drop: it is left out. keep: it is used.
   */
  leaks: 'drop' | 'keep';
  /**
   * Most steps of a golden trajectory. Absent: any number.
   */
  max_steps?: number;
}
/**
 * How many golden trajectories are used. The choice depends on the seed and on their names. Their order has no influence.
 */
export interface BalanceConfig {
  /**
   * caps: at most per_instance of each instance, and total in all. minisandbox-compat: as the script of SWE-MiniSandbox, which keeps 2 of an instance with 3 or 4, and none of an instance with more than 4.
   */
  policy: 'caps' | 'minisandbox-compat';
  /**
   * Most trajectories of one instance. Absent: any number, or 2 with minisandbox-compat.
   */
  per_instance?: number;
  /**
   * Most trajectories in all. Absent: any number, or 5100 with minisandbox-compat.
   */
  total?: number;
  /**
   * Seed by which trajectories are chosen.
   */
  seed: number;
}
/**
 * Conversations that are used in place of the golden trajectories.
 */
export interface SftDataSource {
  /**
   * A file or folder of rows with a column messages (a list, or a list as JSON text), a folder of trajectories of Harbor (ATIF), or the id of a dataset on the hub.
   */
  source: string;
  /**
   * Commit, tag or branch of a hub dataset.
   */
  revision?: string;
  /**
   * Split of the dataset, such as tool, xml or ticks of SWE-smith-trajectories.
   */
  split?: string;
  /**
   * Column with the conversations.
   */
  column: string;
}
/**
 * The model that is trained: id or path.
 */
export interface SftModel {
  /**
   * Id of a model on the hub, OWNER/NAME. The framework downloads it.
   */
  id?: string;
  /**
   * Commit of the hub model. With a commit, the weights are the same everywhere.
   */
  revision?: string;
  /**
   * Folder with a model in the hub's layout. Keys name it by its content.
   */
  path?: string;
}
/**
 * Where the trainer sends its metrics, besides metrics.json. It is part of no key. SkyRL sends them to one place alone: to wandb, else to tensorboard, else to metrics.json.
 */
export interface TrainerMetrics {
  wandb?: WandbSink;
  /**
   * Whether event files for TensorBoard are written, beside the log.
   */
  tensorboard: boolean;
}
/**
 * Weights & Biases.
 */
export interface WandbSink {
  /**
   * Name of the project on Weights & Biases.
   */
  project: string;
  /**
   * Name of the run on Weights & Biases. Absent: the project’s name.
   */
  name?: string;
  /**
   * API key, as a secret.
   */
  api_key?: string;
  /**
   * online: sent to the service. offline: written to disk only.
   */
  mode: 'online' | 'offline';
}
/**
 * Container image in which the trainer runs, started by the host’s docker. Absent: the trainer runs on the host.
 */
export interface TrainerImage {
  /**
   * Name of the image, with its tag or digest.
   */
  name: string;
  /**
   * Size of /dev/shm. In bytes.
   */
  shm?: number;
  /**
   * private: shared memory of its own. host: the shared memory of the host.
   */
  ipc: 'private' | 'host';
  /**
   * bridge: a network of its own. host: the network of the host.
   */
  network: 'bridge' | 'host';
  /**
   * Limits of its processes by name, each as SOFT or SOFT:HARD.
   */
  ulimits: {
    [k: string]: string;
  };
  /**
   * Folders of the host that it sees: PATH for the same path inside, FROM:TO for another one. Add :ro for read-only.
   */
  mounts: string[];
  /**
   * Gives the container all rights over the host. swemake warns about it.
   */
  privileged: boolean;
  /**
   * Shows the container the socket of the container engine, so that it can start containers. This gives it all rights over the host, and swemake warns about it.
   */
  engine: boolean;
}
/**
 * Trains adapters in place of all weights. For torchtune, trl and verl.
 */
export interface LoraConfig {
  /**
   * Rank of the adapters.
   */
  rank: number;
  /**
   * Scale of the adapters.
   */
  alpha: number;
  /**
   * Share of inputs of the adapters that is dropped at random.
   */
  dropout: number;
}
/**
 * Reinforcement learning on the tasks that passed validation.
 */
export interface RlConfig {
  /**
   * Framework that trains. none: the rows are written and nothing is trained. command: your own command.
   */
  type: 'none' | 'skyrl' | 'slime' | 'miles' | 'verl' | 'command';
  /**
   * Form of the rows with type none or command. Each framework has its own form.
   */
  rows: 'skyrl' | 'slime' | 'miles' | 'verl';
  data: RlDataConfig;
  model?: BaseModel;
  /**
   * Deployment of type process that trains. Absent: the only one of that type.
   */
  deployment?: string;
  /**
   * GPUs on each node. Absent: all GPUs of the deployment.
   */
  gpus?: number;
  /**
   * Hosts that train together.
   */
  nodes: number;
  /**
   * Bash command that trains, in place of the framework’s own. It starts in folder, or in the project’s folder. Variables such as PROMPT_DATA, HF_CKPT and OUTPUT_DIR say what it needs. It must leave the checkpoint in OUTPUT_DIR.
   */
  command?: string;
  /**
   * Further variables of the trainer.
   */
  env: {
    [k: string]: string;
  };
  /**
   * fresh: each configuration trains in a folder of its own, from the beginning. fixed: training goes on from the last checkpoint in output_folder, whatever configuration made it.
   */
  output: 'fresh' | 'fixed';
  /**
   * Folder for output: fixed.
   */
  output_folder?: string;
  /**
   * Which of the checkpoints that the trainer saved on the way stay when the training has ended: all, last (the newest), a number of the newest ones, or best: the one at whose step the reward was highest, or where there is no reward, the loss lowest. The last checkpoint is in the cache besides. Trajectories, logs and TensorBoard files that the trainer wrote always stay. swemake gc lists the folders, and removes them with --trainings. A folder of output: fixed stays as it is.
   */
  keep: string | number;
  metrics: TrainerMetrics;
  image?: TrainerImage;
  /**
   * Time limit of the training. In seconds.
   */
  timeout: number;
  /**
   * Folder of the framework’s checkout, for frameworks that are not packages. The trainer is started in it.
   */
  folder?: string;
  /**
   * Commit at which folder must be, whole or its first digits. At another one nothing is trained. Absent: any commit.
   */
  commit?: string;
  /**
   * Further options of the framework, under its own names. null removes an option that swemake sets. For skyrl, slime, miles and verl.
   */
  overrides: {
    [k: string]: unknown;
  };
  /**
   * Steps of RL between checkpoints from which training can go on. Absent: 30 for SkyRL, 20 for the others. For skyrl, slime, miles and verl.
   */
  save_every?: number;
  /**
   * Function that makes a rollout, as MODULE.FUNCTION. For SkyRL: the module that is started. Absent: that of the framework’s example. For skyrl, slime, miles and verl.
   */
  generate?: string;
  /**
   * What swemake’s hooks train of a rollout whose prompts do not go on from one another, since history was shortened. all: each turn that the model wrote, once, in as few sequences as the prompts allow. longest: only the longest sequence; the share of written tokens that is dropped is logged as agent/dropped_tokens_share. The trainer gets it as SWEMAKE_SEQUENCES. For skyrl, slime, miles and verl.
   */
  sequences: 'all' | 'longest';
  /**
   * Whose replies swemake’s hooks train, of agents from outside. main: the agent’s own. agents: those of its sub-agents too. all: every reply, also titles, summaries, and what commands of the agent asked. Absent: main. The trainer gets it as SWEMAKE_TRAIN. For skyrl, slime, miles and verl.
   */
  train?: 'main' | 'agents' | 'all';
  /**
   * How many times the tasks are used, if steps is absent. For skyrl, slime, miles and verl.
   */
  epochs: number;
  /**
   * Tasks in one step. For skyrl, slime, miles and verl.
   */
  batch: number;
  /**
   * Rollouts of each task. For skyrl, slime, miles and verl.
   */
  samples: number;
  /**
   * Optimizer steps in one step of RL. Its samples are divided among them. For skyrl, slime, miles and verl.
   */
  updates: number;
  /**
   * Learning rate. For skyrl, slime, miles and verl.
   */
  learning_rate: number;
  /**
   * Weight decay. For skyrl, slime, miles and verl.
   */
  weight_decay: number;
  /**
   * Coefficient of the KL loss. Absent: no KL loss. For skyrl, slime, miles and verl.
   */
  kl?: number;
  /**
   * Clipping: how far the ratio of probabilities may fall below 1. For skyrl, slime, miles and verl.
   */
  clip: number;
  /**
   * Clipping: how far the ratio of probabilities may rise above 1. For skyrl, slime, miles and verl.
   */
  clip_high: number;
  /**
   * How advantages are computed. step_wise: from judged steps; it needs prm and dynamic_history, which slime has. For skyrl, slime, miles and verl.
   */
  estimator: 'grpo' | 'step_wise' | 'rloo';
  /**
   * Sampling temperature of the rollouts. For skyrl, slime, miles and verl.
   */
  temperature: number;
  /**
   * Nucleus sampling of the rollouts: the share of probability that is sampled from. For skyrl, slime, miles and verl.
   */
  top_p: number;
  /**
   * Most tokens of the first prompt. For skyrl, slime, miles and verl.
   */
  max_prompt: number;
  /**
   * Most tokens of prompt and reply together. swemake’s hooks give it to the agent server (SWEMAKE_MAX_SEQ_LEN), whose agent then shows no longer history, and whose rollouts end where it is full. For skyrl, slime, miles and verl.
   */
  max_context: number;
  /**
   * Most tokens of one reply. verl has no such option: its agent loop gets it as SWEMAKE_MAX_RESPONSE, which swemake’s reads. For skyrl, slime, miles and verl.
   */
  max_response: number;
  /**
   * Seed of the order of tasks. For skyrl, slime, miles and verl.
   */
  seed: number;
  /**
   * GPUs of one server that generates rollouts. For skyrl, slime, miles and verl.
   */
  engine_gpus: number;
  /**
   * Share of a GPU’s memory for a server that generates rollouts. For skyrl, slime, miles and verl.
   */
  memory_fraction: number;
  /**
   * GPUs that share one sequence. For skyrl, slime, miles and verl.
   */
  context_parallel: number;
  /**
   * Whether the same GPUs take turns at training and serving rollouts. For skyrl, slime and miles.
   */
  colocate: boolean;
  /**
   * GPUs of each node that train. Absent: half of them, or all of them with colocate. For skyrl, slime and miles.
   */
  actor_gpus?: number;
  /**
   * GPUs of each node that serve rollouts. Absent: the rest, or with colocate those of actor_gpus. For skyrl, slime and miles.
   */
  rollout_gpus?: number;
  /**
   * Generation of SkyRL. minisandbox: skyrl-train as SWE-MiniSandbox uses it. unified: the package skyrl. For skyrl.
   */
  flavor: 'minisandbox' | 'unified';
  /**
   * Number of steps of RL, each with one rollout phase. Absent: as epochs says. For slime, miles, verl and command.
   */
  steps?: number;
  /**
   * Tokens that one GPU trains on at a time. verl takes max_context ÷ context_parallel where that is more, since it splits no sequence. For slime, miles and verl.
   */
  max_tokens_per_gpu: number;
  /**
   * Function that gives the reward of a rollout, as MODULE.FUNCTION. For slime, miles and verl.
   */
  reward?: string;
  /**
   * Folder that has the modules of generate and reward. For slime, miles, verl and command.
   */
  module?: string;
  /**
   * How slime and Miles load weights. bridge: from the hub’s layout. raw: from torch_dist, to which they are converted once; training can then go on from its own checkpoint. For slime and miles.
   */
  mode: 'bridge' | 'raw';
  /**
   * File of the framework that sets MODEL_ARGS, the model’s shape. Relative to folder. For slime, miles and command.
   */
  model_args?: string;
  /**
   * Folder of Megatron-LM. The trainer gets it as MEGATRON_LM_PATH, and slime and Miles also on PYTHONPATH. For slime, miles and command.
   */
  megatron?: string;
  /**
   * Address of the dashboard of a Ray cluster, which runs the job. Absent: that in RAY_ADDRESS; without it a cluster is started on this host, and with nodes above 1 the command is printed by which the other hosts join it. For slime and miles.
   */
  ray_address?: string;
  /**
   * GPUs that share each layer of the model. For slime and miles.
   */
  tensor_parallel: number;
  /**
   * GPUs among which the layers of the model are divided. For slime and miles.
   */
  pipeline_parallel: number;
  /**
   * Whether each model call becomes one sample, with exactly what the model saw. OpenClaw-RL’s slime needs it where history is shortened: without it its global batch counts samples, of which a rollout then makes several. Other versions of slime do not have the option. For slime.
   */
  dynamic_history: boolean;
  prm?: PrmConfig;
}
/**
 * Which tasks are trained on.
 */
export interface RlDataConfig {
  /**
   * Dataset whose passed tasks are trained on. Absent: agent.dataset, or else the only validated dataset that is not the benchmark.
   */
  dataset?: string;
  /**
   * Rows START:END after shuffling, without END.
   */
  range?: string;
  /**
   * Seed of the shuffle. The default gives the order of shuffle(42) in the library datasets.
   */
  seed: number;
  /**
   * Whether rows have the column patch. drop: no solution is visible to the trainer or to readers of its files.
   */
  gold: 'keep' | 'drop';
  /**
   * Value of data_source in the rows. Absent: the source of the dataset, where that is a hub id; else the name of the dataset in the project. Trainers that choose images find them in the column image_name.
   */
  source_name?: string;
}
/**
 * The model that is trained: one of id, path and from.
 */
export interface BaseModel {
  /**
   * Id of a model on the hub, OWNER/NAME. The framework downloads it.
   */
  id?: string;
  /**
   * Commit of the hub model. With a commit, the weights are the same everywhere.
   */
  revision?: string;
  /**
   * Folder with a model in the hub's layout. Keys name it by its content.
   */
  path?: string;
  /**
   * The checkpoint that this project makes: sft.
   */
  from?: 'sft';
}
/**
 * A judge model that scores steps, served by slime. swemake’s hooks have the agent server ask it about each step; the step’s reward is outcome (+1 or -1) + coefficient × its mean vote. For slime.
 */
export interface PrmConfig {
  /**
   * Hub id or folder of the judge. Absent: the model that is trained.
   */
  model?: string;
  /**
   * GPUs of the judge in all.
   */
  gpus: number;
  /**
   * GPUs of one server of the judge.
   */
  engine_gpus: number;
  /**
   * How many times each step is judged.
   */
  votes: number;
  /**
   * Weight of the judge’s value in the reward of a step, and of the mean of all steps in that of a rollout, beside the outcome.
   */
  coefficient: number;
  /**
   * Sampling temperature of the judge.
   */
  temperature: number;
  /**
   * Most tokens of one judgement.
   */
  max_tokens: number;
}
/**
 * How models are evaluated on a benchmark.
 */
export interface EvaluationConfig {
  /**
   * Dataset of the benchmark.
   */
  dataset: string;
  /**
   * Models by name. Each has the keys that differ from agent.model.
   */
  models?: {
    [k: string]: ModelOverrides;
  };
  /**
   * Patches from elsewhere, by a name for each set: one or more files in the form of preds.json (map or list) or .jsonl. Several files are merged.
   */
  predictions?: {
    /**
     * @minItems 1
     */
    [k: string]: [string, ...string[]];
  };
  /**
   * Deployment for all work on the benchmark: building its environments, grading its patches and running its agents. It replaces the deployments of validation, grading and agent. With harness swebench: the container engine that the harness uses.
   */
  deployment?: string;
  agent?: AgentOverrides;
  /**
   * native: swemake grades. swebench: the official harness grades, as a command that reads swemake's preds.json.
   */
  harness: 'native' | 'swebench';
  /**
   * Command of the official harness. It runs in a folder of its own. {dataset}, {predictions}, {run_id}, {report_dir} and {workers} are replaced, and SWEMAKE_PROJECT is the project's folder. Absent: python -m swebench.harness.run_evaluation with these arguments.
   */
  command?: string;
  /**
   * Instances that the official harness grades at once ({workers}, its --max_workers). Absent: 24, or less where the processors or the memory of the machine allow less. It is part of no key.
   */
  workers?: number;
  /**
   * Time limit of the official harness. In seconds.
   */
  timeout: number;
}
/**
 * Keys of a model that differ from agent.model. An absent key has its value there. identity is an exception: if base_url, name, serve or from is written here, the identity of agent.model does not count.
 */
export interface ModelOverrides {
  /**
   * Address of an OpenAI-compatible endpoint, with its /v1. It is part of no key: the same model at another address gives the same samples.
   */
  base_url?: string;
  /**
   * Name of the model in requests.
   */
  name?: string;
  /**
   * Which weights answer: OWNER/NAME@REVISION of the hub, a digest, or a name of your own without OWNER/. Keys name the model by it. A branch or tag of the hub counts as its commit, as locked, else as the hub names it when a build asks.
   */
  identity?: string;
  /**
   * API key of the endpoint. It is sent only to the origin (scheme, host, port) of the base_url that it is written beside. A model under evaluation.models with another origin has its own, or is asked without one; the same holds for secrets in extra.
   */
  api_key?: string;
  /**
   * Sampling temperature. It is always sent, since servers have defaults of their own.
   */
  temperature?: number;
  /**
   * Nucleus sampling: the share of probability that is sampled from.
   */
  top_p?: number;
  /**
   * Number of likeliest tokens that are sampled from. -1: all.
   */
  top_k?: number;
  /**
   * Smallest probability of a token, relative to the likeliest one.
   */
  min_p?: number;
  /**
   * Above 1, tokens that already occurred become less likely.
   */
  repetition_penalty?: number;
  /**
   * Texts at which a reply ends.
   */
  stop?: string[];
  /**
   * Most tokens in one reply.
   */
  max_tokens?: number;
  /**
   * Further parameters, which are added to the request body as they are, such as chat_template_kwargs.
   */
  extra?: {
    [k: string]: unknown;
  };
  /**
   * Whether token ids and log-probabilities are requested and kept. auto: they are requested, and rollouts go on without them if the endpoint has none.
   */
  tokens?: 'auto' | 'off';
  /**
   * Form in which the model writes tool calls, for an endpoint that is started without a parser of them. swemake then reads calls and thoughts from the text. A reply that breaks the form asks for nothing, and stays a reply of the model.
   */
  tool_format?: 'hermes' | 'qwen3-coder' | 'llama3-json' | 'mistral' | 'glm4' | 'kimi-k2' | 'gpt-oss';
  /**
   * Who makes the tokens of a prompt. chat: the endpoint, from the messages. exact: a prompt that continues a call is sent as ids, those that the call read and wrote and those of the new messages by tokenizer, so no reply is tokenised again. Where it cannot be proved that the history stays as it was, the endpoint renders, and the call says why (fell_back). It needs tokenizer, and tool_format where tools are offered.
   */
  render?: 'chat' | 'exact';
  /**
   * Folder with the model's tokenizer.json and tokenizer_config.json (or chat_template.jinja). It is used to count tokens and to make masks where the endpoint cannot.
   */
  tokenizer?: string;
  /**
   * Most tokens of prompt and reply together.
   */
  context?: number;
  /**
   * Time limit of one request. In seconds.
   */
  timeout?: number;
  /**
   * How long a request is repeated while the endpoint is down, overloaded or unreachable. After that, the rollout is an infrastructure fault and gets no reward. In seconds.
   */
  retry?: number;
  /**
   * Requests to the endpoint at the same time, over all rollouts.
   */
  concurrency?: number;
  /**
   * Price table in the format of LiteLLM's model registry: a JSON map of names to input_cost_per_token and output_cost_per_token (US dollars).
   */
  prices?: string;
  /**
   * A model server that swemake starts when it is needed and stops at the end of the run. A server that ends by itself or hangs is started again, at most three times.
   */
  serve?: {
    /**
     * Engine that serves the model. swemake writes its command line. vllm: vLLM, by `vllm serve`. sglang: SGLang, by `python -m sglang.launch_server`. llama.cpp: llama.cpp, by `llama-server`.
     */
    engine?: 'vllm' | 'sglang' | 'llama.cpp';
    /**
     * Shell command that serves the model in the foreground, in place of engine. {port} is replaced by a free port, and {model} by the folder of the checkpoint or of weights.path.
     */
    command?: string;
    /**
     * What is served: id or path. Without model.identity, keys name the model by it. With from, the checkpoint is served instead.
     */
    weights?: {
      /**
       * Id of a model on the hub, OWNER/NAME. The engine downloads it.
       */
      id?: string;
      /**
       * Commit of the hub model. It is passed to the engine.
       */
      revision?: string;
      /**
       * Folder with a model in the hub's layout, or a file such as a GGUF. Keys name it by its content.
       */
      path?: string;
    };
    /**
     * Deployment of type process. The server gets its GPUs and runs its activate line first.
     */
    deployment?: string;
    /**
     * GPUs of each replica, which no other program gets. It is also the engine’s degree of tensor parallelism.
     */
    gpus?: number;
    /**
     * Number of servers with the same weights. With more than one, a router sends all requests of a rollout to the same server.
     */
    replicas?: number;
    /**
     * Machines that run one replica each, as ssh knows them. ssh starts the command there and must need no password.
     *
     * @minItems 1
     */
    hosts?: [string, ...string[]];
    /**
     * Port of 127.0.0.1 on which the router listens, for other programs of this host.
     */
    port?: number;
    /**
     * Further arguments of the engine. If an argument is given twice, the last one counts.
     */
    args?: string[];
    /**
     * Further variables of the server.
     */
    env?: {
      [k: string]: string;
    };
    /**
     * Path that answers 200 once the server is ready.
     */
    ready?: string;
    /**
     * Time in which the server must become ready. In seconds.
     */
    timeout?: number;
    /**
     * How long a server may answer nothing while requests wait. After half of this time it is asked for one token. If it still answers nothing, it is started again. If the server makes one reply at a time, this must be longer than its longest reply. In seconds.
     */
    hang?: number;
  };
  /**
   * A checkpoint that this project makes: sft or rl. serve starts its server, and {model} in the command of serve is the checkpoint’s folder.
   */
  from?: 'sft' | 'rl';
}
/**
 * Keys of agent that differ here. An absent key has the value of agent.
 */
export interface AgentOverrides {
  /**
   * bash: one shell command a turn, as in mini-swe-agent. tools: bash, str_replace_editor and submit, as SWE-agent’s XML function calls or as tool calls. command: a program that the project describes (`program`). acp: a program that the project describes (`program`) and that speaks the Agent Client Protocol. claude-code: Anthropic's coding agent for terminals. codex: OpenAI's coding agent for terminals. gemini-cli: Google's coding agent for terminals. mini-swe-agent: the small agent of the makers of SWE-bench. opencode: the open coding agent of SST. openhands: the agent of OpenHands, without its user interface. qwen-code: Qwen's coding agent for terminals. swe-agent: SWE-agent. oracle: applies the gold patch. noop: submits nothing.
   */
  type?:
    | 'bash'
    | 'tools'
    | 'command'
    | 'acp'
    | 'claude-code'
    | 'codex'
    | 'gemini-cli'
    | 'mini-swe-agent'
    | 'opencode'
    | 'openhands'
    | 'qwen-code'
    | 'swe-agent'
    | 'oracle'
    | 'noop';
  /**
   * Deployment in which agents work. If its base is another one, environments are built for it too.
   */
  deployment?: string;
  /**
   * Seed from which the seed of each rollout is made. Not every endpoint gives the same reply for the same seed.
   */
  seed?: number;
  /**
   * The agent’s loop. v2: that of mini-swe-agent 2. swe-rl: that of OpenClaw-RL’s swe-rl, for models that were trained with it. For bash.
   */
  dialect?: 'v2' | 'swe-rl';
  /**
   * Regular expression (JavaScript, flags su) whose first group is the command, with actions: fence. For bash.
   */
  action_regex?: string;
  /**
   * How the model writes an action. fence: one fenced block. xml: one tag. tool-calls: the endpoint’s tool calls. Type tools takes its own XML or tool-calls. For bash and tools.
   */
  actions?: 'fence' | 'xml' | 'tool-calls';
  /**
   * When a rollout ends. 0 means no limit.
   */
  limits?: {
    /**
     * Most model calls in a rollout.
     */
    steps?: number;
    /**
     * Time of one rollout, without the time that it waits for a free request or a workspace. In seconds.
     */
    time?: number;
    /**
     * Time of one command. After it, all processes of the command are ended and the agent is told so. In seconds.
     */
    command?: number;
    /**
     * Most US dollars for one rollout, by model.prices.
     */
    cost?: number;
    /**
     * Most tokens that the model writes in all replies of a rollout together, as the endpoint counts them. A reply that passes it is the last one.
     */
    tokens?: number;
    /**
     * Replies in a row without a well-formed action after which the rollout ends.
     */
    format_errors?: number;
    /**
     * How often in a row a command may be given before its observation says so; the rollout goes on. Miles' collapse_limit.
     */
    repeated_commands?: number;
  };
  /**
   * Which part of the history the model sees.
   */
  context?: {
    /**
     * full: everything. head-tail: whole turns from the beginning and from the end, as many as fit into max_tokens. summary: when the history does not fit into max_tokens, the model writes a summary of all but the newest turn, and goes on from that. With the last two the newest turn is always kept.
     */
    strategy?: 'full' | 'head-tail' | 'summary';
    /**
     * Most tokens of prompt and reply together, for head-tail and summary.
     */
    max_tokens?: number;
    /**
     * Tokens of max_tokens that are reserved for the reply.
     */
    max_response_tokens?: number;
    /**
     * Share of the remaining tokens for turns from the beginning. The rest is for turns from the end.
     */
    head?: number;
  };
  /**
   * How observations are shortened.
   */
  history?: {
    /**
     * Number of newest observations that are shown in full. Older ones become one line that says how many lines are left out. 0: all are shown in full.
     */
    last_observations?: number;
    /**
     * Most characters of one observation. From a longer one the beginning and the end are kept.
     */
    max_observation?: number;
  };
  /**
   * Texts of the agent, as Jinja templates.
   */
  templates?: {
    /**
     * A configuration file (YAML) of mini-swe-agent or SWE-agent. Its templates, limits and environment variables are used where this project has none of its own.
     */
    from?: string;
    /**
     * The system message.
     */
    system?: string;
    /**
     * The first user message; {{task}} is the problem statement.
     */
    instance?: string;
    /**
     * What the agent sees after a command. Variables: output.output, output.returncode.
     */
    observation?: string;
    /**
     * What the agent sees after a reply without a well-formed action. Variables: error, actions.
     */
    format_error?: string;
  };
  /**
   * A user who answers each time that the agent submits: with texts (`says`), or by a model that plays the user (`model`). The agent gets the answer as a message and works on; when it submits and the user has nothing more to say, its work counts. For bash and tools.
   */
  user?: {
    /**
     * What the user says, one text each time, as templates with the columns of the task. A text that is empty for a task is not said to it.
     *
     * @minItems 1
     */
    says?: [string, ...string[]];
    model?: ModelConfig;
    /**
     * What a user that a model plays knows and wants beyond the task, as a template with the columns of the task. Absent: the task alone.
     */
    prompt?: string;
    /**
     * How often a user that a model plays answers at most. It answers less often when it writes DONE, as it is content.
     */
    turns: number;
  };
  /**
   * Variables of the agent’s commands. They are added to those of templates.from, or, without it, to PAGER and MANPAGER (cat), LESS (-R), PIP_PROGRESS_BAR (off) and TQDM_DISABLE (1). For bash and tools and command and acp and a program by name.
   */
  env?: {
    [k: string]: string;
  };
  /**
   * Arguments of the program, after those that it always gets. For command and acp and a program by name.
   */
  args?: string[];
  /**
   * Whether the program follows what the repository says to agents (CLAUDE.md, AGENTS.md, hooks, .mcp.json). ignore: these files are hidden while it works. allow: it sees them. For command and acp and a program by name.
   */
  repository_settings?: 'ignore' | 'allow';
  /**
   * The tools that the program may use, by its own names for them; fewer tools make shorter prompts. For command and acp and a program by name.
   *
   * @minItems 1
   */
  tools?: [string, ...string[]];
  /**
   * A program that is an agent: how it is installed, how it is told where the model is, and how it is started.
   */
  program?: {
    /**
     * How the program speaks to its model.
     */
    protocol: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'google-generate';
    /**
     * The bash command that starts it, in the repository. It works until it ends by itself. Variables: MODEL_URL (a loopback address, without a path), MODEL_KEY, MODEL_NAME, MODEL_CONTEXT and MODEL_MAX_TOKENS (tokens), TASK_FILE (a file with the task), AGENT_TOOLS (agent.tools with commas between; empty: all); agent.args are its arguments ("$@").
     */
    run: string;
    install?: AgentInstall1;
    /**
     * Files below its home folder (HOME), which is outside of the repository: path -> Jinja template of its text. Variables: url, key, model, context (tokens; empty where it is not known), max_tokens, version, tools (a list; empty: all).
     */
    files?: {
      [k: string]: string;
    };
    /**
     * Variables of the program; values are templates like those of files, and one that comes out empty is not set.
     */
    env?: {
      [k: string]: string;
    };
    /**
     * Files and folders of the repository that the program writes for itself. The patch leaves them out.
     */
    leaves?: string[];
    /**
     * Files and folders of the repository, at any depth, that tell the program what to do: instructions, settings, hooks. With agent.repository_settings: ignore they are hidden while it works.
     */
    obeys?: string[];
  };
  /**
   * Version of the program. For a program by name.
   */
  version?: string;
  /**
   * The day whose package indexes the program is installed from, with all that it needs. For a program by name.
   */
  as_of?: string;
  /**
   * A folder with the source of the program, which is in no package index. It is copied to /opt/agent/source and installed from there. For a program by name.
   */
  source?: string;
}
/**
 * What is installed once into /opt/agent, which all workspaces show read-only. Absent: the program is in the environment or the base.
 */
export interface AgentInstall1 {
  /**
   * A folder of yours with the program's source, copied to /opt/agent/source before packages are installed, without its .git. Packages may name that path. Absent: none.
   */
  source?: string;
  /**
   * Packages as npm takes them, in /opt/agent/node_modules. {{version}} is agent.version.
   */
  npm?: string[];
  /**
   * The Node that the packages run on, at /opt/agent/node/bin/node. Absent: they bring their own program.
   */
  node?: string;
  /**
   * Requirements as pip takes them, in a virtual environment at /opt/agent/venv. {{version}} is agent.version.
   */
  pip?: string[];
  /**
   * The Python of that virtual environment. Absent: the machine's own python3.
   */
  python?: string;
  /**
   * Platforms that the packages are for. On another one nothing is installed. Absent: any.
   */
  platforms?: string[];
  /**
   * A bash command that shows that the program starts, run after the installation in a workspace without a network. If it fails, the installation is agent-failed. Absent: nothing is tried.
   */
  check?: string;
}
/**
 * Where results are kept. It is part of no key.
 */
export interface CacheConfig {
  /**
   * Folder of the cache, relative to the file that names it.
   */
  folder: string;
  /**
   * With whom the folder is shared. With group, its mode is 2770, and every user of its group builds with it and takes the answers of others. Sources, tools and environments of each user lie apart.
   */
  share: 'none' | 'group';
  /**
   * Size above which gc removes the least recently used results. Absent: gc removes only what nothing refers to. The database of answers is not counted: it takes about 2 KB an item. Its file never shrinks, and free space in it is used again. In bytes.
   */
  max_size?: number;
  /**
   * Size of the first states of all instances together. Each is a copy of a repository that rollouts, grading and validation share. Above this size the least recently used are removed, and made again when they are needed. In bytes.
   */
  max_states: number;
  remote?: RemoteCacheConfig;
}
/**
 * Answers that hosts share, on a server (url) or in a folder (path). Everything read from it is checked, and a fault of it counts as a miss. Absent: nothing is shared.
 */
export interface RemoteCacheConfig {
  /**
   * Address of a server with the routes of Bazel's HTTP cache, such as bazel-remote with --disable_http_ac_validation.
   */
  url?: string;
  /**
   * A folder that hosts share, such as an NFS mount, relative to the file that names it. It must exist.
   */
  path?: string;
  /**
   * Token that the server asks for. USER:PASSWORD is sent as basic authorisation, anything else as a bearer token.
   */
  token?: string;
  /**
   * Whether answers are read from it.
   */
  read: boolean;
  /**
   * Whether this host writes its answers to it. Others trust what is written, so allow it only on hosts that you trust.
   */
  write: boolean;
  tls: RemoteTlsConfig;
  /**
   * Private key with which this host signs what it writes: a file that `swemake keygen` made, relative to the file that names it, or a secret that holds its text. Absent: nothing is signed.
   */
  sign?: string;
  /**
   * Public keys of the writers whose answers are taken, as `swemake keygen` prints them. Those of the user's own file are added. Answers of all others, and unsigned ones, are misses. Absent, and without such a file: answers of every writer are taken.
   *
   * @minItems 1
   */
  trusted?: [string, ...string[]];
  /**
   * How long a request may go without an answer, or without a further byte of it. In seconds.
   */
  timeout: number;
  /**
   * Requests at the same time, in each direction.
   */
  concurrency: number;
  /**
   * How long a build waits at its end for writes that are not finished. In seconds.
   */
  upload_wait: number;
}
/**
 * Certificates in PEM files, where the system's own are not enough.
 */
export interface RemoteTlsConfig {
  /**
   * Certificate of the authority that signed the server's certificate.
   */
  ca?: string;
  /**
   * Certificate of this client, for servers that ask for one.
   */
  certificate?: string;
  /**
   * Private key of this client's certificate.
   */
  key?: string;
}
/**
 * One machine.
 */
export interface NodeConfig {
  /**
   * Name of the machine in messages.
   */
  name: string;
  /**
   * Address of its node server. For a machine without one: its host name or IP address.
   */
  address: string;
  /**
   * Address of its agent server; absent: port 11000 of the host of `address`.
   */
  agents?: string;
  /**
   * What the machine does. `node-server`: opens containers for pools. `agent-server`: makes rollouts of the project for trainers. `ray-head`: is the head of the Ray cluster. `ray-worker`: runs its jobs. A head that is not also a worker runs no jobs. Absent: it is a node server, and nothing else.
   *
   * @minItems 1
   */
  roles: [
    'node-server' | 'agent-server' | 'ray-head' | 'ray-worker',
    ...('node-server' | 'agent-server' | 'ray-head' | 'ray-worker')[]
  ];
  /**
   * Containers that the pool keeps open on it at the same time.
   */
  containers: number;
  /**
   * How `nodes up` and `nodes down` reach it: a destination as ssh takes it. Absent: the host in its address.
   */
  ssh?: string;
  /**
   * Shell line that runs on it before anything is started there, in the same shell. Servers and jobs get its variables.
   */
  activate?: string;
  /**
   * How swemake is called on it; a shell reads it. Only servers need it.
   */
  program: string;
  /**
   * Folder on it in which its servers keep what they have: a cache, images, layers, rollouts. ~ is the home there. It is on a disk of the machine's own.
   */
  folder: string;
  resources: NodeResourcesConfig;
}
/**
 * What it offers to jobs of a Ray cluster, under the names that Ray uses. If cpu or gpu is absent, Ray counts them. If another one is absent, the machine has none.
 */
export interface NodeResourcesConfig {
  /**
   * Processors.
   */
  cpu?: number;
  /**
   * GPUs.
   */
  gpu?: number;
  /**
   * Sandboxes that are open at the same time.
   */
  sandbox?: number;
  /**
   * Sandboxes that are being opened at the same time.
   */
  sandbox_start_up?: number;
  /**
   * Containers that are open at the same time, for programs that ask Ray for them.
   */
  container?: number;
  /**
   * Containers that are being opened at the same time, for programs that ask Ray for them.
   */
  container_start_up?: number;
  /**
   * Units of 50 MB that are transferred to it at the same time.
   */
  tar_io?: number;
}
/**
 * How many actions may run on this host at the same time, by what they use. It is part of no key.
 */
export interface ResourcesConfig {
  /**
   * Actions that keep a processor busy. Absent: the number of processors.
   */
  cpu?: number;
  /**
   * Workspaces that are open at the same time. Absent: 32 if a deployment is of type docker, 256 if all are of type pool, else 128.
   */
  sandbox?: number;
  /**
   * Rollouts that run at the same time. They wait for the model most of their time. Absent: 64.
   */
  rollout?: number;
  /**
   * Memory of all rollouts that run at the same time. Each counts with limits.memory of its deployment, so together they never use more. Absent: not bounded. In bytes.
   */
  memory?: number;
  /**
   * Workspaces of agents that are being opened at the same time. Absent: 8.
   */
  sandbox_start_up?: number;
  /**
   * Units of 50 MB that are read from the remote cache at the same time, and as many written to it. Most of it is layers of environments. Absent: 256 MiB in each direction.
   */
  tar_io?: number;
}
