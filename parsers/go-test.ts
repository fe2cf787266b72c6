/**
 * swemake's parser for `go test -json` and `go test -v`. The id of a test is `package::Test/subtest`, since packages
 * have tests of the same name. Of JSON, only the events of `go test` itself count; what a test printed is in them as
 * `output`. Without -json, a package's name follows its tests.
 */
import { asText, type JsonObject, jsonLine, plainLines, withTexts } from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

const STATUS_OF: Readonly<Record<string, Status>> = { pass: 'PASSED', fail: 'FAILED', skip: 'SKIPPED' };
const RESULT = /--- (PASS|FAIL|SKIP): (\S+) \(\d+(?:\.\d+)?s\)$/;
const PACKAGE = /^(?:ok {2}|FAIL|\? {3}|---)\t(\S+)(?:\t| \[)/;

class Reader {
  readonly statuses = new Map<string, Status>();
  /** Tests that began and have no result yet, by id. */
  private readonly running = new Set<string>();
  /** Of text: results of the tests whose package is not known yet, and the tests that began. */
  private results = new Map<string, Status>();
  private begun = new Set<string>();

  line(line: string): void {
    const event = jsonLine(line);
    if (event !== null) this.event(event);
    else if (line.startsWith('=== RUN   ')) this.begun.add(line.slice('=== RUN   '.length));
    else this.text(line);
  }

  /** A test without an end was ended with its process. */
  end(): void {
    this.package('');
    for (const id of this.running) recordWorst(this.statuses, id, 'ERROR');
  }

  private event({ Action: action, Package: name, Test: test }: JsonObject): void {
    if (asText(name) === '' || asText(test) === '') return;
    const id = `${asText(name)}::${asText(test)}`;
    const status = Object.hasOwn(STATUS_OF, asText(action)) ? STATUS_OF[asText(action)] : undefined;
    if (status !== undefined) {
      this.running.delete(id);
      recordWorst(this.statuses, id, status);
    } else if (action === 'run') this.running.add(id);
  }

  private text(line: string): void {
    const found = RESULT.exec(line.slice(-MOST));
    if (found !== null) {
      const [result, word = '', test = ''] = found;
      // With -v each test is begun. Without it, the line has nothing else.
      const isWhole = this.begun.size === 0 && line.trimStart() === result;
      if (isWhole || this.begun.has(test)) recordWorst(this.results, test, STATUS_OF[word.toLowerCase()]!);
      return;
    }
    const ended = PACKAGE.exec(line);
    if (ended !== null) this.package(`${ended[1]}::`);
  }

  private package(prefix: string): void {
    for (const [test, status] of this.results) recordWorst(this.statuses, prefix + test, status);
    for (const test of this.begun) {
      if (!this.results.has(test)) recordWorst(this.statuses, prefix + test, 'ERROR');
    }
    this.results = new Map();
    this.begun = new Set();
  }
}

/** Longest end of a line in which a result is searched. */
const MOST = 4096;

/** Statuses of the tests in a log of `go test -json` or `go test -v`. */
export function parseGoTest(log: string): Map<string, Status> {
  const reader = new Reader();
  for (const line of plainLines(log)) reader.line(line);
  reader.end();
  return reader.statuses;
}

/** What events of `go test -json` say, and builds that it runs; all but these two are silent. */
const ACTIONS = /^(?:start|run|pause|cont|pass|bench|fail|skip|output|attr|artifacts|build-(?:output|fail))$/;

/** The log as `go test -v` writes it, whose lines are in the events. */
export function goTestText(log: string): string {
  return withTexts(log, ({ Action: action, Output: output }) =>
    ACTIONS.test(asText(action)) ? asText(output) : null,
  );
}
