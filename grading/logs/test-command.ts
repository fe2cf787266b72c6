/**
 * The test command of one instance: the recipe's command with the instance's test files as arguments, so that a large
 * repository does not run its whole suite. A command of an unknown runner is not changed.
 */
import { baseName } from '../../basics/repository-path.ts';
import { shellWord, simpleCommands } from '../../basics/shell.ts';
import { filesOfIds, holdsTests, type TestedInstance, testDirectives } from '../../patches/test-files.ts';
import { listedTests } from '../../schemas/instance.ts';

type Runner = 'pytest' | 'django' | 'sympy' | 'tox';

/** The command to run in /testbed. */
export function testCommand(recipeTest: string, instance: TestedInstance): string {
  const found = lastTestRun(recipeTest);
  if (found === null) return recipeTest;
  const { runner, words, end } = found;
  if (words.at(-1) === '-k') return insertAt(recipeTest, end, [keywordExpression(instance)]);
  const targets = targetsFor(runner, instance).filter((target) => !words.includes(target));
  return insertAt(recipeTest, end, targets);
}

interface TestRun {
  runner: Runner;
  words: string[];
  /** Offset behind the command's last word. */
  end: number;
}

function lastTestRun(line: string): TestRun | null {
  let found: TestRun | null = null;
  for (const command of simpleCommands(line)) {
    const words = command.words.map((word) => word.text);
    const runner = runnerOf(words);
    if (runner !== null) found = { runner, words, end: command.words.at(-1)?.end ?? command.end };
  }
  return found;
}

/** Programs that start another one: python -m pytest, uv run pytest, timeout 60 pytest, coverage run -m pytest. */
const LAUNCHER =
  /^(?:python[\d.]*|uv|uvx|poetry|pdm|hatch|conda|micromamba|coverage|timeout|env|xvfb-run|nice|time)$/;

function runnerOf(words: readonly string[]): Runner | null {
  const start = words.findIndex((word) => !/^\w+=/.test(word));
  if (start < 0) return null;
  const programs = words.slice(start).map(baseName);
  const program = programs[0] as string;
  if (isPytest(program)) return 'pytest';
  if (program === 'runtests.py') return 'django';
  if (program === 'test' && words[start] === 'bin/test') return 'sympy';
  if (program === 'tox') return words.at(-1) === '--' ? 'tox' : null;
  if (!LAUNCHER.test(program) || programs.includes('pip')) return null;
  if (programs.includes('runtests.py')) return 'django';
  if (words.includes('bin/test')) return 'sympy';
  return programs.some(isPytest) ? 'pytest' : null;
}

function isPytest(program: string): boolean {
  return program === 'pytest' || program === 'py.test';
}

/** The test patch names the tests of SWE-bench kinds; elsewhere the ids do. */
function targetsFor(runner: Runner, instance: TestedInstance): string[] {
  if (runner === 'pytest' && instance.test_files !== undefined) return instance.test_files;
  const directives = testDirectives(instance.test_patch);
  if (runner === 'django') return [...new Set(directives.map(djangoLabel))];
  if (directives.length > 0 && !holdsTests(instance)) return directives;
  return [...new Set([...filesOfIds(listedTests(instance)), ...directives])];
}

/** `tests/admin_views/tests.py` -> `admin_views.tests`. */
function djangoLabel(path: string): string {
  const module = path.endsWith('.py') ? path.slice(0, -'.py'.length) : path;
  const label = module.startsWith('tests/') ? module.slice('tests/'.length) : module;
  return label.replaceAll('/', '.');
}

/** `-k "a or b"`, for suites whose tests are not in separate files. Parameters of ids are left out. */
function keywordExpression(instance: TestedInstance): string {
  const names = listedTests(instance).map((id) => {
    const [plain] = id.split('[', 1) as [string];
    return plain.slice(plain.lastIndexOf('::') + 1).replace(/^:/, '');
  });
  return [...new Set(names)].join(' or ');
}

function insertAt(line: string, at: number, words: readonly string[]): string {
  if (words.length === 0) return line;
  return `${line.slice(0, at)} ${words.map(shellWord).join(' ')}${line.slice(at)}`;
}

/** Python with options of its own, and what it runs. */
const BY_PYTHON = /^\S*python[\d.]* (?:-[WX] ?\S+ |-[Bbqu]+ )*(?:-m )?(.*)$/s;

/**
 * Whether a command is one run of a runner all of whose tests the witness sees where it is loaded: pytest, unittest, or the
 * runner of Django's own tests in one process. False where it cannot be told.
 */
export function isSeenWhole(command: string): boolean {
  const commands = simpleCommands(command);
  if (commands.length !== 1) return false;
  const words = commands[0]!.words.map(({ text }) => text);
  const given = words.slice(words.findIndex((word) => !/^\w+=/.test(word))).join(' ');
  const run = BY_PYTHON.exec(given)?.[1] ?? given;
  const name = baseName(run.split(' ', 1)[0]!);
  if (name === 'runtests.py') return / --parallel[= ]1(?: |$)/.test(run);
  return isPytest(name) || (name === 'unittest' && run !== given);
}
