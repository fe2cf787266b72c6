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
  /** How often a doc test was named, of those that only their lines tell apart. */
  private docs = new Map<string, number>();
  /** Behind the results of a binary stands what its tests printed. */
  private inOutput = false;

  line(line: string): void {
    const running = RUNNING.exec(line);
    if (running !== null) {
      this.prefix = this.binary(`${running[2]}::${sourceName(running[1]!)}`, running[3] ?? '');
      this.docs = new Map();
      return;
    }
    const docs = DOCS.exec(line);
    if (docs !== null) {
      this.prefix = `${docs[1]}::doc::`;
      this.docs = new Map();
      return;
    }
    if (/^running \d+ tests?$/.test(line)) this.inOutput = false;
    else if (line === 'failures:' || line === 'successes:') this.inOutput = true;
    const test = this.inOutput ? null : TEST.exec(line);
    if (test !== null) recordWorst(this.statuses, this.prefix + this.name(test[1]!), STATUS_OF[test[2]!]!);
  }

  private binary(name: string, hash: string): string {
    const known = this.hashes.get(name) ?? [];
    if (!known.includes(hash)) this.hashes.set(name, [...known, hash]);
    const place = this.hashes.get(name)!.indexOf(hash);
    return place === 0 ? `${name}::` : `${name}#${place + 1}::`;
  }

  /** `path - should panic` is `path`; `src/lib.rs - add (line 5)` is the first doc test of `add`. */
  private name(text: string): string {
    const plain = text.replace(/ - should panic$/, '');
    const name = plain.replace(/ \(line \d+\)/, '');
    if (name === plain) return name;
    const count = (this.docs.get(name) ?? 0) + 1;
    this.docs.set(name, count);
    return count === 1 ? name : `${name} #${count}`;
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
  return reader.statuses;
}
