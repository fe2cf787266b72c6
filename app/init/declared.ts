/** What setup.cfg, tox.ini, pytest.ini and setup.py of a repository declare, and what its tests import, as Python's own parsers read them. Its code is not run. */
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

/** Section -> key -> text. */
type Sections = Record<string, Record<string, string> | undefined>;

export interface Declared {
  setup_cfg: Sections;
  tox_ini: Sections;
  /** That of .pytest.ini where there is no pytest.ini. */
  pytest_ini: Sections;
  /** Arguments of `setup` that are literals. */
  setup_py: {
    extras_require?: Record<string, string[]>;
    tests_require?: string[];
    install_requires?: string[];
    python_requires?: string;
  };
  /** Modules from elsewhere without which a file of tests does not load. */
  imports: string[];
}

/** Seconds. */
const TIMEOUT = 60;

/**
 * Files that are absent or cannot be parsed declare nothing. `testPaths`: where pyproject.toml says that tests are; null: what they
 * import is not read. `python` is the absolute
 * path of a Python 3.8 or later.
 */
export async function readDeclared(
  folder: string,
  testPaths: readonly string[] | null,
  { python, signal }: { python: string; signal?: AbortSignal | undefined },
): Promise<Result<Declared, Infra>> {
  const script = join(packageRoot(), 'app', 'init', 'declared.py');
  const end = await runProgram({
    argv: [python, '-I', script, folder, ...(testPaths === null ? [] : ['imports', ...testPaths])],
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8' },
    timeout: TIMEOUT,
    signal,
  });
  if (end.kind === 'cancelled') return fault(infra('cancelled', 'cancelled'));
  if (!hasSucceeded(end) || end.truncated)
    return fault(
      infra(end.kind === 'missing' ? 'python-missing' : 'helper', `declared.py: ${complaintOf(end)}`),
    );
  return success(JSON.parse(end.stdout) as Declared);
}
