/** Copies the changes of a container from its engine into a folder of this machine. */
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Container } from 'dockerode';
import { packageRoot } from '../../basics/package-root.ts';
import { hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Changes } from '../deployment.ts';
import { removeTree } from '../local/remove-tree.ts';
import { findPython } from '../sandbox/python.ts';
import { engineFault } from './engine.ts';

/** Files of the workspace or of the engine, which are no changes of the code inside. */
const OWN =
  /^\/(?:(?:tmp|run|var\/tmp|dev|proc|sys)(?:\/|$)|etc\/(?:hosts|hostname|resolv\.conf|mtab)$|\.dockerenv$)/;

const ENOSPC = 28;
/** Seconds. */
const TIMEOUT = 3600;

interface Change {
  Path: string;
  /** 0: changed. 1: new. 2: gone. */
  Kind: number;
}

/** `folder` is made anew. `places`: what the engine put there, such as mount points. */
export async function takeChanges(
  container: Container,
  folder: string,
  places: readonly string[],
): Promise<Result<Changes, Infra>> {
  try {
    const all = ((await container.changes()) ?? []) as Change[];
    const own = all.filter(({ Path }) => !OWN.test(Path) && !places.includes(Path));
    const removed = own.filter(({ Kind }) => Kind === 2).map(({ Path }) => Path.slice(1));
    const wanted = own.filter(({ Kind }) => Kind !== 2).map(({ Path }) => Path.slice(1));
    // A folder that was removed and made again is both removed and new.
    const again = new Set(wanted.flatMap(foldersOf));
    const kept = [...wanted, ...removed.filter((path) => again.has(path))];
    await removeTree(folder);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const list = `${folder}.wanted`;
    await writeFile(list, kept.map((path) => `${path}\0`).join(''));
    for (const top of new Set(kept.map((path) => path.split('/')[0]!))) {
      const refused = await take(container, top, list, folder);
      if (refused !== null) return fault(refused);
    }
    await removeTree(list);
    return success({ folder, removed });
  } catch (error) {
    return fault(engineFault('taking what was written out of a container', error));
  }
}

/** The folders above a path. */
function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

async function take(container: Container, top: string, list: string, into: string): Promise<Infra | null> {
  const python = findPython();
  if (python === null) return infra('tool-missing', 'python3 is not here');
  const packed = `${into}.tar`;
  await pipeline(await container.getArchive({ path: `/${top}` }), createWriteStream(packed));
  const script = join(packageRoot(), 'executors/docker/take_changes.py');
  const argv = [python, '-ISEB', script, JSON.stringify({ wanted: list, archive: packed, into })];
  const end = await runProgram({ argv, env: { LANG: 'C.UTF-8' }, timeout: TIMEOUT });
  await removeTree(packed);
  const what = `taking /${top} out of a container`;
  if (!hasSucceeded(end)) return infra('engine', `${what} failed: ${end.kind}`);
  const answer = JSON.parse(end.stdout) as { fault?: string; code?: number };
  if (answer.fault === undefined) return null;
  return infra(answer.code === ENOSPC ? 'disk-full' : 'engine', `${what}: ${answer.fault}`);
}
