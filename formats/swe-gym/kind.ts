/**
 * SWE-Gym: SWE-bench's columns with lists as lists and no `environment_setup_commit`. Its rows of one version
 * were set up at different commits, so the commit they start from is the one that dependencies come from.
 */
import type { InstanceFormat } from '../kind.ts';
import { EXAMPLE_ROW, imageTail, sweBenchFormat } from '../swe-bench/kind.ts';

export const sweGymFormat: InstanceFormat = {
  ...sweBenchFormat,
  name: 'swe-gym',
  summary: 'the columns of SWE-Gym',
  // Its suites are slow.
  testTimeout: 600,
  docs: {
    ...sweBenchFormat.docs,
    environment: `${sweBenchFormat.docs.environment}; mostly one each, since rows of one version begin at different commits`,
  },
  init: {
    ...sweBenchFormat.init,
    template: {
      source: 'SWE-Gym/SWE-Gym',
      split: 'train',
      what: 'issues of eleven repositories, to train on',
      isBenchmark: false,
      others: null,
    },
  },
  example: {
    row: EXAMPLE_ROW,
    instance: {
      source: 'git+https://github.com/octo/greet@c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
      environment_source: 'git+https://github.com/octo/greet@c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
      environment_name: 'octo/greet@1.2',
      patch_role: 'fix',
    },
    image: 'docker.io/xingyaoww/sweb.eval.x86_64.octo_s_greet-12:latest',
  },
  fit: (_row, source) => (/gym/i.test(source) ? 'named' : null),
  image: (id) => `xingyaoww/${imageTail(id, '_s_')}`,
};
