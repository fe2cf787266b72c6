/** Files of an environment as its layers have them. */
import { lstat, readFile, readlink } from 'node:fs/promises';
import { whenAbsent } from '../../basics/absent.ts';
import { digestOf } from '../../basics/digest.ts';
import type { EnvironmentView } from '../../executors/deployment.ts';
import { hostPathsOf } from '../../tasks/environment/host-paths.ts';
import type { Observations } from '../rules/observations.ts';

/** How the digest of a link begins, before the place to which it leads. */
export const LINK = '-> ';

/**
 * Whether a layer has the same at this path: the digest of its content, or where a link leads. To the kernel a file is changed, too,
 * when the cache links it for another environment.
 */
export async function isOfLayer(
  path: string,
  digest: string,
  environment: EnvironmentView,
): Promise<boolean> {
  for (const place of hostPathsOf(path, environment)) if ((await digestAt(place)) === digest) return true;
  return false;
}

async function digestAt(place: string): Promise<string | null> {
  const found = await lstat(place).catch(whenAbsent(null));
  if (found?.isSymbolicLink() === true) return `${LINK}${await readlink(place)}`;
  return found?.isFile() === true ? digestOf(await readFile(place)) : null;
}

const NEW_PROGRAM = /^(.*) new ([0-9a-f]{64})$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** Observations without digests: compiled modules and programs that a layer has are not changed, and others are. */
export async function comparedWithLayers(
  { native = new Map(), program = new Map(), ...observed }: Observations,
  environment: EnvironmentView,
): Promise<Observations> {
  const [modules, programs] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()];
  for (const [path, values] of native) {
    const isOwn = (digest: string) => DIGEST.test(digest) && isOfLayer(path, digest, environment);
    const own = await Promise.all([...values].map(isOwn));
    if (own.includes(false)) modules.set(path, new Set(['loaded']));
  }
  for (const [name, values] of program) {
    const places = [...values].map((value) => placeOf(name, value, environment));
    programs.set(name, new Set(await Promise.all(places)));
  }
  return {
    ...observed,
    ...(modules.size > 0 && { native: modules }),
    ...(programs.size > 0 && { program: programs }),
  };
}

async function placeOf(name: string, value: string, environment: EnvironmentView): Promise<string> {
  const [, place, digest] = NEW_PROGRAM.exec(value) ?? [];
  if (place === undefined || digest === undefined) return value;
  return (await isOfLayer(`${place}/${name}`, digest, environment)) ? place : `${place} new`;
}
