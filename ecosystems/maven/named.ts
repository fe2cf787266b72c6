/** Files that Maven's and Gradle's settings make part of the tests, wherever they lie. */

import { folderOf, repositoryPath } from '../../basics/repository-path.ts';
import type { NamedFiles, StartedTask } from '../kind.ts';
import { FilesNamed, OF_TESTS, without } from '../named.ts';
import { namesakes } from './namesakes.ts';

/** Elements of Surefire and Failsafe whose text is a file. */
const FILES =
  /<(suiteXmlFile|systemPropertiesFile|includesFile|excludesFile|additionalClasspathElement|propertiesFile|argLine|jvm|executable)>([^<]{1,2000})</g;
/** Folders of tests: also those that a plugin adds. */
const SOURCES = /<testSourceDirectory>([^<]{1,2000})</g;
const RESOURCES = /<testResource>([\s\S]{0,2000}?)<\/testResource>/g;
const DIRECTORY = /<(?:source|directory)>([^<]{1,2000})</g;
const ADDED = /<goal>\s{0,99}add-test-(?:source|resource)\s{0,99}<\/goal>[\s\S]{0,2000}?<\/execution>/g;
const LISTENERS = /<name>\s{0,99}listener\s{0,99}<\/name>\s{0,99}<value>([^<]{1,2000})</g;
/** Lines of a build file of Gradle that name what starts tests, and those that do in blocks of tests. */
const GRADLE = /^[^\n]*(?:\bsuites?\b|\bsuiteXmlFiles\b|-javaagent:)[^\n]*/gm;
const STARTED = /^[^\n]*(?:\bcommandLine\b|\bexecutable\b)[^\n]*/gm;

/** Folders of sources in a block of Gradle, also over several lines: `srcDir 'a'`, `srcDirs = ['a', 'b']`. */
const FOLDERS =
  /\bsrcDirs?\b\s{0,9}\(?\+?=?\s{0,9}((?:[\s[]|listOf\(|files\(|setOf\()*(?:['"][^'"\n]{1,300}['"][\s,]{0,99}){1,50})/g;
const DEPENDENCY = /<dependency>([\s\S]{0,2000}?)<\/dependency>/g;
/** Elements whose dependencies are not those of the module. */
const PARTS = ['dependencyManagement', 'build', 'reporting'];
const MAX_MODULES = 1000;
const MAX_BLOCKS = 100;
const MAX_BLOCK = 5000;

export function mavenNamed(task: StartedTask): NamedFiles {
  const named = new FilesNamed(task);
  named.setTest(namesakes(named));
  for (const folder of modulesOfTests(named)) named.addFolder(`${folder}/src`);
  const modules = modulesIn(named);
  const listeners = new Map<string, string[]>();
  for (const path of named.all(/\.java$/)) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    listeners.set(name, [...(listeners.get(name) ?? []).slice(0, 99), path]);
  }
  named.each(/(?:^|\/)pom\.xml$/, (path, all) => {
    const text = without(all, '<!--', '-->');
    const folder = folderOf(path);
    for (const [, , words] of text.matchAll(FILES))
      for (const word of wordsOf(words!)) named.add(named.file(folder, plain(word)), 'runner');
    const folders = [...text.matchAll(SOURCES)].map(([, one]) => one!);
    for (const [part] of [...text.matchAll(RESOURCES), ...text.matchAll(ADDED)])
      for (const [, one] of part.matchAll(DIRECTORY)) folders.push(one!);
    for (const one of folders) addFolder(folder, plain(one.trim()), named, modules);
    for (const [, classes] of text.matchAll(LISTENERS))
      for (const one of classes!.trim().split(/[\s,]+/)) {
        const end = `${one.replaceAll('.', '/')}.java`;
        for (const file of listeners.get(end.slice(end.lastIndexOf('/') + 1)) ?? [])
          if (file === end || file.endsWith(`/${end}`)) named.add(file, 'runner');
      }
  });
  return named;
}

export function gradleNamed(task: StartedTask): NamedFiles {
  const named = new FilesNamed(task);
  named.setTest(namesakes(named));
  const modules = modulesIn(named);
  named.each(/\.gradle(?:\.kts)?$/, (path, text) => {
    const folder = folderOf(path);
    const tasks = testBlocks(text, 0).flatMap((block) => [...block.matchAll(STARTED)]);
    for (const [line] of [...text.matchAll(GRADLE), ...tasks])
      for (const [, word] of line.matchAll(/['"]([^'"\n]+)['"]/g))
        for (const part of wordsOf(word!)) named.add(named.file(folder, plain(part)), 'runner');
    for (const block of testBlocks(text, text.indexOf('sourceSets')))
      for (const [, list] of block.matchAll(FOLDERS))
        for (const [, one] of list!.matchAll(/['"]([^'"\n]+)['"]/g))
          addFolder(folder, plain(one!), named, modules);
  });
  return named;
}

/** Modules that are called as tests are, and that others need for their tests alone. */
function modulesOfTests(named: FilesNamed): string[] {
  const modules = named
    .all(/(?:^|\/)pom\.xml$/)
    .slice(0, MAX_MODULES)
    .map((path) => {
      const all = without(named.read(path), '<!--', '-->');
      const parent = partOf(all, 'parent');
      const own = PARTS.reduce((text, part) => text.replaceAll(partOf(text, part), ''), all);
      const dependencies = [...own.matchAll(DEPENDENCY)].map(([, text]) => text!);
      return { folder: folderOf(path), name: textOf(own.replace(parent, ''), 'artifactId'), dependencies };
    });
  const found = new Set<string>();
  const candidates = modules.filter(
    ({ folder, name }) => folder !== '' && name !== '' && (OF_TESTS.test(folder) || OF_TESTS.test(name)),
  );
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const { folder, name } of candidates) {
      const users = modules.flatMap(({ folder: user, dependencies }) =>
        dependencies
          .filter((text) => textOf(text, 'artifactId') === name)
          .map((text) => found.has(user) || textOf(text, 'scope') === 'test'),
      );
      if (users.length > 0 && users.every(Boolean)) found.add(folder);
    }
  }
  return [...found];
}

/** The text of the first such element with its tags; empty: there is none. */
function partOf(text: string, element: string): string {
  const from = text.indexOf(`<${element}>`);
  const to = from < 0 ? -1 : text.indexOf(`</${element}>`, from);
  return to < 0 ? '' : text.slice(from, to + element.length + 3);
}

function textOf(text: string, element: string): string {
  return partOf(text, element)
    .slice(element.length + 2, -element.length - 3)
    .trim();
}

/** Words that may be files of the runner: what lies below `src/main` is the code under test. */
function wordsOf(text: string): string[] {
  return text.split(/[\s,:=]+/).filter((word) => !/(?:^|\/)src\/main\//.test(word));
}

/** Folders of a build's code hold tests only where they hold nothing else. */
function addFolder(folder: string, word: string, named: FilesNamed, modules: ReadonlySet<string>): void {
  const path = repositoryPath(folder, word);
  if (path === null || /(?:^|\/)src(?:\/main(?:\/.*)?)?$/.test(path)) return;
  if (!modules.has(path)) named.addFolder(path);
}

/** Folders with the build or the code of a module, which are no folders of tests. */
function modulesIn(named: FilesNamed): ReadonlySet<string> {
  const builds = named.all(/(?:^|\/)(?:pom\.xml|build\.gradle(?:\.kts)?)$/).map(folderOf);
  const codes = named.all(/(?:^|\/)src\/main\//).map((path) => path.replace(/\/?src\/main\/.*$/s, ''));
  return new Set([...builds, ...codes]);
}

/** Blocks `test { … }`, and the like, from a place on. */
function testBlocks(text: string, first: number): string[] {
  if (first < 0) return [];
  const found: string[] = [];
  for (
    let at = text.indexOf('{', first);
    at >= 0 && found.length < MAX_BLOCKS;
    at = text.indexOf('{', at + 1)
  ) {
    if (!/\b\w*[tT]est\w*\b[^\n{}]{0,40}$/.test(text.slice(Math.max(first, at - 99), at))) continue;
    let depth = 1;
    let end = at + 1;
    for (; end < Math.min(text.length, at + MAX_BLOCK) && depth > 0; end += 1)
      depth += text[end] === '{' ? 1 : text[end] === '}' ? -1 : 0;
    found.push(text.slice(at, end));
  }
  return found;
}

/** Without the variable of the project's folder. */
function plain(word: string): string {
  return word.replace(
    /^\$\{?(?:project\.basedir|basedir|project\.baseUri|projectDir|rootDir|project\.projectDir|maven\.multiModuleProjectDirectory)\}?\//,
    '',
  );
}
