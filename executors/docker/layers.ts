/** Layers as an engine takes them: each packed once, and known from then on by the digest of its archive. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { hasSucceeded, runProgram } from '../../basics/program.ts';
import { readableText } from '../../basics/readable.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { findPython } from '../sandbox/python.ts';

/** An entry that swemake adds. Paths have no slash in front. */
export type OwnEntry =
  | { path: string; kind: 'folder'; mode?: number; opaque?: boolean }
  | { path: string; kind: 'link'; target: string }
  | { path: string; kind: 'file'; text: string };

export interface LayerSource {
  /** Host folder that never changes; null: only swemake's own entries. */
  folder: string | null;
  /** Its files keep their owners; else all belong to root. */
  keepsOwners: boolean;
  entries: readonly OwnEntry[];
}

/** A packed layer; its file exists until drop() is called. */
export interface Packed {
  diffId: string;
  size: number;
  file: string;
}

/** Bump when the same layer is packed to other bytes. */
const VERSION = 1;
const ENOSPC = 28;
/** Seconds. */
const TIMEOUT = 3600;

export class LayerPacker {
  #count = 0;

  /** `notes`: folder that stores digests. `scratch`: folder for archives while they are sent. */
  constructor(
    private readonly notes: string,
    private readonly scratch: string,
  ) {
    mkdirSync(notes, { recursive: true });
  }

  /** What the layer's archive was when it was packed last; null when that is not known. */
  known(source: LayerSource): string | null {
    const text = readableText(this.#note(source)).trim();
    return /^sha256:[0-9a-f]{64}$/.test(text) ? text : null;
  }

  async pack(source: LayerSource): Promise<Result<Packed, Infra>> {
    const python = findPython();
    if (python === null)
      return fault(infra('tool-missing', 'layers are packed by python3, which is not here'));
    mkdirSync(this.scratch, { recursive: true });
    this.#count += 1;
    const file = join(this.scratch, `layer-${this.#count}.tar`);
    const request = {
      into: file,
      folder: source.folder,
      owners: source.keepsOwners,
      entries: source.entries,
    };
    const script = join(packageRoot(), 'executors/docker/layer_tar.py');
    const argv = [python, '-ISEB', script, JSON.stringify(request)];
    const end = await runProgram({ argv, env: { LANG: 'C.UTF-8' }, timeout: TIMEOUT });
    if (!hasSucceeded(end)) {
      this.drop(file);
      return fault(infra('engine', `packing a layer: it failed: ${end.kind}`));
    }
    const packed = JSON.parse(end.stdout) as
      | { diffId: string; size: number }
      | { fault: string; code: number };
    if ('fault' in packed) {
      this.drop(file);
      return fault(
        infra(packed.code === ENOSPC ? 'disk-full' : 'engine', `packing a layer: ${packed.fault}`),
      );
    }
    this.#remember(source, packed.diffId);
    return success({ ...packed, file });
  }

  drop(file: string): void {
    rmSync(file, { force: true });
  }

  #remember(source: LayerSource, diffId: string): void {
    const note = this.#note(source);
    const temporary = `${note}.${process.pid}-${this.#count}`;
    writeFileSync(temporary, diffId);
    renameSync(temporary, note);
  }

  /** A folder that was made again under the same name is a different folder. */
  #note({ folder, keepsOwners, entries }: LayerSource): string {
    const found = folder === null ? null : lstatSync(folder);
    const what = [
      ...[VERSION, folder, keepsOwners, entries],
      found === null ? null : [found.dev, found.ino, found.ctimeMs],
    ];
    return join(this.notes, createHash('sha256').update(JSON.stringify(what)).digest('hex'));
  }
}
