/** Runs git with bounded time and output, and reads its complaints into faults. */
import { type ProgramEnd, runProgram } from '../../basics/program.ts';
import { programFault } from '../../executors/program-fault.ts';
import type { Sought } from '../../schemas/absence.ts';
import { infra } from '../../schemas/outcome.ts';
import { invalidRow, notFound, type SourceFault, withoutCredentials } from './fault.ts';

export interface GitOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  signal?: AbortSignal | undefined;
  /** Seconds; default 1800. */
  timeout?: number;
  /** What it prints, as it comes. */
  onOutput?(bytes: Buffer): void;
}

/** Bytes of what git prints: lists of all files of a commit are long. */
const MAX_OUTPUT = 1 << 29;

/** Settings by which a repository on this machine would have programs run, or git print something else. */
const OWN_SETTINGS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'log.showSignature=false'];

/** Runs `git ...args`. What it leaves in the background goes on: agents that keep a password or a connection. */
export function git(
  args: readonly string[],
  { env, cwd, signal, timeout = 1800, onOutput }: GitOptions,
): Promise<ProgramEnd> {
  const argv = ['git', ...OWN_SETTINGS.flatMap((setting) => ['-c', setting]), ...args];
  const told = onOutput === undefined ? {} : { onOutput };
  return runProgram({ argv, env, cwd, signal, timeout, maxOutput: MAX_OUTPUT, leavesOthers: true, ...told });
}

/**
 * Variables for talking to remotes: the user's own git settings (logins, proxies, URL rewrites) count, since the
 * commit is checked anyway; questions to a terminal do not come up, stalled transfers end.
 */
export function remoteEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) =>
      !name.startsWith('GIT_') || /^GIT_(SSL|SSH|PROXY|ASKPASS|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$)/.test(name),
  );
  return {
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    GIT_HTTP_LOW_SPEED_LIMIT: '1000',
    GIT_HTTP_LOW_SPEED_TIME: '60',
    LC_ALL: 'C',
  };
}

/** Variables for work on files: no setting of the machine or the user counts. */
export function localEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    PATH: env.PATH,
    HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    LC_ALL: 'C',
  };
}

/** What git says of a repository with files that are lost, cut off or cannot be read. */
const DAMAGED =
  /does not match index|corrupt|unable to read|bad object|Input\/output error|Stale file handle|object file .* is empty/i;
/** What it says where its own repository is damaged, and not the disk, or where it writes files to. */
const BROKEN =
  /does not match index|corrupt|unable to read|bad object|object file .* is empty|not a git repository: '|bad config line .*\.git\/config|failed to unpack tree|inflate|too small|too short|did not send all necessary objects|missing (?:blob|tree|commit)/i;
const NOT_BROKEN =
  /Input\/output error|Stale file handle|Too many open files|Cannot allocate memory|out of memory/i;
/** What the other side says. */
const OF_REMOTE = /^(?:remote:|.*\bupload-pack\b).*$/gm;
/** Git runs nothing in a repository of another user until that is allowed. */
const NOT_OURS = /detected dubious ownership in repository at '([^']+)'/;
/** What it says, first, of a repository without some of its objects. */
const LOST_OBJECT = /(?:unable to read|missing (?:blob|tree) object) '?[0-9a-f]{40,64}/;
/** A setting of the user, or a redirection, has turned an address into one of another kind. */
const NOT_ALLOWED = /transport '([\w+.-]+)' not allowed/;
const NO_SUCH_REF = /couldn't find remote ref|not our ref|no such remote ref/i;
/** What git and hosts say of an address at which they have none. A host that wants a login says something else. */
const NO_REPOSITORY = /^fatal: repository '[^']*' not found|^ERROR: Repository not found/m;

/**
 * What a failed command means: a ref that is not there is the row's fault, everything else the world's. `sought`: what a
 * remote was asked for, so that a repository that is not there is the row's fault, too.
 */
export function gitFault(end: ProgramEnd, doing: string, sought: Sought | null = null): SourceFault {
  const found = faultOf(end, doing, sought);
  const own = end.stderr.replace(OF_REMOTE, '');
  if (end.kind === 'exited' && BROKEN.test(own) && !NOT_BROKEN.test(own)) broken.add(found);
  return found;
}

/** Faults of git in whose own repository something is lost or damaged. */
const broken = new WeakSet<object>();

export function isBroken(found: object): boolean {
  return broken.has(found);
}

function faultOf(end: ProgramEnd, doing: string, sought: Sought | null): SourceFault {
  // A damaged repository says, too, that it has no such commit.
  if (NO_SUCH_REF.test(end.stderr) && !DAMAGED.test(end.stderr)) {
    const detail = `${doing}: no such commit, tag or branch`;
    return sought === null ? invalidRow(detail) : notFound(detail, sought);
  }
  if (sought !== null && lacksRepository(end))
    return notFound(`${doing}: there is no such repository`, sought);
  const notOurs = NOT_OURS.exec(end.stderr)?.[1];
  if (notOurs !== undefined) {
    const remedy = `to let git read it: git config --global --add safe.directory ${notOurs}`;
    return infra('source-fetch', `${doing}: the repository belongs to another user; ${remedy}`);
  }
  const protocol = NOT_ALLOWED.exec(end.stderr)?.[1];
  if (protocol !== undefined) {
    const remedy = 'see url.*.insteadOf in git’s settings (git config --show-origin --list)';
    return infra(
      'source-fetch',
      `${doing}: git would fetch it by "${protocol}", which is not allowed here; ${remedy}`,
    );
  }
  const lost = LOST_OBJECT.exec(end.stderr)?.[0];
  if (lost !== undefined) {
    const remedy = 'one that was cloned with --filter gets them all by git fetch --refetch --no-filter';
    return infra('source-fetch', `${doing}: the repository lacks objects (${lost}); ${remedy}`);
  }
  return programFault(end, { doing, remedy: 'apt-get install git', otherwise: 'source-fetch', cleaned });
}

/** The host has nothing at the address. */
export function lacksRepository(end: ProgramEnd): boolean {
  return NO_REPOSITORY.test(end.stderr);
}

function cleaned(text: string): string {
  return text.replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, withoutCredentials);
}
