/**
 * The witness compiled ahead, by an interpreter of this machine: compiling it costs each interpreter of a test command
 * some 15 ms. No interpreter from inside a workspace is asked, since code there could answer for other tasks. Compiled
 * code begins with the number of its format; an interpreter of another format compiles the source.
 */
import { join } from 'node:path';
import { hasSucceeded, runProgram } from '../../basics/program.ts';
import type { EnvironmentView } from '../../executors/deployment.ts';

const COMPILE = [
  'import base64, sys, marshal',
  'from _frozen_importlib_external import MAGIC_NUMBER',
  'code = compile(sys.stdin.buffer.read(), "<witness>", "exec", 0, True, 0)',
  'print(base64.b64encode(MAGIC_NUMBER + marshal.dumps(code)).decode())',
].join('\n');
/** Seconds. */
const TIMEOUT = 60;
/** Where the interpreters of this machine are inside. */
const PLACE = /^\/opt\/python(?:\/|$)/;

/** Program and source -> compiled code; null while the program works, and if it cannot. */
const compiled = new Map<string, Buffer | null>();

/** The compiled code if it is there already. The first call for an interpreter has it made, and waits for nothing. */
export function compiledWitness(source: string, { mounts }: EnvironmentView): Buffer | null {
  const home = mounts.find(({ to }) => PLACE.test(to));
  const program = home === undefined ? 'python3' : join(home.from, 'bin/python3');
  const key = `${program}\0${source}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  compiled.set(key, null);
  void compile(program, source).then((code) => compiled.set(key, code));
  return null;
}

async function compile(program: string, source: string): Promise<Buffer | null> {
  const argv = [program, '-I', '-S', '-c', COMPILE];
  const end = await runProgram({ argv, env: process.env, input: source, timeout: TIMEOUT });
  return hasSucceeded(end) && !end.truncated ? Buffer.from(end.stdout, 'base64') : null;
}
