/** How stages obey a lock file. */

import type { DatasetConfig } from '../contract/config.ts';
import type { DatasetPins, Pins } from '../contract/pins.ts';
import { imageText, parseImage } from './images/image-name.ts';
import { isCommit, parseSpec } from './source/spec.ts';

/** A dataset's configuration with its revision pinned, unless the project asks for another one by now. */
export function pinnedConfig(config: DatasetConfig, pins: DatasetPins | undefined): DatasetConfig {
  const same = pins?.source === config.source && pins.revision === (config.revision ?? null);
  return same && pins.commit !== null ? { ...config, revision: pins.commit } : config;
}

/** OWNER/NAME and OWNER/NAME@REVISION, as the hub's models are called. */
const HUB_MODEL = /^([A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*)(?:@(.+))?$/;

/** The model of the hub that an identity names; null: it is a digest, or a name of the project's own. */
export function hubModelOf(identity: string): { id: string; revision: string | undefined } | null {
  const [, id, revision] = HUB_MODEL.exec(identity) ?? [];
  return id === undefined ? null : { id, revision };
}

/** Whether a revision is a commit or a digest, also a shortened one, and no branch or tag. */
export function isFixed(revision: string): boolean {
  return /^(?:[\w-]+:)?[0-9a-f]{7,64}$/.test(revision);
}

/** What a lock calls a model of the hub. */
export function modelName({ id, revision }: { id: string; revision?: string | undefined }): string {
  return `${id}@${revision ?? 'main'}`;
}

/** The revision of a model of the hub: the locked commit, else as the project says it. */
export function pinnedRevision(
  model: { id: string; revision?: string | undefined },
  pins: Pick<Pins, 'models'> | undefined,
): string | undefined {
  return pins?.models?.[modelName(model)] ?? model.revision;
}

/** A container image by the digest that is locked, else by its name. */
export function pinnedImage(name: string, pins: Pick<Pins, 'images'> | undefined): string {
  const image = parseImage(name);
  const text = imageText(image);
  const digest = text === null ? undefined : pins?.images?.[text];
  return digest === undefined || image?.digest !== null ? name : `${name}@${digest}`;
}

/** True for a source that says itself what it must be. */
export function isSelfPinned(spec: string): boolean {
  const parsed = parseSpec(spec);
  if (!parsed.ok) return false;
  const { value } = parsed;
  return (value.kind === 'git' && isCommit(value.ref)) || (value.kind === 'archive' && value.sha256 !== null);
}

const PACKAGING = new Set(['pip', 'setuptools', 'wheel', 'distribute']);

/** Lines of a constraints file from the output of `pip freeze`; tools that build packages are left to those packages. */
export function constraints(packages: readonly string[]): string {
  const lines = packages.filter((line) => {
    const name = /^([A-Za-z0-9][\w.-]*)==/.exec(line)?.[1];
    return name !== undefined && !PACKAGING.has(name.toLowerCase());
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** What uv says of the environment that it lists. Lists that were kept or locked before have it, with or without a line's end. */
const UV_NOTE = /^Using Python \S+ environment at: \/opt\/env/;

/** The lines of `pip freeze`, sorted. */
export function packageLines(freeze: string): string[] {
  return freeze
    .split('\n')
    .map((line) => line.replace(UV_NOTE, ''))
    .filter((line) => line.trim() !== '')
    .sort();
}
