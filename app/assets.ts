/**
 * What a benchmark needs on the machines that evaluate it: the instances' ids, the names of their images, and the rows in
 * the form in which the client of OpenClaw-RL's swe-rl reads them. From the datasets of a project, or from such rows.
 */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFields, jsonObject } from '../basics/json.ts';
import { mapLimit } from '../basics/map-limit.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { shellWord } from '../basics/shell.ts';
import { addressOf } from '../contract/stage.ts';
import type { RunEnd } from '../engine/run.ts';
import { sweBenchFormat } from '../formats/swe-bench/kind.ts';
import { sweGymFormat } from '../formats/swe-gym/kind.ts';
import { readCatalogue, readInstance } from '../stages/dataset/blocks/catalogue.ts';
import { imageText, parseImage } from '../tasks/images/image-name.ts';
import { imageOf } from '../tasks/images/instance-image.ts';
import type { Session } from './session.ts';

export interface Asset {
  id: string;
  /** Null: nothing names one. */
  image: string | null;
  /** Text, instance and where it is from. */
  row: Readonly<Record<string, unknown>>;
}

const READ_AT_ONCE = 32;

/** Of all datasets that have an answer, in their order; the fault names one that has none. */
export async function projectAssets(
  { project, services }: Session,
  end: RunEnd,
): Promise<Result<Asset[], string>> {
  const assets: Asset[] = [];
  for (const [dataset, config] of Object.entries(project.config.dataset)) {
    const record = end.nodes.get(addressOf('dataset', dataset))?.state.record('') ?? null;
    if (record === null || record.outcome.status !== 'ok')
      return fault(
        `dataset.${dataset} is not built: swemake build ${shellWord(project.file)} dataset.${dataset}`,
      );
    const { rows } = await readCatalogue(record, services);
    const read = await mapLimit(rows, READ_AT_ONCE, async (row) => {
      const instance = await readInstance(record, row, services);
      const { instance_id: id, problem_statement: text, raw } = instance;
      const metadata = { instance: { ...raw, instance_id: id }, data_source: config.source };
      return { id, image: imageOf(instance, config), row: { text, metadata } };
    });
    assets.push(...read);
  }
  return success(assets);
}

/** Of rows `{text, metadata: {instance, data_source}}`, or of bare instances; the fault names the line. */
export function rowAssets(text: string): Result<Asset[], string> {
  const assets: Asset[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const asset = assetOf(line);
    if (asset === null) return fault(`line ${index + 1} is not a row with an instance_id`);
    assets.push(asset);
  }
  return success(assets);
}

function assetOf(line: string): Asset | null {
  const row = jsonObject(line);
  if (row === null) return null;
  const metadata = isFields(row.metadata) ? row.metadata : null;
  const instance = isFields(metadata?.instance) ? metadata.instance : row;
  if (typeof instance.instance_id !== 'string') return null;
  const { instance_id: id, problem_statement: text = '' } = instance;
  const source = typeof metadata?.data_source === 'string' ? metadata.data_source : '';
  // As the original's scripts take it: what is not said to be of SWE-bench is of SWE-Gym.
  const format = /swe-bench/i.test(source) ? sweBenchFormat : sweGymFormat;
  const image = imageOf({ instance_id: id, raw: instance }, { format: format.name, source });
  const whole = metadata === null ? { text, metadata: { instance, data_source: source } } : row;
  return { id, image, row: whole };
}

/** A name a line; the fault is a line that names none. */
export function listedImages(text: string): Result<string[], string> {
  const names: string[] = [];
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const name = imageText(parseImage(line));
    if (name === null) return fault(`"${line}" is not the name of an image`);
    names.push(name);
  }
  return success([...new Set(names)]);
}

export function imagesOf(assets: readonly Asset[]): string[] {
  return [...new Set(assets.flatMap(({ image }) => (image === null ? [] : [image])))];
}

/** Writes the files and says their paths. */
export function writeAssets(assets: readonly Asset[], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const lines = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');
  const files = {
    'instance_ids.txt': lines(assets.map(({ id }) => id)),
    'docker_images.txt': lines(imagesOf(assets)),
    'verified_eval.jsonl': lines(assets.map(({ row }) => JSON.stringify(row))),
  };
  return Object.entries(files).map(([name, text]) => {
    const path = join(folder, name);
    writeFileSync(`${path}.making`, text);
    renameSync(`${path}.making`, path);
    return path;
  });
}

export function readText(path: string): Result<string, string> {
  try {
    return success(readFileSync(path, 'utf8'));
  } catch (error) {
    return fault((error as Error).message);
  }
}
