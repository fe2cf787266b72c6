/**
 * Which files of a hub dataset are a split: what the front matter of its README.md says (`configs`, `data_files`),
 * else the names of the files, `data/<split>-00000-of-00002.parquet`, `<split>.jsonl` or `<split>/…`. Pure.
 */

import { matchesGlob } from '../../../basics/glob.ts';
import { isFields } from '../../../basics/json.ts';
import { UnreadableFile } from '../../../formats/row.ts';
import { chooseSplit, kindOf, splitOfName } from './row-files.ts';

/** One config of a dataset: split -> globs over paths. */
export interface HubConfig {
  name: string;
  isDefault: boolean;
  splits: Record<string, string[]>;
}

/** The configs that say their files in the front matter of a README.md. */
export async function readConfigs(readme: string): Promise<HubConfig[]> {
  const front = /^\uFEFF?---\r?\n(.*?)\r?\n---\s*(?:\r?\n|$)/s.exec(readme)?.[1];
  if (front === undefined) return [];
  const { parse } = await import('yaml');
  let data: unknown;
  try {
    data = parse(front, { logLevel: 'silent' });
  } catch {
    // Pages are written by people: what is no YAML names no split.
    return [];
  }
  const configs = isFields(data) && Array.isArray(data.configs) ? data.configs : [];
  return configs.filter(isFields).flatMap((config) => {
    const folder = typeof config.data_dir === 'string' ? `${config.data_dir.replace(/\/+$/, '')}/` : '';
    const splits = splitsOf(config.data_files ?? (folder === '' ? undefined : '**'), folder);
    if (Object.keys(splits).length === 0) return [];
    const name = String(config.config_name ?? 'default');
    return [{ name, isDefault: config.default === true || name === 'default', splits }];
  });
}

/**
 * Paths of the files of `split` (CONFIG/SPLIT where configs share split names), sorted; throws `UnreadableFile`
 * with what there is to choose from.
 */
export function splitPaths(
  paths: readonly string[],
  configs: readonly HubConfig[],
  split: string | undefined,
): string[] {
  const files = paths.filter((path) => kindOf(path) !== null && !isMetadata(path)).sort();
  if (configs.length === 0) return bySplitName(files, split);
  const { config, rest } = chooseConfig(configs, split);
  const globs = config.splits[chooseSplit(Object.keys(config.splits), rest)]!;
  const found = files.filter((path) => globs.some((glob) => matchesGlob(glob, path)));
  if (found.length === 0)
    throw new UnreadableFile(`it has no file that can be read at ${globs.join(', ')}, as its README.md says`);
  return found;
}

function chooseConfig(configs: readonly HubConfig[], split: string | undefined) {
  const slash = split?.indexOf('/') ?? -1;
  const named = configs.find((config) => slash > 0 && config.name === split!.slice(0, slash));
  if (named !== undefined) return { config: named, rest: split!.slice(slash + 1) };
  const only = configs.find((config) => config.isDefault) ?? (configs.length === 1 ? configs[0] : undefined);
  const having = configs.filter((config) => split !== undefined && Object.hasOwn(config.splits, split));
  const config = only ?? (having.length === 1 ? having[0] : undefined);
  if (config !== undefined) return { config, rest: split };
  const all = configs.flatMap(({ name, splits }) => Object.keys(splits).map((one) => `${name}/${one}`));
  throw new UnreadableFile(`it has several configs; name one with "split": ${all.join(', ')}`);
}

function bySplitName(files: readonly string[], split: string | undefined): string[] {
  const bySplit = new Map<string, string[]>();
  for (const path of files) {
    const name = splitOfPath(path);
    bySplit.set(name, [...(bySplit.get(name) ?? []), path]);
  }
  if (bySplit.size === 0) throw new UnreadableFile('it holds no .parquet, .jsonl, .json or .arrow files');
  const names = [...bySplit.keys()];
  // The hub calls files without a split in their name "train".
  if (split === 'train' && names.length === 1 && !SPLIT_NAME.test(names[0]!)) return bySplit.get(names[0]!)!;
  return bySplit.get(chooseSplit(names, split))!;
}

const SPLIT_NAME = /^(train|training|test|testing|valid|validation|val|dev|eval|evaluation)$/;

/** The file's own name, or its folder's where that is a split's. */
function splitOfPath(path: string): string {
  const folder = path.split('/').at(-2) ?? '';
  return SPLIT_NAME.test(folder) ? folder : splitOfName(path.slice(path.lastIndexOf('/') + 1));
}

/** Files beside the rows that end like rows. */
function isMetadata(path: string): boolean {
  return /(^|\/)(dataset_infos?|dataset_dict|state|\.[^/]*)\.json$/.test(path) || path.startsWith('.');
}

/** `data_files` is a glob, a list of globs, a map of split to globs, or a list of `{split, path}`. */
function splitsOf(value: unknown, folder: string): Record<string, string[]> {
  const splits: Record<string, string[]> = {};
  const add = (split: string, globs: unknown) => {
    const list = (Array.isArray(globs) ? globs : [globs]).filter((one) => typeof one === 'string');
    if (list.length > 0)
      splits[split] = [
        ...(splits[split] ?? []),
        ...list.map((glob) => `${folder}${glob.replace(/^\.\//, '')}`),
      ];
  };
  if (typeof value === 'string') add('train', value);
  else if (isFields(value)) for (const [split, globs] of Object.entries(value)) add(split, globs);
  else if (Array.isArray(value))
    for (const one of value) isFields(one) ? add(String(one.split ?? 'train'), one.path) : add('train', one);
  return splits;
}
