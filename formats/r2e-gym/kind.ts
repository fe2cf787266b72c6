/** R2E-Gym: a commit is a task. Its rows are turned into rows of SWE-bench, and are then read as those. */
import { type InstanceFormat, NO_INIT } from '../kind.ts';
import { sweBenchFormat } from '../swe-bench/kind.ts';
import { r2eRow } from './convert.ts';

const OWN_COLUMNS = ['repo_name', 'commit_hash', 'parsed_commit_content'];

/** What pytest prints about one test. */
function log(result: string, count: string): string {
  return `=== test session starts ===\n=== short test summary info ===\n${result}\n=== ${count} in 0.1s ===\n`;
}

export const r2eGymFormat: InstanceFormat = {
  ...sweBenchFormat,
  name: 'r2e-gym',
  summary: 'the columns of R2E-Gym',
  docs: {
    patch: 'is the fix',
    code: 'GitHub, the commit before `commit_hash`',
    dependencies: 'the same',
    environment: 'same commit',
  },
  init: {
    ...NO_INIT,
    template: {
      source: 'R2E-Gym/R2E-Gym-Subset',
      split: 'train',
      what: 'commits of ten repositories, to train on',
      isBenchmark: false,
      others: { ids: /^R2E-Gym\/R2E-Gym/i, split: 'train' },
    },
  },
  example: {
    row: {
      repo_name: 'numpy',
      docker_image: 'namanjain12/numpy_final:c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
      commit_hash: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
      parsed_commit_content: JSON.stringify({
        old_commit_hash: 'decade00decade00decade00decade00decade00',
        file_diffs: [
          {
            header: { file: { path: 'numpy/core.py' } },
            minus_file: { path: 'a/numpy/core.py' },
            plus_file: { path: 'b/numpy/core.py' },
            hunks: [
              {
                descriptor: {
                  old_range: { start: 1, length: 1 },
                  new_range: { start: 1, length: 1 },
                  section: '',
                },
                line_group: {
                  all_lines: [
                    { content: 'a = 1', type: 'deleted' },
                    { content: 'a = 2', type: 'added' },
                  ],
                },
              },
            ],
          },
        ],
      }),
      execution_result_content: JSON.stringify({
        test_file_names: ['test_1.py'],
        test_file_codes: ['def test_number(): pass\n'],
        new_commit_res_stdout: log('PASSED r2e_tests/test_1.py::test_number', '1 passed'),
        old_commit_res_stdout: log('FAILED r2e_tests/test_1.py::test_number - x', '1 failed'),
      }),
      expected_output_json: '{"test_number": "PASSED"}',
      problem_statement: '[ISSUE]The number is wrong.[/ISSUE]',
    },
    instance: {
      instance_id: 'numpy__c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
      source: 'git+https://github.com/numpy/numpy@decade00decade00decade00decade00decade00',
      FAIL_TO_PASS: ['r2e_tests/test_1.py::test_number'],
      problem_statement: 'The number is wrong.',
    },
    image: 'docker.io/namanjain12/numpy_final:c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
  },
  fit: (row) => (OWN_COLUMNS.every((name) => typeof row[name] === 'string') ? 'only' : null),
  convert: r2eRow,
  // The column docker_image has it.
  image: () => null,
};
