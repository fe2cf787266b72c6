/** How tests of Go are run, which files decide what they come to, and what a failed build says. */

import { folderOf } from '../../basics/repository-path.ts';
import { shellWord } from '../../basics/shell.ts';
import { type TestedInstance, testDirectives } from '../../patches/test-files.ts';
import { chosenIf } from '../chosen.ts';
import { complaintIn } from '../complaint.ts';
import type { EcosystemFile, EcosystemTests, RepositoryFiles } from '../kind.ts';
import { goDoubts } from './doubts.ts';
import { COMPARES_FOR_TESTS, inFolder, isOpenCommand, namedPackages } from './packages.ts';
import { goWitness } from './witness.ts';

export const goTests: EcosystemTests = {
  command(test, instance) {
    if (!isOpenCommand(test)) return test;
    const names = [
      ...new Set(listed(idsOf(instance)).map(({ test: name }) => name.split('/', 1)[0]!)),
    ].sort();
    const chosen =
      names.length === 0 ? '' : chosenIf(` -run ${shellWord(`^(${names.map(escaped).join('|')})$`)}`);
    return `${test}${chosen} ${packagesOf(instance).map(shellWord).join(' ')}`;
  },
  all: (test) => (isOpenCommand(test) ? `${test} ./...` : test),
  /**
   * Each test binary is compiled and linked, and a program that does nothing is started in its place. Packages are also compiled without their
   * tests: code may not need what only these declare.
   */
  buildCommand({ test }, instance) {
    const named = isOpenCommand(test) ? [] : namedPackages(test);
    const packages = packagesOf(instance);
    const all = packages.length > 0 ? packages : named;
    if (all.length === 0) return null;
    const words = all.map(shellWord).join(' ');
    return `go list -export ${words} > /dev/null\ngo test -exec true -count=1 -run '^$' ${words}`;
  },
  complaint(output) {
    const errors = output
      .split('\n')
      .filter((line) => /^(?!# )(?:\S+\.go:\d+(?::\d+)?: |.*(?:: build failed|\[setup failed\]))/.test(line));
    return complaintIn(output, errors);
  },
  protects,
  deciding,
  named: async (task) => (await import('./named.ts')).goNamed(task),
  hides,
  doubts: goDoubts,
  unseen: /(?:^|::)(?:Example|Fuzz)\w*$/,
  witness: goWitness,
};

function protects(path: string, text?: () => string | null): EcosystemFile | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Tests of one folder are one program, in which each can decide how the others end.
  if (name.endsWith('_test.go')) return 'test';
  if (/(?:^|\/)testdata\//.test(path)) return 'support';
  // What only tests can use compares for them.
  if (name.endsWith('.go') && COMPARES_FOR_TESTS.test(text?.() ?? '')) return 'support';
  if (/^go\.(?:mod|sum|work|work\.sum|env)$/.test(name) || /(?:^|\/)vendor\//.test(path)) return 'runner';
  return null;
}

/** Versions of what a module needs are those that the environment has, whatever a patch says. */
function deciding(path: string, text: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/^go\.(?:work\.)?sum$/.test(name)) return '';
  if (name !== 'go.mod') return null;
  let isInside = false;
  const lines = text.split('\n').flatMap((line) => {
    const words = line.replace(/\/\/.*/, '').trim();
    const isRequired = isInside || /^require\b/.test(words);
    if (isRequired) isInside = isInside ? words !== ')' : words.endsWith('(');
    return isRequired || words === '' ? [] : [words];
  });
  return lines.join('\n');
}

/** All tests of the packages: they are compiled together, and some need what others define. */
function hides(failing: readonly string[], { paths, read }: RepositoryFiles): string[] {
  const tests = paths.filter((path) => path.endsWith('_test.go'));
  const modules = paths.flatMap((path) => {
    const name = /^module\s+"?([^\s"]+)/m.exec(/(?:^|\/)go\.mod$/.test(path) ? read(path) : '')?.[1];
    return name === undefined ? [] : [{ name, folder: folderOf(path) }];
  });
  const folders = listed(failing).flatMap(({ package: name, test }) => {
    if (name === '') {
      const [top] = test.split('/', 1) as [string];
      const defined = new RegExp(`^func ${escaped(top)}\\(`, 'm');
      return tests.filter((path) => defined.test(read(path))).map(folderOf);
    }
    const above = modules.filter((one) => name === one.name || name.startsWith(`${one.name}/`));
    const [nearest] = above.sort((a, b) => b.name.length - a.name.length);
    if (nearest === undefined) return [];
    return [inFolder(nearest.folder, name.slice(nearest.name.length + 1)).replace(/\/$/, '')];
  });
  const wanted = new Set(folders);
  return tests.filter((path) => wanted.has(folderOf(path)));
}

interface ListedTest {
  /** Empty where ids name no packages. */
  package: string;
  test: string;
}

function idsOf({ FAIL_TO_PASS, PASS_TO_PASS }: TestedInstance): string[] {
  return [...FAIL_TO_PASS, ...PASS_TO_PASS];
}

function listed(ids: readonly string[]): ListedTest[] {
  return ids.map((id) => {
    const at = id.indexOf('::');
    return at < 0 ? { package: '', test: id } : { package: id.slice(0, at), test: id.slice(at + 2) };
  });
}

/** The packages of the listed tests; where ids do not name them, those of the test files that the task brings. */
function packagesOf(instance: TestedInstance): string[] {
  const named = listed(idsOf(instance)).flatMap(({ package: name }) => (name === '' ? [] : [name]));
  if (named.length > 0) return [...new Set(named)].sort();
  const files = testDirectives(instance.test_patch).filter((path) => path.endsWith('_test.go'));
  return [...new Set(files.map((path) => `./${folderOf(path)}`))].sort();
}

function escaped(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
