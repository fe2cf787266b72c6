/**
 * A Python that has torch and TRL: that of TRL_PYTHON, or one of a virtual environment in the user's cache, which is made from
 * the package index once and takes 6 GB.
 */
import { spawnSync } from 'node:child_process';
import { pythonWith } from './installed.ts';

const PACKAGES = ['torch==2.11.0', 'transformers==5.17.0', 'trl==1.16.0', 'httpx'];

/** The interpreter; null, with the reason printed, where there is none and none can be made. */
export function trlPython(): string | null {
  const python = process.env.TRL_PYTHON ?? pythonWith('trl', PACKAGES);
  if (python === null) return null;
  const imports = spawnSync(python, ['-c', 'import torch, trl, datasets, httpx']);
  if (imports.status === 0) return python;
  process.stdout.write(
    `skipped: ${python} has not torch, TRL and httpx. ${imports.stderr.toString().trim().split('\n').at(-1) ?? ''}\n`,
  );
  return null;
}
