/**
 * Where archives are unpacked to. The content of an archive is not trusted: names may not lead out of the folder, and links
 * are made after all files, so that no file is ever written through a link.
 */
import { closeSync, copyFileSync, lstatSync, mkdirSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAll } from './write-all.ts';

/** An archive that is damaged or hostile; its text is for the user. */
export class BadArchive extends Error {}

const MAX_BYTES = 16 * 2 ** 30;
const MAX_ENTRIES = 2_000_000;

export class UnpackTarget {
  readonly warnings: string[] = [];
  private readonly links: { path: string; target: string }[] = [];
  private readonly open = new Set<number>();
  private bytes = 0;
  private entries = 0;
  private readonly root: string;
  private readonly most: number;

  /** `root` must be a new, empty folder; `most`: bytes that all files together may have. */
  constructor(root: string, most = MAX_BYTES) {
    this.root = root;
    this.most = most;
  }

  folder(name: string): void {
    mkdirSync(this.place(name), { recursive: true });
  }

  /** Opens a file for writing; of the mode only the owner's x bit is kept. A later file replaces an earlier one. */
  file(name: string, mode: number): { write(bytes: Uint8Array): void; close(): void } {
    const path = this.place(name);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    const descriptor = openSync(path, 'wx', mode & 0o100 ? 0o755 : 0o644);
    this.open.add(descriptor);
    return {
      write: (bytes) => {
        this.count(bytes.length);
        writeAll(descriptor, bytes);
      },
      close: () => {
        this.open.delete(descriptor);
        closeSync(descriptor);
      },
    };
  }

  /** Closes files that an archive did not fill to their ends. */
  close(): void {
    for (const descriptor of this.open) closeSync(descriptor);
    this.open.clear();
  }

  /** Remembers a symbolic link. */
  link(name: string, target: string): void {
    this.links.push({ path: this.place(name), target });
  }

  /** A hard link becomes a copy of the file, which must have come before. */
  hardLink(name: string, target: string): void {
    const from = this.place(target);
    const path = this.place(name);
    const found = lstatSync(from, { throwIfNoEntry: false });
    if (!found?.isFile()) {
      throw new BadArchive(`"${name}" is a hard link to "${target}", which is not a file of the archive`);
    }
    if (from === path) return;
    this.count(found.size);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    copyFileSync(from, path);
  }

  skip(name: string, what: string): void {
    this.warnings.push(`left out ${name}: ${what}`);
  }

  /** Makes the links. One whose place a file or folder has taken is dropped. */
  finish(): void {
    const last = new Map(this.links.map((link) => [link.path, link.target]));
    for (const [path, target] of last) {
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(target, path);
    }
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.most) throw new BadArchive(`it unpacks to more than ${this.most} bytes`);
  }

  private place(name: string): string {
    if (++this.entries > MAX_ENTRIES) throw new BadArchive(`it has more than ${MAX_ENTRIES} entries`);
    const parts = name.split('/').filter((part) => part !== '' && part !== '.');
    if (name.startsWith('/') || parts.includes('..') || name.includes('\0')) {
      throw new BadArchive(`it holds a path that leads out of it, "${name}"`);
    }
    return join(this.root, ...parts);
  }
}
