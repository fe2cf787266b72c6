/** Finds copies of the project that are installed or published: in site-packages, and on a package index. */
import { inFolder, type ShellCommand } from './commands.ts';
import { evidenceOf, type LeakCheck, type LeakStep } from './finding.ts';
import { type LeakTask, packageName } from './task.ts';

const READERS =
  /^(?:cat|tac|nl|bat|less|more|head|tail|sed|awk|grep|egrep|fgrep|rg|ag|diff|cmp|strings|xxd|od|cp|rsync|tar|install|unzip)$/;
const INSTALLED = /(?:(?:site|dist)-packages|node_modules)\/([^/\s'":]+)/;
/** A copy in a wheel of pip that the machine has. The copies in the environment are without the solution. */
const CARRIED = /\/_vendor\/([^/\s'":]+)/;

/** A line of a file, as searches print it: `path:12: text`. Warnings, and lines of pytest's tracebacks, begin in the same way. */
export const LISTED = /^\S+?(?::\d+:(?! in \w| [\w.]*(?:Warning|Error|Exception)(?::|$))|-\d+-)\s*\S/;

/** Finds steps that read an installed copy. Lists of files, and tracebacks through one, do not count. */
export function projectCopyCheck(task: LeakTask): LeakCheck {
  const isProject = (path: string) => {
    const top = (INSTALLED.exec(path) ?? CARRIED.exec(path))?.[1];
    // `name-1.2.dist-info` holds no code.
    return (
      top !== undefined &&
      !/\.(?:dist|egg)-info$/.test(top) &&
      task.packages.has(packageName(top.replace(/\.pyi?$/, '')))
    );
  };
  return (step) => {
    const lines = INSTALLED.test(step.output) ? step.output.split('\n') : [];
    const found = lines.find((line) => LISTED.test(line) && isProject(line.split(':')[0]!));
    if (found !== undefined)
      return { rule: 'project-copy', severity: 'leak', evidence: evidenceOf(step, found) };
    if (!readPaths(step).some(isProject)) return null;
    const severity = showsContent(step) ? 'leak' : 'attempt';
    return { rule: 'project-copy', severity, evidence: evidenceOf(step) };
  };
}

/** Paths whose content the step asks for. */
export function readPaths(step: LeakStep): string[] {
  if (step.tool !== null && step.commands.length === 0)
    return isView(step.tool) ? [toolPath(step.tool)!] : [];
  return step.commands.flatMap((command) =>
    isReader(command)
      ? command.words
          .slice(1)
          .filter((word) => !word.startsWith('-'))
          .map((word) => inFolder(word, command.cwd))
      : pathsInWheel(command),
  );
}

/** What Python code reads of a wheel. */
function pathsInWheel({ words, input }: ShellCommand): string[] {
  const code = `${words.join(' ')} ${input}`;
  return /^python/.test(words[0]!) && code.includes('.whl') ? (code.match(/[\w./-]+\.py\b/g) ?? []) : [];
}

/** Arguments beside a path of a tool that only reads a file, in our own editor and in those of agents from outside. */
const RANGES = /^(?:view_range|offset|limit|(?:start|end)_?line(?:_\w+)?|pages?|encoding|description)$/i;
const PATHS = ['path', 'file_path', 'filePath', 'absolute_path', 'target_file', 'filename'];

/** The file or folder that a tool is about; null: it names none. */
export function toolPath(tool: Record<string, unknown>): string | null {
  const path = PATHS.map((name) => tool[name]).find((value) => typeof value === 'string');
  return path === undefined ? null : String(path);
}

function isView(tool: Record<string, unknown>): boolean {
  if (toolPath(tool) === null) return false;
  if (tool.command !== undefined) return tool.command === 'view';
  return Object.keys(tool).every((name) => PATHS.includes(name) || RANGES.test(name));
}

function isReader({ words }: ShellCommand): boolean {
  const names = (options: RegExp) => words.slice(1).some((word) => options.test(word));
  if (/^(?:e|f)?grep$|^rg$/.test(words[0]!)) return !names(/^-\w*[lLcq]\w*$|^--(?:files|count|quiet)/);
  return READERS.test(words[0]!) && !(words[0] === 'unzip' && names(/^-\w*[lvtZ]/));
}

const ABSENT =
  /No such file or directory|Permission denied|cannot (?:open|access|stat)|does not exist|file not found|filename not matched|Is a directory/i;
/** Lines that programs put around an output. */
const FRAME = /^\W*(?:exit(?:ed with)? (?:code|status)|returncode|wall time|output:?$|error:?$)/i;

/** Whether the output is more than a message about a missing file. */
export function showsContent(step: LeakStep): boolean {
  const lines = step.output
    .split('\n')
    .filter((line) => line.trim() !== '' && !ABSENT.test(line) && !FRAME.test(line));
  return (
    lines.length > 0 ||
    (step.exitCode === 0 && step.commands.some(({ words }) => /^(?:cp|rsync|tar|install)$/.test(words[0]!)))
  );
}

const MANAGERS = /^(?:pip[\d.]*|uv|conda|mamba|poetry|pdm|pipx|npm|pnpm|yarn|go|cargo)$/;
const INSTALLERS = /^(?:install|download|wheel|add|i|pack|get)$/;
const TAKEN =
  /Successfully (?:installed|downloaded|built)|^Saved |^\s*Downloading |^Installed \d+ package|^ \+ |^added \d+ package|^go: download|^\s*Downloaded |\.tgz$/m;

/** Finds steps that fetch the project from an index. Installing the repository (`pip install -e .`) does not count. */
export function projectDownloadCheck(task: LeakTask): LeakCheck {
  return (step) => {
    const asked = step.commands.some((command) =>
      installArguments(command).some((word) => namesProject(word, task)),
    );
    if (!asked) return null;
    const severity = TAKEN.test(step.output) ? 'leak' : 'attempt';
    return { rule: 'project-download', severity, evidence: evidenceOf(step) };
  };
}

/** The packages that a command installs. */
function installArguments({ words }: ShellCommand): string[] {
  const isModule = /^python[\d.]*$/.test(words[0]!) && words[1] === '-m' && words[2] === 'pip';
  const rest = isModule ? words.slice(3) : words.slice(1);
  const manager = isModule ? 'pip' : words[0]!;
  if (manager === 'easy_install') return rest;
  if (!MANAGERS.test(manager)) return [];
  const at = rest.findIndex((word) => INSTALLERS.test(word));
  return at < 0 || at > 2 ? [] : rest.slice(at + 1);
}

function namesProject(word: string, { packages, repository }: LeakTask): boolean {
  if (/^-|^\.{0,2}\/|^\.(?:\[|$)/.test(word)) return false;
  // An address, or a module of Go.
  if (/:\/\/|^[\w-]+\.[a-z]+\//.test(word))
    return repository !== null && word.toLowerCase().includes(repository);
  return packages.has(packageName(/^[\w.-]+/.exec(word)?.[0] ?? ''));
}
