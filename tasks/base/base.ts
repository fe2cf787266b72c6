/**
 * The root that an environment is built on, by content: the digest of an image, or of the packages of a Debian
 * release. It is in keys in place of the identity of the machine's own system, so that all machines get the same
 * keys.
 */
import { resolve } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import type { HostServices, SourceServices } from '../../contract/machine.ts';
import type { QuestionKind } from '../../contract/question.ts';
import { ISOLATIONS } from '../../executors/deployment.ts';
import type { DeploymentConfig } from '../../schemas/generated/project.ts';
import { type Attempt, type Infra, infra, isFault } from '../../schemas/outcome.ts';
import { readImage } from '../images/image-file.ts';
import { type ImageName, imageText, parseImage } from '../images/image-name.ts';
import { Registry } from '../images/registry.ts';
import { sourceDepsOf } from '../source/instance-source.ts';
import { releaseDigest } from './debian.ts';
import { parseBase } from './spec.ts';

export interface Base {
  /** As `base` says it, or the image that a row names. */
  name: string;
  /** `sha256:…` of an image's manifest or configuration, or of a release's list of packages. */
  digest: string;
}

/** When a registry is asked for what a tag means, and for layers. */
export type Pull = NonNullable<DeploymentConfig['pull']>;

/** A tag is looked up again when a day has passed. */
const LOOK_AGAIN_MS = 86_400_000;

/** null: the machine's own system. */
export type BaseAnswer = Base | { missing: string } | null;

/**
 * What environments of a deployment are built on; `image` is the one that the rows name.
 */
export const BASE: QuestionKind<{ deployment: string; image: string | null }, BaseAnswer> = {
  name: 'base',
  changes: false,
  async answer({ deployment, image }, services) {
    const { base, pull } = services.config.deployments[deployment]!;
    const spec = parseBase(base)!;
    if (spec.kind === 'host') return success(null);
    const identity = await services.deploymentIdentity(deployment);
    if (!identity.ok) return identity;
    if (identity.value.isolation !== ISOLATIONS.at(-1))
      return fault(
        infra('tool-missing', `deployment ${deployment}: base ${base} needs namespaces; swemake doctor`),
      );
    const found = await resolveBase(base, image, services, pull);
    if (found.ok) return success({ ...found.value });
    if (isFault(found.fault) || !('detail' in found.fault)) return found;
    // A row's image may be pushed tomorrow, so that this is an answer to the question, which is asked each time.
    if (spec.kind === 'row') return success({ missing: found.fault.detail });
    return fault(infra('source-fetch', `base ${base}: ${found.fault.detail}`));
  },
};

/** Whether the registry has no image of the name that a row gives; `missing` is what it says. */
export function isMissing(answer: BaseAnswer): answer is { missing: string } {
  return answer !== null && 'missing' in answer;
}

async function resolveBase(
  text: string,
  image: string | null,
  services: HostServices,
  pull: Pull,
): Attempt<Base> {
  const spec = parseBase(text)!;
  switch (spec.kind) {
    case 'row':
      if (image === null)
        return fault(
          infra('source-fetch', 'its rows name no image; write base: image:NAME, or debian:RELEASE'),
        );
      return resolveTag(parseImage(image)!, services, pull);
    case 'registry':
      return resolveTag(spec.image, services, pull);
    case 'file': {
      const found = await readImage(resolve(services.projectFolder, spec.path));
      return found.ok
        ? success({ name: text, digest: found.value.id })
        : fault(infra('source-fetch', `base ${text}: ${found.fault}`));
    }
    case 'debian': {
      const found = await remembered(text, services, 'missing', () => releaseDigest(spec.release, services));
      return found.ok ? success({ name: text, digest: found.value }) : found;
    }
    default:
      throw new Error(`base ${text} is not to be resolved`);
  }
}

/** What a name of a registry's image means now. */
export async function resolveTag(
  image: ImageName,
  services: SourceServices,
  pull: Pull = 'missing',
): Attempt<Base> {
  const name = imageText(image)!;
  const look = () => new Registry(sourceDepsOf(services)).digest(image);
  // A name with a digest means the same everywhere.
  const asked = image.digest === null ? pull : 'missing';
  const found = await remembered(name, services, asked, look);
  return found.ok ? success({ name: `image:${name}`, digest: found.value }) : found;
}

interface BaseRecord {
  digest: string;
  /** Milliseconds. */
  at: number;
  /** What it was before it moved. */
  before?: string;
}

/** What a name means: by the lock file, else by the last look-up if it is recent, else by asking. */
async function remembered<F>(
  name: string,
  { cache, pins }: SourceServices,
  pull: Pull,
  look: () => Promise<Result<string, F>>,
): Promise<Result<string, F | Infra>> {
  const locked = pins?.images?.[name];
  const known = recordAs(cache.database.memos.get(memoOf(name)));
  if (locked !== undefined) {
    // No registry was asked, so without the lock it is looked up at once.
    if (known?.digest !== locked) await note(name, { digest: locked, at: 0 }, known, cache);
    return success(locked);
  }
  if (pull === 'never')
    return known === null
      ? fault(
          infra(
            'source-fetch',
            `${name} was never looked up here, and with pull: never no registry is asked`,
          ),
        )
      : success(known.digest);
  if (pull === 'missing' && known !== null && Date.now() - known.at < LOOK_AGAIN_MS)
    return success(known.digest);
  const found = await look();
  // If no registry answers, the known meaning is used, unless the newest one is required.
  if (!found.ok) return known === null || pull === 'always' ? found : success(known.digest);
  await note(name, { digest: found.value, at: Date.now() }, known, cache);
  return found;
}

/** Remembers what a name means, and what it meant before it moved. */
async function note(
  name: string,
  now: BaseRecord,
  known: BaseRecord | null,
  cache: SourceServices['cache'],
): Promise<void> {
  const before = known === null || known.digest === now.digest ? known?.before : known.digest;
  await cache.database.memos.put(memoOf(name), { ...now, ...(before === undefined ? {} : { before }) });
}

/** What a name meant before it moved; null when it did not. */
export function movedFrom({ name }: Base, { cache }: HostServices): string | null {
  const bare = name.replace(/^image:/, '');
  return recordAs(cache.database.memos.get(memoOf(bare)))?.before ?? null;
}

function recordAs(value: unknown): BaseRecord | null {
  return typeof value === 'object' && value !== null ? (value as BaseRecord) : null;
}

function memoOf(name: string): string {
  return `base ${name}`;
}
