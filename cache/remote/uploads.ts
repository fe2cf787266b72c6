/**
 * Writes answers to the remote store in the background. What an answer names is written first and the answer last, so
 * a killed writer leaves nothing that can be found. What was written is remembered for a day. What was not written is
 * written by a later run that uses the answer.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type ActionKey, type Digest, digestOf } from '../../basics/digest.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import { sleepUnless } from '../../basics/sleep.ts';
import { isCacheable } from '../../schemas/outcome.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import type { Blob } from '../blobs.ts';
import type { Cache } from '../cache.ts';
import { binaryKey } from '../database.ts';
import { manifestText } from '../layer-manifest.ts';
import { blobsOfOutput } from '../pieces.ts';
import { parseLists, readItems } from '../stage-manifest.ts';
import type { RemoteClient } from './client.ts';
import { type Bundle, sealItem, sealStage } from './entry.ts';
import { groupFiles, type LayerFile, type Pack, shipmentText } from './packs.ts';
import type { Sending } from './remote.ts';
import type { SentKind, SentMarks } from './sent.ts';
import type { Signer } from './signature.ts';

/** Offers that may wait; more are left to a later run. */
const MAX_WAITING = 200_000;
/** Answers, and contents of one answer, worked on at once. */
const AT_ONCE = 4;
/** Contents up to this size are written without asking whether they are there, bytes. */
const SMALL = 8 * 1024;
/** Milliseconds for which the end of a run waits to know whether the store was emptied. */
const LOOK = 2000;
/** Answers in a bundle. */
const BUNDLED = 256;

const zip = promisify(gzip);

interface Upload {
  kind: SentKind;
  key: ActionKey;
  isNew: boolean;
}

export interface UploadOptions {
  /** True for bytes that hold a secret's value. */
  holdsSecret(bytes: Uint8Array): boolean;
  /** Signs what this host writes; absent or null: nothing is signed. */
  signer?: Signer | null;
}

export class Uploads {
  given = 0;
  /** Answers that were to be written and are not. */
  left = 0;
  /** Answers that stay here because they hold a secret. */
  withheld = 0;
  readonly #cache: Cache;
  readonly #client: RemoteClient;
  readonly #options: UploadOptions;
  readonly #waiting: Upload[] = [];
  readonly #known = new Set<string>();
  readonly #workers = new Set<Promise<void>>();
  /** Answers that are being written. */
  readonly #underWay = new Map<ActionKey, Promise<Record<Digest, Blob> | null>>();
  readonly #sent: SentMarks;
  /** What is believed to be there, until the store was looked at. */
  readonly #believed: Upload[] = [];
  #looking: Promise<void> | null = null;
  #hasLooked = false;
  #stopped = false;

  constructor(cache: Cache, client: RemoteClient, sent: SentMarks, options: UploadOptions) {
    this.#cache = cache;
    this.#client = client;
    this.#options = options;
    this.#sent = sent;
  }

  push(upload: Upload): void {
    if (this.#stopped || !this.#client.canWrite() || this.#waiting.length >= MAX_WAITING) {
      this.left += upload.isNew ? 1 : 0;
      return;
    }
    if (!upload.isNew && this.#sent.layersOf(upload.kind, upload.key) !== null) {
      if (!this.#hasLooked) this.#believed.push(upload);
      void this.#look();
      return;
    }
    this.#waiting.push(upload);
    if (this.#workers.size >= AT_ONCE) return;
    const worker = this.#work().finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  /** Writes an answer at once, whatever else waits. What fails without a fault of the store fails again. */
  async send(key: ActionKey, isNew: boolean): Promise<Sending> {
    const { faults } = this.#client.traffic;
    if ((await this.#item(key, isNew).catch(this.#broke)) !== null) return 'there';
    if (!this.#client.mayWrite) return 'never';
    return !this.#client.canWrite() || this.#client.traffic.faults > faults ? 'later' : 'never';
  }

  /** Waits for all that was offered, up to `limit` milliseconds or until `signal`; what is left is not begun any more. */
  async settle(limit: number, signal: AbortSignal): Promise<void> {
    const enough = new AbortController();
    const late = sleepUnless(limit, AbortSignal.any([enough.signal, signal]));
    await Promise.race([this.#drained(), late]);
    enough.abort();
    this.#stopped = true;
    this.left += this.#waiting.length + this.#workers.size;
    this.#waiting.length = 0;
  }

  /** Until nothing works with the cache any more. */
  async stopped(): Promise<void> {
    this.#stopped = true;
    this.#waiting.length = 0;
    await this.#drained();
  }

  /** What the cache here does not give is reported, and ends no run. */
  readonly #broke = (error: unknown): null => {
    const why = error instanceof Error ? error.message : String(error);
    this.#client.warnings.set('giving', `an answer could not be given to the remote cache: ${why}`);
    return null;
  };

  /** Once in a run: whether the store still holds what came last. If not, what was believed is offered again. */
  #look(): Promise<void> {
    this.#looking ??= this.#sent
      .forgetWhatIsGone(this.#client)
      .catch(this.#broke)
      .then((isGone) => {
        this.#hasLooked = true;
        for (const upload of this.#believed.splice(0)) if (isGone === true) this.push(upload);
      });
    return this.#looking;
  }

  async #drained(): Promise<void> {
    if (this.#looking !== null) await Promise.race([this.#looking, sleep(LOOK, undefined, { ref: false })]);
    while (this.#workers.size > 0) await Promise.all(this.#workers);
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { kind, key, isNew } = next;
      const given = await (kind === 'item' ? this.#item(key, isNew) : this.#stage(key)).catch(this.#broke);
      if (given === null) this.left += 1;
      await nextTurn();
    }
  }

  /** Writes the answer unless it is there. Its layers; null when it could not be written. */
  async #item(key: ActionKey, isNew: boolean): Promise<Record<Digest, Blob> | null> {
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const writing = this.#writeItem(key, isNew).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, writing);
    return writing;
  }

  async #writeItem(key: ActionKey, isNew: boolean): Promise<Record<Digest, Blob> | null> {
    await this.#look();
    const before = isNew ? null : this.#sent.layersOf('item', key);
    if (before !== null) return before;
    const { records, preimages } = this.#cache.database;
    const binary = binaryKey(key);
    const record = records.get(binary);
    const preimage = preimages.get(binary);
    if (record === undefined || preimage === undefined || !isCacheable(record.outcome)) return null;
    const layers = await this.#contents(record);
    if (layers === null) return null;
    const bytes = sealItem({ key, preimage, record, layers }, this.#signer);
    if (this.#holdsSecret(bytes)) return null;
    // What is there may have another signature, or none.
    const isThere = !isNew && this.#signer === null && (await this.#client.has('ac', key));
    if (!isThere && !(await this.#client.putAnswer(key, bytes))) return null;
    if (!isThere) this.given += 1;
    await this.#sent.note('item', key, layers);
    return layers;
  }

  /** Writes what an answer names; null when something of it could not be. */
  async #contents({ outputs, notes }: ActionRecord): Promise<Record<Digest, Blob> | null> {
    const layers: Record<Digest, Blob> = {};
    for (const output of [...Object.values(outputs), ...Object.values(notes)]) {
      if (output.kind === 'inline') continue;
      if (output.kind === 'layer') {
        const shipment = await this.#layer(output.digest);
        if (shipment === null) return null;
        layers[output.digest] = shipment;
        continue;
      }
      for (const { digest } of blobsOfOutput(this.#cache, output))
        if (!(await this.#blob(digest))) return null;
    }
    return layers;
  }

  async #blob(digest: Digest): Promise<boolean> {
    if (this.#known.has(digest)) return true;
    const bytes = this.#cache.blobs.read(digest);
    return bytes !== null && this.#content(digest, bytes);
  }

  async #content(digest: Digest, bytes: Uint8Array): Promise<boolean> {
    if (this.#known.has(digest)) return true;
    if (this.#stopped || this.#holdsSecret(bytes)) return false;
    const isThere = bytes.byteLength > SMALL && (await this.#client.has('cas', digest));
    if (!isThere && !(await this.#client.putContent(digest, bytes))) return false;
    this.#known.add(digest);
    return true;
  }

  async #text(text: string): Promise<Blob | null> {
    const bytes = Buffer.from(text);
    const blob = { digest: digestOf(bytes), size: bytes.byteLength };
    return (await this.#content(blob.digest, bytes)) ? blob : null;
  }

  /** The blob that says how the layer travels. */
  async #layer(layer: Digest): Promise<Blob | null> {
    const tree = await this.#cache.layers.open(layer);
    const entries = await this.#cache.layers.entries(layer);
    if (tree === null || entries === null) return null;
    const { groups, single } = groupFiles(entries);
    const packs = await mapLimit(groups, AT_ONCE, (group) => this.#pack(tree, group));
    const files = await mapLimit(single, AT_ONCE, (file) => this.#file(tree, file));
    const manifest = await this.#text(manifestText(entries));
    if (manifest === null || packs.includes(null) || files.includes(false)) return null;
    return this.#text(shipmentText({ manifest, packs: packs as Pack[] }));
  }

  async #pack(tree: string, group: readonly LayerFile[]): Promise<Pack | null> {
    const contents = await Promise.all(group.map((file) => readFile(join(tree, file.path))));
    if (contents.some((bytes, index) => digestOf(bytes) !== group[index]!.digest)) return null;
    const bytes = Buffer.concat(contents);
    const digest = digestOf(bytes);
    const files = group.map((file) => ({
      digest: file.digest,
      size: file.size,
      executable: file.executable,
    }));
    return (await this.#content(digest, bytes)) ? { digest, size: bytes.byteLength, files } : null;
  }

  async #file(tree: string, { path, digest }: LayerFile): Promise<boolean> {
    return this.#known.has(digest) || this.#content(digest, await readFile(join(tree, path)));
  }

  async #stage(key: ActionKey): Promise<true | null> {
    const { blobs, database } = this.#cache;
    const record = database.stages.get(binaryKey(key));
    if (record === undefined) return null;
    const items = readItems(blobs, record.manifest.digest);
    if (items === null) return null;
    const bundles: Bundle[] = [];
    for (let first = 0; first < items.length; first += BUNDLED) {
      const bundle = await this.#bundle(items.slice(first, first + BUNDLED).map((item) => item.key));
      if (bundle === null) return null;
      bundles.push(bundle);
    }
    const lists = parseLists(blobs.read(record.manifest.digest)?.toString('utf8') ?? '');
    for (const { digest } of [...lists, record.manifest]) if (!(await this.#blob(digest))) return null;
    if (!(await this.#client.putAnswer(record.base, sealStage({ record, bundles }, this.#signer))))
      return null;
    await this.#sent.note('stage', key, {});
    return true;
  }

  async #bundle(keys: readonly ActionKey[]): Promise<Bundle | null> {
    const { records, preimages } = this.#cache.database;
    const parts = await mapLimit(keys, AT_ONCE, async (key) => {
      if (this.#stopped) return null;
      const layers = await this.#item(key, false);
      const record = records.get(binaryKey(key));
      const preimage = preimages.get(binaryKey(key));
      if (layers === null || record === undefined || preimage === undefined) return null;
      return Buffer.concat([sealItem({ key, preimage, record, layers }, this.#signer), Buffer.from('\n')]);
    });
    if (parts.includes(null)) return null;
    const bytes = await zip(Buffer.concat(parts as Buffer[]), { level: 1 });
    const digest = digestOf(bytes);
    return (await this.#content(digest, bytes))
      ? { digest, size: bytes.byteLength, items: keys.length }
      : null;
  }

  get #signer(): Signer | null {
    return this.#options.signer ?? null;
  }

  #holdsSecret(bytes: Uint8Array): boolean {
    if (!this.#options.holdsSecret(bytes)) return false;
    this.withheld += 1;
    return true;
  }
}
