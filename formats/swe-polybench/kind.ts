/**
 * SWE-PolyBench: SWE-bench's columns with lists as Python text in `F2P` and `P2P`, the command of the tests, and a Dockerfile.
 * Only SWE-PolyBench's harness knows the parser of the tests, so each row names one. The authors publish no images; users build them
 * from the Dockerfiles.
 */
import { type InstanceFormat, NO_INIT } from '../kind.ts';
import { refuseUnlessTestable } from '../own-tests.ts';
import { hasText } from '../row.ts';
import { benchDraft, EXAMPLE_ROW, sweBenchFormat } from '../swe-bench/kind.ts';

const { FAIL_TO_PASS: _failing, PASS_TO_PASS: _passing, ...EXAMPLE } = EXAMPLE_ROW;

export const swePolyBenchFormat: InstanceFormat = {
  ...sweBenchFormat,
  name: 'swe-polybench',
  summary: 'the columns of SWE-PolyBench',
  testTimeout: 1800,
  namesPython: false,
  docs: {
    patch: 'is the fix',
    code: 'GitHub, `repo` at `base_commit`',
    dependencies: 'the same',
    environment: 'same commit; rows need `log_parser`',
  },
  init: {
    ...NO_INIT,
    template: {
      source: 'AmazonScience/SWE-PolyBench',
      split: 'test',
      what: 'issues in four languages, to evaluate on',
      isBenchmark: true,
      others: { ids: /^AmazonScience\/SWE-PolyBench/i, split: 'test' },
    },
  },
  example: {
    row: {
      ...EXAMPLE,
      language: 'JavaScript',
      Dockerfile: 'FROM node:18\n',
      test_command: 'npx mocha --reporter json',
      F2P: "['greet.js->greets by name']",
      P2P: '[]',
      log_parser: 'mocha',
    },
    instance: {
      FAIL_TO_PASS: ['greet.js->greets by name'],
      PASS_TO_PASS: [],
      recipe: { test: 'npx mocha --reporter json', parser: 'mocha' },
      patch_role: 'fix',
    },
    image: null,
  },
  fit: ({ F2P, test_command }) => (F2P != null && hasText(test_command) ? 'only' : null),
  convert({ line, row }) {
    const { F2P, P2P, test_command, test_cmd, ...same } = row;
    return {
      line,
      row: { ...same, FAIL_TO_PASS: F2P, PASS_TO_PASS: P2P, test_cmd: test_cmd ?? test_command },
    };
  },
  read(columns, sources) {
    const draft = benchDraft(columns, sources, null);
    refuseUnlessTestable(columns, draft.recipe, 'a parser of its harness');
    return draft;
  },
  image: () => null,
};
