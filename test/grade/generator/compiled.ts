/** Compiled Python that is not held against its source, by the host's interpreter, which is also the tasks'. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COMPILE = [
  'import py_compile, sys',
  'mode = py_compile.PycInvalidationMode.UNCHECKED_HASH',
  'py_compile.compile("m.py", "m.pyc", invalidation_mode=mode)',
  'print(sys.implementation.cache_tag)',
].join('\n');

/** The bytes, and the tag in the name of such a file. */
export function compiled(source: string): { tag: string; bytes: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-pyc-'));
  try {
    writeFileSync(join(folder, 'm.py'), source);
    const tag = execFileSync('python3', ['-c', COMPILE], { cwd: folder, encoding: 'utf8' }).trim();
    return { tag, bytes: readFileSync(join(folder, 'm.pyc')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
