/**
 * Reads the scripts of multi-swe-bench's images: one prepares the repository, one applies the patches and runs the tests. Many of those that
 * prepare are transcripts of what was tried, with marks between the commands. Pure.
 */
import { repositoryPath } from '../../basics/repository-path.ts';
import { statements } from '../../basics/shell.ts';

export interface Preparation {
  /** Each runs from the root of the repository, in a shell of its own. */
  commands: string[];
  /** Commands of a transcript that a recipe cannot have. */
  leftOut: string[];
}

const DELIMITER = '###ACTION_DELIMITER###';
/** Runs tests, or parts of the command that does. */
const TEST =
  /\b(?:ctest|gtest|jest|mocha|vitest|karma|ava|tap|tape|nyc|xo|cypress|qunit)\b|\btests?\b|\bcheck\b|\bunit\b|\bverify\b|\brake\b|runtest|run-tests|integrationTest/;
const RUNNERS =
  /^(?:npm|yarn|pnpm|npx|mvn|\.\/mvnw|gradle|\.\/gradlew|go|cargo|make|ctest|node|rake|grunt|gulp)\b|^\.\//;
/** What images do before: the recipe has the source at its commit, and toolchains. */
const DONE =
  /^(?:#|set [-+]|git (?:reset|checkout|clone|fetch|config|add|commit|stash)\b|bash \/home\/check_git_changes\.sh|nvm\b|n \d|rustup\b|corepack\b|(?:source|\.) \S*(?:\.cargo\/env|nvm\.sh)|export (?:PATH|NVM_DIR|JAVA_HOME)=)|curl .*nodesource|>>? *\.git\/|>>? *\.gitattributes|^$/;
/** What a transcript has of use for a recipe. */
const USEFUL =
  /^(?:sudo )?(?:apt(?:-get)? .*\binstall|npm (?:ci|i|install|run)|yarn(?: install| run|$| build)|pnpm (?:i|install|run|build)|git submodule|make\b|cmake\b|mkdir\b|cargo (?:build|fetch)|go (?:mod|build|install)|(?:mvn|\.\/mvnw|gradle|\.\/gradlew)\b|sed -i|npx lerna|lerna|\.\/configure|\.\/autogen|autoreconf)/;
/** Looks at something, or tries the command of the tests. */
const LOOKS =
  /^(?:ls|cat|echo|pwd|grep|find|head|tail|bash test_commands|which|env|chmod|apt(?:-get)? update|\S+ (?:--?version|-v)$)/;
/** Gets packages, which grading has no network for and needs none. */
const GETS =
  /^(?:npm (?:ci|i|install)|yarn(?: install)?|pnpm (?:i|install)|apt(?:-get)? (?:update|install)|git -C)(?=\s|$)/;

/** `useful`: of a transcript, what a recipe needs. */
export function preparationIn(script: string, useful = USEFUL): Preparation {
  const isTranscript = script.includes(DELIMITER);
  const found: Preparation = { commands: [], leftOut: [] };
  let folder: string | null = '';
  for (const given of isTranscript
    ? script.split(DELIMITER).map((text) => text.trim())
    : logicalLines(script)) {
    const moved = /^cd (\S+)$/.exec(given)?.[1];
    const command = moved === undefined ? withoutTests(given.replace(/^cd \. && /, '')) : '';
    if (moved !== undefined) folder = movedTo(folder, moved);
    else if (DONE.test(command) || isTest(command)) continue;
    else if (folder === null) found.leftOut.push(command);
    else if (!isTranscript || (useful.test(command) && !command.includes('\n')))
      found.commands.push(folder === '' ? command : `( cd ${folder} && ${command} )`);
    else if (!LOOKS.test(command)) found.leftOut.push(command);
  }
  return { commands: found.commands, leftOut: [...new Set(found.leftOut)] };
}

/** null: a folder outside of the repository. */
function movedTo(folder: string | null, to: string): string | null {
  if (to === '.') return '';
  return folder === null || /^[~/$"]/.test(to) ? null : repositoryPath(folder, to);
}

const isTest = (command: string) =>
  RUNNERS.test(command) &&
  TEST.test(command) &&
  !/\binstall\b|\bbuild\b|skipTests|test-compile/.test(command);

/** A build that would also run the tests, which may fail before the patch. */
function withoutTests(command: string): string {
  if (
    /\bmvnw?\b.*\b(?:install|package|verify)\b/.test(command) &&
    !/skipTests|maven\.test\.skip/.test(command)
  )
    return command.replace(/\b(install|package|verify)\b/, '$1 -DskipTests');
  return /\bgradlew?\b.*\bbuild\b/.test(command) && !/-x test/.test(command)
    ? command.replace(/\bbuild\b/, 'build -x test')
    : command;
}

/** The commands behind the patches, without what images have and recipes do in another way. */
export function runIn(script: string): string[] {
  const lines = logicalLines(script);
  const applied = lines.findLastIndex((line) => /\b(?:git|patch)\b.*\/home\/\S+\.patch/s.test(line));
  return lines.slice(applied + 1).flatMap((given) => {
    const line = given
      .replace(/^(?:source|\.) "?\$HOME\/\.cargo\/env"?\s*(?:&&|;)\s*/, '')
      .replace(/^export JAVA_HOME=\S+\s*&&\s*export PATH=\S+\s*(?:&&|;)\s*/, '')
      .replaceAll(/ --init-script \S+/g, '')
      .replaceAll(/\s*&&\s*codecov\s*$/gm, '');
    const [first] = statements(line);
    return DONE.test(line) || line === 'cd .' || (GETS.test(first!.text) && !TEST.test(line)) ? [] : [line];
  });
}

/** What stands before the tests, and the tests with the folders and variables that they need of it. */
export function afterBuild(run: readonly string[]): { build: string[]; test: string[] } {
  const first = run.findIndex(runsTests);
  const build = run.slice(0, Math.max(first, 0));
  const passedOn = build
    .filter((command) => !/[\n()]/.test(command))
    .flatMap((command) => statements(command).map(({ text }) => text))
    .filter((text) => /^(?:cd \S+|export \w+=\S+)$/.test(text));
  return { build, test: [...passedOn, ...run.slice(build.length)] };
}

export const runsTests = (command: string): boolean => TEST.test(command);

/** Versions of programs that scripts choose; the last choice counts. */
const CHOICES: readonly [name: string, pattern: RegExp][] = [
  ['node_version', /(?:\bnvm (?:install|use)|^n) v?(\d[\d.]*)/gm],
  ['rust_version', /\brustup (?:default|install|toolchain install) (\d[\d.]*)/g],
  ['java_version', /JAVA_HOME=\/usr\/lib\/jvm\/(?:java|zulu|jdk)-?(?:1\.)?(\d+)/g],
  ['pnpm_version', /\bpnpm@(\d+(?:\.\d+\.\d+)?)(?![\d.])/g],
  ['yarn_version', /\byarn@(\d+\.\d+\.\d+)/g],
];

export function versionsIn(text: string): Record<string, string> {
  const found = CHOICES.map(([name, pattern]) => [name, [...text.matchAll(pattern)].at(-1)?.[1]] as const);
  return Object.fromEntries(found.filter((one): one is [string, string] => one[1] !== undefined));
}

/** Lines, with those that a loop, a condition, a text behind `<<` or a backslash binds together as one. */
function logicalLines(script: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let end: string | null = null;
  let open: string[] = [];
  for (const line of script.replaceAll(/\\\n/g, ' ').split('\n')) {
    const words = line.trim();
    open.push(end === null ? words : line);
    if (end !== null) end = words === end ? null : end;
    else {
      depth += /^(?:if|for|while|case)\b/.test(words) ? 1 : 0;
      depth -= /^(?:fi|done|esac)\b|;\s*(?:fi|done|esac)\s*$/.test(words) ? 1 : 0;
      end = /<<-?\s*["']?(\w+)/.exec(words)?.[1] ?? null;
    }
    if (depth > 0 || end !== null) continue;
    found.push(open.join('\n'));
    [depth, open] = [0, []];
  }
  return open.length === 0 ? found : [...found, open.join('\n')];
}
