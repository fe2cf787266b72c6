/**
 * A Python for images that have none, as a layer: process 1 of a container is a Python program. It is made once, from
 * the interpreter of this machine with the C library that it needs, and is added only where the image's own Python
 * cannot be used.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { removeTree } from '../local/remove-tree.ts';
import { findPython } from '../sandbox/python.ts';

/** Where it lies in an image. */
const PLACE = '/.swemake/python';
/** Seconds. */
const TIMEOUT = 120;

/** The command that starts it: its own loader, so that nothing of the image is needed. */
export function ownPythonCommand(program: string): string[] {
  const lib = `${PLACE}/lib`;
  return [`${lib}/ld.so`, '--library-path', lib, `${PLACE}/bin/python3`, '-ISEB', '-c', program];
}

/** The host folder of the layer. */
export async function ownPython(folder: string): Promise<Result<string, Infra>> {
  const python = findPython();
  if (python === null) return fault(infra('tool-missing', 'python3 is not here'));
  const modules = ['docker', 'sandbox'].map((name) => join(packageRoot(), 'executors', name));
  const made = join(folder, `python-${identityOf(python, modules)}`);
  if (existsSync(made)) return success(made);
  const into = `${made}.${randomBytes(4).toString('hex')}`;
  mkdirSync(into, { recursive: true, mode: 0o755 });
  const script = join(modules[0]!, 'own_python.py');
  const argv = [python, '-ISEB', script, JSON.stringify({ into, modules })];
  const end = await runProgram({ argv, env: { LANG: 'C.UTF-8' }, timeout: TIMEOUT });
  const answer = hasSucceeded(end) ? (JSON.parse(end.stdout) as { fault?: string }) : { fault: end.kind };
  if (answer.fault !== undefined) {
    await removeTree(into);
    return fault(infra('tool-missing', `a Python for images without one cannot be made: ${answer.fault}`));
  }
  try {
    renameSync(into, made);
  } catch (error) {
    await removeTree(into);
    // Another run was faster.
    if (!['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  return success(made);
}

/** Another interpreter, or other modules of swemake, give another layer. */
function identityOf(python: string, modules: readonly string[]): string {
  const hash = createHash('sha256');
  const { size, mtimeMs } = statSync(realpathSync(python));
  hash.update(JSON.stringify([realpathSync(python), size, mtimeMs]));
  for (const folder of modules)
    for (const name of readdirSync(folder).sort())
      if (name.endsWith('.py')) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}
