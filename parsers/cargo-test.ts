/**
 * swemake's parser for `cargo test`. The id of a test is `binary::source::path`, since the binaries of a package have
 * tests of the same name: cargo names each before its tests. Hashes of binaries and lines of doc tests are left out.
 */
import { plainLines } from './log-lines.ts';
import { recordWorst, type Status } from './status.ts';

const RUNNING = /^ *Running (?:unittests )?(\S+) \((?:.*[/\\])?([^/\\]+?)(?:-([0-9a-f]{16}))?(?:\.exe)?\)$/;
const DOCS = /^ *Doc-tests (\S+)$/;
const TEST = /^test (\S.*) \.\.\. (ok|FAILED|ignored)(?:, .*)?$/;
const STATUS_OF: Readonly<Record<string, Status>> = { ok: 'PASSED', FAILED: 'FAILED', ignored: 'SKIPPED' };

class Reader {
  readonly statuses = new Map<string, Status>();
  private prefix = '';
  /** Hashes of the binaries with the same name: packages of a workspace have such. */
  private readonly hashes = new Map<string, string[]>();
  /** Doc tests of one item: line -> statuses. They are printed as they end, in any order. */
  private docs = new Map<string, Map<string, Status>>();
  /** Behind the results of a binary stands what its tests printed. */
  private inOutput = false;

  line(line: string): void {
    const running = RUNNING.exec(line);
    if (running !== null) {
      this.endDocs();
      this.prefix = this.binary(`${running[2]}::${sourceName(running[1]!)}`, running[3] ?? '');
      return;
    }
    const docs = DOCS.exec(line);
    if (docs !== null) {
      this.endDocs();
      this.prefix = `${docs[1]}::doc::`;
      return;
    }
    if (/^running \d+ tests?$/.test(line)) this.inOutput = false;
    else if (line === 'failures:' || line === 'successes:') this.inOutput = true;
    const test = this.inOutput ? null : TEST.exec(line);
    if (test !== null) this.test(test[1]!, STATUS_OF[test[2]!]!);
  }

  /** `src/lib.rs - add (line 5)` is the first doc test of `add`. */
  endDocs(): void {
    for (const [name, lines] of this.docs) {
      const statuses = [...lines].sort(([a], [b]) => Number(a) - Number(b)).map(([, status]) => status);
      for (const [at, status] of statuses.entries())
        recordWorst(this.statuses, `${this.prefix}${name}${at === 0 ? '' : ` #${at + 1}`}`, status);
    }
    this.docs = new Map();
  }

  private binary(name: string, hash: string): string {
    const known = this.hashes.get(name) ?? [];
    if (!known.includes(hash)) this.hashes.set(name, [...known, hash]);
    const place = this.hashes.get(name)!.indexOf(hash);
    return place === 0 ? `${name}::` : `${name}#${place + 1}::`;
  }

  /** `path - should panic` is `path`. */
  private test(text: string, status: Status): void {
    const plain = text.replace(/ - should panic$/, '');
    const [part, line] = / \(line (\d+)\)/.exec(plain) ?? [];
    if (part === undefined) {
      recordWorst(this.statuses, this.prefix + plain, status);
      return;
    }
    const name = plain.replace(part, '');
    const lines = this.docs.get(name) ?? new Map<string, Status>();
    this.docs.set(name, lines);
    recordWorst(lines, line!, status);
  }
}

/** `src/lib.rs` is `lib`, `tests/api.rs` is `tests/api`. */
function sourceName(path: string): string {
  return path.replace(/^src[/\\]/, '').replace(/\.rs$/, '');
}

/** Statuses of the tests in a log of `cargo test`. */
export function parseCargoTest(log: string): Map<string, Status> {
  const reader = new Reader();
  for (const line of plainLines(log)) reader.line(line);
  reader.endDocs();
  return reader.statuses;
}
