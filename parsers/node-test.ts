/**
 * swemake's parser for Node's own runner (`node --test`): its reporters `tap` and `spec`, and its events as JSON lines
 * (`test:pass`, `test:fail`). The id of a test is `file > describe > it`, without the file where the reporter does not
 * name it. Suites are no tests; a test with subtests is one.
 */
import {
  asObject,
  asText,
  type JsonObject,
  jsonLine,
  pathId,
  pathInId,
  plainLines,
  TIME,
  withoutDuration,
} from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

/** Statuses of the tests in a log of `node --test`. */
export function parseNodeTest(log: string): Map<string, Status> {
  const statuses = new Map<string, Status>();
  const [events, tap, spec] = [new Events(statuses), new Tap(statuses), new Spec(statuses)];
  for (const line of plainLines(log)) {
    const event = jsonLine(line);
    if (event !== null) events.event(event);
    else if (tap.hasBegun || line.startsWith('TAP version ')) tap.line(line);
    else spec.line(line);
  }
  tap.close();
  return statuses;
}

/** Events as their stream has them: a parent starts before its children, and ends behind them. */
class Events {
  private readonly statuses: Map<string, Status>;
  private names: string[] = [];

  constructor(statuses: Map<string, Status>) {
    this.statuses = statuses;
  }

  event({ type, data: given }: JsonObject): void {
    const data = asObject(given);
    const nesting = data?.nesting;
    if (data === null || typeof nesting !== 'number' || !(nesting >= 0 && nesting < MOST_LEVELS)) return;
    const name = asText(data.name);
    if (type === 'test:start') {
      this.names.length = Math.min(this.names.length, nesting);
      this.names[nesting] = name;
      return;
    }
    if (type !== 'test:pass' && type !== 'test:fail') return;
    if (asObject(data.details)?.type === 'suite') return;
    const parents = Array.from({ length: nesting }, (_, level) => this.names[level] ?? '');
    const note = isNote(data.skip) ? 'SKIP' : isNote(data.todo) ? 'TODO' : '';
    const id = pathId([pathInId(asText(data.file)), ...parents, name]);
    recordWorst(this.statuses, id, statusOf(type === 'test:pass', note));
  }
}

const MOST_LEVELS = 100;

function isNote(value: unknown): boolean {
  return value === true || typeof value === 'string';
}

function statusOf(hasPassed: boolean, note: string): Status {
  if (note === 'SKIP') return 'SKIPPED';
  if (note === 'TODO') return hasPassed ? 'XPASS' : 'XFAIL';
  return hasPassed ? 'PASSED' : 'FAILED';
}

const RESULT = /^(not )?ok \d+ - (.*)$/;

/**
 * TAP with four blanks for each level: `# Subtest: name`, its children, `ok 1 - name`, and its data as YAML. Files are named for
 * failed tests alone, so ids have none.
 */
class Tap {
  private readonly statuses: Map<string, Status>;
  private names: string[] = [];
  hasBegun = false;
  /** Indentation of the data that are being read; -1: none are. */
  private indent = -1;
  /** A result whose data may follow. */
  private open: { level: number; name: string; status: Status; isSuite: boolean } | null = null;

  constructor(statuses: Map<string, Status>) {
    this.statuses = statuses;
  }

  line(line: string): void {
    this.hasBegun = true;
    const text = line.trimStart();
    if (this.indent >= 0) {
      this.data(text, line.length - text.length);
      return;
    }
    const level = (line.length - text.length) / 4;
    const isLevel = Number.isInteger(level) && level < MOST_LEVELS;
    const result = isLevel ? RESULT.exec(text) : null;
    if (isLevel && text.startsWith('# Subtest: ')) {
      this.close();
      this.names.length = Math.min(this.names.length, level);
      this.names[level] = unescaped(text.slice('# Subtest: '.length));
    } else if (result !== null) {
      this.close();
      this.begin(level, result[1] === undefined, result[2]!);
    } else if (text === '---' && this.open !== null) this.indent = line.length - text.length;
  }

  /** Texts of errors are indented deeper than the data. */
  private data(text: string, indent: number): void {
    if (indent !== this.indent) return;
    if (/^type: ['"]suite['"]$/.test(text)) this.open!.isSuite = true;
    if (text !== '...') return;
    this.indent = -1;
    this.close();
  }

  close(): void {
    if (this.open === null) return;
    const { level, name, status, isSuite } = this.open;
    this.open = null;
    if (isSuite) return;
    const parents = Array.from({ length: level }, (_, at) => this.names[at] ?? '');
    // Some versions have a test for each file.
    const isFile = level === 0 && /^\/.*\.[cm]?[jt]sx?$/.test(name);
    recordWorst(this.statuses, pathId([...parents, isFile ? pathInId(name) : name]), status);
  }

  private begin(level: number, hasPassed: boolean, text: string): void {
    const note = text.search(/(?<!\\) # (?:SKIP|TODO)\b/);
    const name = unescaped((note < 0 ? text : text.slice(0, note)).trim());
    const status = statusOf(hasPassed, note < 0 ? '' : text.slice(note + 3, note + 7));
    this.open = { level, name, status, isSuite: false };
  }
}

/** `\#` and `\\`. */
function unescaped(text: string): string {
  return text.replace(/\\([#\\])/g, '$1');
}

/** The note of a test that is expected to fail, and failed. */
const EXPECTED = 'EXPECTED FAILURE';

/** `name (0.1ms) # why`: the note of a test that is skipped or to do is a text of its own, or SKIP or TODO. */
function titleIn(text: string): { name: string; note: string } {
  const at = text.lastIndexOf('ms) # ');
  if (at < 0) return { name: withoutDuration(text.trimEnd(), TIME), note: '' };
  const end = at + 'ms)'.length;
  return { name: withoutDuration(text.slice(0, end), TIME), note: text.slice(end + ' # '.length).trimEnd() };
}

/** The last is Node 24's, of a test to do that failed. */
const MARKS: Readonly<Record<string, boolean>> = { '✔': true, '✖': false, '﹣': true, '⚠': false };

/** A tree with two blanks for each level; `▶ name` begins a suite, or a test with subtests, and such a line ends it. */
class Spec {
  private readonly statuses: Map<string, Status>;
  private open: string[] = [];
  private isOver = false;

  constructor(statuses: Map<string, Status>) {
    this.statuses = statuses;
  }

  line(line: string): void {
    const text = line.trimStart();
    const level = (line.length - text.length) / 2;
    // The failures follow once more.
    if (line === '✖ failing tests:') this.isOver = true;
    if (this.isOver || !Number.isInteger(level) || level >= MOST_LEVELS || text[1] !== ' ') return;
    const { name, note } = titleIn(text.slice(2));
    const word = text[0] === '﹣' ? 'SKIP' : note === '' || note === EXPECTED ? '' : 'TODO';
    if (this.open.length === level + 1 && this.open[level] === name) this.open.pop();
    else if (text[0] === '▶') {
      this.open.length = Math.min(this.open.length, level);
      this.open[level] = name;
    } else if (Object.hasOwn(MARKS, text[0]!)) {
      const parents = Array.from({ length: level }, (_, at) => this.open[at] ?? '');
      recordWorst(this.statuses, pathId([...parents, name]), statusOf(MARKS[text[0]!]!, word));
    }
  }
}
