/**
 * SWE-rebench V2: SWE-rebench's columns in twenty languages. Its parsers have names of their own here, since some read other
 * lines than SWE-bench's of the same name; times in names of tests are removed in the lists as in the logs.
 */
import { jsonObject } from '../../basics/json.ts';
import { asObject } from '../../parsers/log-lines.ts';
import { withoutTimes } from '../../parsers/swe-rebench-v2.ts';
import { type InstanceFormat, NO_INIT } from '../kind.ts';
import { refuseUnlessTestable } from '../own-tests.ts';
import { hasText, type NumberedRow, type RawRow } from '../row.ts';
import { benchDraft, EXAMPLE_ROW, sweBenchFormat } from '../swe-bench/kind.ts';

export const sweRebenchV2Format: InstanceFormat = {
  ...sweBenchFormat,
  name: 'swe-rebench-v2',
  summary: 'the columns of SWE-rebench V2',
  testTimeout: 1800,
  namesPython: false,
  docs: {
    patch: 'is the fix',
    code: 'GitHub, `repo` at `base_commit`',
    dependencies: 'the same commit',
    environment: 'same commit',
  },
  init: {
    ...NO_INIT,
    template: {
      source: 'nebius/SWE-rebench-V2',
      split: 'train',
      what: 'issues in twenty languages, to train on',
      isBenchmark: false,
      others: null,
    },
  },
  example: {
    row: {
      ...EXAMPLE_ROW,
      language: 'elixir',
      image_name: 'docker.io/octo/rebench:octo-greet-12',
      install_config: { test_cmd: ['mix test --trace'], log_parser: 'parse_log_elixir' },
      FAIL_TO_PASS: ['greets by name (1.2ms)'],
      PASS_TO_PASS: ['greets'],
    },
    instance: {
      FAIL_TO_PASS: ['greets by name'],
      PASS_TO_PASS: ['greets'],
      recipe: { test: 'mix test --trace', parser: 'swe-rebench-v2:parse_log_elixir' },
      patch_role: 'fix',
    },
    image: 'docker.io/octo/rebench:octo-greet-12',
  },
  fit: (row) => (hasText(row.language) && hasText(configOf(row)?.log_parser) ? 'only' : null),
  convert,
  read(columns, sources) {
    const draft = benchDraft(columns, sources, null);
    refuseUnlessTestable(columns, draft.recipe, 'a parser of its harness');
    return draft;
  },
  // The column image_name has it.
  image: () => null,
};

function configOf({ install_config }: RawRow): RawRow | null {
  return typeof install_config === 'string' ? jsonObject<RawRow>(install_config) : asObject(install_config);
}

function convert({ line, row }: NumberedRow): NumberedRow {
  const named = row.log_parser ?? configOf(row)?.log_parser;
  const own = typeof named === 'string' && named.startsWith('parse_') ? `swe-rebench-v2:${named}` : named;
  const plain = (list: unknown) =>
    Array.isArray(list) ? list.map((name) => (typeof name === 'string' ? withoutTimes(name) : name)) : list;
  const { FAIL_TO_PASS, PASS_TO_PASS } = row;
  const lists = { FAIL_TO_PASS: plain(FAIL_TO_PASS), PASS_TO_PASS: plain(PASS_TO_PASS) };
  return { line, row: { ...row, ...lists, log_parser: own } };
}
