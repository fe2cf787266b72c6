/** Tests of mutated code that a signal ends: what may have come from outside is no answer that is kept. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChangedFile, runTests, withServices } from '../../../app/mutation/test-run.ts';
import { success } from '../../../basics/result.ts';
import type { Deployment, ExecResult, Workspace } from '../../../executors/deployment.ts';
import { findParser } from '../../../parsers/registry.ts';
import type { Recipe } from '../../../schemas/recipe.ts';
import { EMPTY, kinds, type MadeSandbox, makeSandbox } from '../../executors/sandbox-fixture.ts';

const CHANGE: ChangedFile = { path: 'a.py', bytes: new Uint8Array() };
const PASSED = { timedOut: false, statuses: new Map([['t.py::a', 'PASSED']]) };

let sandbox: MadeSandbox;
let source: string;

beforeAll(async () => {
  sandbox = await makeSandbox(kinds[0]!);
  source = await mkdtemp(join(tmpdir(), 'swemake-mutated-'));
  await mkdir(join(source, 'testbed'));
});

afterAll(async () => {
  await sandbox.cleanup();
  await rm(source, { recursive: true, force: true });
});

/** The deployment, of which the `killed` first commands that are tests are ended by a signal. `seen`: what is known of an end. */
function ending(killed: number, seen: (ran: ExecResult) => ExecResult) {
  const ran = { times: 0 };
  const deployment: Deployment = {
    ...sandbox.deployment,
    async open(...args) {
      const opened = await sandbox.deployment.open(...args);
      if (!opened.ok) return opened;
      const workspace = opened.value;
      const exec: Workspace['exec'] = async (command, options) => {
        if (!command.includes('PASSED')) return workspace.exec(command, options);
        ran.times += 1;
        const end = await workspace.exec(ran.times > killed ? command : `kill -9 $$\n${command}`, options);
        return end.ok ? success(seen(end.value)) : end;
      };
      return success(Object.create(workspace, { exec: { value: exec } }) as Workspace);
    },
  };
  return { deployment, ran };
}

async function runOf(
  killed: number,
  seen: (ran: ExecResult) => ExecResult,
  changed = CHANGE as ChangedFile | null,
) {
  const { deployment, ran } = ending(killed, seen);
  const { signal } = new AbortController();
  const options = { limits: {}, network: 'off', storage: 'memory', signal } as const;
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const bed = { deployment, environment: EMPTY, options, start: [], source, say };
  const recipe = { eval_commands: [], background: [] as string[] } as unknown as Recipe;
  const parser = findParser('parse_log_pytest')!;
  const run = withServices((one, _, timeout) =>
    runTests(
      {
        recipe,
        parser,
        command: 'echo PASSED t.py::a',
        changed: one,
        timeout,
        options: '',
        complaint: (text) => text,
      },
      bed,
    ),
  );
  return { end: await run(changed, null, 60), times: ran.times, said };
}

const counted = (ran: ExecResult): ExecResult => ran;
const uncounted = ({ counters: _, ...ran }: ExecResult): ExecResult => ran;

test('a run that ends by itself is made once', async () => {
  expect(await runOf(0, counted)).toMatchObject({ end: success(PASSED), times: 1, said: [] });
});

test.each([
  [
    'that the machine did not cause',
    counted,
    [expect.stringMatching(/^ {2}a run of the tests .*, and is run once more$/)],
  ],
  ['of which nothing is known', uncounted, []],
])('an end by a signal %s is followed by another run, which counts', async (_, seen, said) => {
  expect(await runOf(1, seen)).toMatchObject({ end: success(PASSED), times: 2, said });
});

test('code that ends its tests each time passes none', async () => {
  const { end, times } = await runOf(99, counted);
  expect(end).toMatchObject({ ok: true, value: { statuses: new Map() } });
  expect(times).toBe(2);
});

test('what may each time have been the machine is a fault, or the change where the clean source is not ended', async () => {
  const fault = { reason: 'uncounted', detail: expect.stringContaining('ended by SIGKILL') };
  expect(await runOf(99, uncounted)).toMatchObject({ end: { ok: false, fault }, times: 3 });
  expect(await runOf(99, uncounted, null)).toMatchObject({ end: { ok: false, fault }, times: 2 });
  const { end } = await runOf(2, uncounted);
  expect(end).toMatchObject({ ok: true, value: { broke: expect.stringContaining('SIGKILL') } });
});
