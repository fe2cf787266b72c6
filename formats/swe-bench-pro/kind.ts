/**
 * SWE-bench Pro: SWE-bench's columns, and what an instance needs at the start. The scripts that run its tests and the parsers
 * that read them are files beside the dataset, one each for an instance, so a row needs its own.
 */
import { type InstanceFormat, NO_INIT } from '../kind.ts';
import { refuseUnlessTestable } from '../own-tests.ts';
import { hasText } from '../row.ts';
import { benchDraft, EXAMPLE_ROW, sweBenchFormat } from '../swe-bench/kind.ts';

/** Longest tag of an image. */
const MOST = 128;
const IMAGES = 'jefzda/sweap-images';

export const sweBenchProFormat: InstanceFormat = {
  ...sweBenchFormat,
  name: 'swe-bench-pro',
  summary: 'the columns of SWE-bench Pro',
  testTimeout: 3600,
  namesPython: false,
  docs: {
    patch: 'is the fix',
    code: 'GitHub, `repo` at `base_commit`',
    dependencies: 'the same',
    environment: 'same commit; rows need `test_cmd` and `log_parser`',
  },
  init: {
    ...NO_INIT,
    template: {
      source: 'ScaleAI/SWE-bench_Pro',
      split: 'test',
      what: 'long tasks in three languages, to evaluate on',
      isBenchmark: true,
      others: null,
    },
  },
  example: {
    row: {
      ...EXAMPLE_ROW,
      instance_id: 'instance_Octo__greet-decade00decade00decade00decade00decade00-vnan',
      repo: 'Octo/greet',
      repo_language: 'go',
      dockerhub_tag: 'octo.greet-Octo__greet-decade00decade00decade00decade00decade00',
      before_repo_set_cmd: 'git reset --hard c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
      selected_test_files_to_run: "['greet_test.go']",
      test_cmd: 'go test -v ./...',
      log_parser: 'parse_log_gotest',
    },
    instance: {
      source: 'git+https://github.com/Octo/greet@c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
      recipe: { test: 'go test -v ./...', parser: 'parse_log_gotest' },
      patch_role: 'fix',
    },
    image: 'docker.io/jefzda/sweap-images:octo.greet-Octo__greet-decade00decade00decade00decade00decade00',
  },
  fit: (row) => (hasText(row.before_repo_set_cmd) && row.selected_test_files_to_run != null ? 'only' : null),
  convert({ line, row }) {
    const image = hasText(row.dockerhub_tag) ? { image_name: `${IMAGES}:${row.dockerhub_tag}` } : {};
    return { line, row: { ...row, ...image } };
  },
  read(columns, sources) {
    const draft = benchDraft(columns, sources, null);
    refuseUnlessTestable(columns, draft.recipe, 'a script and a parser of its repository’s run_scripts');
    return draft;
  },
  image(id) {
    const own = id.replace(/^instance_/, '');
    const [, owner, name] = /^(.+?)__(.+?)-[0-9a-f]{40}/.exec(own) ?? [];
    return owner === undefined
      ? null
      : `${IMAGES}:${`${`${owner}.${name}`.toLowerCase()}-${own}`.slice(0, MOST)}`;
  },
};
