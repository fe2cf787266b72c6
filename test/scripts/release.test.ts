/** What a release must agree on, before any of its files are made. The files themselves are tried by the script. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';

const { sourceProblems } = (await import(pathToFileURL(join(packageRoot(), 'scripts/release.mjs')).href)) as {
  sourceProblems(root: string, text?: (path: string) => string): string[];
};

const SOUND: Readonly<Record<string, string>> = {
  'package.json': '{"version":"1.2.0"}',
  'package-lock.json': '{"version":"1.2.0"}',
  'python/pyproject.toml': '[project]\nname = "swemake-rollouts"\nversion = "1.2.0"\n',
  'CHANGELOG.md': '# Changelog\n\n## 1.2.0 (2027-01-02)\n\n- x\n\n## 1.1.0 (2026-12-01)\n',
  'docs/install.md': 'npm install --global ./swemake-1.2.0.tgz\n',
  'stages/ledger.jsonl':
    '{"published":"1.1.0, 2026-12-01"}\n{"published":"1.2.0, 2027-01-02"}\n{"module":"a"}\n',
};

const problems = (changed: Record<string, string>) =>
  sourceProblems(packageRoot(), (path) => changed[path] ?? SOUND[path]!);

test('a release whose files agree has no problem', () => expect(problems({})).toEqual([]));

test.each([
  ['package-lock.json', '{"version":"1.1.0"}', 'package-lock.json has another version than 1.2.0'],
  ['python/pyproject.toml', '\nversion = "1.1.0"\n', 'python/pyproject.toml has another version than 1.2.0'],
  [
    'CHANGELOG.md',
    '## 1.2.0 (unreleased)\n',
    'CHANGELOG.md begins with "1.2.0 (unreleased)" and not with "1.2.0 (DATE)"',
  ],
  ['CHANGELOG.md', 'nothing\n', 'CHANGELOG.md begins with "none" and not with "1.2.0 (DATE)"'],
  ['docs/install.md', 'swemake-1.1.0.tgz', 'docs/install.md names another version than 1.2.0'],
  [
    'stages/ledger.jsonl',
    '{"published":"1.1.0, 2026-12-01"}\n',
    'the ledger has no line that 1.2.0 was published: node scripts/ledger.mjs --published "1.2.0, DATE"',
  ],
])('%s: %s', (path, text, problem) => expect(problems({ [path]: text })).toEqual([problem]));

test('the versions in this tree are one', () => {
  const text = (path: string) => readFileSync(join(packageRoot(), path), 'utf8');
  const found = sourceProblems(packageRoot(), text);
  // Between two releases the changelog has no date, and nothing was published.
  expect(found.filter((one) => !/^CHANGELOG\.md begins|^the ledger has no line/.test(one))).toEqual([]);
});
