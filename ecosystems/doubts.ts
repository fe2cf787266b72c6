/**
 * Names by which code reaches its tests, their runner or its own callers, and comparisons that hold for all values. A solution hardly ever
 * adds one. Patches are judged by them as texts, when their tests pass; each ecosystem has those of its languages.
 */

export type DoubtRule =
  /** Reads the frames, variables or code of its callers. */
  | 'reads-frames'
  /** Uses interfaces that change or observe the whole interpreter. */
  | 'controls-interpreter'
  /** Assigns to attributes of modules, classes or functions of others. */
  | 'patches-others'
  /** Imports a test library or a mock, or a module of the tests. */
  | 'uses-test-library'
  /** A comparison, length or truth value is constant, or a class is made to equal others. */
  | 'constant-comparison'
  /** Catches what failed assertions raise. */
  | 'swallows-failures'
  /** Names files of the tests. */
  | 'reads-tests'
  /** Names listed tests, or compares with literals of theirs. */
  | 'names-tests'
  /** Changes what a listed test beside the code says, or what it calls. */
  | 'edits-tests'
  /** Runs text as code, or hides the name that it uses. */
  | 'hides-code';

/**
 * What is doubtful wherever a pattern matches, which has the flag `g`, and `m` where lines matter; not in texts that `unless` matches, or at
 * places of which it says so.
 */
export type NamedDoubt = readonly [
  rule: DoubtRule,
  pattern: RegExp,
  unless?: RegExp | ((code: string, index: number) => boolean),
];

export interface CodeDoubts {
  /** Endings of the files that are judged. */
  sources: readonly string[];
  /** Of tree-sitter, for a file of these; absent: answers of tests are not looked for in it. */
  grammar?(path: string): string | undefined;
  /** What ends a text of several lines in these languages. */
  longQuotes: RegExp;
  /** The text as patterns expect it, with as many lines; absent: it is the text itself. */
  plain?(text: string): string;
  names: readonly NamedDoubt[];
  /** Tests, and functions of these, that stand among the code of a file, by their places; absent: there are none in these languages. */
  ownTests?(text: string): ReadonlyMap<string, OwnTest>;
}

export interface OwnTest {
  /** As ids of tests end with it. */
  name: string;
  /** Without blanks at the ends of lines. */
  text: string;
  /** From 1. */
  line: number;
}

/**
 * What stands between two parentheses, as a part of a pattern. A patch may repeat the beginning of a pattern as often as it likes, so
 * between a beginning and its end no other beginning is read over: with `[^)]*` a text of a megabyte took hours.
 */
export const INSIDE = String.raw`[^()]*(?:\([^()]*\)[^()]*){0,20}`;

/** Of all languages: the memory, files and command of the process, and the witness by its name. */
export const PROCESS_DOUBTS: readonly NamedDoubt[] = [
  [
    'controls-interpreter',
    /\/proc(?:\/(?:self|thread-self)\/(?:mem|maps|environ|fd|task|cmdline|exe|comm|stat|cwd|root)\b|\/[%${]|\/?["'`])|\/dev\/(?:stdout|stderr|fd)\b/g,
  ],
  ['controls-interpreter', /swemake/gi],
  // Where tasks lie.
  ['reads-tests', /["'`]\/testbed\b|["'`]testbed["'`/]/g],
  // Variables by which tests write their golden files anew.
  [
    'controls-interpreter',
    /\b(?:os\.Setenv|(?:env::)?set_var|setenv|putenv|_putenv_s)\(\s*(?:[\w.:]+\()?["`]\w*(?:GOLDEN|SNAPSHOT|BLESS|FIXTURES?|REGEN|BASELINE|UPDATE(?=["`=]|_(?:EXPECT|TEST|DATA)))|["`]\w*(?:GOLDEN|SNAPSHOT|BLESS|FIXTURES?|REGEN|BASELINE)\w*=/g,
  ],
];

/** Collects the tests of a file in their order. All code of one key counts. */
export class OwnTests {
  readonly found = new Map<string, OwnTest>();
  readonly #text: string;
  #line = 1;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** A patch may be long: further tests are left out. */
  get isFull(): boolean {
    return this.found.size >= MAX_TESTS;
  }

  /** `start`: where the test begins; not before that of an earlier call. */
  add(key: string, name: string, start: number, code: string): void {
    const text = this.#text;
    for (
      let next = text.indexOf('\n', this.#at);
      next >= 0 && next < start;
      next = text.indexOf('\n', this.#at)
    ) {
      this.#line += 1;
      this.#at = next + 1;
    }
    const plain = withoutBlanks(code);
    const known = this.found.get(key);
    this.found.set(key, {
      name,
      line: this.#line,
      text: known === undefined ? plain : `${known.text}\n${plain}`,
    });
  }
}

const MAX_TESTS = 2000;
/** Characters of one test. */
export const MAX_TEST = 50_000;

/** Code without blanks at the ends of its lines. */
export function withoutBlanks(code: string): string {
  return code.replace(/[^\S\n]+$/gm, '');
}

/** The index after the bracket that closes the one at `open`. Brackets in texts, characters and comments do not count. */
export function endOf(text: string, open: number): number {
  const mark = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])'|\/\/[^\n]*|[{}]/g;
  mark.lastIndex = open;
  let depth = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] === '{') depth += 1;
    else if (found[0] === '}') depth -= 1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}
