/** Compiles a file of C++ as a project does that takes warnings for errors, with the witness behind its tests. */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeLauncher } from '../../ecosystems/cmake/witness.ts';
import { temporaryFolder } from '../rig/folder.ts';

const WARNINGS = ['all', 'extra', 'pedantic', 'shadow', 'conversion', 'old-style-cast', 'effc++', 'error'];

export function isCompiled(text: string): boolean {
  const folder = temporaryFolder();
  execFileSync('bash', ['-c', placeLauncher().replaceAll('/opt/env/cmake/witness', `${folder}/witness`)]);
  writeFileSync(join(folder, 'a.cc'), text);
  const words = ['c++', ...WARNINGS.map((name) => `-W${name}`), '-c', 'a.cc', '-o', 'a.o'];
  execFileSync(`${folder}/witness/launcher`, words, { cwd: folder });
  return existsSync(join(folder, 'a.o'));
}
