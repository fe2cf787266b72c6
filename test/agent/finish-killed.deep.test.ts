/**
 * The patch of a rollout whose git is ended from outside while it is taken: once, the work is not lost; each time, it is
 * a fault and never an empty patch. What the agent broke itself is an answer.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { finalPatch } from '../../agent/finish.ts';
import { success } from '../../basics/result.ts';
import type { Limits, Workspace } from '../../executors/deployment.ts';
import { gradingSandbox, REPOSITORY, sourceLayer } from '../grade/task.ts';

const box = await gradingSandbox();
afterAll(() => box?.cleanup());

const ENDLESS = 'sleep 60';

/** The workspace, with `how` in front of the first `times` commands. */
function ending(workspace: Workspace, how: string, times: number): Workspace {
  let left = times;
  return Object.create(workspace, {
    exec: {
      value: (command: string, options: Parameters<Workspace['exec']>[1]) =>
        left-- > 0
          ? workspace.exec(`${how}\n${command}`, {
              ...options,
              timeout: how === ENDLESS ? 0.5 : options.timeout,
            })
          : workspace.exec(command, options),
    },
  });
}

/** A git that is ended when it is asked for `what`. */
const mortalGit = (what: string, signal = 'KILL') =>
  `git() { case " $* " in *" ${what} "*) bash -c 'kill -${signal} $$';; *) command git "$@";; esac; }`;

/** The `comm` of busybox. */
const OTHER_COMM = "comm() { echo 'comm: unrecognized option: z' >&2; return 1; }";

const MANY = `python3 -c 'import subprocess; [subprocess.Popen(["sleep", "300"]) for _ in range(99)]'`;

/** `untouched`: what is in front of the commands of workspaces in which nobody worked. */
async function taken(
  how: string,
  times: number,
  work = 'echo new > pkg/new.py',
  limits: Limits = {},
  untouched = how,
) {
  const view = { layers: [], mounts: [], links: {}, variables: {} };
  const { signal } = new AbortController();
  const options = { limits, network: 'off', storage: 'memory' } as const;
  const layer = sourceLayer(REPOSITORY);
  const open = async () => {
    const opened = await box!.deployment.open(view, { layer }, options);
    if (!opened.ok) throw new Error(opened.fault.detail);
    return opened.value;
  };
  const workspace = await open();
  const ran = await workspace.exec(`git rev-parse HEAD; ${work}`, { timeout: 60 });
  const base = ran.ok ? ran.value.stdout.trim().split('\n')[0]! : '';
  const anew = async () => success(ending(await open(), untouched, times));
  const patch = await finalPatch(ending(workspace, how, times), { base, anew }, null, signal);
  await workspace.close();
  return patch;
}

describe.skipIf(box === null)('the patch of a rollout', () => {
  test.each([
    ['is killed', 'kill -9 $$'],
    ['loses the git that reads the files', mortalGit('add')],
  ])('whose first comparison %s', async (_what, how) => {
    expect(await taken(how, 1)).toMatchObject({ ok: true, value: { source: 'workspace', problem: null } });
  });

  test.each([
    ['is killed', 'kill -9 $$'],
    ['loses the git that reads the files', mortalGit('add')],
    ['loses the git that compares', mortalGit('diff-index')],
    ['loses the git that compares to its memory', mortalGit('diff-index', 'ABRT')],
    ['loses the folder of the repository', `mkdir() { bash -c 'kill -9 $$'; }`],
    ['loses the list of new files', `sort() { bash -c 'kill -9 $$'; }`],
    ['is asked to end', 'kill -TERM $$'],
    ['does not end', ENDLESS],
    ['has no git', 'git() { nothing-of-that-name; }'],
    ['has a program of another system', OTHER_COMM],
  ])('whose comparison %s each time is a fault', async (_what, how) => {
    expect(await taken(how, 99)).toMatchObject({ ok: false, fault: { status: 'infra' } });
  });

  test.each([
    ['as many processes as there may be', MANY, { pids: 24 }],
    ['a fork bomb', '(f() { f | f & }; f) > /dev/null 2>&1 &', { pids: 24 }],
    [
      'processes that hold all memory',
      "for i in 1 2 3 4 5; do python3 -c 'import time; x = bytearray(55 << 20); time.sleep(300)' & done; sleep 1",
      { memory: 256 << 20, pids: 64 },
    ],
  ])('is taken where the agent left %s', async (_what, load, limits) => {
    const answer = await taken('', 0, `echo new > pkg/new.py; ${load}`, limits);
    expect(answer).toMatchObject({ ok: true, value: { source: 'workspace', problem: null } });
  });

  test.each([
    ['git', 'git() { nothing-of-that-name; }'],
    ['the program that sorts', 'sort() { nothing-of-that-name; }'],
  ])('is empty with a reason where the agent removed %s', async (_what, how) => {
    const answer = await taken(how, 9, undefined, {}, '');
    expect(answer).toMatchObject({ ok: true, value: { patch: '', source: 'none' } });
    expect(answer.ok && answer.value.problem).toMatch(/the agent removed what it takes: .*not found/);
  });

  test('is empty with a reason where the agent put another program in', async () => {
    const answer = await taken(OTHER_COMM, 9, undefined, {}, '');
    expect(answer).toMatchObject({ ok: true, value: { patch: '', source: 'none' } });
    expect(answer.ok && answer.value.problem).toContain('unrecognized option');
  });

  test('is empty with a reason where the agent left no room', async () => {
    const work = 'echo new > pkg/new.py; head -c 100M /dev/zero > /tmp/fill';
    const answer = await taken('', 0, work, { disk: 16 << 20 });
    expect(answer).toMatchObject({ ok: true, value: { patch: '' } });
    expect(answer.ok && answer.value.problem).toContain('No space left on device');
  });

  test('is whole when the agent took the repository away', async () => {
    const answer = await taken('', 0, 'echo new > pkg/new.py; rm -rf .git');
    expect(answer).toMatchObject({ ok: true, value: { source: 'workspace', problem: null } });
    expect(answer.ok && answer.value.patch).toContain('+new');
  });

  test('leaves out what the agent left behind, and says so', async () => {
    const work = [
      'mkdir -p .venv/bin node_modules/x build/lib/pkg pkg/build/lib scratch pkg.egg-info pkg/__pycache__',
      'touch .venv/pyvenv.cfg node_modules/x/i.js build/lib/pkg/core.py pkg/build/lib/x.py pkg.egg-info/PKG-INFO',
      'ln -s /usr/bin/python3 .venv/bin/python; touch pkg/__pycache__/core.cpython-311.pyc; git init -q scratch',
      "touch scratch/x $'odd\\xff' git~1; echo x > pkg/new.py",
    ].join('\n');
    const answer = await taken('', 0, work);
    expect(answer).toMatchObject({ ok: true, value: { source: 'workspace' } });
    if (!answer.ok) return;
    const files = [...answer.value.patch.matchAll(/^diff --git a\/(.*) b\//gm)].map(([, name]) => name);
    expect(files).toEqual(['pkg/build/lib/x.py', 'pkg/new.py']);
    expect(answer.value.leftOut).toEqual(
      [
        '.venv/',
        'build/lib/',
        'git~1',
        'node_modules/',
        'odd\ufffd',
        'pkg.egg-info/',
        'pkg/__pycache__/',
        'scratch/',
      ].sort(),
    );
  });
});
