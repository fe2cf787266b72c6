/**
 * A dataset's catalogue: what other stages need to know of every instance without reading the rows. Sixty
 * thousand rows of 5 KB are 300 MB; the catalogue is a line of numbers each, and points into the rows' blob.
 */
import { open } from 'node:fs/promises';
import { readText } from '../../cache/cache.ts';
import { canonicalJson } from '../../cache/canonical.ts';
import { type Digest, digestOf } from '../../schemas/digest.ts';
import type { Instance } from '../../schemas/instance.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import type { Services } from '../stage.ts';

/** What instances of one environment have in common. */
export type InstanceGroup = Pick<
  Instance,
  'repo' | 'environment_source' | 'environment_name' | 'version' | 'recipe'
>;

export interface CatalogueRow {
  id: string;
  /** Digest of what decides the instance's validation: source, patches, tests; not its text for the agent. */
  digest: Digest;
  /** Bytes in the `instances` blob. */
  offset: number;
  length: number;
  /** Index in `groups`. */
  group: number;
}

export interface Catalogue {
  groups: InstanceGroup[];
  rows: CatalogueRow[];
}

/** Builds a catalogue while rows are written one after the other. */
export class CatalogueBuilder {
  readonly catalogue: Catalogue = { groups: [], rows: [] };
  readonly #groups = new Map<string, number>();
  #offset = 0;

  /** Takes an instance and returns its line of the rows' blob. */
  add(instance: Instance): string {
    const line = `${JSON.stringify(instance)}\n`;
    const length = Buffer.byteLength(line);
    const { instance_id: id } = instance;
    this.catalogue.rows.push({
      id,
      digest: taskDigest(instance),
      offset: this.#offset,
      length,
      group: this.#groupOf(instance),
    });
    this.#offset += length;
    return line;
  }

  #groupOf(instance: Instance): number {
    const { repo, environment_source, environment_name, version, recipe } = instance;
    const group: InstanceGroup = { repo, environment_source, environment_name, version, recipe };
    const name = canonicalJson(group);
    let index = this.#groups.get(name);
    if (index === undefined) {
      index = this.catalogue.groups.push(group) - 1;
      this.#groups.set(name, index);
    }
    return index;
  }
}

/** One line of groups, then one line a row. */
export function catalogueText(catalogue: Catalogue): string {
  const rows = catalogue.rows.map(
    (row) => `${JSON.stringify([row.id, row.digest, row.offset, row.length, row.group])}\n`,
  );
  return `${JSON.stringify(catalogue.groups)}\n${rows.join('')}`;
}

/** Reads what {@link catalogueText} wrote. */
export function parseCatalogue(text: string): Catalogue {
  const [groups, ...lines] = text.split('\n');
  const rows = lines
    .filter((line) => line !== '')
    .map((line): CatalogueRow => {
      const [id, digest, offset, length, group] = JSON.parse(line) as [
        string,
        Digest,
        number,
        number,
        number,
      ];
      return { id, digest, offset, length, group };
    });
  return { groups: JSON.parse(groups!) as InstanceGroup[], rows };
}

/** The catalogue of an answered dataset, read once per run. */
export async function readCatalogue(record: ActionRecord, services: Services): Promise<Catalogue> {
  const name = `catalogue ${record.outputs.catalogue?.digest}`;
  const known = services.shared.get(name) as Promise<Catalogue> | undefined;
  if (known !== undefined) return known;
  const reading = readText(services.cache, record.outputs.catalogue).then((text) => {
    if (text === null) throw new Error('the dataset’s catalogue is gone from the cache');
    return parseCatalogue(text);
  });
  services.shared.set(name, reading);
  return reading;
}

/** One instance, read from its place in the rows' blob. */
export async function readInstance(
  record: ActionRecord,
  row: CatalogueRow,
  services: Services,
): Promise<Instance> {
  const output = record.outputs.instances!;
  if (output.kind === 'inline')
    return JSON.parse(
      Buffer.from(output.text)
        .subarray(row.offset, row.offset + row.length)
        .toString(),
    ) as Instance;
  const file = await open(services.cache.blobs.path(output.digest));
  try {
    const bytes = Buffer.alloc(row.length);
    await file.read(bytes, 0, row.length, row.offset);
    return JSON.parse(bytes.toString('utf8')) as Instance;
  } finally {
    await file.close();
  }
}

function taskDigest(instance: Instance): Digest {
  return digestOf(canonicalJson(taskOf(instance)));
}

/** What decides an instance's validation. */
export function taskOf(instance: Instance) {
  const { instance_id, repo, source, patch, patch_role, test_patch, FAIL_TO_PASS, PASS_TO_PASS } = instance;
  return { instance_id, repo, source, patch, patch_role, test_patch, FAIL_TO_PASS, PASS_TO_PASS };
}
