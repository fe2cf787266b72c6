/**
 * How an environment is made: the commands that turn an empty /opt/env into a Python environment with pip,
 * run inside a workspace. Two runs of them give the same bytes: compiled files are checked by hash instead of
 * time, and nothing else in an environment depends on when it was made.
 */

import { fault, type Result, success } from '../../basics/result.ts';
import { forget, once } from '../../contract/once.ts';
import type { EcosystemBuild } from '../../ecosystems/kind.ts';
import type { ReadOnlyMount } from '../../executors/deployment.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { type Channels, isOfChannels } from './channels.ts';
import type { Interpreter } from './interpreter.ts';
import { RATTLER_VERSION, type Seeds, seedsFor, UV_TOOL, uvSupports } from './pins.ts';
import { seedFolder, solverFolder, type ToolsDeps, uvFolder } from './tools.ts';
import { discardDamaged } from './whole-folder.ts';

export type ProviderKind = 'venv' | 'uv' | 'conda';

export interface PreparedPython {
  /** The interpreter's mounts and those of the tools. */
  mounts: ReadOnlyMount[];
  links: Record<string, string>;
  /** For the creation and every install step; tests later run without them. */
  variables: Record<string, string>;
  /** bash commands, run in order with /opt/env empty. */
  createCommands: string[];
  /** Makes the environment of these packages of conda and its own interpreter; absent: packages are pip's alone. */
  solve?(specs: string): string;
  /** All steps of another ecosystem than Python, in place of those that are made of the other members. */
  steps?: EcosystemBuild['steps'];
  /** See EcosystemBuild; absent: none. */
  reads?: EcosystemBuild['reads'];
  /** Takes what `pip install` takes: requirements, -r, -e. */
  installCommand: string;
  /** The same for the project in the current folder; absent: pip installs it, as the recipe says. */
  projectCommand?: string;
  /** bash commands that make another environment in `folder`, with these requirements alone. */
  separate(folder: string, requirements: string): string[];
  /** Prints one `name==version` per line, CHECK_MARK, and what `pip check` says. */
  listCommand: string;
  /** Of the registry that steps reach, where packages are of another language than Python; absent: of none. */
  dialect?: string;
  /** After a creation that failed: takes tools that are damaged away, to be made again. What it found; null for nothing. */
  mend(): Promise<string | null>;
}

/** What one kind of provider prepares. */
type Prepared = Omit<PreparedPython, 'mend'> & {
  /** Folders of tools that it shows. */
  tools: string[];
};

export interface PythonProvider {
  readonly kind: ProviderKind;
  /** Versions of everything that enters an environment at its creation; part of environment keys. */
  identity(interpreter: Interpreter): Record<string, string>;
  prepare(interpreter: Interpreter): Promise<Result<PreparedPython, Infra>>;
}

/** mtime of layers and date of everything that embeds one. */
const SOURCE_DATE_EPOCH = '1000000000';
const SEEDS_INSIDE = '/opt/swemake/seeds';
const UV_INSIDE = '/opt/swemake/uv';
const UV = `${UV_INSIDE}/uv`;
const UV_INSTALL = `${UV_INSIDE}/install`;
const UV_PROJECT = `${UV_INSIDE}/project`;
const SOLVER_INSIDE = '/opt/swemake/conda';

/** Between a list of packages and what there is to say of it. */
export const CHECK_MARK = '== pip check';

/** Variables of a command that runs in the environment, as `activate` would set them. */
const ACTIVE_VARIABLES: Readonly<Record<string, string>> = {
  VIRTUAL_ENV: '/opt/env',
  PATH: '/opt/env/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
};

/**
 * No file depends on the time, on hash order, or on what happened to be imported during the build. What a compiler notes for
 * debuggers names the folder that it ran in, which pip and uv choose by chance.
 */
const REPRODUCIBLE = {
  SOURCE_DATE_EPOCH,
  PYTHONHASHSEED: '0',
  PYTHONDONTWRITEBYTECODE: '1',
  CFLAGS: '-g0',
  CXXFLAGS: '-g0',
};

const PIP_VARIABLES = {
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_NO_INPUT: '1',
  PIP_NO_CACHE_DIR: '1',
  PIP_NO_WARN_SCRIPT_LOCATION: '1',
  PIP_ROOT_USER_ACTION: 'ignore',
};

const UV_VARIABLES = {
  UV_LINK_MODE: 'copy',
  UV_NO_CACHE: '1',
  UV_COMPILE_BYTECODE: '1',
  UV_PYTHON_DOWNLOADS: 'never',
  UV_NO_PROGRESS: '1',
};

/**
 * The provider of a project's `environments.python.provider`. What it prepared once it does not prepare again. With
 * `channels`, interpreters and packages are conda's.
 */
export function pythonProvider(
  kind: ProviderKind,
  deps: ToolsDeps,
  channels: Channels | null = null,
): PythonProvider {
  const preparing = {};
  const prepare = async (interpreter: Interpreter) => {
    const byUv = kind === 'uv' && uvSupports(interpreter.version);
    const result = await (channels !== null
      ? prepareConda(interpreter, channels, deps)
      : byUv
        ? prepareUv(interpreter, deps)
        : prepareVenv(interpreter, deps));
    if (!result.ok) return result;
    const { tools, ...prepared } = result.value;
    const mend = async (): Promise<string | null> => {
      const damaged: string[] = [];
      for (const folder of tools) if (await discardDamaged(folder)) damaged.push(folder);
      if (damaged.length === 0) return null;
      forget(preparing, nameOf(interpreter));
      return `${damaged.join(' and ')} was damaged, and is made again`;
    };
    return success({ ...prepared, mend });
  };
  return {
    kind,
    identity: (interpreter): Record<string, string> => ({
      python: interpreter.identity,
      provider: kind,
      ...(channels === null
        ? seedsFor(interpreter.version)
        : { rattler: RATTLER_VERSION, channels: channels.texts.join(' ') }),
      ...(kind === 'uv' && uvSupports(interpreter.version) ? { uv: UV_TOOL } : {}),
    }),
    prepare: (interpreter) =>
      once(
        preparing,
        nameOf(interpreter),
        () => prepare(interpreter),
        ({ ok }) => ok,
      ),
  };
}

/** Those of roots of their own are at one place in many of them. */
function nameOf({ identity, executable }: Interpreter): string {
  return `${identity} ${executable}`;
}

async function prepareVenv(interpreter: Interpreter, deps: ToolsDeps): Promise<Result<Prepared, Infra>> {
  if (!interpreter.hasVenv) return fault(infra('python-missing', withoutVenv(interpreter)));
  const seeds = seedsFor(interpreter.version);
  const folder = await seedFolder(seeds, interpreter, deps);
  if (!folder.ok) return folder;
  const create = (at: string) => [
    `${interpreter.insideExecutable} -I -m venv --without-pip ${at}`,
    // Old releases serve Python 2 as well and say so in the name.
    `wheel=$(echo ${SEEDS_INSIDE}/pip-${seeds.pip}-*.whl) && ${at}/bin/python $wheel/pip install -q --no-index --find-links ${SEEDS_INSIDE} ${pinned(seeds)}`,
  ];
  return success({
    mounts: [...interpreter.mounts, { from: folder.value, to: SEEDS_INSIDE }],
    links: interpreter.links,
    variables: { ...ACTIVE_VARIABLES, ...REPRODUCIBLE, ...PIP_VARIABLES },
    createCommands: create('/opt/env'),
    installCommand: '/opt/env/bin/python -m pip install',
    separate: (at, requirements) => [...create(at), `${at}/bin/python -m pip install ${requirements}`],
    listCommand: listByPip('/opt/env/bin/python'),
    tools: [folder.value],
  });
}

async function prepareUv(interpreter: Interpreter, deps: ToolsDeps): Promise<Result<Prepared, Infra>> {
  const seeds = seedsFor(interpreter.version);
  const [folder, uv] = await Promise.all([seedFolder(seeds, interpreter, deps), uvFolder(interpreter, deps)]);
  if (!folder.ok) return folder;
  if (!uv.ok) return uv;
  const create = (at: string) => [
    `${UV} venv -q --no-project --python ${interpreter.insideExecutable} ${at}`,
    `${UV_INSTALL} -q --no-index --find-links ${SEEDS_INSIDE} ${pinned(seeds)}`,
  ];
  return success({
    mounts: [
      ...interpreter.mounts,
      { from: folder.value, to: SEEDS_INSIDE },
      { from: uv.value, to: UV_INSIDE },
    ],
    links: interpreter.links,
    variables: { ...ACTIVE_VARIABLES, ...REPRODUCIBLE, ...PIP_VARIABLES, ...UV_VARIABLES },
    createCommands: create('/opt/env'),
    installCommand: UV_INSTALL,
    projectCommand: UV_PROJECT,
    separate: (at, requirements) => [
      `export VIRTUAL_ENV=${at}`,
      ...create(at),
      `${UV_INSTALL} ${requirements}`,
    ],
    listCommand: `${UV} pip freeze; echo '${CHECK_MARK}'; ${UV} pip check 2>&1 | grep -vE '^(Using Python|Checked) '`,
    tools: [folder.value, uv.value],
  });
}

async function prepareConda(
  interpreter: Interpreter,
  channels: Channels,
  deps: ToolsDeps,
): Promise<Result<Prepared, Infra>> {
  if (!isOfChannels(interpreter))
    return fault(infra('tool-missing', 'packages of conda are installed on base: host alone'));
  const runner = await channels.runner();
  if (!runner.ok) return runner;
  const folder = await solverFolder(runner.value, deps);
  if (!folder.ok) return folder;
  const python = '/opt/env/bin/python';
  const { version, wanted } = interpreter;
  const begin = [wanted === null ? `python>=${version}` : `python=${wanted}`, 'pip'];
  const named = [...channels.inside, '--', ...begin].map((one) => `'${one}'`).join(' ');
  return success({
    mounts: [...runner.value.mounts, { from: folder.value, to: SOLVER_INSIDE }, ...channels.mounts],
    links: runner.value.links,
    variables: { ...ACTIVE_VARIABLES, ...REPRODUCIBLE, ...PIP_VARIABLES, CONDA_PREFIX: '/opt/env' },
    createCommands: [],
    solve: (specs) =>
      `${runner.value.insideExecutable} -I ${SOLVER_INSIDE}/conda_install.py /opt/env ${named} ${specs}`.trim(),
    installCommand: `${python} -m pip install`,
    separate: (at, requirements) => [
      `${python} -m venv ${at}`,
      `${at}/bin/python -m pip install ${requirements}`,
    ],
    listCommand: listByPip(python),
    tools: [folder.value],
  });
}

/** Both by one pip, which takes longer to start than to answer; one that cannot be called like that is started twice. */
function listByPip(python: string): string {
  const both = [
    'from pip._internal.cli.main import main',
    'main(["freeze", "--all"])',
    `print("${CHECK_MARK}", flush=True)`,
    'main(["check"])',
  ].join('; ');
  const [freeze, check] = ['freeze --all', 'check'].map((command) => `${python} -m pip ${command}`);
  return [
    `if said=$(${python} -c '${both}' 2>&1); then printf '%s\\n' "$said"`,
    `else ${freeze}; echo '${CHECK_MARK}'; ${check}; fi`,
  ].join('\n');
}

function pinned(seeds: Seeds): string {
  return Object.entries(seeds)
    .map(([name, version]) => `${name}==${version}`)
    .join(' ');
}

function withoutVenv({ version, executable }: Interpreter): string {
  const minor = version.split('.').slice(0, 2).join('.');
  return `${executable} has no venv module; this provides it: apt-get install python${minor}-venv`;
}
