/**
 * Runs mutate.py, which lists the mutations of a source tree and derives their patches. The script is run on the
 * host with any Python from 3.8 on; it only parses the tree, it never imports or runs it.
 */
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

/** Names one mutation of a source tree: the `index`th (from 0) of its kind in that function, by position. */
export interface Mutation {
  /** Path in the tree. */
  file: string;
  /** Qualified name such as `Class.method`; `<module>` outside of functions and classes. */
  function: string;
  kind: string;
  index: number;
}

/** A mutation that a tree offers. */
export interface Candidate extends Mutation {
  line: number;
}

/** Answer to one request: a unified diff that introduces the bug, or why there is none. */
export type PatchAnswer = { patch: string } | { error: string };

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

/** The patches of several mutations of one tree, in the order of the requests. */
export async function derivePatches(
  requests: readonly Mutation[],
  options: DeriveOptions,
): Promise<Result<PatchAnswer[], Infra>> {
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
  const answers = await runScript<PatchAnswer>('apply', [], input, options);
  if (!answers.ok || answers.value.length === requests.length) return answers;
  return fault(infra('helper', `mutate.py answered ${answers.value.length} of ${requests.length} requests`));
}

/** All mutations of the tree, or of some of its files; tests and build scripts are left out. */
export function listMutations(
  files: readonly string[],
  options: DeriveOptions,
): Promise<Result<Candidate[], Infra>> {
  return runScript<Candidate>(
    'list',
    files.flatMap((file) => ['--file', file]),
    '',
    options,
  );
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
