/**
 * The modules that a program imports which starts the tests: helpers of a project's own runner, whatever their names.
 * They are found in the task's own files. Code that tests or other code import as well is the product's, and so is the
 * package that the task's solution works in, but for modules there that only the runner imports and that are named so.
 */
import { baseName, folderOf, repositoryPath } from '../../basics/repository-path.ts';
import { type TaskFiles, topName } from './task-files.ts';
import { isTestModule } from './test-folders.ts';

/** An import of one name or several, on one line or in brackets; the comments of a line do not count. */
const IMPORT =
  /^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)|import[ \t]+([\w. \t,]+))/gm;
const OF_RUNNER = /(?:^|[_/])(?:self)?(?:run_?)?(?:tests?|testing|testrunner|runner)(?:[_/.]|$)/;
/** Files of a repository that are looked through. */
const MAX_FILES = 20_000;

/** Python files of the repository that a program's text imports, as far as they are the runner's own. */
export class RunnerImports {
  private readonly files: TaskFiles;
  private readonly solution: ReadonlySet<string>;
  private readonly tops: ReadonlySet<string>;
  /** The solution changes modules at the root, so that modules there are the product. */
  private readonly isFlat: boolean;
  private readonly isStarter: (path: string) => boolean;
  /** File -> files that import it. */
  private importers: Map<string, Set<string>> | null = null;

  /** `isStarter`: files that are known to start the tests. Only for them their imports count. */
  constructor(files: TaskFiles, solution: readonly string[], isStarter: (path: string) => boolean) {
    this.files = files;
    this.solution = new Set(solution);
    this.tops = new Set(solution.filter((path) => path.includes('/')).map(topName));
    this.isFlat = solution.some((path) => path.endsWith('.py') && !path.includes('/'));
    this.isStarter = isStarter;
  }

  /** What the program at `path` imports. */
  of(path: string, text: string): string[] {
    const found = new Set<string>();
    for (const name of importedNames(text)) for (const file of this.filesOf(name, path)) found.add(file);
    return [...found].filter((file) => file !== path && this.isRunners(file));
  }

  /** Files of a dotted name, from the program's folder, the root, or where packages lie. */
  private filesOf(name: string, from: string): string[] {
    const dots = /^\.*/.exec(name)![0].length;
    const tail = name.slice(dots).replaceAll('.', '/');
    const here = folderOf(from);
    const up =
      dots > 1
        ? Array(dots - 1)
            .fill('..')
            .join('/')
        : '';
    const folders = dots > 0 ? [repositoryPath(here, up)] : [here, '', 'src', 'lib'];
    return folders.flatMap((folder) => {
      if (folder === null) return [];
      const path = repositoryPath(folder, tail);
      if (path === null || path === '') return [];
      return [`${path}.py`, `${path}/__init__.py`].filter((one) => this.files.paths.has(one));
    });
  }

  private isRunners(path: string): boolean {
    if (this.solution.has(path) || isTestModule(path)) return false;
    const isRoot = folderOf(path) === '';
    if ((isRoot ? this.isFlat : this.tops.has(topName(path))) && !OF_RUNNER.test(path)) return false;
    // What a package's own modules import of it says nothing.
    const inside = baseName(path) === '__init__.py' ? `${folderOf(path)}/` : path;
    this.importers ??= this.index();
    return [...(this.importers.get(path) ?? [])].every(
      (importer) => importer.startsWith(inside) || this.isStarter(importer),
    );
  }

  private index(): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    const modules = [...this.files.paths].filter((path) => path.endsWith('.py')).slice(0, MAX_FILES);
    for (const path of modules)
      for (const name of importedNames(this.files.read(path) ?? ''))
        for (const file of this.filesOf(name, path))
          found.set(file, (found.get(file) ?? new Set()).add(path));
    return found;
  }
}

/** Dotted names that a text may import: modules, and what is taken from them, which may be a module, too. */
function importedNames(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, from, taken, plain] of text.matchAll(IMPORT)) {
    if (from === undefined) {
      for (const one of plain!.split(',')) found.add(one.trim().split(/\s/)[0]!);
      continue;
    }
    if (!/^\.*$/.test(from)) found.add(from);
    for (const one of taken!.replace(/#[^\n]*/g, '').split(/[\s,()]+/))
      if (/^\w+$/.test(one) && one !== 'as') found.add(/\.$/.test(from) ? `${from}${one}` : `${from}.${one}`);
  }
  found.delete('');
  return found;
}
