/**
 * The state in which an agent finds a repository: the task's bug in place, hidden tests gone, and a repository of
 * one commit without remotes, other references or objects, so that neither history nor an installed copy of the
 * project holds the answer. Built by one script inside the workspace.
 */
import type { Workspace } from '../../executors/deployment.ts';
import { applyAttempts } from '../../grading/apply.ts';
import { touchedFiles } from '../../grading/patch.ts';
import { shellWord } from '../../grading/shell.ts';
import { testFiles } from '../../grading/test-files.ts';
import type { Instance } from '../../schemas/instance.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { fault, type Result, success } from '../../schemas/result.ts';
import { EXACT_BYTES } from '../source/commit-tree.ts';

/** What of an instance decides the first state; part of a rollout's key. */
export interface FirstState {
  /** Applied before anything else; empty: none. */
  bug: string;
  /** Files that the agent must not see. */
  hidden: string[];
  /** Files whose installed copies would show the answer. */
  solution: string[];
}

/** Seconds; a large repository is read and compressed once. */
const TIMEOUT = 600;
/** The script's exit code when the environment's interpreter does not start. */
const BROKEN_ENVIRONMENT = 91;
const SCRATCH = '/tmp/.swemake-first-state';
const PROBE = `if [ -e /opt/env/bin/python ] || [ -L /opt/env/bin/python ]; then /opt/env/bin/python -c pass || exit ${BROKEN_ENVIRONMENT}; fi`;

export function firstStateOf(instance: Instance): FirstState {
  return {
    bug: instance.patch_role === 'bug' ? instance.patch : '',
    hidden: testFiles(instance).hidden,
    solution: [...new Set(touchedFiles(instance.patch).map((file) => file.path))].sort(),
  };
}

/** Brings a fresh workspace into the first state and returns its commit. `probe`: try its Python first. */
export async function prepareFirstState(
  workspace: Workspace,
  state: FirstState,
  signal: AbortSignal,
  { probe = true }: { probe?: boolean } = {},
): Promise<Result<string, Infra>> {
  if (state.bug !== '') await workspace.write(`${SCRATCH}/bug.patch`, state.bug);
  const ran = await workspace.exec(script(state, probe), { cwd: '/testbed', timeout: TIMEOUT, signal });
  if (!ran.ok) return fault(ran.fault.status === 'infra' ? ran.fault : infra('executor', ran.fault.detail));
  const { exitCode, output } = ran.value;
  const last = output.trim().split('\n').at(-1) ?? '';
  if (exitCode === 0) return success(last);
  if (exitCode === BROKEN_ENVIRONMENT)
    return fault(infra('environment-broken', `its Python does not start: ${last}`));
  return fault(infra('executor', `the repository cannot be made ready for an agent: ${last}`));
}

/** Few processes: each costs as much as a command of the agent's. */
function script(state: FirstState, probe: boolean): string {
  const unwanted = [SCRATCH, ...state.hidden].map(shellWord).join(' ');
  return [
    'set -e; exec 2>&1; shopt -s extglob dotglob',
    ...(probe ? [PROBE] : []),
    'cd /testbed',
    'export LC_ALL=C HOME=/tmp GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null',
    'git() { command git -c safe.directory=\'*\' -c core.hooksPath=/dev/null -c core.autocrlf=false -c core.looseCompression=1 -c gc.auto=0 -c maintenance.auto=false "$@"; }',
    ...applyBug(state.bug),
    `rm -rf -- .git/!(objects|index|sharedindex.*) ${unwanted}`,
    ...state.solution.flatMap(coverCopies),
    ...NEW_REPOSITORY,
    ...addFiles(state.bug),
    ...COMMIT,
    ...IGNORE_THE_REST,
    'read -r commit < .git/refs/heads/main; echo "$commit"',
  ].join('\n');
}

function applyBug(bug: string): string[] {
  if (bug === '') return [];
  const attempts = applyAttempts(`${SCRATCH}/bug.patch`).map((attempt) => `{ ${attempt}; }`);
  return [`${attempts.join(' || ')} || { echo 'the bug patch does not apply'; exit 90; }`];
}

/** Copies of a file that an installation or a build made show it without the bug, or with the fix. */
function coverCopies(path: string): string[] {
  const installed = path.replace(/^(src|lib)\//, '');
  const places = ['/opt/env/lib*/python*/site-packages', '/testbed/build/lib*'];
  const file = shellWord(path);
  const stem = shellWord((path.split('/').at(-1) ?? '').replace(/\.py$/, ''));
  return [
    `for copy in ${places.map((place) => `${place}/${shellWord(installed)}`).join(' ')}; do`,
    '  [ -f "$copy" ] || continue',
    `  rm -f -- "$(dirname "$copy")"/__pycache__/${stem}.*.pyc`,
    `  if [ -f ${file} ]; then cat ${file} > "$copy"; else rm -f -- "$copy"; fi`,
    'done',
  ];
}

/**
 * Objects and index are kept, so that what is known of the files need not be read and written again. The bytes of
 * files are committed as they are, whatever the repository's own attributes say.
 */
const NEW_REPOSITORY = [
  'mkdir -p .git/refs/heads .git/info',
  "echo 'ref: refs/heads/main' > .git/HEAD",
  "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfilemode = true\\n\\tbare = false\\n' > .git/config",
  `echo ${shellWord(EXACT_BYTES.trimEnd())} > .git/info/attributes`,
];

/** Files that the bug patch adds, which git does not know yet. */
function addFiles(bug: string): string[] {
  const added = touchedFiles(bug).filter(({ change }) => change !== 'modified' && change !== 'deleted');
  if (added.length === 0) return [];
  return [`git update-index --add --remove -- ${added.map(({ path }) => shellWord(path)).join(' ')}`];
}

/** One commit of the files that the repository had, as they are now. Objects that it does not name go. */
const COMMIT = [
  'export GIT_AUTHOR_DATE="2000-01-01T00:00:00Z" GIT_COMMITTER_DATE="2000-01-01T00:00:00Z"',
  'git -c user.name=swemake -c user.email=swemake@localhost commit -q -a --allow-empty -m "Task"',
  "if [ -e .git/objects/info/alternates ] || compgen -G '.git/objects/pack/*.pack' > /dev/null; then",
  '  rm -f .git/objects/pack/*.keep .git/objects/pack/*.promisor; git repack -a -d -q',
  'fi',
  '[ ! -d .git/objects/info ] || rm -rf .git/objects/info',
  'git prune --expire=now',
];

/** What else lies there is ignored, whatever the agent adds. A line end in a name is any character to git. */
const IGNORE_THE_REST = [
  'whole=',
  "while IFS= read -r -d '' path; do",
  '  if [ "$path" = / ]; then whole=yes; continue; fi',
  "  case $path in *[][*?\\\\]* | *' ') path=$(printf %s \"$path\" | sed 's/[][*?\\\\]/\\\\&/g; s/ $/\\\\ /') ;; esac",
  "  printf '/%s\\n' \"${path//$'\\n'/?}\"",
  "done < <(git ls-files --others --exclude-standard --directory -z && printf '/\\0') > .git/info/exclude",
  '[ "$whole" = yes ]',
];
