/** Copies of the sources, to change something in them and see what the project's own tools say. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from './folder.ts';

/** A copy of the files that git knows or would add, without tests and benchmarks but for those whose paths begin with one of `also`. */
export function copyOfSources(also: readonly string[] = []): string {
  const root = temporaryFolder();
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: packageRoot(),
    encoding: 'utf8',
  });
  const isWanted = (path: string) =>
    path !== '' && (also.some((start) => path.startsWith(start)) || !/^(test|bench)\//.test(path));
  for (const name of files.split('\n').filter(isWanted)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    cpSync(join(packageRoot(), name), join(root, name));
  }
  symlinkSync(join(packageRoot(), 'node_modules'), join(root, 'node_modules'));
  return root;
}

/** What tests of a copy print, whose paths begin with these; empty if all are green. The copy has the tests. */
export function redTests(root: string, ...files: string[]): string {
  const ran = spawnSync('npx', ['vitest', 'run', ...files], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, TEST_DEEP: undefined },
  });
  return ran.status === 0 ? '' : `${ran.stdout}${ran.stderr}`;
}
