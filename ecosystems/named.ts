/** Collects the files that settings of a task make part of its tests. */
import type { EcosystemFile, NamedFiles, StartedTask } from './kind.ts';
import { folderOf, pathFrom } from './paths.ts';

export class FilesNamed implements NamedFiles {
  readonly files = new Map<string, EcosystemFile>();
  readonly task: StartedTask;
  private readonly folders: string[] = [];
  private readonly paths: ReadonlySet<string>;
  private readonly solved: ReadonlySet<string>;

  constructor(task: StartedTask) {
    this.task = task;
    this.paths = new Set(task.files.paths);
    this.solved = new Set(task.solution);
  }

  isTest(path: string): boolean {
    return this.folders.some((folder) => path.startsWith(folder));
  }

  read(path: string): string {
    return this.task.files.read(path);
  }

  has(path: string): boolean {
    return this.paths.has(path);
  }

  /** Files of the repository whose paths match. */
  all(pattern: RegExp): string[] {
    return this.task.files.paths.filter((path) => pattern.test(path));
  }

  /** The file that a word names, from a folder or from one above it; null: none. */
  file(folder: string, word: string): string | null {
    if (word === '' || word.length > 300) return null;
    for (let at = folder; ; at = folderOf(at)) {
      const path = pathFrom(at, word);
      if (path !== null && this.paths.has(path)) return path;
      if (at === '') return null;
    }
  }

  add(path: string | null, as: EcosystemFile): void {
    if (path !== null && !this.solved.has(path) && !this.files.has(path)) this.files.set(path, as);
  }

  /** A folder of tests, with what a patch adds there; not one in which the solution works. */
  addFolder(folder: string | null): void {
    if (folder === null || folder === '') return;
    const inside = `${folder}/`;
    if (![...this.solved].some((path) => path.startsWith(inside))) this.folders.push(inside);
  }
}

/** Words of what only tests need, in a path. */
export const OF_TESTS =
  /(?:^|[/._-])(?:(?:unit|api|http|it)?(?:tests?|specs?)|testing|test[-_]?(?:utils?|helpers?|kit|support|data|tools?|lib|common|suites?|env|servers?|harness)|mocks?|stubs?|fakes?|fixtures?|harness)(?=[/._-]|$)/i;
