/** What `base` of a deployment says: the machine's own system, or which root takes its place. */
import { type ImageName, parseImage } from '../images/image-name.ts';

export type BaseSpec =
  | { kind: 'host' }
  /** The image that each row names. */
  | { kind: 'row' }
  /** An OCI layout, or what `docker save` writes; relative to the project file. */
  | { kind: 'file'; path: string }
  | { kind: 'registry'; image: ImageName }
  | { kind: 'debian'; release: string };

/** Null for what is none. */
export function parseBase(text: string): BaseSpec | null {
  if (text === 'host') return { kind: 'host' };
  if (text === 'image') return { kind: 'row' };
  const [, kind, rest] = /^(image|debian):(\S+)$/.exec(text) ?? [];
  if (rest === undefined) return null;
  if (kind === 'debian') return /^[a-z][a-z-]*$/.test(rest) ? { kind: 'debian', release: rest } : null;
  if (/^\.{0,2}\//.test(rest)) return { kind: 'file', path: rest };
  const image = parseImage(rest);
  return image === null ? null : { kind: 'registry', image };
}
