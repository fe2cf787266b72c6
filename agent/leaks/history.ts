/**
 * Finds git commands that show commits of the project. The agent's repository has one commit, no remote and no other
 * refs. So a second commit that the agent did not make, or anything from a remote, is the project's.
 */
import { inFolder, type ShellCommand } from './commands.ts';
import { evidenceOf, type LeakCheck, type LeakSeverity, type LeakStep } from './finding.ts';

const FAILED = /^(?:fatal|error):|not a valid object name|unknown revision|bad revision|did not match any/m;
const TRANSFER =
  /\[new (?:branch|tag|ref)\]|-> FETCH_HEAD|Receiving objects|Resolving deltas|Unpacking objects|Cloning into|^\s+[0-9a-f]{7,}\.\.[0-9a-f]{7,}/m;
const DIFF = /^(?:diff --git |@@ -\d)/m;

/** Commands that are used only to look for lost or packed objects. */
const DIGGING = new Set(['fsck', 'unpack-objects', 'unpack-file', 'verify-pack', 'reflog', 'index-pack']);
const SHOWING = new Set(['show', 'diff', 'cat-file', 'format-patch', 'archive', 'grep', 'difftool', 'blame']);
const TAKING = new Set([
  'checkout',
  'switch',
  'restore',
  'reset',
  'cherry-pick',
  'merge',
  'rebase',
  'worktree',
]);
const LISTING = new Set(['log', 'rev-list', 'whatchanged', 'shortlog']);

/** A check that remembers which commits the agent knows: those that it made, and the one it began with. */
export function historyCheck(): LeakCheck {
  const own = new Set<string>();
  let commits = 0;
  return (step) => {
    const found: LeakSeverity[] = [];
    for (const command of step.commands) {
      const git = gitCommand(command);
      if (git === null) continue;
      if (git.name === 'commit') commits += ownCommits(step, own);
      const severity = judged(git, step, own, commits);
      if (severity !== null) found.push(severity);
      else rememberHead(git, step, own, commits);
    }
    if (found.length === 0) return null;
    const severity = found.includes('leak') ? 'leak' : 'attempt';
    return { rule: 'git-history', severity, evidence: evidenceOf(step) };
  };
}

/** Fetching or cloning the project. */
export const remoteCheck: LeakCheck = (step) => {
  for (const command of step.commands) {
    const git = gitCommand(command);
    if (git === null || !reachesOut(git)) continue;
    const succeeded = !FAILED.test(step.output);
    const quietClone = git.name === 'clone' && step.exitCode === 0;
    const severity = succeeded && (quietClone || TRANSFER.test(step.output)) ? 'leak' : 'attempt';
    return { rule: 'git-remote', severity, evidence: evidenceOf(step) };
  }
  return null;
};

interface GitCommand {
  name: string;
  args: string[];
}

function gitCommand({ words, cwd }: ShellCommand): GitCommand | null {
  if (words[0] !== 'git') return null;
  let at = 1;
  let folder = cwd;
  for (; at < words.length && words[at]!.startsWith('-'); at += 1) {
    if (!['-C', '-c', '--git-dir', '--work-tree'].includes(words[at]!)) continue;
    at += 1;
    if (words[at - 1] === '-C') folder = inFolder(words[at] ?? '', folder);
  }
  // A repository that the agent made in a folder for temporary files is its own.
  if (folder !== null && /^\/tmp\//.test(folder)) return null;
  return at < words.length ? { name: words[at]!, args: words.slice(at + 1) } : null;
}

function reachesOut({ name, args }: GitCommand): boolean {
  if (name === 'remote') return args[0] === 'add' || args[0] === 'update' || args[0] === 'set-url';
  if (name === 'submodule') return args.includes('update');
  // A copy of a folder of this machine shows nothing new.
  if (name === 'clone') return args.some((arg) => /^(?:\w+:\/\/|[\w.-]+@[\w.-]+:)/.test(arg));
  return name === 'fetch' || name === 'pull' || name === 'ls-remote';
}

/** Whether the command showed commits that are not the agent's, or looked for them. */
function judged(
  { name, args }: GitCommand,
  step: LeakStep,
  own: ReadonlySet<string>,
  commits: number,
): LeakSeverity | null {
  if (DIGGING.has(name) || args.includes('--batch-all-objects')) return 'attempt';
  const foreign = revisions(args).some((revision) => isForeign(revision, own, commits));
  const failed = FAILED.test(step.output);
  if (LISTING.has(name)) {
    if (!foreign && areOwn(unknownCommits(step.output, own), own, commits)) return null;
    return !failed && DIFF.test(step.output) ? 'leak' : 'attempt';
  }
  const takes = TAKING.has(name);
  if (!foreign || !(takes || SHOWING.has(name))) return null;
  if (failed || step.exitCode !== 0) return 'attempt';
  return takes || step.output.trim() !== '' ? 'leak' : 'attempt';
}

/** Words that may name a commit: no options, and nothing behind `--`. */
function revisions(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end))
    .filter((arg) => !arg.startsWith('-'))
    .flatMap((arg) => arg.split(/\.{2,3}/));
}

/** Remote branches, what was fetched, tags by their full name, ancestors of the first commit, unknown digests. */
function isForeign(word: string, own: ReadonlySet<string>, commits: number): boolean {
  const revision = word.split(':')[0]!;
  if (
    /^(?:refs\/)?(?:remotes\/)?(?:origin|upstream)\/|^FETCH_HEAD|^refs\/(?:tags|pull|remotes)\//.test(
      revision,
    )
  )
    return true;
  const ancestor = /^(?:HEAD|@)((?:[~^]\d*)+)$/.exec(revision);
  if (ancestor !== null) return generations(ancestor[1]!) > commits;
  if (!/^[0-9a-f]{7,40}$/.test(revision) || !/\d/.test(revision)) return false;
  return !isKnown(revision, own);
}

function generations(suffix: string): number {
  const steps = [...suffix.matchAll(/([~^])(\d*)/g)];
  return steps.reduce((sum, [, mark, count]) => sum + (mark === '~' && count !== '' ? Number(count) : 1), 0);
}

/** Commits of a list: `commit DIGEST`, or lines that begin with a digest, perhaps behind a drawn graph. */
function listedCommits(output: string): string[] {
  const full = [...output.matchAll(/^commit ([0-9a-f]{40})\b/gm)];
  const short = full.length > 0 ? [] : output.matchAll(/^(?:[*|\\/][*|\\/ ]*)?([0-9a-f]{7,40})(?= |$)/gm);
  const digests = [...full, ...short].map(([, digest]) => digest!);
  // Seven decimal digits are more likely a number than a digest.
  return [...new Set(digests)].filter((digest) => /\d/.test(digest) && /[a-f]/.test(digest));
}

/** Commits that a list names and the agent neither made nor started from. */
function unknownCommits(output: string, own: ReadonlySet<string>): string[] {
  return listedCommits(output).filter((digest) => !isKnown(digest, own));
}

/** Whether the unknown commits are few enough to be the first one and those that the agent made. */
function areOwn(unknown: readonly string[], own: ReadonlySet<string>, commits: number): boolean {
  return unknown.length <= Math.max(1, 1 + commits - own.size);
}

function isKnown(digest: string, own: ReadonlySet<string>): boolean {
  return [...own].some((known) => digest.startsWith(known) || known.startsWith(digest));
}

/** Commits that the agent made in this step: git prints `[main 1a2b3c4] text`. */
function ownCommits(step: LeakStep, own: Set<string>): number {
  const made = [...step.output.matchAll(/^\[[^\]]*?([0-9a-f]{7,40})\] /gm)].map(([, digest]) => digest!);
  for (const digest of made) own.add(digest);
  // A commit with --quiet prints nothing.
  return made.length > 0 ? made.length : step.exitCode === 0 ? 1 : 0;
}

/**
 * Remembers the commit that the agent began with and those that it made without git naming them: the only ones of a list,
 * or the one where HEAD is said to be.
 */
function rememberHead({ name }: GitCommand, { output }: LeakStep, own: Set<string>, commits: number): void {
  const listed = LISTING.has(name) || name === 'rev-parse' ? unknownCommits(output, own) : [];
  if (areOwn(listed, own, commits)) for (const digest of listed) own.add(digest);
  for (const [, digest] of output.matchAll(/HEAD is now at ([0-9a-f]{7,40})/g)) own.add(digest!);
}
