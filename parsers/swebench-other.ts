/**
 * SWE-bench's parsers of other languages than Python, by the rules of swebench 4.1.0, with their odd results:
 * SWE-bench Multilingual's and Multimodal's lists of tests were made with them. Those for JavaScript that follow
 * indentation or several lines are in swebench-javascript.ts.
 */
import { isSpace, rstrip, strip, words } from '../basics/python-text.ts';
import { byLines } from './line-rules.ts';
import { parseCalypso, parseKarma, parseP5 } from './swebench-javascript.ts';
import type { WordMap } from './swebench-pytest.ts';
import { tagsOf } from './xml.ts';

const [PASSED, FAILED, SKIPPED] = ['PASSED', 'FAILED', 'SKIPPED'] as const;

/** Without a time in brackets at the end, which is digits and one of `s` and `ms`. */
export function withoutBracketTime(name: string): string {
  const tail = name.slice(-40);
  const at = tail.search(/\s\(\d+\s*m?s\)$/);
  return at < 0 || at + name.length - tail.length === 0
    ? name
    : name.slice(0, at + name.length - tail.length);
}

const parseGotest = byLines([
  {
    line: /^(?=.*\)$)--- (?<word>PASS|FAIL|SKIP): (?<name>.+) \(.+\)$/,
    means: { PASS: PASSED, FAIL: FAILED, SKIP: SKIPPED },
  },
]);

const parseCargo = byLines([
  { line: /^test\s+(?<name>\S+)\s+\.\.\.\s+(?<word>\w+)$/, means: { ok: PASSED, FAILED } },
]);

const parseRedis = byLines([
  {
    line: /^\[(?<word>ok|err|skip|ignore)\]:\s(?<name>.+)$/,
    means: { ok: PASSED, err: FAILED, skip: SKIPPED, ignore: SKIPPED },
    name: (name, word) => (word === 'err' ? withoutFile(withoutBracketTime(name)) : withoutBracketTime(name)),
  },
]);

/** Without ` in FILE` at the end. */
function withoutFile(name: string): string {
  let word = name.length;
  while (word > 0 && !isSpace(name[word - 1])) word--;
  const before = rstrip(name.slice(0, word));
  if (word === 0 || word === name.length || !before.endsWith('in')) return name;
  const rest = before.slice(0, -'in'.length);
  const cut = rstrip(rest);
  return cut.length < rest.length ? cut : name;
}

const parseJq = byLines([
  { line: /^(?<word>PASS|FAIL):\s(?<name>.+)$/, means: { PASS: PASSED, FAIL: FAILED } },
]);

const parseMicropython = byLines([
  {
    line: /^(?<word>pass|FAIL|skip)\s+(?<name>\S.*)$/,
    means: { pass: PASSED, FAIL: FAILED, skip: SKIPPED },
  },
]);

/** `[ OK ] name (time)` behind anything; the last such mark of a line counts. */
function parseGoogletest(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    const close = line.endsWith(')') ? line.lastIndexOf(' (') : -1;
    if (close < 0) continue;
    for (let at = line.lastIndexOf('['); at >= 0; at = at === 0 ? -1 : line.lastIndexOf('[', at - 1)) {
      const mark = /^\[\s*(OK|FAILED)\s*\]\s/.exec(line.slice(at, at + 40));
      if (mark === null || at + mark[0].length > close) continue;
      found.set(line.slice(at + mark[0].length, close), mark[1] === 'OK' ? PASSED : FAILED);
      break;
    }
  }
  return found;
}

/** doctest's XML: each sub-case of a test, which fails with one of its expressions. */
function parseDoctest(log: string): WordMap {
  const found: WordMap = new Map();
  const start = log.indexOf('<doctest');
  const end = start < 0 ? -1 : log.indexOf('</doctest>', start);
  if (end < 0) return found;
  let test: string | null = null;
  const open: { name: string; hasPassed: boolean }[] = [];
  const order: { name: string; hasPassed: boolean }[] = [];
  for (const { kind, name, attributes } of tagsOf(log.slice(start, end), 'doctest')) {
    if (name === 'TestCase' && kind === 'open') test = attributes.get('name') ?? 'None';
    else if (name === 'TestCase') test = null;
    else if (name === 'SubCase' && kind !== 'close' && test !== null) {
      const one = { name: `${test} > ${attributes.get('name') ?? 'None'}`, hasPassed: true };
      order.push(one);
      if (kind === 'open') open.push(one);
    } else if (name === 'SubCase' && kind === 'close') open.pop();
    else if (name === 'Expression' && kind !== 'close' && attributes.get('success') !== 'true')
      for (const one of open) one.hasPassed = false;
  }
  for (const one of order) found.set(one.name, one.hasPassed ? PASSED : FAILED);
  return found;
}

/** One run of Maven for each test, whose name stands in the command that the shell printed. */
function parseMavenRuns(log: string): WordMap {
  const found: WordMap = new Map();
  let test = '---NO TEST NAME FOUND YET---';
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    const at = lastWithWord(line, '-Dtest=');
    if (at >= 0) test = words(line.slice(at, at + MOST_NAME))[0]!;
    if (line.endsWith('BUILD SUCCESS')) found.set(test, PASSED);
    else if (line.endsWith('BUILD FAILURE')) found.set(test, FAILED);
  }
  return found;
}

const MOST_NAME = 1 << 16;

/** Behind the last `mark` that a word follows at once; -1: there is none. */
function lastWithWord(line: string, mark: string): number {
  for (let at = line.lastIndexOf(mark); at >= 0; at = at === 0 ? -1 : line.lastIndexOf(mark, at - 1)) {
    const next = at + mark.length;
    if (next < line.length && strip(line[next]!) !== '') return next;
  }
  return -1;
}

const parseAnt = byLines([
  {
    line: /^\[junit\]\s+\[(?<word>PASS|FAIL|ERR)\]\s+(?<name>\S.*)$/,
    means: { PASS: PASSED, FAIL: FAILED, ERR: FAILED },
  },
]);

/**
 * `name PASSED`, of lines that do not begin with ">". As in swebench 5, the status of `Class > method` may stand alone on a later line, where another
 * process wrote between them.
 */
function parseGradleCustom(log: string): WordMap {
  const found: WordMap = new Map();
  let open: string | null = null;
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    const word = ['PASSED', 'FAILED'].find((one) => line.endsWith(one));
    const name = word === undefined ? '' : line.slice(0, -word.length);
    const before = name.slice(0, -1);
    if (word !== undefined && strip(name.slice(-1)) === '' && before.length >= 2 && line[0] !== '>') {
      found.set(before, word);
      open = null;
    } else if (isMethod(line)) open = line;
    else if (word === line && open !== null) {
      found.set(open, word);
      open = null;
    }
  }
  return found;
}

/** `Class > method`, and nothing else. */
function isMethod(line: string): boolean {
  const parts = words(line);
  return parts.length === 3 && parts[1] === '>' && line[0] !== '>';
}

/** `--testdox`: the class of the tests stands on a line above them. */
function parsePhpunit(log: string): WordMap {
  const found: WordMap = new Map();
  let suite = 'None';
  for (const line of log.split('\n')) {
    const close = line.endsWith(')') ? line.lastIndexOf(' (', line.length - 4) : -1;
    if (close >= 2 && /^[\p{L}\p{N}_]/u.test(line)) {
      suite = line.slice(0, close);
      continue;
    }
    const text = line.trimStart();
    const status = { '✔': PASSED, '✘': FAILED, '↩': SKIPPED }[text.slice(0, 1)];
    if (status !== undefined) found.set(`${suite} > ${text.slice(1).trimStart()}`, status);
  }
  return found;
}

/** `name. … = … .`: the last sign of the result behind the last "=" that leaves one, and the last ". " before it. */
function parseMinitest(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    const sign = Math.max(line.lastIndexOf('.'), line.lastIndexOf('F'), line.lastIndexOf('E'));
    const equals = sign <= 0 ? -1 : line.lastIndexOf('=', sign - 1);
    const dot = equals < 0 ? -1 : line.lastIndexOf('. ', equals - 2);
    if (dot > 0) found.set(line.slice(0, dot), line[sign] === '.' ? PASSED : FAILED);
  }
  return found;
}

/** `name ....F`: the last run of dots behind a blank decides. */
function parseCucumber(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    for (let at = line.lastIndexOf(' .'); at >= 0; at = at === 0 ? -1 : line.lastIndexOf(' .', at - 1)) {
      let end = at + 1;
      while (line[end] === '.') end++;
      const isFailed = line[end] === 'F';
      // One dot alone is filling, and the sign would be missing.
      if (!isFailed && end - at - 1 < 2) continue;
      found.set(line.slice(0, at), isFailed ? FAILED : PASSED);
      break;
    }
  }
  return found;
}

/** `test: name: .: (0.001)`: the last ": " that a sign follows. */
function parseRubyUnit(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    const named = line.startsWith('test: ') ? readRubyUnit(line.slice('test: '.length)) : null;
    const [name, status] = named ?? readRubyUnit(line) ?? [];
    if (name !== undefined && status !== undefined) found.set(name, status);
  }
  return found;
}

function readRubyUnit(line: string): [name: string, status: string] | null {
  for (let at = line.lastIndexOf(':'); at > 0; at = line.lastIndexOf(':', at - 1)) {
    const sign = /^:\s+(\.|E\b|F\b|O\b)/.exec(line.slice(at, at + 80))?.[1];
    if (sign !== undefined)
      return [line.slice(0, at), sign === '.' ? PASSED : sign === 'O' ? SKIPPED : FAILED];
  }
  return null;
}

/** `name - passed`, made of RSpec's JSON; the last such word of a line. */
function parseRspecJson(log: string): WordMap {
  const found: WordMap = new Map();
  for (const raw of log.split('\n')) {
    const line = strip(raw);
    const at = Math.max(line.lastIndexOf(' - passed'), line.lastIndexOf(' - failed'));
    if (at > 0) found.set(line.slice(0, at), line.startsWith('passed', at + 3) ? PASSED : FAILED);
  }
  return found;
}

const parseJestText = byLines([
  {
    line: /^(?<word>✓|✕|○)\s(?<name>.+)$/,
    means: { '✓': PASSED, '✕': FAILED, '○': SKIPPED },
    name: withoutBracketTime,
  },
]);

const parseJestLines = byLines([
  { line: /^\[(?<word>PASSED|FAILED)\]\s(?<name>.+)$/, means: { PASSED, FAILED } },
]);

const parseVitestText = byLines([
  {
    line: /^(?<word>✓|×|↓)\s(?<name>.+)$/,
    means: { '✓': PASSED, '×': FAILED, '↓': SKIPPED },
    name(name) {
      const tail = name.slice(-40);
      const at = tail.search(/\s(?:\d+\s*m?s?|\[skipped\])$/);
      const cut = at + name.length - tail.length;
      return at < 0 || cut === 0 ? name : name.slice(0, cut);
    },
  },
]);

const parseTapLines = byLines([
  { line: /^(?<word>ok|not ok) \d+ (?<name>.+)$/, means: { ok: PASSED, 'not ok': FAILED } },
]);

/** Marked's: failures alone. */
const parseMarked = byLines([{ line: /^\d+\)\s(?<name>.*)$/, means: FAILED, name: strip }], {
  whole: true,
});

/** Files that Jest names, up to the last time in brackets. */
const parseReactPdf = byLines(
  [
    {
      line: /^(?<word>PASS|FAIL)\s(?<name>.*)$/,
      means: { PASS: PASSED, FAIL: FAILED },
      name: (name) => upToTime(name),
    },
  ],
  { whole: true },
);

function upToTime(name: string): string {
  for (const unit of [/^\s\([\d.]+ms\)/, /^\s\([\d.]+\ss\)/, /^\s\([\d.]+s\)/]) {
    for (let at = name.lastIndexOf('('); at > 0; at = name.lastIndexOf('(', at - 1)) {
      if (unit.test(name.slice(at - 1, at + 40))) return name.slice(0, at - 1);
    }
  }
  return name;
}

/** Chart.js' run by Karma: failures alone. */
function parseChartJs(log: string): WordMap {
  const found: WordMap = new Map();
  const plain = log.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])/g, '');
  for (const line of plain.split('\n')) {
    if (!line.endsWith('FAILED')) continue;
    const head = /Chrome\s[\d.]+[^\S\r\n]\(/.exec(line);
    const at = head === null ? -1 : head.index + head[0].length;
    const close = at < 0 ? null : /\)[^\S\r\n]/.exec(line.slice(at + 1));
    if (close !== null) found.set(line.slice(at + 1 + close.index + 2, -'FAILED'.length), FAILED);
  }
  return found;
}

/** SWE-bench's names of its parsers for other languages than Python. */
export const SWEBENCH_OTHER = {
  parse_log_gotest: parseGotest,
  parse_log_cargo: parseCargo,
  parse_log_redis: parseRedis,
  parse_log_jq: parseJq,
  parse_log_doctest: parseDoctest,
  parse_log_micropython_test: parseMicropython,
  parse_log_googletest: parseGoogletest,
  parse_log_maven: parseMavenRuns,
  parse_log_ant: parseAnt,
  parse_log_gradle_custom: parseGradleCustom,
  parse_log_phpunit: parsePhpunit,
  parse_log_minitest: parseMinitest,
  parse_log_cucumber: parseCucumber,
  parse_log_ruby_unit: parseRubyUnit,
  parse_log_rspec_transformed_json: parseRspecJson,
  parse_log_jest: parseJestText,
  parse_log_jest_json: parseJestLines,
  parse_log_vitest: parseVitestText,
  parse_log_tap: parseTapLines,
  parse_log_karma: parseKarma,
  parse_log_calypso: parseCalypso,
  parse_log_chart_js: parseChartJs,
  parse_log_marked: parseMarked,
  parse_log_p5js: parseP5,
  parse_log_react_pdf: parseReactPdf,
} as const;

/** The repositories of SWE-bench Multilingual and Multimodal, spelt as its harness spells them. */
export const SWEBENCH_OTHER_REPOS: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      [
        'parse_log_gotest',
        'caddyserver/caddy hashicorp/terraform prometheus/prometheus gohugoio/hugo gin-gonic/gin',
      ],
      [
        'parse_log_cargo',
        'burntsushi/ripgrep sharkdp/bat astral-sh/ruff tokio-rs/tokio uutils/coreutils nushell/nushell tokio-rs/axum',
      ],
      ['parse_log_redis', 'redis/redis valkey-io/valkey'],
      ['parse_log_jq', 'jqlang/jq'],
      ['parse_log_doctest', 'nlohmann/json'],
      ['parse_log_micropython_test', 'micropython/micropython'],
      ['parse_log_googletest', 'fmtlib/fmt'],
      ['parse_log_maven', 'google/gson apache/druid javaparser/javaparser'],
      ['parse_log_ant', 'projectlombok/lombok'],
      ['parse_log_gradle_custom', 'apache/lucene reactivex/rxjava'],
      [
        'parse_log_phpunit',
        'phpoffice/phpspreadsheet laravel/framework php-cs-fixer/php-cs-fixer briannesbitt/carbon',
      ],
      ['parse_log_ruby_unit', 'fluent/fluentd faker-ruby/faker'],
      ['parse_log_rspec_transformed_json', 'fastlane/fastlane jordansissel/fpm rubocop/rubocop'],
      ['parse_log_jest', 'babel/babel facebook/docusaurus'],
      ['parse_log_vitest', 'vuejs/core'],
      ['parse_log_tap', 'mrdoob/three.js axios/axios'],
      ['parse_log_karma', 'preactjs/preact'],
      ['parse_log_calypso', 'Automattic/wp-calypso'],
      ['parse_log_chart_js', 'chartjs/Chart.js'],
      ['parse_log_marked', 'markedjs/marked'],
      ['parse_log_p5js', 'processing/p5.js'],
      ['parse_log_react_pdf', 'diegomura/react-pdf'],
    ] as const
  ).flatMap(([parser, repos]) => repos.split(' ').map((repo) => [repo, parser])),
);

/** Instances whose tests are read by another parser than those of their repository, which has none in common. */
const OF_INSTANCES: readonly [parser: string, ids: string][] = [
  ['parse_log_jest', 'immutable-js__immutable-js-2006'],
  ['parse_log_jest_json', 'immutable-js__immutable-js-2005'],
  ['parse_log_minitest', 'jekyll__jekyll-9141 jekyll__jekyll-8047 jekyll__jekyll-8167'],
  ['parse_log_cucumber', 'jekyll__jekyll-8761 jekyll__jekyll-8771'],
];

/** The parser that SWE-bench chooses by an instance; undefined: it chooses by the repository. */
export function parserOfInstance(id: unknown): string | undefined {
  return OF_INSTANCES.find(([, ids]) => typeof id === 'string' && ids.split(' ').includes(id))?.[0];
}
