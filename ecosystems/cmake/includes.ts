/** Files that only tests of C and C++ include: what compares for them, wherever it lies. */
import { folderOf, repositoryPath } from '../../basics/repository-path.ts';
import type { EcosystemTests } from '../kind.ts';
import type { FilesNamed } from '../named.ts';

const SOURCE = /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|inc|inl|ipp)$/;
const INCLUDE = /^[^\S\n]{0,99}#[^\S\n]{0,99}include[^\S\n]{0,99}["<]([^">\n]{1,200})[">]/gm;
/** Folders of the code under test, whose headers may be for users alone. */
const PRODUCT = /(?:^|\/)(?:src|libs?|sources?|include|single_include|inc|contrib|examples?|demos?)\//;
/** A test includes a source to see what is inside of it. */
const HEADER = /\.(?:h|hh|hpp|hxx|inc)$/;
/** Assertions of GoogleTest, doctest and Catch2, of which the latter two have names that others have as well. */
const ASSERTS =
  /\b(?:EXPECT|ASSERT)_(?:EQ|NE|TRUE|FALSE|THAT|LT|LE|GT|GE|STREQ|NEAR|FLOAT_EQ|DOUBLE_EQ)\s{0,9}\(|\bDOCTEST_(?:CHECK|REQUIRE)/;
const MAX_FILES = 20_000;

export function includedByTests(named: FilesNamed, protects: EcosystemTests['protects']): void {
  const all = named.all(SOURCE).slice(0, MAX_FILES);
  const { solution, started, tests = [] } = named.task;
  const byName = new Map<string, string[]>();
  for (const path of all) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  /** From the folder of a file, else wherever a path ends so. */
  const filesOf = (from: string, word: string): string[] => {
    const own = repositoryPath(folderOf(from), word);
    if (own !== null && named.has(own)) return [own];
    const plain = word.replace(/^(?:\.\.?\/)+/, '');
    const found = byName.get(plain.slice(plain.lastIndexOf('/') + 1)) ?? [];
    return found.filter((path) => path === plain || path.endsWith(`/${plain}`));
  };
  const known = new Set([...tests, ...started]);
  const isTest = (path: string) => {
    const kind = named.files.get(path) ?? protects(path, () => named.read(path));
    return known.has(path) || kind === 'test' || kind === 'support';
  };
  const worked = new Set(solution.map((path) => path.split('/', 1)[0]!));
  const mayBe = (path: string) =>
    HEADER.test(path) &&
    path.includes('/') &&
    !named.task.solution.includes(path) &&
    // What has a runner's assertions is no code under test, wherever it lies.
    (ASSERTS.test(named.read(path)) || (!PRODUCT.test(path) && !worked.has(path.split('/', 1)[0]!)));
  const users = new Map<string, Set<string>>();
  for (const path of all)
    for (const [, word] of named.read(path).matchAll(INCLUDE))
      for (const file of filesOf(path, word!)) users.set(file, (users.get(file) ?? new Set()).add(path));
  const found = new Set([...users.keys()].filter((path) => mayBe(path) && !isTest(path)));
  // What is not only included by tests and by such files goes, until nothing does.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const path of found)
      if (![...users.get(path)!].every((user) => isTest(user) || found.has(user))) found.delete(path);
  }
  // Two files that only include each other are no test's.
  const reached = new Set<string>();
  const open = [...found].filter((path) => [...users.get(path)!].some(isTest));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    open.push(...[...found].filter((one) => users.get(one)!.has(path!)));
  }
  for (const path of reached) named.add(path, 'support');
}
