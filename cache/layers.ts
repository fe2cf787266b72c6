/**
 * Layers are read-only folder trees, named by a digest over path, type, mode and content. Their files live in
 * one pool, keyed by digest and executable bit, and every tree hardlinks to it, so a file that a hundred
 * environments share is stored once.
 */
import type { Digest } from '../basics/digest.ts';
import type { LayerEntry } from './layer-manifest.ts';

/** Every file in a layer has this mtime (seconds), so that equal trees look equal to git and to overlayfs. */
export const LAYER_MTIME = 1_000_000_000;

export interface Layer {
  digest: Digest;
  files: number;
  bytes: number;
}

export interface LayerStore {
  /** Takes over the content of `folder` (which is emptied or removed) and returns the layer that it became. */
  add(folder: string): Promise<Layer>;
  /**
   * Takes the files of `folder` into the pool, as `add` does, and makes no layer of them yet. Files and folders
   * whose names are not UTF-8 are left out; `leftOut` is called with each of these.
   */
  take(folder: string, leftOut?: (path: string) => void): Promise<LayerEntry[]>;
  /** The layer of these entries, whose files are in the pool; null when one is not. */
  compose(entries: readonly LayerEntry[]): Promise<Layer | null>;
  /** What is in a layer; null when it is not known. */
  entries(digest: Digest): Promise<LayerEntry[] | null>;
  /** Absolute path of the layer's tree, made again from the pool if it is gone; null when it is not known. */
  open(digest: Digest): Promise<string | null>;
}
