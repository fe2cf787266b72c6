/** Which files of a hub's repository are a split: by the README's configs, else by their names. */
import { expect, test } from 'vitest';
import { readConfigs, splitPaths } from '../../stages/dataset/readers/hub-split.ts';

test.each<[string, string, string | undefined, string[] | RegExp]>([
  [
    'globs by split',
    'configs:\n- {config_name: d, data_files: {train: a/*.parquet}}',
    'train',
    ['a/1.parquet'],
  ],
  ['one glob', 'configs:\n- {config_name: d, data_files: "a/*"}', 'train', ['a/1.parquet']],
  ['a list', 'configs:\n- {config_name: d, data_files: [a/1.parquet]}', undefined, ['a/1.parquet']],
  ['data_dir', 'configs:\n- {config_name: d, data_dir: a}', 'train', ['a/1.parquet']],
  [
    'the default config',
    'configs:\n- {config_name: x, data_files: "b/*"}\n- {config_name: y, default: true, data_files: "a/*"}',
    'train',
    ['a/1.parquet'],
  ],
  [
    'a config by name',
    'configs:\n- {config_name: x, data_files: "b/*"}\n- {config_name: y, data_files: "a/*"}',
    'x/train',
    ['b/1.parquet'],
  ],
  [
    'configs that cannot be told apart',
    'configs:\n- {config_name: x, data_files: "b/*"}\n- {config_name: y, data_files: "a/*"}',
    'train',
    /several configs.*x\/train, y\/train/,
  ],
  ['no such files', 'configs:\n- {config_name: d, data_files: "c/*"}', 'train', /no file.*c\/\*.*README/],
  ['no front matter', 'license: mit', 'train', ['train-00000-of-00001.parquet']],
  ['front matter that is no YAML', 'a: [', 'train', ['train-00000-of-00001.parquet']],
])('configs: %s', async (_what, front, split, wanted) => {
  const paths = ['README.md', 'a/1.parquet', 'b/1.parquet'];
  const named = ['train-00000-of-00001.parquet', 'test-00000-of-00001.parquet', 'dataset_infos.json'];
  const configs = await readConfigs(`---\n${front}\n---\ntext`);
  const choose = () => splitPaths(configs.length === 0 ? named : paths, configs, split);
  if (wanted instanceof RegExp) expect(choose).toThrow(wanted);
  else expect(choose()).toEqual(wanted);
});

test.each<[string[], string | undefined, string[]]>([
  [
    ['data/train-00001-of-00002.parquet', 'data/train-00000-of-00002.parquet'],
    'train',
    ['data/train-00000-of-00002.parquet', 'data/train-00001-of-00002.parquet'],
  ],
  [['train/0000.parquet', 'test/0000.parquet'], 'test', ['test/0000.parquet']],
  [['everything.jsonl'], 'train', ['everything.jsonl']],
  [['test.jsonl', '.github/x.json', 'dataset_infos.json'], undefined, ['test.jsonl']],
])('splits by name: %j', (paths, split, wanted) => expect(splitPaths(paths, [], split)).toEqual(wanted));
