/** Commands that run cargo, and the listed tests in them. */
import { shellWord, simpleCommands } from '../../basics/shell.ts';
import type { TestedInstance } from '../../patches/test-files.ts';

/** The `cargo test` of a line: its words from `test` on, each with its end in the line. */
interface CargoTest {
  words: { text: string; end: number }[];
}

function lastTest(line: string): CargoTest | null {
  for (const { words } of simpleCommands(line).reverse()) {
    const at = words.findIndex(({ text }) => text === 'cargo');
    const test = at < 0 ? -1 : words.findIndex(({ text }, index) => index > at && /^t(?:est)?$/.test(text));
    if (test >= 0) return { words: words.slice(test) };
  }
  return null;
}

/** Chooses packages, binaries or tests. */
const CHOICE =
  /^(?:--(?:lib|bins?|tests?|examples?|bench(?:es)?|doc|all-targets|package|manifest-path)(?:=.*)?|-p.*|--)$/;

/** Whether a line is one `cargo test` that chooses neither binaries nor tests, which the listed tests complete. */
export function isOpenCommand(line: string): boolean {
  const words = lastTest(line)?.words.slice(1);
  return words?.every(({ text }) => text.startsWith('-') && !CHOICE.test(text)) === true;
}

/** The same line with --no-run, and without what is meant for the tests; null: it runs no tests of cargo. */
export function withoutRun(line: string): string | null {
  const found = lastTest(line);
  if (found === null) return null;
  const { words } = found;
  const [test, ...rest] = words;
  const last = rest.findIndex(({ text }) => text === '--');
  const end = last < 0 ? words.at(-1)!.end : rest[last]!.end - '--'.length;
  return `${line.slice(0, test!.end)} --no-run${line.slice(test!.end, end).trimEnd()}`;
}

/** An id of swemake's own parser, `binary::source::path`, where `source` is as in `tests/api.rs` without its ending. */
interface ListedTest {
  binary: string;
  source: string;
  name: string;
}

const SOURCE = '(?:lib|main|bin/[^:]+|(?:tests|benches|examples)/[^:]+)';
const ID = new RegExp(`^([\\w-]+)::(${SOURCE})(?:#\\d+)?::(.+)$`);

export function listedTests(ids: readonly string[]): (ListedTest | null)[] {
  return ids.map((id) => {
    const [, binary, source, name] = ID.exec(id) ?? [];
    return name === undefined ? null : { binary: binary!, source: source!, name };
  });
}

/** More names than that are not listed: all tests of their binaries are run. */
const MOST_NAMES = 500;

/** Options of `cargo test` for the listed tests; empty where their ids do not name binaries. */
export function chosenTests({ FAIL_TO_PASS, PASS_TO_PASS }: TestedInstance): string {
  const listed = listedTests([...FAIL_TO_PASS, ...PASS_TO_PASS]);
  if (listed.length === 0 || listed.includes(null)) return '';
  const tests = listed.filter((one) => one !== null);
  const options = [...new Set(tests.map(optionOf))].sort();
  const names = [...new Set(tests.map(({ name }) => name))].sort();
  const exact = names.length > MOST_NAMES ? '' : ` -- --exact ${names.map(shellWord).join(' ')}`;
  return ` ${options.join(' ')}${exact}`;
}

function optionOf({ binary, source }: ListedTest): string {
  if (source === 'lib') return '--lib';
  if (source === 'main') return `--bin ${shellWord(binary)}`;
  const [kind, file = ''] = source.split('/', 2);
  const option = { bin: '--bin', tests: '--test', benches: '--bench', examples: '--example' }[kind!];
  return `${option} ${shellWord(kind === 'bin' ? file : binary)}`;
}
