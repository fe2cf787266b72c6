/** What was written in a container, taken out of its engine into a folder of this machine. */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Container } from 'dockerode';
import { packageRoot } from '../../basics/package-root.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Changes } from '../deployment.ts';
import { removeTree } from '../local/remove-tree.ts';
import { findPython } from '../sandbox/python.ts';
import { engineFault } from './engine.ts';

/** A workspace's own, or the engine's: never part of what was made. */
const OWN =
  /^\/(?:(?:tmp|run|var\/tmp|dev|proc|sys)(?:\/|$)|etc\/(?:hosts|hostname|resolv\.conf|mtab)$|\.dockerenv$)/;

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
    // A folder that was made anew is gone and there.
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
  const archive = await container.getArchive({ path: `/${top}` });
  const script = join(packageRoot(), 'executors/docker/take_changes.py');
  const request = JSON.stringify({ wanted: list, below: '', into });
  const child = spawn(python, ['-ISEB', script, request], { stdio: ['pipe', 'pipe', 'ignore'] });
  const said = textOf(child.stdout);
  const [copied] = await Promise.allSettled([pipeline(archive, child.stdin)]);
  const text = await said;
  const answer = parsed(text);
  if (answer === null || (copied.status === 'rejected' && answer.fault === undefined))
    return infra('executor', `taking /${top} out of a container was cut off`);
  if (answer.fault === undefined) return null;
  return infra(
    answer.code === 28 ? 'disk-full' : 'executor',
    `taking /${top} out of a container: ${answer.fault}`,
  );
}

function parsed(text: string): { fault?: string; code?: number } | null {
  try {
    return JSON.parse(text) as { fault?: string; code?: number };
  } catch {
    return null;
  }
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}
