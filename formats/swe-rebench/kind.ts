/**
 * SWE-rebench: SWE-bench's columns with `install_config`, which says how each instance is installed and tested. As its
 * own harness has it, dependencies are those of the commit that an instance begins with, whatever
 * `environment_setup_commit` names.
 */
import { type InstanceFormat, NO_INIT } from '../kind.ts';
import { hasValue } from '../row.ts';
import { benchDraft, EXAMPLE_ROW, imageTail, sweBenchFormat } from '../swe-bench/kind.ts';

export const sweRebenchFormat: InstanceFormat = {
  ...sweBenchFormat,
  name: 'swe-rebench',
  summary: 'the columns of SWE-rebench',
  docs: {
    patch: 'is the fix',
    code: 'GitHub, `repo` at `base_commit`',
    dependencies: 'the same commit, as in its own harness',
    environment: 'same `repo` and `version`, same commit',
  },
  init: {
    ...NO_INIT,
    template: {
      source: 'nebius/SWE-rebench',
      split: 'filtered',
      what: 'issues of thousands of repositories, to train on',
      isBenchmark: false,
      others: { ids: /^nebius\/SWE-rebench/i, split: 'train' },
    },
  },
  example: {
    row: {
      ...EXAMPLE_ROW,
      environment_setup_commit: 'decade00decade00decade00decade00decade00',
      install_config: { python: '3.9', install: 'pip install -e .', test_cmd: 'pytest -rA' },
    },
    instance: {
      environment_source: 'git+https://github.com/octo/greet@c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
      environment_name: 'octo/greet@1.2',
      recipe: { python: '3.9', install: ['pip install -e .'], test: 'pytest -rA' },
    },
    image: 'docker.io/swerebench/sweb.eval.x86_64.octo_1776_greet-12:latest',
  },
  fit: ({ install_config }) => (hasValue(install_config) ? 'marked' : null),
  read: (columns, sources) => benchDraft(columns, sources, null),
  image: (id) => `swerebench/${imageTail(id, '_1776_')}`,
};
