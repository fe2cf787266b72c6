/**
 * SWE-rebench V2's parsers, by the rules of its log_parsers.py, for rows that name them. Those that are SWE-bench's have the same
 * code here. Times at the end of names are removed, as upstream does with the names in the log and with those in the rows.
 */
import { strip } from '../basics/python-text.ts';
import { byLines, type LineRule } from './line-rules.ts';
import { asObject, jsonLine } from './log-lines.ts';
import { withoutEscapes } from './swebench-javascript.ts';
import { SWEBENCH_OTHER } from './swebench-other.ts';
import type { WordMap } from './swebench-pytest.ts';
import { tagsOf } from './xml.ts';

const [PASSED, FAILED, SKIPPED, ERROR] = ['PASSED', 'FAILED', 'SKIPPED', 'ERROR'] as const;

/** Removes times as upstream does: ` [1.3 ms]` and ` (12ms)` at the end, and ` in 29.1 msec` anywhere. */
export function withoutTimes(name: string): string {
  let text = cutTail(name, /\s*\[\s*\d+(?:\.\d+)?\s*(?:ms|s)\s*\]\s*$/i);
  if (/ (?:msec|sec)\b/i.test(text))
    text = text.replace(/\s{1,20}in\s{1,20}\d{1,20}(?:\.\d{1,20})?\s{1,20}(?:msec|sec)\b/gi, '');
  return strip(cutTail(text, /\s*\(\s*\d+(?:\.\d+)?\s*(?:ms|s)\s*\)\s*$/i));
}

/** Without what `pattern` finds in the last characters. */
function cutTail(text: string, pattern: RegExp): string {
  const tail = text.slice(-60);
  const at = tail.search(pattern);
  return at < 0 ? text : text.slice(0, text.length - tail.length + at);
}

/** A time such as `(53ms)`, `12 s` or `3ms` at the end. */
function withoutJsTime(name: string): string {
  return strip(cutTail(name, /\s*(?:\(\s*)?\d+(?:\.\d+)?\s*(?:ms|s)\s*(?:\))?\s*$/i));
}

const passed = (line: RegExp, more: Partial<LineRule> = {}): LineRule => ({
  line,
  means: PASSED,
  keepsFirst: true,
  ...more,
});
const failed = (line: RegExp, more: Partial<LineRule> = {}): LineRule => ({ line, means: FAILED, ...more });
const skipped = (line: RegExp, more: Partial<LineRule> = {}): LineRule => ({ line, means: SKIPPED, ...more });

const elixir = byLines([
  skipped(/^\*\s+test\s+(?<name>.*?)\s+\(skipped\)\s+\[L#\d+\]$/),
  failed(/^\d+\)\s+test\s+(?<name>.*?)\s+\([^)]+\)$/),
  passed(/^\*\s+test\s+(?<name>.*?)\s+\([0-9]+(?:\.[0-9]+)?ms\)\s+\[L#\d+\]$/),
  passed(/^\*\s+test\s+(?<name>.*?)\s+\[L#\d+\]$/),
]);

const rubyV2 = byLines([
  {
    line: /^(?<name>.+?#.+?)\s+=\s+[\d.]+\s+s\s+=\s+(?<word>[.FES])$/,
    means: { '.': PASSED, F: FAILED, E: FAILED, S: SKIPPED },
  },
]);

const cppV2 = byLines([
  passed(/^Test\s+(?<name>.*?)\s+passed$/),
  failed(/^Test\s+(?<name>.*?)\s+failed$/),
  skipped(/^Test\s+(?<name>.*?)\s+skipped$/),
]);

/** CTest's summary lines. */
const cppV4 = byLines([
  {
    line: /^\d+\/\d+\s+Test\s+#\d+:\s+(?<name>.+?)\s+\.+\s+(?<word>passed|failed|skipped|timeout)\b/i,
    means: {
      ...{ Passed: PASSED, Failed: FAILED, Timeout: FAILED, Skipped: SKIPPED },
      ...{ passed: PASSED, failed: FAILED, timeout: FAILED, skipped: SKIPPED },
    },
    name: strip,
  },
]);

const js = byLines([
  skipped(/^-\s+(?<name>.*)$/, { name: withoutJsTime }),
  failed(/^\d+\)\s+(?<name>.*):$/, { name: withoutJsTime }),
  failed(/^\[W\]\s*\d+\)\s+(?<name>.*)$/, { name: withoutJsTime }),
  passed(/^✔\s+(?<name>.*)$/, { name: withoutJsTime }),
]);

const js2 = byLines([
  skipped(/^-\s+(?<name>.*)$/, { name: withoutJsTime }),
  failed(/^\d+\)\s+(?<name>.*)$/, { name: withoutJsTime }),
  passed(/^✔\s+(?<name>.*)$/, { name: withoutJsTime }),
]);

const swift = byLines([
  {
    line: /^Test Case '(?<name>[^']+)'\s+(?<word>passed|failed)\s+\([0-9.]+\s+seconds\)$/,
    means: { passed: PASSED, failed: FAILED },
  },
]);

const scala = byLines([
  failed(/^\[info\]\s+-\s+(?<name>.*?)\s+\*\*\*\s+FAILED\s+\*\*\*\s+\([^)]+\)$/),
  skipped(/^\[info\]\s+-\s+(?<name>.*?)\s+!!!\s+CANCELED\s+!!!\s+\([^)]+\)$/),
  skipped(/^\[info\]\s+-\s+(?<name>.*?)\s+!!!\s+IGNORED\s+!!!/),
  passed(/^\[info\]\s+-\s+(?<name>.*?)\s+\([^)]+\)$/),
]);

const OCAML: Readonly<Record<string, string>> = {
  ...{ OK: PASSED, PASS: PASSED, FAIL: FAILED, FAILED, ERROR, ERR: ERROR },
  ...{ SKIP: SKIPPED, SKIPPED, TODO: SKIPPED },
};

/** `[OK] suite 1 name`; a word that is not known is an error. */
function ocaml(log: string): WordMap {
  const found: WordMap = new Map();
  for (const line of log.split('\n')) {
    const [, word, suite, index, name] =
      /^\s*\[([A-Z]+)\]\s+(.*?)\s+(\d+)\s+(\S.*)$/s.exec(line.trimEnd()) ?? [];
    if (word === undefined) continue;
    const id = [suite!.trim(), index!, name!.trim()].filter((part) => part !== '').join(' ');
    const status = Object.hasOwn(OCAML, word) ? OCAML[word]! : ERROR;
    if (status !== PASSED || !found.has(id)) found.set(id, status);
  }
  return found;
}

function csharp(log: string): WordMap {
  const read = byLines(
    [
      failed(/^\[xUnit\.net\s+[\d:.]+\]\s+(?<name>.+?)\s+\[FAIL\]$/),
      failed(/^\s+Failed\s+(?<name>.+?)\s+\[.+?\]$/),
      skipped(/^\s+Skipped\s+(?<name>.+?)(?:\s+\[.+?\])?$/),
      passed(/^\s+Passed\s+(?<name>.+?)\s+\[.+?\]$/),
    ],
    { whole: true, clean: (line) => line.trimEnd() },
  );
  return read(log);
}

/** R's checks: a word behind the dots, or at the start of a later line. */
const R_WORDS: Readonly<Record<string, string>> = {
  ...{ OK: PASSED, NOTE: PASSED, NOTES: PASSED, WARNING: FAILED, WARNINGS: FAILED },
  ...{ ERROR, ERRORS: ERROR, FAIL: FAILED, FAILED, SKIPPED },
};

function rCheck(log: string): WordMap {
  const found: WordMap = new Map();
  let pending: string | null = null;
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    if (line === '') continue;
    if (pending !== null) {
      const word = line
        .replace(/^[.:!]+|[.:!]+$/g, '')
        .split(/\s/)[0]!
        .toUpperCase();
      if (Object.hasOwn(R_WORDS, word)) {
        found.set(pending, R_WORDS[word]!);
        pending = null;
      }
      continue;
    }
    if (!line.startsWith('* checking ')) continue;
    const end = line.lastIndexOf(' ...');
    const [, word] = /^ \.\.\. ([A-Z]+)$/.exec(line.slice(end)) ?? [];
    const name = line.slice('* checking '.length, end);
    if (end < 0 || name === '') continue;
    if (word !== undefined) found.set(name, Object.hasOwn(R_WORDS, word) ? R_WORDS[word]! : PASSED);
    else if (line.endsWith(' ...')) pending = name;
  }
  if (pending !== null && !found.has(pending)) found.set(pending, PASSED);
  return found;
}

/** Leiningen: namespaces, which pass unless a failure follows. */
function lein(log: string): WordMap {
  const found: WordMap = new Map();
  let current: string | null = null;
  const begin = (name: string) => {
    if (!found.has(name)) found.set(name, PASSED);
    current = name;
  };
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    const named = line.startsWith('lein test ') ? strip(line.slice('lein test '.length)) : null;
    if (named !== null && named !== '') {
      const [first, ...rest] = named.split(/\s+/);
      if (first === ':only') {
        const base = strip(rest.join(' ').split('/')[0] ?? '');
        if (base === '') current = null;
        else begin(base);
      } else for (const name of [first!, ...rest]) begin(name);
    } else if (current !== null && line.startsWith('FAIL in')) found.set(current, FAILED);
    else if (current !== null && line.startsWith('ERROR in')) found.set(current, ERROR);
  }
  return found;
}

const DART: Readonly<Record<string, string>> = { success: PASSED, failure: FAILED, error: ERROR };

/** Dart's events as JSON lines. */
function dart(log: string): WordMap {
  const found: WordMap = new Map();
  const names = new Map<unknown, string>();
  for (const raw of log.split('\n')) {
    const event = jsonLine(strip(raw));
    const started = event?.type === 'testStart' ? asObject(event.test) : null;
    if (started !== null && typeof started.name === 'string' && started.name !== '') {
      if (started.id !== undefined && started.id !== null && !started.name.startsWith('loading '))
        names.set(started.id, started.name);
    }
    if (event === null || event.type !== 'testDone' || (event.hidden ?? false) !== false) continue;
    const name = names.get(event.testID);
    const result = typeof event.result === 'string' ? event.result : '';
    const status = Object.hasOwn(DART, result) ? DART[result]! : event.skipped === true ? SKIPPED : null;
    if (name !== undefined && status !== null) found.set(name, status);
  }
  return found;
}

/** Its `<testcase` by patterns, anywhere in the log: names stay as they are written, and a part without an end is cut off. */
function junit(log: string): WordMap {
  const found: WordMap = new Map();
  let isOpen = true;
  for (let at = log.indexOf('<testcase'); at >= 0; ) {
    const end = log.indexOf('>', at);
    if (end < 0) break;
    const attributes = log.slice(at + '<testcase'.length, end);
    let next = end + 1;
    const named = new Map(
      [...attributes.matchAll(/([\p{L}\p{N}_]+)="([^"]*)"/gu)].map(([, key, value]) => [key!, value!]),
    );
    const [name = '', owner = ''] = [named.get('name'), named.get('classname')];
    if (name !== '' && /^\W/.test(`${attributes}>`)) {
      let content = '';
      if (!strip(attributes).endsWith('/')) {
        const close: number = isOpen ? log.indexOf('</testcase>', next) : -1;
        isOpen = close >= 0;
        content = log.slice(next, close < 0 ? next + 4096 : close);
        if (close >= 0) next = close + '</testcase>'.length;
      }
      const status = [
        ['<failure', FAILED],
        ['<error', ERROR],
        ['<skipped', SKIPPED],
      ].find(([mark]) => content.includes(mark!))?.[1];
      found.set(owner === '' ? name : strip(`${owner} ${name}`), status ?? PASSED);
    }
    at = log.indexOf('<testcase', next);
  }
  return found;
}

/** The tests of one whole document; none of a text that is not whole. The first child of `order` decides. */
function readDocument(
  xml: string,
  found: WordMap,
  order: readonly string[],
  idOf: (owner: string | undefined, name: string) => string,
  parents: readonly string[] = ['testsuite', 'testsuites'],
): void {
  // Two documents one after the other are none.
  if (xml.lastIndexOf('<?xml') > 0) return;
  const own: WordMap = new Map();
  const open: string[] = [];
  let test: { id: string; children: Set<string> } | null = null;
  for (const { kind, name, attributes } of tagsOf(xml, 'testsuite')) {
    if (kind === 'close') {
      if (open.pop() !== name) return;
    } else {
      const isChild = test !== null && open.at(-1) === 'testcase';
      if (isChild) test!.children.add(name);
      if (name === 'testcase' && parents.includes(open.at(-1) ?? ''))
        test = { id: idOf(attributes.get('classname'), attributes.get('name') ?? ''), children: new Set() };
      if (kind === 'open') open.push(name);
    }
    if (name === 'testcase' && kind !== 'open' && test !== null) {
      const child = order.find((one) => test!.children.has(one));
      own.set(
        test.id,
        child === 'failure' ? FAILED : child === 'error' ? ERROR : child === 'skipped' ? SKIPPED : PASSED,
      );
      test = null;
    }
  }
  if (open.length > 0) return;
  for (const [id, status] of own) found.set(id, status);
}

/** Documents from `<?xml` to `</testsuites>`. */
function reports(log: string): WordMap {
  const found: WordMap = new Map();
  for (let at = log.indexOf('<?xml'); at >= 0; ) {
    const end = log.indexOf('</testsuites>', at);
    if (end < 0) break;
    const whole = end + '</testsuites>'.length;
    readDocument(
      log.slice(at, whole),
      found,
      ['failure', 'skipped', 'error'],
      (owner, name) => `${owner ?? 'None'}::${name}`,
    );
    at = log.indexOf('<?xml', whole);
  }
  return found;
}

/** The first document. */
function rJunit(log: string): WordMap {
  const found: WordMap = new Map();
  const at = log.indexOf('<?xml');
  const end = at < 0 ? -1 : log.indexOf('</testsuites>', at);
  const xml = at < 0 ? '' : log.slice(at, end < 0 ? log.length : end + '</testsuites>'.length);
  const idOf = (owner: string | undefined, name: string) =>
    owner === undefined || owner === '' ? name : `${owner}::${name}`;
  readDocument(xml, found, ['failure', 'error', 'skipped'], idOf, ['testsuite']);
  return found;
}

/** Documents from a line `<?xml` to a line `</testsuite>`. */
function gradlew(log: string): WordMap {
  const found: WordMap = new Map();
  let open: string[] | null = null;
  for (const line of log.split('\n')) {
    const text = strip(line);
    if (text.startsWith('<?xml')) open = [line];
    else if (open !== null) {
      open.push(line);
      if (!text.startsWith('</testsuite>')) continue;
      const idOf = (owner: string | undefined, name: string) => (owner && name ? `${name} (${owner})` : name);
      readDocument(open.join('\n'), found, ['skipped', 'failure', 'error'], idOf);
      open = null;
    }
  }
  return found;
}

/** Surefire's classes by their counts. */
function kotlinJunit(log: string): WordMap {
  const found: WordMap = new Map();
  let test: string | null = null;
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    const counts = /^Tests run:\s+(\d+),\s+Failures:\s+(\d+),\s+Errors:\s+(\d+),\s+Skipped:\s+(\d+)/.exec(
      line,
    );
    if (/^Running\s+\S/.test(line)) test = strip(line.slice('Running'.length));
    else if (counts !== null && test !== null) {
      const [, failures, errors, skips] = counts.slice(1).map(Number) as [number, number, number, number];
      found.set(test, failures + errors > 0 ? FAILED : skips > 0 ? SKIPPED : PASSED);
      test = null;
    }
  }
  return found;
}

/** Neovim's plenary: `Success || name`. */
const nvim = byLines(
  [
    failed(/^(?:Fail|Failed)\s*\|\|\s*(?<name>\S.*)$/),
    skipped(/^(?:Skip|Skipped)\s*\|\|\s*(?<name>\S.*)$/i, { keepsFirst: true }),
    passed(/^Success\s*\|\|\s*(?<name>\S.*)$/),
  ],
  { whole: true, clean: (line) => withoutEscapes(line).trimEnd() },
);

const phpunit = (log: string): WordMap =>
  new Map(
    [...SWEBENCH_OTHER.parse_log_phpunit(log)].map(([id, status]) => [
      strip(cutTail(id, /\s*\[\s*\d+(?:\.\d+)?\s*(?:ms|s)\s*\]\s*$/i)),
      status,
    ]),
  );

const npx = byLines(
  [
    {
      line: /^\s*✔\s+(?<name>\S.*)$/,
      means: PASSED,
      name: (name) => strip(cutTail(name, /\s+\(\d+(?:ms)?\)$/)),
    },
    failed(/^\s*\d+\)\s+(?<name>\S.*)$/, { name: withoutModule }),
  ],
  { whole: true, clean: (line) => line.trimEnd() },
);

/** Without ` (module)` at the end. */
function withoutModule(name: string): string {
  const open = name.endsWith(')') ? name.lastIndexOf('(') : -1;
  const isPart =
    open > 0 &&
    open < name.length - 2 &&
    !name.slice(open + 1, -1).includes(')') &&
    /\s/.test(name[open - 1]!);
  return isPart ? name.slice(0, open).trimEnd() : name;
}

const MARKS: Readonly<Record<string, string>> = {
  ...{ '✔': PASSED, '✓': PASSED, '✘': FAILED, '✖': FAILED, '×': FAILED },
  ...{ '○': SKIPPED, '◌': SKIPPED, '◦': SKIPPED, '⚪': SKIPPED },
};
const SKIP_NOTES = ['(skipped)', '[skip]', '[skipped]', '[pending]', '[todo]'];

/** A mark in front of a name, perhaps with a tag in brackets; else a note that a test was skipped. */
function js4(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    const status = Object.hasOwn(MARKS, line.slice(0, 1)) ? MARKS[line[0]!]! : null;
    if (status !== null) {
      let name = strip(line.slice(1));
      const tag = name.startsWith('[') ? name.indexOf(']:') : -1;
      if (tag >= 0) name = strip(name.slice(tag + 2));
      if (name.startsWith(':')) name = strip(name.slice(1));
      name = withoutJsTime(strip(name));
      if (name !== '' && (status !== PASSED || !found.has(name))) found.set(name, status);
    } else if (SKIP_NOTES.some((note) => line.toLowerCase().includes(note))) {
      const name = withoutJsTime(strip(SKIP_NOTES.reduce((text, note) => text.replaceAll(note, ''), line)));
      if (name !== '') found.set(name, SKIPPED);
    }
  }
  return found;
}

/** `name PASSED`, also with a time behind it; the blanks in front of the word are no part of the name. */
function gradleCustom(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    const text = line.endsWith('s)') ? cutTail(line, /\s+\(\d+(?:\.\d+)?s\)$/) : line;
    const word = [PASSED, FAILED].find((one) => text.endsWith(one));
    const before = word === undefined ? '' : text.slice(0, -word.length);
    const name = before.trimEnd();
    // The name has two characters at least, and the second may be a blank.
    const end = Math.max(name.length, 2);
    if (word !== undefined && end < before.length && line[0] !== '>') found.set(before.slice(0, end), word);
  }
  return found;
}

const reactPdf = byLines(
  [
    {
      line: /^(?<word>PASS|FAIL)\s(?<name>.*)$/,
      means: { PASS: PASSED, FAIL: FAILED },
      name: (name) => cutTail(name, /\s\([\d.]+\s*(?:ms|s)\)$/).trimEnd(),
    },
  ],
  { whole: true },
);

/** Dart: `00:01 +64: /path/a_test.dart: name`, with `[E]` behind it where it failed. */
function dartV3(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    const loading = /^\d+:\d+\s+\+\d+\s+-\d+:\s+loading\s+(\/[^:]+\.dart)\s+\[E\]$/.exec(line);
    if (loading !== null) {
      found.set(loading[1]!, ERROR);
      continue;
    }
    const test = /^\d+:\d+\s+\+\d+(?:\s+-\d+)?:\s+(\/[^:]+\.dart):\s+(\S.*)$/.exec(line);
    if (test === null) continue;
    const name = test[2]!.length > 3 && test[2]!.endsWith('[E]') ? test[2]!.slice(0, -3).trimEnd() : test[2]!;
    const id = `${test[1]}: ${strip(name)}`;
    if (line.includes('[E]')) found.set(id, FAILED);
    else if (!found.has(id)) found.set(id, line.split(':')[0]!.includes(' -') ? FAILED : PASSED);
  }
  return found;
}

const OWN: Readonly<Record<string, (log: string) => WordMap>> = {
  parse_log_elixir: elixir,
  parse_log_ruby_v2: rubyV2,
  parse_log_cpp_v2: cppV2,
  parse_log_cpp_v4: cppV4,
  parse_log_js: js,
  parse_log_js_2: js2,
  parse_log_swift: swift,
  parse_log_scala: scala,
  parse_log_ocaml: ocaml,
  parse_log_csharp: csharp,
  parse_log_r_v2: rCheck,
  parse_log_lein: lein,
  parse_log_dart: dart,
  parse_log_sbt: junit,
  parse_log_junit: junit,
  parse_log_gradlew_v1: gradlew,
  parse_combined_test_reports: reports,
  parse_logs_r_junit: rJunit,
  parse_log_r_junit: rJunit,
  parse_logs_kotlin_junit: kotlinJunit,
  parse_log_kotlin_junit: kotlinJunit,
  parse_lue_nvim: nvim,
  parse_lua_nvim: nvim,
  parse_log_lua_nvim: nvim,
  parse_log_phpunit: phpunit,
  parse_log_npx: npx,
  parse_log_js_4: js4,
  parse_log_gradle_custom: gradleCustom,
  parse_log_react_pdf: reactPdf,
  parse_log_dart_v3: dartV3,
};

/** All of them as `swe-rebench-v2:NAME`. */
export const SWE_REBENCH_V2: Readonly<Record<string, (log: string) => WordMap>> = Object.fromEntries(
  Object.entries({ ...SWEBENCH_OTHER, ...OWN }).map(([name, parse]) => [
    `swe-rebench-v2:${name}`,
    (log: string) => new Map([...parse(log)].map(([id, status]) => [withoutTimes(id), status] as const)),
  ]),
);
