/**
 * A Python that has torch and TRL: that of TRL_PYTHON, or one of a virtual environment in the user's cache, which is made from
 * the package index once and takes 6 GB.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const PACKAGES = ['torch==2.11.0', 'transformers==5.17.0', 'trl==1.16.0', 'httpx'];

/** The interpreter; null, with the reason printed, where there is none and none can be made. */
export function trlPython(): string | null {
  const given = process.env.TRL_PYTHON;
  const python = given ?? installed();
  const imports = python === null ? null : spawnSync(python, ['-c', 'import torch, trl, datasets, httpx']);
  if (imports?.status === 0) return python;
  process.stdout.write(
    `skipped: ${given ?? 'no Python'} has torch, TRL and httpx. ${imports?.stderr.toString().trim().split('\n').at(-1) ?? ''}\n`,
  );
  return null;
}

function installed(): string | null {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'swemake-tests', `trl-${PACKAGES.join('-').replaceAll(/[^\w.]+/g, '-')}`);
  const python = join(folder, 'bin/python');
  if (existsSync(join(folder, 'complete'))) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const steps = [
    ['python3', '-m', 'venv', folder],
    [python, '-m', 'pip', 'install', '-q', ...PACKAGES],
  ] as const;
  for (const [program, ...words] of steps)
    if (spawnSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) return null;
  writeFileSync(join(folder, 'complete'), '');
  return python;
}
