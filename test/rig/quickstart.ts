/** Copies of the quickstart, which needs a package index. */
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { Project } from './project.ts';

/** Whether pip gets a package from an index; says so where it does not. */
export function hasPackageIndex(): boolean {
  const words = ['-q', '--no-deps', '-d', '/tmp/swemake-online', 'iniconfig==2.0.0'];
  const { status } = spawnSync('python3', ['-m', 'pip', 'download', ...words], { timeout: 170_000 });
  if (status !== 0) process.stdout.write('skipped: the quickstart needs a package index and pip\n');
  return status === 0;
}

/** `quickstart.yaml` and its rows in a folder of their own. */
export function quickstart(): Project {
  const project = new Project();
  for (const name of ['quickstart.yaml', 'quickstart.jsonl'])
    copyFileSync(join(packageRoot(), 'projects', name), project.path(name));
  return project;
}
