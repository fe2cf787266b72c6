/**
 * Helpers of grading that are ended from outside, as a host without memory does: a verdict is made without them at no
 * price. The helper's own shell really gets the signal.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { Deployment, Workspace } from '../../executors/deployment.ts';
import { gradePatch } from '../../grading/grade.ts';
import { DEFAULT_PRESET, findPreset } from '../../grading/rules/presets.ts';
import { runCheck } from '../../grading/run/check.ts';
import { diffOf, GradedTask, gradingSandbox, pytestLayer, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

/** The deployment, with the shell of every command that `chooses` ended by `how`. */
function ending(deployment: Deployment, chooses: (command: string) => boolean, how: string): Deployment {
  return {
    ...deployment,
    async open(...args) {
      const opened = await deployment.open(...args);
      if (!opened.ok) return opened;
      const workspace = opened.value;
      const wrapped: Workspace = Object.create(workspace, {
        exec: {
          value: (command: string, options: Parameters<Workspace['exec']>[1]) =>
            chooses(command)
              ? workspace.exec(`${how}\n${command}`, {
                  ...options,
                  timeout: how === ENDLESS ? 0.5 : options.timeout,
                })
              : workspace.exec(command, options),
        },
      });
      return { ok: true, value: wrapped };
    },
  };
}

const isAsking = (command: string) => command.includes('/tmp/.swemake-names');
const isApplying = (command: string) => /^(?:git apply|patch) /m.test(command);
const isComparing = (command: string) => command.includes('write-tree');
const isFirstSurvey = (command: string) => command.includes('support=') && command.includes('chmod');
const isLastSurvey = (command: string) => command.includes('-newerct');

const KILLED = 'kill -9 $$';
const ENDLESS = 'sleep 60';

/** A git that is killed when it is asked for `what`, however deep in a script. */
const mortalGit = (what: string, end = "bash -c 'kill -9 $$'") =>
  `git() { case " $* " in *" ${what} "*) ${end};; *) command git "$@";; esac; }`;

/** A command of a script that is killed each time it is called. */
const mortal = (name: string) => `${name}() { bash -c 'kill -9 $$'; }`;

const MISERABLE_GIT = mortalGit('add', 'return 128');
const MORTAL_SUM = `xargs() { command xargs -0 -r sh -c 'kill -9 $$'; }`;
const POOR_FIND = `find() { command find "$@"; echo "find: x: Cannot allocate memory" >&2; return 1; }`;
const SURVEYS = [
  ['before', isFirstSurvey],
  ['after', isLastSurvey],
] as const;

/** It is made and put back: it leads to what decides the tests. */
const LINK =
  'diff --git a/pkg/alias b/pkg/alias\nnew file mode 120000\n--- /dev/null\n+++ b/pkg/alias\n@@ -0,0 +1 @@\n+../tests\n\\ No newline at end of file\n';
const isReadingLinks = (command: string) => command.includes('readlink');
const isRestoring = (command: string) => command.includes('checkout-index');

type Case = [what: string, chooses: (command: string) => boolean, how: string, reason: string];
const CASES: Case[] = [
  ['a look at the names of the patch, that was killed', isAsking, KILLED, 'killed'],
  ['a readlink that was killed', isReadingLinks, mortal('readlink'), 'killed'],
  ['a killed git', isApplying, KILLED, 'killed'],
  ['a git whose child was killed', isApplying, 'exit 137', 'killed'],
  ['a git that is not there', isApplying, 'exit 127', 'tool-missing'],
  ['a git that was killed while it read the files', isComparing, mortalGit('add'), 'killed'],
  ['a git that was killed while it wrote the tree', isComparing, mortalGit('write-tree'), 'killed'],
  ['a git that was killed while it compared', isComparing, mortalGit('diff-tree'), 'killed'],
  ['a copy of the index that was killed', isComparing, mortal('cp'), 'killed'],
  ['a git that could not read the files', isComparing, MISERABLE_GIT, 'helper'],
  ['a git that was killed while it put files back', isRestoring, mortalGit('checkout-index'), 'killed'],
  ['a removal that was killed', isRestoring, `xargs() { command xargs -0 sh -c 'kill -9 $$'; }`, 'helper'],
  ['a look at the files before, that was killed', isFirstSurvey, KILLED, 'killed'],
  ['a look at the files after, that was killed', isLastSurvey, KILLED, 'killed'],
  ...SURVEYS.flatMap(([when, chooses]): Case[] => [
    [`a find that was killed ${when}`, chooses, mortal('find'), 'killed'],
    [`an xargs that was killed ${when}`, chooses, mortal('xargs'), 'killed'],
    [`a sha256sum that was killed ${when}`, chooses, MORTAL_SUM, 'helper'],
    [`a find without memory ${when}`, chooses, POOR_FIND, 'helper'],
  ]),
  // Older shells do not know the time themselves.
  ['a date that was killed', isFirstSurvey, `unset EPOCHREALTIME; ${mortal('date')}`, 'killed'],
  ['a look at the files after, that does not end', isLastSurvey, ENDLESS, 'helper'],
  ['a git that does not end', isApplying, ENDLESS, 'helper'],
  ['a chmod that was killed', isFirstSurvey, mortal('chmod'), 'killed'],
  ['a list of files that was cut', isLastSurvey, 'printf() { exit 0; }', 'helper'],
];

describe.skipIf(box === null)('no verdict comes of', () => {
  test.each(CASES)('%s', async (_what, chooses, how, reason) => {
    const task = new GradedTask(box!.deployment, environment!);
    const diff = diffOf({ ...SOLUTION, 'tests/test_core.py': 'x = 1\n', 'tests/new.py': 'x = 1\n' }) + LINK;
    const patch = { title: 'patch', diff, role: 'apply' } as const;
    expect(await runCheck(task.setup, 'patch', patch)).toMatchObject({ ok: true });
    const setup = { ...task.setup, deployment: ending(box!.deployment, chooses, how) };
    const ran = await runCheck(setup, 'patch', patch);
    expect(ran).toMatchObject({ ok: false, fault: { status: 'infra', reason } });
  });
});

test.skipIf(box === null)(
  'a git that crashes where it is told where attributes are applies patches',
  async () => {
    const task = new GradedTask(box!.deployment, environment!);
    const how = `git() { [ -z "\${GIT_ATTR_SOURCE:-}" ] || bash -c 'kill -SEGV $$'; command git "$@"; }`;
    const setup = { ...task.setup, deployment: ending(box!.deployment, isApplying, how) };
    const patch = { title: 'patch', diff: diffOf(SOLUTION), role: 'apply' } as const;
    expect(await runCheck(setup, 'patch', patch)).toMatchObject({ ok: true });
  },
);

describe.skipIf(box === null)('tests that are ended by a signal', () => {
  const gradeWith = async (how: string, times: number) => {
    const task = new GradedTask(box!.deployment, environment!);
    await task.validate();
    let left = times;
    const chooses = (command: string) => command.includes('Start Test Output') && left-- > 0;
    const deployment = ending(box!.deployment, chooses, how);
    const graded = await gradePatch(
      {
        diff: diffOf(SOLUTION),
        preset: findPreset(DEFAULT_PRESET)!,
        max_patch: 1 << 20,
        repeats: 0,
        suspicion: 'off' as const,
        baseline: task.baseline,
      },
      { ...task.setup, deployment },
    );
    return graded.ok ? graded.value.verdict : graded.fault;
  };

  test.each(['kill -9 $$', 'exit 137'])('once, by %s, are run again', async (how) => {
    expect(await gradeWith(how, 1)).toMatchObject({ reward: 1, integrity: [] });
  });

  test('each time have ended themselves', async () => {
    expect(await gradeWith('kill -9 $$', 9)).toMatchObject({ reward: 0, reason: 'not-gradable' });
  });
});
