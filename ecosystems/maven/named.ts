/** Files that Maven's and Gradle's settings make part of the tests, wherever they lie. */
import type { NamedFiles, StartedTask } from '../kind.ts';
import { FilesNamed } from '../named.ts';
import { folderOf, pathFrom } from '../paths.ts';

/** Elements of Surefire and Failsafe whose text is a file. */
const FILES =
  /<(suiteXmlFile|systemPropertiesFile|includesFile|excludesFile|additionalClasspathElement|propertiesFile|argLine)>\s*([^<]+?)\s*<\/\1>/g;
/** Folders of tests: also those that a plugin adds. */
const FOLDERS =
  /<testSourceDirectory>\s*([^<]+?)\s*<\/testSourceDirectory>|<testResource>\s*<directory>\s*([^<]+?)\s*<\/directory>/g;
const ADDED = /<goal>\s*add-test-(?:source|resource)\s*<\/goal>[\s\S]{0,2000}?<\/execution>/g;
const LISTENERS = /<name>\s*listener\s*<\/name>\s*<value>\s*([^<]+?)\s*<\/value>/g;
/** Lines with calls in a build file of Gradle that name what starts tests. */
const GRADLE = /^[^\n]*(?:\bsuites?\b|\bsuiteXmlFiles\b|-javaagent:|\bcommandLine\b|\bexecutable\b)[^\n]*/gm;

export function mavenNamed(task: StartedTask): NamedFiles {
  const named = new FilesNamed(task);
  for (const path of named.all(/(?:^|\/)pom\.xml$/)) {
    const text = named.read(path).replace(/<!--[\s\S]*?-->/g, '');
    const folder = folderOf(path);
    for (const [, , words] of text.matchAll(FILES))
      for (const word of words!.split(/[\s,:=]+/)) named.add(named.file(folder, plain(word)), 'runner');
    for (const [, sources, resources] of text.matchAll(FOLDERS))
      addFolder(folder, plain(sources ?? resources!), named);
    for (const [added] of text.matchAll(ADDED))
      for (const [, one] of added.matchAll(/<(?:source|directory)>\s*([^<]+?)\s*</g))
        addFolder(folder, plain(one!), named);
    for (const [, classes] of text.matchAll(LISTENERS))
      for (const one of classes!.split(/[\s,]+/)) {
        const end = `/${one.replaceAll('.', '/')}.java`;
        for (const file of task.files.paths) if (file.endsWith(end)) named.add(file, 'runner');
      }
  }
  return named;
}

export function gradleNamed(task: StartedTask): NamedFiles {
  const named = new FilesNamed(task);
  for (const path of named.all(/\.gradle(?:\.kts)?$/)) {
    const text = named.read(path);
    const folder = folderOf(path);
    for (const [line] of text.matchAll(GRADLE))
      for (const [, word] of line.matchAll(/['"]([^'"\n]+)['"]/g))
        for (const part of word!.split(/[\s,:=]+/)) named.add(named.file(folder, plain(part)), 'runner');
    for (const block of testBlocks(text))
      for (const [, list] of block.matchAll(/\bsrcDirs?\b\s*\(?\+?=?\s*([^\n)\]]*)/g))
        for (const [, one] of list!.matchAll(/['"]([^'"\n]+)['"]/g)) addFolder(folder, plain(one!), named);
  }
  return named;
}

/** Folders of a build's code hold tests only where they hold nothing else. */
function addFolder(folder: string, word: string, named: FilesNamed): void {
  const path = pathFrom(folder, word);
  if (path !== null && !/(?:^|\/)src(?:\/main(?:\/.*)?)?$/.test(path)) named.addFolder(path);
}

/** Blocks `test { … }` inside of `sourceSets`, and the like. */
function testBlocks(text: string): string[] {
  const sets = text.indexOf('sourceSets');
  if (sets < 0) return [];
  return [...text.slice(sets).matchAll(/\b\w*[tT]est\w*\b[^\n{}]{0,40}\{/g)].map(({ 0: head, index }) => {
    let depth = 1;
    let end = sets + index + head.length;
    for (; end < text.length && depth > 0; end += 1)
      depth += text[end] === '{' ? 1 : text[end] === '}' ? -1 : 0;
    return text.slice(sets + index, end);
  });
}

/** Without the variable of the project's folder. */
function plain(word: string): string {
  return word.replace(
    /^\$\{?(?:project\.basedir|basedir|project\.baseUri|projectDir|rootDir|project\.projectDir|maven\.multiModuleProjectDirectory)\}?\//,
    '',
  );
}
