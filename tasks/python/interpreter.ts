/**
 * Finds the interpreter that an environment is built on, and says how it appears inside a workspace. Nothing is
 * installed here: a version that is missing is named, with the command that would provide it.
 */
import { relative } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ReadOnlyMount } from '../../executors/deployment.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { candidatePaths, hasPyenv, isOnPath, type SearchFolders } from './candidates.ts';
import { otherPackages } from './other-packages.ts';
import { type Memo, type PythonFacts, probePython } from './probe.ts';

export interface Interpreter {
  /** Full version, such as "3.11.7". */
  version: string;
  /** Host path of the executable, links resolved. */
  executable: string;
  prefix: string;
  /** Implementation, version and a digest of the build; the same wherever the same build is installed. */
  identity: string;
  mounts: ReadOnlyMount[];
  /** The original prefix, inside: a hidden prefix would make it load another Python's shared library. */
  links: Record<string, string>;
  insideExecutable: string;
  /** Whether its standard library has `venv`: distributions split it off. */
  hasVenv: boolean;
  /** Host folder of the standard library. */
  library: string;
}

export interface SearchOptions extends SearchFolders {
  /** Absolute path that the project gives for this version: it, or nothing. */
  executable?: string | undefined;
  memo?: Memo;
}

/** The first interpreter that fits: "3.11" takes any 3.11, "3.11.7" only that, null the first Python 3 of all. */
export async function findInterpreter(
  version: string | null,
  options: SearchOptions,
): Promise<Result<Interpreter, Infra>> {
  const memo = options.memo ?? forgetful();
  const { executable } = options;
  for (const path of executable === undefined ? candidatePaths(version, options) : [executable]) {
    const facts = await probePython(path, options.env, memo);
    if (facts !== null && fits(facts.version, version)) return success(interpreterOf(facts));
  }
  if (executable !== undefined) {
    return fault(
      infra(
        'python-missing',
        `environments.python.versions says that ${executable} is Python ${version}; it is not`,
      ),
    );
  }
  return fault(infra('python-missing', missing(version, options)));
}

function fits(found: string, wanted: string | null): boolean {
  return wanted === null || found === wanted || found.startsWith(`${wanted}.`);
}

function interpreterOf(facts: PythonFacts): Interpreter {
  const { prefix, executable } = facts;
  const isSystem = prefix === '/usr' || prefix.startsWith('/usr/');
  const inside = isSystem ? prefix : `/opt/python/${facts.version}`;
  return {
    ...facts,
    // Those below /usr are shown with the system, which the sandbox hides packages of by itself.
    mounts: isSystem ? [] : [{ from: prefix, to: inside, hides: otherPackages(prefix) }],
    links: isSystem ? {} : { [prefix]: inside },
    insideExecutable: isSystem ? executable : `${inside}/${relative(prefix, executable)}`,
  };
}

function missing(version: string | null, { env, trees, treesOnly }: SearchOptions): string {
  const name = version === null ? 'Python 3' : `Python ${version}`;
  const wanted = version ?? '3.11';
  if (trees !== undefined && treesOnly === true)
    return `${name} was not found at ${trees}/${wanted}/miniconda3; this provides it: ${newTree(trees, wanted)}`;
  const where = trees === undefined ? '' : `, nor at ${trees}/${wanted}/miniconda3`;
  return `${name} was not found on this machine${where}; this provides it: ${remedy(wanted, env)}`;
}

/** The newest installer with another Python in it: not every version has an installer of its own. */
function newTree(trees: string, version: string): string {
  const tree = `${trees}/${version}/miniconda3`;
  const url = `https://repo.anaconda.com/miniconda/Miniconda3-latest-Linux-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.sh`;
  return `curl -LsSfo miniconda.sh ${url} && bash miniconda.sh -b -p ${tree} && ${tree}/bin/conda install -y python=${version}`;
}

/** pyenv builds every version; uv has prebuilt ones. */
function remedy(version: string, env: NodeJS.ProcessEnv): string {
  if (hasPyenv(env) || isOnPath('pyenv', env)) return `pyenv install ${version}`;
  if (isOnPath('uv', env)) return `uv python install ${version}`;
  if (isOnPath('pip', env)) return `pip install uv && uv python install ${version}`;
  return `curl -LsSf https://astral.sh/uv/install.sh | sh && ~/.local/bin/uv python install ${version}`;
}

/** Remembers for one search only. */
function forgetful(): Memo {
  const values = new Map<string, string>();
  return { get: (key) => values.get(key), set: (key, value) => void values.set(key, value) };
}
