/** `view` and `logs`: reading what rollouts did, from a real build with a scripted model. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shown, visible } from '../../app/shown.ts';
import { findingPlaces, testEvidence } from '../../app/view/evidence.ts';
import type { RolloutView } from '../../app/view/item-view.ts';
import { inMemory, PART } from '../../app/view/log-range.ts';
import { shownSteps } from '../../app/view/steps.ts';
import { paintFor } from '../../cli/style.ts';
import { viewText } from '../../cli/view-text.ts';
import type { TestsStatus } from '../../grading/rules/verdict.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { exampleTree } from '../agent/tree/example.ts';
import { command } from '../rig/command.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import type { Project } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { fenced, instanceOf, SUBMIT, solve, turnOf } from '../rig/solver.ts';

let server: ModelServer;
let project: Project;

beforeAll(async () => {
  // The first instance is solved with a word to the terminal; the second is left as it is.
  server = await startModelServer((request) => {
    if (instanceOf(request) === 0) return solve(request, 2);
    if (turnOf(request) === 0) return fenced('printf "\\033[2J\\033]0;owned\\007 seen" ; ls');
    return fenced(turnOf(request) === 1 ? 'echo "# nothing" >> m1.py' : SUBMIT);
  });
  project = rolloutProject({ url: server.url, instances: 2, type: 'auto' });
  const path = project.path('p.yaml');
  writeFileSync(path, `${readFileSync(path, 'utf8')}\nprofiles: { other: { grading: { max_patch: 1 } } }\n`);
  const built = await command(project, 'build', 'p.yaml', 'grade');
  expect([built.code, built.stdout]).toEqual([0, expect.stringContaining('made ')]);
}, 300_000);
afterAll(() => server.stop());

const see = (...args: string[]) => command(project, ...args, '--project', 'p.yaml');

describe('view', () => {
  test('shows steps, diff and verdict with the log lines behind it', async () => {
    const { code, stdout } = await see('view', 'rollouts.train@tiny.1#0');
    expect(code).toBe(0);
    expect(stdout).toContain('step 1/3');
    expect(stdout).toContain('  thought   I go on.\n  $ printf');
    expect(stdout).toContain('exit  submitted');
    expect(stdout).toContain('  +# nothing');
    expect(stdout).toContain('verdict  not resolved: 1 listed test does not pass');
    expect(stdout).toMatch(
      / {2}fails {2}test_value \(test_m1\.Test\) {2}FAIL_TO_PASS\n {4}log \d+ {2}.*test_value \(test_m1\.Test/,
    );
    expect(stdout).not.toContain('an earlier answer');
  });

  test('writes no control sequence of what was seen', async () => {
    const { stdout } = await see('view', '--full', 'rollouts.train@tiny.1#0');
    expect(stdout).toContain('␛[2J');
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
  });

  test('of an item of grade is that of its rollout; of validate its tests', async () => {
    const graded = await see('view', 'grade.train@tiny.0#0');
    expect(graded.stdout).toContain('verdict  resolved, reward 1');
    expect(graded.stdout).toContain("$ sed -i 's/^VALUE");
    const validated = await see('view', 'validate.train@tiny.0');
    expect(validated.stdout).toContain('failing before\n  test_value (test_m0.Test)');
  });

  test('as data has all of it', async () => {
    const { stdout } = await see('view', '--json', 'rollouts');
    const views = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(views.map(({ item }) => item)).toEqual(['rollouts.train@tiny.0#0', 'rollouts.train@tiny.1#0']);
    expect(views[0]).toMatchObject({ isCurrent: true, grade: { verdict: { resolved: true } }, sample: '0' });
    expect(views[1].trajectory.messages.length).toBeGreaterThan(4);
    expect(views[1].grade.log).toContain('test_value (test_m1.Test)');
  });

  test.each([
    [
      'rollouts.train@nix',
      "E002  there is no answer to view: rollouts.train@nix\n      there is, for example, 'rollouts.train@tiny.0#0'\n",
    ],
    ['rolouts', 'p.yaml has no target "rolouts"\n      did you mean "rollouts"?'],
    ['golden', 'E001  "golden" has nothing to read step by step\n'],
  ])('of %s says what there is', async (target, message) => {
    const { code, stderr } = await see('view', target);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('report', () => {
  test('is one page that needs nothing else, with its figures as files', async () => {
    const end = await command(project, 'report', 'p.yaml', '--html', 'page/r.html', '--json');
    expect(end.code).toBe(0);
    const { figures, bytes } = JSON.parse(end.stdout) as { figures: number; bytes: number };
    const page = readFileSync(project.path('page/r.html'), 'utf8');
    expect(Buffer.byteLength(page)).toBe(bytes);
    expect(page).toContain('samples in rollouts.train');
    expect(page).toContain('50.0 %');
    expect(page).toContain('read<title>read</title>');
    // No script, and nothing is fetched: what looks like an address is the name of SVG alone.
    expect(page).not.toContain('<script');
    expect(new Set(page.match(/https?:[^"' ]+/g))).toEqual(new Set(['http://www.w3.org/2000/svg']));
    expect(readdirSync(project.path('page/r-figures'))).toHaveLength(figures);
    const missing = await command(project, 'report', 'p.yaml');
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('--html is missing')]);
  });
});

describe('logs', () => {
  test('are those of the answer that the project has now, not of another profile', async () => {
    const item = 'grade.train@tiny.0#0';
    const before = await see('logs', item);
    expect(before.stdout).toContain('reward 1');
    const run = /run (\S+)/.exec(before.stdout)![1]!;
    await command(project, 'build', 'p.yaml', 'grade', '--profile', 'other');
    expect((await see('logs', item)).stdout).toBe(before.stdout);
    expect((await see('logs', '--profile', 'other', item)).stdout).toContain('patch-too-large');
    const changed = await see('logs', '--set', 'grading.max_patch=2', item);
    expect(changed.stdout.split('\n')[0]).toContain('an earlier answer: the present project has none');
    expect((await see('logs', '--run', run, item)).stdout).toBe(before.stdout);
    const bare = await see('logs', 'grade.train@tiny.0');
    expect([bare.code, bare.stderr]).toEqual([
      2,
      expect.stringContaining("there is, for example, 'grade.train@tiny.0#0'"),
    ]);
    const unknown = await see('logs', '--run', 'x', item);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('no one run is named "x"')]);
  });
});

describe('parts', () => {
  const evidenceIn = (status: TestsStatus, log: string) =>
    testEvidence(status, inMemory(Buffer.from(log)), { redact: (text) => text.replaceAll('hidden', '•••') });

  test('lines of a log that is read in parts have their numbers, and no secret', async () => {
    const test = 't.py::test_x';
    const count = Math.ceil(PART / 50);
    const status = {
      FAIL_TO_PASS: { success: [], failure: [test] },
      PASS_TO_PASS: { success: [], failure: [] },
    };
    const filler = `${'x'.repeat(99)}\n`.repeat(count);
    const log = `${test} one\n${filler}${test} hidden\n${filler}${`${test} more\n`.repeat(3)}`;
    const [evidence] = await evidenceIn(status, log);
    const at = count + 2;
    expect(evidence!.lines).toEqual([
      { number: at, text: `${test} •••` },
      ...[1, 2, 3].map((more) => ({ number: at + count + more, text: `${test} more` })),
    ]);
  });

  test('lines behind a test are found by its whole name, else by the last part', async () => {
    const status = {
      FAIL_TO_PASS: { success: [], failure: ['a/t.py::T::test_x'] },
      PASS_TO_PASS: { success: ['t.py::test_y'], failure: [] },
    };
    const found = await evidenceIn(status, 'start\n____ T.test_x ____\nPASSED t.py::test_y\n');
    expect(found).toEqual([
      {
        test: 'a/t.py::T::test_x',
        list: 'FAIL_TO_PASS',
        passed: false,
        lines: [{ number: 2, text: '____ T.test_x ____' }],
      },
      {
        test: 't.py::test_y',
        list: 'PASS_TO_PASS',
        passed: true,
        lines: [{ number: 3, text: 'PASSED t.py::test_y' }],
      },
    ]);
  });

  test('no line of another test whose name begins or ends alike', async () => {
    const status = {
      FAIL_TO_PASS: { success: [], failure: ['t.py::test_add'] },
      PASS_TO_PASS: { success: [], failure: [] },
    };
    const log = ['test_add_twice', 'my_test_add', 'test_add[1]']
      .map((name) => `t.py::${name} FAILED\n`)
      .join('');
    expect((await evidenceIn(status, log))[0]!.lines).toEqual([]);
    expect((await evidenceIn(status, `${log}t.py::test_add FAILED - x\n`))[0]!.lines).toEqual([
      { number: 4, text: 't.py::test_add FAILED - x' },
    ]);
  });

  test('a finding is tied to the file of the patch and to the steps that name it', () => {
    const steps = [1, 2].map((number) => ({
      number,
      actions: [{ command: number === 2 ? 'vi conftest.py' : 'ls' }],
    }));
    const patch = '--- a/tests/conftest.py\n+++ b/tests/conftest.py\n@@ -1 +1 @@\n-a\n+b\n';
    const finding = {
      rule: 'tests-edited' as const,
      detail: 'tests/conftest.py is put back',
      effect: 'dropped' as const,
    };
    expect(findingPlaces([finding], patch, steps as never)).toEqual([
      { ...finding, files: ['tests/conftest.py'], steps: [2] },
    ]);
  });

  test('a step without an action shows what the agent was told', () => {
    const trajectory = {
      messages: [
        { role: 'assistant', kind: 'rejected', content: 'no fence' },
        { role: 'user', kind: 'format-error', content: 'write one action' },
      ],
      calls: [{ reply: 0, prompt_tokens: 7, completion_tokens: 3 }],
      steps: [{ call: 0, actions: [], observations: [], reward: null }],
    } as unknown as Trajectory;
    expect(shownSteps(trajectory, null)[0]).toMatchObject({
      thought: 'no fence',
      complaint: 'write one action',
      modelMs: null,
    });
  });

  test('a heading shows where a sub-agent begins, and where the history was lost', () => {
    const trajectory = exampleTree();
    const made = {
      item: 'rollouts.a@b#0',
      outcome: { status: 'ok' as const },
      run: '',
      startedAt: 0,
      durationMs: 0,
      isCurrent: true,
    };
    const view: RolloutView = {
      ...{ ...made, kind: 'rollout', instance: 'b', sample: '0' },
      ...{ trajectory, steps: shownSteps(trajectory, null), timings: null, patch: '', grade: null },
    };
    const text = viewText(view, { paint: paintFor({}, false), isFull: true });
    expect(text).toContain('── agent-1 begins ──\nstep 3/10  agent-1');
    expect(text).toContain('── the agent begins anew: its history was cut or summarised ──\nstep 9/10  main');
    expect(text).toContain('step 5/10  ');
    expect(text.match(/── /g)).toHaveLength(5);
  });

  test('colours are for terminals that want them', () => {
    expect(shown(paintFor({}, true)('bad', 'x'))).toBe('\u001b[31mx\u001b[0m');
    expect(
      [paintFor({ NO_COLOR: '1' }, true), paintFor({}, false), paintFor({ TERM: 'dumb' }, true)].map(
        (paint) => paint('bad', 'x'),
      ),
    ).toEqual(['x', 'x', 'x']);
    expect(visible('a\u001b[0m\u202eb\r\nc\u009b')).toBe('a␛[0m\ufffdb\nc\ufffd');
  });
});
