/**
 * Multi-SWE-bench and Multi-SWE-RL: a pull request in each row, with the results of its tests in three runs. Its rows are
 * turned into rows of SWE-bench. The commands and parsers are classes of the package multi-swe-bench, which `import-recipes` makes recipes of.
 */
import { asObject, asText, objectsOf } from '../../parsers/log-lines.ts';
import type { BadRow } from '../../schemas/instance.ts';
import { type InstanceFormat, NO_INIT } from '../kind.ts';
import { refuseUnknownParser } from '../own-tests.ts';
import { badRow, hasText, type NumberedRow, type RawRow } from '../row.ts';
import { benchDraft, sweBenchFormat } from '../swe-bench/kind.ts';
import { classify, namesIn, threeRuns } from './tests.ts';

export const multiSweBenchFormat: InstanceFormat = {
  ...sweBenchFormat,
  name: 'multi-swe-bench',
  summary: 'the columns of Multi-SWE-bench and Multi-SWE-RL',
  testTimeout: 1800,
  namesPython: false,
  docs: {
    patch: 'is the fix (`fix_patch`)',
    code: 'GitHub, `org` and `repo` at `base.sha`',
    dependencies: 'the same',
    environment:
      'same commit; recipes of `import-recipes --from multi-swe-bench`, or `test_cmd` and `log_parser` in the rows',
  },
  init: {
    ...NO_INIT,
    recipes: { what: 'the classes of the original', from: 'multi-swe-bench' },
    template: {
      source: 'ByteDance-Seed/Multi-SWE-bench',
      split: 'train',
      what: 'issues in seven languages, to evaluate on',
      isBenchmark: true,
      others: { ids: /^ByteDance-Seed\/Multi-SWE/i, split: 'train' },
    },
  },
  example: {
    row: {
      org: 'Octo',
      repo: 'greet',
      number: 12,
      title: 'Greets by name',
      body: 'Fixes #11.',
      base: { label: 'Octo:main', ref: 'main', sha: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00' },
      resolved_issues: [{ number: 11, title: 'No name', body: 'The greeting has no name.' }],
      fix_patch: 'diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a := 1\n+a := 2\n',
      test_patch:
        'diff --git a/a_test.go b/a_test.go\n--- a/a_test.go\n+++ b/a_test.go\n@@ -1 +1 @@\n-b\n+c\n',
      run_result: { passed_tests: ['TestOld'], failed_tests: [], skipped_tests: [] },
      test_patch_result: { passed_tests: ['TestOld'], failed_tests: ['TestName'], skipped_tests: [] },
      fix_patch_result: {
        passed_tests: ['TestOld', 'TestName', 'TestNew'],
        failed_tests: [],
        skipped_tests: [],
      },
      test_cmd: 'go test -v ./...',
      log_parser: 'parse_log_gotest',
      number_interval: '',
    },
    instance: {
      instance_id: 'Octo__greet-12',
      source: 'git+https://github.com/Octo/greet@c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
      FAIL_TO_PASS: ['TestName', 'TestNew'],
      PASS_TO_PASS: ['TestOld'],
      problem_statement: 'No name\n\nThe greeting has no name.',
      version: 'greet',
      environment_name: 'Octo/greet@c0ffee00',
      patch_role: 'fix',
    },
    image: 'docker.io/mswebench/octo_m_greet:pr-12',
  },
  fit: ({ org, repo, fix_patch }) => (hasText(org) && hasText(repo) && hasText(fix_patch) ? 'only' : null),
  convert,
  keepsLists: true,
  read(columns, sources) {
    const draft = benchDraft(columns, sources, null);
    refuseUnknownParser(columns, draft.recipe);
    const commit = columns.optionalText('base_commit');
    return { ...draft, environment_name: `${draft.repo}@${commit?.slice(0, 8) ?? 'latest'}` };
  },
  image(id) {
    const [, owner, name, number] = /^(.+?)__(.+)-(\d+)$/.exec(id) ?? [];
    return owner === undefined ? null : `mswebench/${owner}_m_${name}`.toLowerCase().concat(`:pr-${number}`);
  },
};

function convert({ line, row }: NumberedRow): NumberedRow | BadRow {
  const { org, repo, number, base, fix_patch, resolved_issues, title, body, ...same } = row;
  const id = `${asText(org)}__${asText(repo)}-${String(number)}`;
  const lists = listsOf(row);
  if (typeof lists === 'string') return badRow(line, id, 'fix_patch_result', lists);
  const issues = objectsOf(resolved_issues).map((issue) => statement(issue.title, issue.body));
  return {
    line,
    row: {
      ...same,
      ...lists,
      instance_id: id,
      repo: `${asText(org)}/${asText(repo)}`,
      version: classOf(row),
      base_commit: asObject(base)?.sha,
      patch: fix_patch,
      problem_statement: issues.length > 0 ? issues.join('\n\n') : statement(title, body),
    },
  };
}

/** The name of the class of multi-swe-bench that builds the row, without the owner. */
function classOf({ number_interval, tag, repo }: RawRow): string {
  if (hasText(number_interval)) return asText(number_interval);
  return hasText(tag) ? `${asText(repo)}_${asText(tag).replaceAll('.', '_')}` : asText(repo);
}

function statement(title: unknown, body: unknown): string {
  return [asText(title), asText(body)].filter((part) => part.trim() !== '').join('\n\n');
}

/** The row's own lists, else those that its three runs make; a text says why it is no task. */
function listsOf(row: RawRow): { FAIL_TO_PASS: string[]; PASS_TO_PASS: string[] } | string {
  if (Array.isArray(row.FAIL_TO_PASS))
    return {
      FAIL_TO_PASS: row.FAIL_TO_PASS.map(asText),
      PASS_TO_PASS: [row.PASS_TO_PASS ?? []].flat().map(asText),
    };
  const runs = threeRuns(row);
  if (runs !== null && runs.size > 0) {
    const found = classify(runs);
    if (typeof found === 'string') return `${found}: upstream refuses it, too`;
    return { FAIL_TO_PASS: [...found.f2p, ...found.s2p, ...found.n2p], PASS_TO_PASS: found.p2p };
  }
  const named = ['f2p_tests', 's2p_tests', 'n2p_tests'].flatMap((column) => namesIn(row[column]));
  const passing = namesIn(row.p2p_tests);
  const fixed = named.length > 0 ? named : namesIn(row.fixed_tests);
  return { FAIL_TO_PASS: fixed, PASS_TO_PASS: passing };
}
