/** The files that an environment's layers show, as one list. A first state replaces some of them. */
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { digestOf } from '../../basics/digest.ts';
import { type LayerEntry, parseManifest } from '../../cache/layer-manifest.ts';

/** An entry of a layer, and where the host has it. Paths have no slash in front. */
export type LowerEntry = LayerEntry & { host: string };

export class LowerFiles {
  /** In the order of paths. */
  readonly entries: readonly LowerEntry[];
  readonly #byPath: Map<string, LowerEntry>;
  #archives: readonly LowerEntry[] | null = null;

  /** `base`: layers of a root of its own, below the others; its repository is not shown. */
  constructor(layers: readonly string[], base: readonly string[] = []) {
    const all = new Map<string, LowerEntry>();
    for (const layer of base) {
      for (const path of hiddenBy(layer))
        for (const name of [...all.keys()]) if (isAt(name, path)) all.delete(name);
      lay(layer, all);
    }
    for (const name of [...all.keys()]) if (isAt(name, REPOSITORY)) all.delete(name);
    for (const layer of layers) lay(layer, all);
    this.entries = [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    this.#byPath = new Map(this.entries.map((entry) => [entry.path, entry]));
  }

  get(path: string): LowerEntry | undefined {
    return this.#byPath.get(path);
  }

  /** Entries below a folder, and the folder. */
  below(folder: string): LowerEntry[] {
    return this.entries.filter(({ path }) => path === folder || path.startsWith(`${folder}/`));
  }

  /** Files that may hold other files, by their first bytes. */
  archives(): readonly LowerEntry[] {
    this.#archives ??= this.entries.filter(
      (entry) =>
        entry.type === 'file' &&
        entry.size > 21 &&
        !PLAIN.test(entry.path) &&
        mayHoldFiles(entry.path, headOf(entry.host)),
    );
    return this.#archives;
  }
}

const PLAIN =
  /\.(?:py|pyi|pyc|pyx|pxd|so|h|hpp|c|cc|cpp|txt|md|rst|html|css|js|json|po|mo|exe|typed)$|\.(?:dist|egg)-info\//;
const NAMED = /\.(?:zip|egg|whl|jar|pyz|pex|tar|tgz|tbz2?|txz|gz|bz2|xz)$/i;
const STARTS = ['PK\x03\x04', '\x1f\x8b', 'BZh', '\xfd7zXZ', '# v2 git bundle', '# v3 git bundle'];
const TAR_AT = 257;

export function mayHoldFiles(path: string, head: Buffer): boolean {
  const start = head.toString('latin1', 0, 16);
  return (
    NAMED.test(path) ||
    STARTS.some((one) => start.startsWith(one)) ||
    head.toString('latin1', TAR_AT, TAR_AT + 5) === 'ustar'
  );
}

/** The first bytes of a file. */
export function headOf(host: string, length = TAR_AT + 5): Buffer {
  const file = openSync(host, 'r');
  try {
    const head = Buffer.alloc(length);
    return head.subarray(0, readSync(file, head, 0, length, 0));
  } finally {
    closeSync(file);
  }
}

function lay(layer: string, all: Map<string, LowerEntry>): void {
  for (const entry of entriesOf(layer)) {
    const below = all.get(entry.path);
    if (entry.type !== 'folder' || below?.type !== 'folder')
      all.set(entry.path, { ...entry, host: join(layer, entry.path) });
  }
}

function isAt(name: string, path: string): boolean {
  return name === path || name.startsWith(`${path}/`);
}

const REPOSITORY = 'testbed';
/** Lines of a layer of an image that say what it hides: a path, or all that was in a folder. */
const HIDES = /^\["[wo]",/;

/** What a layer of an image hides of those below it. */
function hiddenBy(layer: string): string[] {
  const lines = manifestOf(layer)?.split('\n') ?? [];
  return lines.filter((line) => HIDES.test(line)).map((line) => (JSON.parse(line) as [string, string])[1]);
}

/** By the layer's manifest, which lies beside its tree; a folder that is no layer is read. */
function entriesOf(layer: string): LayerEntry[] {
  const text = manifestOf(layer);
  if (text === null) return walk(layer, '');
  return parseManifest(
    text
      .split('\n')
      .filter((line) => !HIDES.test(line))
      .join('\n'),
  );
}

function manifestOf(layer: string): string | null {
  try {
    return readFileSync(`${layer}.manifest`, 'utf8');
  } catch (error) {
    return whenAbsent(null)(error);
  }
}

function walk(root: string, folder: string): LayerEntry[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry): LayerEntry[] => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const host = join(root, path);
    if (entry.isDirectory()) return [{ type: 'folder', path }, ...walk(root, path)];
    if (entry.isSymbolicLink()) return [{ type: 'link', path, target: readlinkSync(host) }];
    if (!entry.isFile()) return [];
    const { size, mode } = lstatSync(host);
    const digest = digestOf(readFileSync(host));
    return [{ type: 'file', path, digest, executable: (mode & 0o111) !== 0, size }];
  });
}
