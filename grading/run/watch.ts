/**
 * Watches files while tests run: the listed tests, the files that configure the runner, and the runner itself.
 * Contents are read through the workspace's own process, which the tests cannot influence. A file that was changed
 * and restored is found by the times that the kernel keeps.
 */

import { type Digest, digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { shellWord } from '../../basics/shell.ts';
import type { Workspace, WorkspaceLost } from '../../executors/deployment.ts';
import { helperFault, isMissing } from '../../executors/helper-fault.ts';
import { type Attempt, infra } from '../../schemas/outcome.ts';
import { BESIDE } from '../rules/integrity.ts';
import { type Protection, RUNNER_FILES } from '../rules/protect.ts';

type Watched = Pick<Protection, 'tests' | 'helpers' | 'folders' | 'starters' | 'data' | 'beside'>;

export interface Watch {
  /** Path -> digest of its content; null: not there. */
  contents: Map<string, Digest | null>;
  before: Survey;
  /** Files of the tests, whose times are looked at whether or not they are there. */
  own: string[];
  /** Further files of tests, of another ecosystem than Python. */
  beside: ReadonlySet<string>;
  /** Paths where no honest code writes; their times are looked at, and whether they are there. */
  places: readonly string[];
}

interface Survey {
  /** Files of the repository that configure a runner. */
  found: string[];
  /** Python files in folders of tests; of another ecosystem, files of tests. */
  support: string[];
  /** Of the watched files, those that were written since. */
  newer: string[];
  /** Seconds by the workspace's clock. */
  now: string;
  /** Lines of sha256sum over the runner's own files. */
  runner: string[];
}

const TIMEOUT = 120;
/** A folder deeper than that is not entered: Python finds nothing there, and tests can make paths without end. */
export const DEPTH = 60;
/** Of the runner's own files; tests can make files that seem to be terabytes. */
const MAX_BYTES = 1 << 30;
/** The exit code that says that there are more. */
export const TOO_MUCH = 77;
/** What vanished in between is 1, of xargs 123; any other code is that of a command that did not come to its end. */
export const SOUND = 'sound() { for code; do case $code in 0 | 1 | 123) ;; *) exit "$code" ;; esac; done; }';
/** More files than that are not read one by one; their times are still looked at. */
const MAX_READ = 300;
/** Nor more files of data that tests open. */
const MAX_DATA = 200;
/** Nor are the times of more files of test folders than that, or of larger ones: each is copied into the workspace. */
const MAX_SUPPORT = 2000;
const MAX_SUPPORT_SIZE = '1024k';
/** Of so many others it is only looked at when they say that they were written. */
const MAX_OTHERS = 10_000;
/** Loaded into every program that is started, git and find included. */
const LOADER = ['/etc/ld.so.preload', '/etc/ld.so.cache'];

/** The survey's lists, and nothing behind the last one. */
const PARTS = 6;
/** What a command says that leaves files out because it lacks something, with the code of one for which a file vanished. */
const HALF = /: (?:Cannot allocate memory|memory exhausted|Too many open files.*|Input\/output error)$/m;

const NAMES = ['*.pth', ...RUNNER_FILES].map((name) => `-name ${shellWord(name)}`).join(' -o ');
const PACKAGES = '/opt/env/lib*/python*/site-packages';
/** Packages and files of the runner, in the environment's packages. */
export const RUNNER = ['_pytest', 'pytest', 'pluggy', 'xdist', 'pytest.py', '*.pth', '*customize.py'];

/** What applying a patch left, which an agent's workspace has not. */
const LEFT = '/tmp/.swemake-apply /tmp/.swemake-names /tmp/.swemake-tree';

const PLACES = [...RUNNER, '*/entry_points.txt'].map((name) => `${PACKAGES}/${name}`).join(' ');
const DECIDING = "-name '*.py' -o -name '*.pth' -o -name entry_points.txt";

/**
 * Begins to watch; called when everything is in place. Where other processes may write what this one runs, the runner's
 * files are watched by their times, too. `places` are absolute paths of files and folders that no honest run changes.
 */
export async function beginWatch(
  { tests, helpers, folders, starters, data, beside }: Watched,
  workspace: Workspace,
  signal: AbortSignal,
  isShared = false,
  places: readonly string[] = [],
): Attempt<Watch> {
  const read = data.slice(0, MAX_DATA);
  const own = [...new Set([...tests, ...starters, ...helpers, ...read])].map((path) => `/testbed/${path}`);
  const others = new Set(beside().map((path) => `/testbed/${path}`));
  for (const path of own) others.delete(path);
  const script = firstSurvey([...places, ...own], folders, [...others].slice(0, MAX_SUPPORT), isShared);
  const before = await survey(script, workspace, signal);
  if (!before.ok) return before;
  if (before.value === null) return fault(infra('helper', 'there are more watched files than can be listed'));
  const { found } = before.value;
  const contents = new Map<string, Digest | null>();
  for (const path of [...LOADER, ...own, ...found].slice(0, MAX_READ)) {
    const content = await contentOf(path, workspace);
    if (!content.ok) return content;
    contents.set(path, content.value);
  }
  return success({ contents, before: before.value, own, beside: others, places });
}

/** Paths that were written since, whether or not they are what they were. */
export async function endWatch(
  { contents, before, own, beside, places }: Watch,
  workspace: Workspace,
  signal: AbortSignal,
): Attempt<string[]> {
  const written = new Set<string>();
  for (const [path, content] of contents) {
    const now = await contentOf(path, workspace);
    if (!now.ok) return now;
    if (now.value !== content) written.add(path);
  }
  const known = new Set(before.support);
  const others = [...beside].filter((path) => !known.has(path)).slice(0, MAX_OTHERS);
  const after = await survey(lastSurvey(own, places, others, before), workspace, signal);
  if (!after.ok) return isMissing(after.fault) ? success([after.fault.detail]) : after;
  if (after.value === null)
    return success(['files that cannot be looked at: there are more than can be listed']);
  const { found, newer, runner } = after.value;
  for (const path of newer) written.add(path);
  for (const path of found.filter((path) => !before.found.includes(path))) {
    const isCopy = await isOfEnvironment(path, before.runner, workspace);
    if (!isCopy.ok) return isCopy;
    if (!isCopy.value) written.add(path);
  }
  // With its content: a build may write the same file for everybody.
  for (const line of runner)
    if (!before.runner.includes(line)) written.add(`${line.slice(66)} (${line.slice(0, 12)})`);
  const left = runner.map((line) => line.slice(66));
  for (const line of before.runner)
    if (!left.includes(line.slice(66))) written.add(`${line.slice(66)} (gone)`);
  return success([...written].map((path) => `${shown(path)}${beside.has(path) ? BESIDE : ''}`).sort());
}

/**
 * Whether a new file is a start file that the environment has, too, with the same name and content: tox makes an
 * environment of its own while tests run, and setuptools' file is in each.
 */
async function isOfEnvironment(
  path: string,
  runner: readonly string[],
  workspace: Workspace,
): Promise<Result<boolean, WorkspaceLost>> {
  const name = path.slice(path.lastIndexOf('/'));
  const known = runner.filter((line) => name.endsWith('.pth') && line.endsWith(name));
  if (known.length === 0) return success(false);
  const content = await contentOf(path, workspace);
  return content.ok ? success(known.some((line) => line.startsWith(`${content.value} `))) : content;
}

/** Without what is another one each time. */
function shown(path: string): string {
  return path.replace(/^\/testbed\//, '').replace(/(swemake-(?:program-)?)[0-9a-f]{16}/, '$1*');
}

/** Digest of what can be read there; `null` for what is not a file. */
async function contentOf(path: string, workspace: Workspace): Promise<Result<Digest | null, WorkspaceLost>> {
  const read = await workspace.read(path);
  if (!read.ok) return read.fault.status === 'refused' ? success(null) : fault(read.fault);
  return success(read.value === null ? null : digestOf(read.value));
}

/**
 * What a script prints that lists files; null: there are more than can be listed. That is the machine's fault before the tests, and
 * the tests' own behind them.
 */
export async function listed(
  what: string,
  script: readonly string[],
  workspace: Workspace,
  signal: AbortSignal,
): Attempt<string | null> {
  // Tests may leave a repository behind that cannot be entered.
  const ran = await workspace.exec(script.join('\n'), { timeout: TIMEOUT, signal, cwd: '/' });
  if (!ran.ok) return fault(ran.fault);
  // With half a list, files would seem to have come or gone.
  const broken = helperFault(`looking at ${what}`, ran.value);
  if (broken !== null) return fault(broken);
  const { exitCode, stdout, stderr, truncated } = ran.value;
  if (truncated || exitCode === TOO_MUCH) return success(null);
  const wrong = exitCode === 0 ? HALF.exec(stderr)?.[0] : `exit code ${exitCode}`;
  return wrong === undefined
    ? success(stdout)
    : fault(infra('helper', `${what} cannot be looked at: ${wrong}`));
}

/** Null: there are too many files. */
async function survey(
  script: readonly string[],
  workspace: Workspace,
  signal: AbortSignal,
): Attempt<Survey | null> {
  const printed = await listed('the watched files', script, workspace, signal);
  if (!printed.ok) return printed;
  if (printed.value === null) return success(null);
  const parts = printed.value.split('--\n').map((part) => part.split('\n').filter((line) => line !== ''));
  if (parts.length !== PARTS) return fault(infra('helper', 'the list of watched files is not whole'));
  const [found = [], support = [], newer = [], now = [], runner = []] = parts;
  return success({ found, support, newer, now: now[0] ?? '', runner });
}

/** A line of that format for each file. Of a name with a newline, a part could look like another list. */
const printed = (format: string) => `\\( -path '*\n*' -printf '0 ?%i\\n' -o -printf '${format}\\n' \\)`;

const BEGIN = [
  'export LC_ALL=C PATH=/usr/bin:/bin; set -o pipefail',
  SOUND,
  `found=$(find /testbed -maxdepth ${DEPTH} -name .git -prune -o -type f \\( ${NAMES} \\) ${printed('%p')}); sound $?`,
  'printf "%s\\n" "$found"; echo --',
];
const END = [
  `deciding=$(find ${PLACES} -maxdepth ${DEPTH} -type f \\( ${DECIDING} \\) ${printed('%s %p')}); sound $?`,
  'sum=0 files=()',
  '[[ -z $deciding ]] || while read -r size path; do',
  `  ((size <= ${MAX_BYTES} && (sum += size) <= ${MAX_BYTES})) || exit ${TOO_MUCH}`,
  '  if [[ $path = /* ]]; then files+=("$path"); else printf "%064d  %s\\n" 0 "$path"; fi',
  'done <<< "$deciding"',
  '[[ ${#files[@]} -eq 0 ]] || printf "%s\\0" "${files[@]}" | xargs -0 sha256sum; sound "${PIPESTATUS[@]}"',
  'echo --; exit 0',
];

/**
 * Layers share their files with other ones by hard links, whose making the kernel also counts as a change; so every
 * watched file is given the mode that it has, which gives the workspace a file of its own.
 */
function firstSurvey(
  tests: readonly string[],
  folders: readonly string[],
  beside: readonly string[],
  isShared: boolean,
): string[] {
  const places = folders.map((folder) => shellWord(`/testbed/${folder}`)).join(' ');
  const others = beside.map(shellWord).join(' ');
  const support =
    places !== ''
      ? `$(find ${places} -maxdepth ${DEPTH} -type f -name '*.py' ${printed('%p')})`
      : others !== ''
        ? `$(find ${others} -maxdepth 0 -type f -size -${MAX_SUPPORT_SIZE} ${printed('%p')})`
        : '';
  return [
    `rm -rf ${LEFT}`,
    ...BEGIN,
    `support=${support}; sound $?; mapfile -t -n ${MAX_SUPPORT} support <<< "$support"`,
    'printf "%s\\n" "${support[@]}"; echo --',
    'mapfile -t found <<< "$found"',
    isShared ? `find ${PLACES} -type f -print0 | xargs -0 -r chmod u+r --; sound "\${PIPESTATUS[@]}"` : ':',
    `chmod u+r -- ${tests.map(shellWord).join(' ')} "\${found[@]}" "\${support[@]}"; sound $?`,
    'now=${EPOCHREALTIME:-$(date +%s.%N)}; sound $?; echo --; echo "$now"; echo --',
    ...END,
  ];
}

function lastSurvey(
  own: readonly string[],
  places: readonly string[],
  others: readonly string[],
  { found, support, now }: Survey,
): string[] {
  if (!/^\d+\.\d+$/.test(now)) return [...BEGIN, 'echo --; echo --; echo --', ...END];
  const list = (paths: readonly string[]) => paths.map(shellWord).join(' ');
  return [
    ...BEGIN,
    'echo --',
    `there=(${list([...places, ...found, ...support])})`,
    'for path in "${there[@]}"; do [[ -e $path ]] || printf "%s\\n" "$path"; done',
    `files=(${list(own)} "\${there[@]}")`,
    `[[ \${#files[@]} -eq 0 ]] || find "\${files[@]}" -maxdepth 0 -newerct @${now} -print; sound $?`,
    others.length === 0 ? ':' : `find ${list(others)} -maxdepth 0 -type f -newermt @${now} -print; sound $?`,
    'echo --; echo --',
    ...END,
  ];
}
