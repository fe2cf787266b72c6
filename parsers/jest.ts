/**
 * swemake's parser for Jest: `--json`, or `--verbose` as text. The id of a test is `file > describe > it`. Of the text
 * only the tree behind the line of a file is read; what tests print stands elsewhere.
 */
import { parseJestJson } from './jest-json.ts';
import { pathId, pathInId, plainLines, TIME, withoutDuration } from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

const STATUS_OF: Readonly<Record<string, Status>> = {
  '✓': 'PASSED',
  '✕': 'FAILED',
  '○': 'SKIPPED',
  '✎': 'SKIPPED',
};
const FILE = /^(PASS|FAIL) (\S.*)$/;

class Reader {
  readonly statuses = new Map<string, Status>();
  private file: string | null = null;
  private isFailed = false;
  /** Files with tests; those that have none could not be loaded. */
  private readonly loaded = new Set<string>();
  /** Titles of the suites around the line, by depth. */
  private suites: string[] = [];
  /** The line stands in the tree of the file. */
  private inTree = false;

  line(line: string): void {
    const head = FILE.exec(line);
    if (head !== null) this.begin(head[1] === 'FAIL', pathInId(withoutDuration(head[2]!, TIME)));
    else if (this.inTree) this.tree(line);
  }

  close(): void {
    const { file } = this;
    if (file !== null && this.isFailed && !this.loaded.has(file)) recordWorst(this.statuses, file, 'ERROR');
  }

  private begin(isFailed: boolean, file: string): void {
    if (file !== this.file) this.close();
    Object.assign(this, { file, isFailed, suites: [], inTree: true });
  }

  private tree(line: string): void {
    if (line === '') {
      this.inTree = false;
      return;
    }
    const text = line.trim();
    const indent = text === '' ? line.length : line.length - line.trimStart().length;
    // A further line of a title, or a warning of another process.
    if (indent < 2) return;
    const depth = (indent >> 1) - 1;
    this.suites.length = Math.min(this.suites.length, depth);
    const mark = text.slice(0, text.indexOf(' '));
    const status = Object.hasOwn(STATUS_OF, mark) ? STATUS_OF[mark] : undefined;
    if (status === undefined) {
      this.suites[depth] = text;
      return;
    }
    this.loaded.add(this.file!);
    // `○ skipped name`, `✎ todo name`.
    const title = text.slice(mark.length + 1).replace(status === 'SKIPPED' ? /^(?:skipped|todo) / : /^$/, '');
    const path = [
      this.file!,
      ...Array.from(this.suites, (suite) => suite ?? ''),
      withoutDuration(title, TIME),
    ];
    recordWorst(this.statuses, pathId(path), status);
  }
}

/** Statuses of the tests in a log of Jest. */
export function parseJest(log: string): Map<string, Status> {
  const json = parseJestJson(log);
  if (json !== null) return json;
  const reader = new Reader();
  for (const line of plainLines(log)) reader.line(line);
  reader.close();
  return reader.statuses;
}
