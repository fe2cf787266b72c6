/**
 * Fetches answers from the remote store into the local cache. An answer is published once everything that it names is
 * here and checked, so the local cache never depends on the remote store. Contents that the host has are not
 * requested.
 */
import { mkdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ActionKey, Digest } from '../../basics/digest.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import type { ManifestItem, Output } from '../../schemas/record.ts';
import type { Blob } from '../blobs.ts';
import { type Cache, isPresent, lookUp, publish } from '../cache.ts';
import { chunkRoot, collectionRoot } from '../collection-root.ts';
import { binaryKey } from '../database.ts';
import { temporaryPath } from '../folder.ts';
import { itemLists } from '../inventory.ts';
import { type LayerEntry, layerDigest, parseManifest } from '../layer-manifest.ts';
import { poolHas } from '../layer-store.ts';
import { parsePieces } from '../pieces.ts';
import { parseLists, readItems, readList } from '../stage-manifest.ts';
import { keepTrace, type Question, traceEnd } from '../traces.ts';
import type { RemoteClient } from './client.ts';
import { type Bundle, type ItemEntry, judgeEntry, openItem, openStage, type StageEntry } from './entry.ts';
import { groupFiles, isSoundTree, type Pack, type PackedFile, parseShipment } from './packs.ts';
import type { SentMarks } from './sent.ts';
import type { Trust, Untrusted } from './signature.ts';

/** Bytes of one entry. */
const MAX_ENTRY = 16 * 1024 ** 2;
/** Bytes of a bundle's entries. */
const MAX_BUNDLE = 512 * 1024 ** 2;
/** Answers and files worked on at once; the client bounds the requests. */
const AT_ONCE = 32;
/** Up to so many missing answers are asked for one by one. */
const FEW = 16;

const unzip = promisify(gunzip);

export class Downloads {
  taken = 0;
  /** Adopted answers among them. */
  readonly adopted: [address: string, key: ActionKey][] = [];
  /** Entries that were not taken since their writer is not trusted, by key. */
  readonly untrusted = new Map<ActionKey, Untrusted>();
  readonly #cache: Cache;
  readonly #client: RemoteClient;
  readonly #sent: SentMarks;
  readonly #trust: Trust | null;
  /** What is being brought, by what it is. */
  readonly #underWay = new Map<string, Promise<boolean>>();

  /** `trust`: the writers whose entries are taken; null: everybody's. */
  constructor(cache: Cache, client: RemoteClient, sent: SentMarks, trust: Trust | null) {
    this.#cache = cache;
    this.#client = client;
    this.#sent = sent;
    this.#trust = trust;
  }

  async item(key: ActionKey, address: string): Promise<boolean> {
    const bytes = await this.#client.getAnswer(key, MAX_ENTRY);
    if (bytes === null) return false;
    const entry = openItem(bytes, key);
    if (entry === null) this.#client.bad(`the answer ${key.slice(0, 12)} is damaged, or has another format`);
    return entry !== null && this.#isTrusted(bytes, key) && this.#take(entry, address);
  }

  async stage(
    base: ActionKey,
    ask: (question: Question) => Promise<Digest | null>,
    addressOf: (item: string) => string,
  ): Promise<boolean> {
    const bytes = await this.#client.getAnswer(base, MAX_ENTRY);
    if (bytes === null) return false;
    const entry = openStage(bytes, base);
    if (entry === null) {
      this.#client.bad(`the finished stage ${base.slice(0, 12)} is damaged, or has another format`);
      return false;
    }
    if (!this.#isTrusted(bytes, base)) return false;
    for (const asked of entry.record.trace) if ((await ask(asked)) !== asked.answer) return false;
    const items = await this.#items(entry);
    if (items === null || !(await this.#answers(items, entry.bundles, addressOf))) return false;
    const { blobs, database } = this.#cache;
    await blobs.settled();
    const { manifest } = entry.record;
    blobs.refuseLost([manifest, ...itemLists(this.#cache, manifest.digest)]);
    const key = traceEnd(base, entry.record.trace);
    await keepTrace(database, base, entry.record.trace);
    await database.stages.put(binaryKey(key), entry.record);
    await this.#sent.note('stage', key, {});
    return true;
  }

  #isTrusted(bytes: Uint8Array, key: ActionKey): boolean {
    const judgement = judgeEntry(bytes, this.#trust);
    if (judgement === 'trusted') return true;
    this.untrusted.set(key, judgement);
    return false;
  }

  /** The items of a finished stage, whose root and counts must be those that it says. */
  async #items({ record }: StageEntry): Promise<ManifestItem[] | null> {
    const { blobs } = this.#cache;
    if (!(await this.#blob(record.manifest))) return null;
    const lists = parseLists(blobs.read(record.manifest.digest)?.toString('utf8') ?? '');
    const there = await mapLimit(lists, AT_ONCE, (list) => this.#blob(list));
    if (there.includes(false)) return null;
    const items = readItems(blobs, record.manifest.digest);
    if (items === null || items.length !== record.items || items.length === 0) return null;
    const parts = lists.length === 0 ? [items] : lists.map(({ digest }) => readList(blobs, digest) ?? []);
    const counts = new Map<string, number>();
    for (const { outcome } of items) counts.set(outcome.status, (counts.get(outcome.status) ?? 0) + 1);
    const isAsSaid =
      collectionRoot(parts.map(chunkRoot)) === record.root &&
      Object.entries(record.counts).every(([status, count]) => (counts.get(status) ?? 0) === count);
    if (!isAsSaid) this.#client.bad('a finished stage whose list of items is another one');
    return isAsSaid ? items : null;
  }

  /** All answers of the list are here then. Another answer that lies here already is kept, and the stage is not taken. */
  async #answers(
    items: readonly ManifestItem[],
    bundles: readonly Bundle[],
    addressOf: (item: string) => string,
  ): Promise<boolean> {
    const missing = new Map<ActionKey, ManifestItem>();
    for (const item of items) {
      const here = lookUp(this.#cache, item.key);
      if (here === null) missing.set(item.key, item);
      else if (here.digest !== item.digest) return false;
    }
    if (missing.size <= FEW) {
      const brought = await mapLimit([...missing.values()], AT_ONCE, ({ key, name }) =>
        this.item(key, addressOf(name)),
      );
      return !brought.includes(false) && this.#agree(missing);
    }
    let first = 0;
    const wanted = bundles.filter(({ items: count }) => {
      const inside = items.slice(first, first + count);
      first += count;
      return inside.some(({ key }) => missing.has(key));
    });
    const brought = await mapLimit(wanted, 4, (bundle) => this.#bundle(bundle, missing, addressOf));
    return !brought.includes(false) && this.#agree(missing);
  }

  #agree(items: ReadonlyMap<ActionKey, ManifestItem>): boolean {
    return [...items.values()].every(({ key, digest }) => lookUp(this.#cache, key)?.digest === digest);
  }

  async #bundle(
    bundle: Bundle,
    missing: ReadonlyMap<ActionKey, ManifestItem>,
    addressOf: (item: string) => string,
  ): Promise<boolean> {
    const bytes = await this.#client.getContent(bundle);
    if (bytes === null) return false;
    // One that is damaged, or is too large, is a miss.
    const text = await unzip(bytes, { maxOutputLength: MAX_BUNDLE }).catch(() => null);
    if (text === null) return false;
    const entries = splitBundle(text).flatMap((part) => {
      const entry = openItem(part);
      return entry !== null && this.#isTrusted(part, entry.key) ? [entry] : [];
    });
    const wanted = entries.filter(({ key, record }) => missing.get(key)?.digest === record.digest);
    const taken = await mapLimit(wanted, AT_ONCE, (entry) =>
      this.#take(entry, addressOf(missing.get(entry.key)!.name)),
    );
    return !taken.includes(false);
  }

  async #take({ key, preimage, record, layers }: ItemEntry, address: string): Promise<boolean> {
    const outputs = Object.values(record.outputs);
    const brought = await mapLimit(outputs, AT_ONCE, (output) => this.#output(output, layers));
    if (brought.includes(false)) return false;
    // A missing log is no reason to run the item again.
    const notes = await mapLimit(Object.entries(record.notes), AT_ONCE, async ([name, note]) =>
      (await this.#output(note, layers)) ? [[name, note] as const] : [],
    );
    const kept = { ...record, notes: Object.fromEntries(notes.flat()), remote: true as const };
    // An answer of somebody else is good whatever happened to this process.
    await publish({ ...this.#cache, remote: null }, address, key, preimage, kept, null);
    await this.#sent.note('item', key, layers);
    this.taken += 1;
    if (record.adopted === true) this.adopted.push([address, key]);
    return true;
  }

  async #output(output: Output, layers: Record<Digest, Blob>): Promise<boolean> {
    switch (output.kind) {
      case 'inline':
        return true;
      case 'blob':
        return this.#blob(output);
      case 'pieces': {
        if (!(await this.#blob(output))) return false;
        const list = parsePieces(this.#cache.blobs.read(output.digest)?.toString('utf8') ?? '');
        const there = await mapLimit(list, AT_ONCE, (piece) => this.#blob(piece));
        return !there.includes(false) && isPresent(this.#cache, output);
      }
      case 'layer': {
        const shipment = layers[output.digest];
        if (isPresent(this.#cache, output)) return true;
        if (shipment === undefined) return false;
        return this.#once(`layer ${output.digest}`, () => this.#layer(output.digest, shipment));
      }
    }
  }

  async #blob({ digest, size }: Blob): Promise<boolean> {
    if (this.#cache.blobs.keep({ digest, size })) return true;
    return this.#once(`blob ${digest}`, async () => {
      const bytes = await this.#client.getContent({ digest, size });
      if (bytes !== null) this.#cache.blobs.write(bytes);
      return bytes !== null;
    });
  }

  async #layer(layer: Digest, shipment: Blob): Promise<boolean> {
    const { client, cache } = { client: this.#client, cache: this.#cache };
    const text = (await client.getContent(shipment))?.toString('utf8');
    if (text === undefined) return false;
    const { manifest, packs } = parseShipment(text);
    const known = await cache.layers.entries(layer);
    const entries = known ?? parseManifest((await client.getContent(manifest))?.toString('utf8') ?? '');
    if (layerDigest(entries) !== layer || !isSoundTree(entries)) {
      client.bad(`the layer ${layer.slice(0, 12)} is another one`);
      return false;
    }
    if (!(await this.#files(entries, packs))) return false;
    return (await cache.layers.compose(entries)) !== null;
  }

  /** Fills the pool with the files that it lacks. */
  async #files(entries: LayerEntry[], packs: readonly Pack[]): Promise<boolean> {
    const packed = new Set(packs.flatMap(({ files }) => files.map(nameOf)));
    const { groups, single } = groupFiles(entries);
    const alone = [...groups.flat(), ...single].filter((file) => !packed.has(nameOf(file)));
    const lacking = (file: PackedFile) =>
      !poolHas(this.#cache.folder, [{ type: 'file', path: '', ...contentOf(file) }]);
    const inPacks = await mapLimit(packs, AT_ONCE, async (pack) =>
      pack.files.some(lacking) ? this.#once(`pack ${pack.digest}`, () => this.#unpack(pack)) : true,
    );
    if (inPacks.includes(false)) return false;
    const ones = await mapLimit(alone.filter(lacking), AT_ONCE, (file) =>
      this.#once(`file ${nameOf(file)}`, () =>
        this.#unpack({ ...contentOf(file), files: [contentOf(file)] }),
      ),
    );
    return !ones.includes(false);
  }

  /** Its files get their names in the pool from their contents, so a wrong one is never used. */
  async #unpack(pack: Pack): Promise<boolean> {
    const bytes = await this.#client.getContent(pack);
    if (bytes === null) return false;
    const folder = temporaryPath(this.#cache.folder);
    mkdirSync(folder);
    try {
      let start = 0;
      for (const [index, { size, executable }] of pack.files.entries()) {
        const mode = executable ? 0o755 : 0o644;
        await writeFile(join(folder, String(index)), bytes.subarray(start, start + size), { mode });
        start += size;
      }
      await this.#cache.layers.take(folder);
      return true;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Other requests for the same wait for it. Errors on the way, except a full disk, are misses. */
  #once(name: string, bring: () => Promise<boolean>): Promise<boolean> {
    const known = this.#underWay.get(name);
    if (known !== undefined) return known;
    const bringing = bring().finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, bringing);
    return bringing;
  }
}

/** Entries of a bundle: each two lines, its checksum and its text. */
function splitBundle(text: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < text.length; ) {
    const middle = text.indexOf(10, start);
    const end = middle < 0 ? -1 : text.indexOf(10, middle + 1);
    if (end < 0) break;
    parts.push(text.subarray(start, end));
    start = end + 1;
  }
  return parts;
}

function contentOf({ digest, size, executable }: PackedFile): PackedFile {
  return { digest, size, executable };
}

function nameOf({ digest, executable }: PackedFile): string {
  return `${digest}${executable ? 'x' : ''}`;
}
