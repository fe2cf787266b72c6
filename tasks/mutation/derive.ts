/**
 * Lists the mutations of a source tree and derives their patches: of Python by mutate.py, which is run on the host with any
 * Python from 3.8 on, of other languages by their grammars (trees/). The tree is parsed, and never run.
 */
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Candidate, Mutation, PatchAnswer } from './mutation.ts';
import { languageOf } from './trees/languages.ts';
import { deriveTree, listTree, treeFiles } from './trees/mutate.ts';

export interface DeriveOptions {
  /** Absolute path of the source tree. */
  sourceFolder: string;
  /** Absolute path of a Python 3.8 or later. */
  python: string;
  signal?: AbortSignal | undefined;
}

/** Seconds for one tree; the largest packages take a few. */
const TIMEOUT = 600;
/** Bytes. */
const MAX_OUTPUT = 1 << 29;

/** Whether the mutations of a file are made by a grammar, and not by mutate.py. */
const isOfTrees = (file: string) => languageOf(file) !== null;

/** The patches of several mutations of one tree, in the order of the requests. */
export async function derivePatches(
  requests: readonly Mutation[],
  options: DeriveOptions,
): Promise<Result<PatchAnswer[], Infra>> {
  const python = await derivePython(
    requests.filter(({ file }) => !isOfTrees(file)),
    options,
  );
  if (!python.ok) return python;
  const ofTrees = requests.filter(({ file }) => isOfTrees(file));
  const trees = (await deriveTree(options.sourceFolder, ofTrees)).values();
  const others = python.value.values();
  return success(requests.map(({ file }) => (isOfTrees(file) ? trees : others).next().value!));
}

async function derivePython(
  requests: readonly Mutation[],
  options: DeriveOptions,
): Promise<Result<PatchAnswer[], Infra>> {
  if (requests.length === 0) return success([]);
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
  const answers = await runScript<PatchAnswer>('apply', [], input, options);
  if (!answers.ok || answers.value.length === requests.length) return answers;
  return fault(infra('helper', `mutate.py answered ${answers.value.length} of ${requests.length} requests`));
}

/**
 * All mutations of the tree, or of some of its files; tests and build scripts are left out. `languages`: endings of files, such as
 * `.go`, whose mutations are wanted where no files are named.
 */
export async function listMutations(
  files: readonly string[],
  options: DeriveOptions,
  languages: readonly string[] = ['.py'],
): Promise<Result<Candidate[], Infra>> {
  const { sourceFolder } = options;
  const isWanted = (file: string) => files.length > 0 || languages.some((ending) => file.endsWith(ending));
  const ofPython = files.filter((file) => !isOfTrees(file));
  const words = ofPython.flatMap((file) => ['--file', file]);
  const python =
    isWanted('.py') && (files.length === 0 || ofPython.length > 0)
      ? await runScript<Candidate>('list', words, '', options)
      : success([]);
  if (!python.ok) return python;
  const others = files.length === 0 ? await treeFiles(sourceFolder) : files;
  const ofTrees = others.filter((file) => isOfTrees(file) && isWanted(file));
  return success([...python.value, ...(await listTree(sourceFolder, ofTrees))]);
}

async function runScript<T>(
  command: 'list' | 'apply',
  extra: string[],
  input: string,
  { sourceFolder, python, signal }: DeriveOptions,
): Promise<Result<T[], Infra>> {
  const script = join(packageRoot(), 'tasks', 'mutation', 'mutate.py');
  const end = await runProgram({
    argv: [python, '-I', script, command, sourceFolder, ...extra],
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8' },
    input,
    timeout: TIMEOUT,
    maxOutput: MAX_OUTPUT,
    signal,
  });
  if (end.kind === 'cancelled') return fault(infra('cancelled', 'cancelled while patches were derived'));
  if (!hasSucceeded(end) || end.truncated) {
    const reason = end.kind === 'missing' ? 'python-missing' : 'helper';
    const detail = end.truncated ? 'it found more than can be held' : complaintOf(end);
    return fault(infra(reason, `${python} mutate.py ${command}: ${detail}`));
  }
  return success(
    end.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as T),
  );
}
