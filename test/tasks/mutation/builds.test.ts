/** Mutated code is compiled as grading does it, before its tests. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTests } from '../../../app/mutation/test-run.ts';
import { MAX_TEST_OUTPUT, OUTPUT_CUT } from '../../../grading/logs/long-output.ts';
import { findParser } from '../../../parsers/registry.ts';
import type { Recipe } from '../../../schemas/recipe.ts';
import { EMPTY, kinds, type MadeSandbox, makeSandbox } from '../../executors/sandbox-fixture.ts';

let sandbox: MadeSandbox;
let source: string;

beforeAll(async () => {
  sandbox = await makeSandbox(kinds[0]!);
  source = mkdtempSync(join(tmpdir(), 'swemake-built-'));
  mkdirSync(join(source, 'testbed'));
});

afterAll(async () => {
  await sandbox.cleanup();
  rmSync(source, { recursive: true, force: true });
});

/** The tests print what the build wrote of the changed file. */
async function runOf(
  code: string,
  build: string[] | undefined,
  build_timeout = 60,
  command = 'cat compiled',
) {
  const { signal } = new AbortController();
  const options = { limits: {}, network: 'off', storage: 'memory', signal } as const;
  const recipe = { eval_commands: ['export SUFFIX=b'], background: [] as string[], build, build_timeout };
  return runTests(
    {
      recipe: recipe as unknown as Recipe,
      parser: findParser('parse_log_pytest')!,
      command,
      changed: { path: 'a.c', bytes: Buffer.from(code) },
      timeout: 60,
      options: '',
      complaint: (text) => text.trim(),
    },
    { deployment: sandbox.deployment, environment: EMPTY, options, start: [], source, say: () => undefined },
  );
}

const COMPILE = [
  'cd /testbed',
  'grep PASSED a.c || { echo "a.c:1: error"; exit 1; }',
  'cp a.c compiled',
  'echo $SUFFIX >> compiled',
];

test('what is compiled is tested', async () => {
  const ran = await runOf('PASSED t.py::a', COMPILE);
  expect(ran).toMatchObject({
    ok: true,
    value: { timedOut: false, output: expect.stringMatching(/::ab$/m) },
  });
  expect(ran.ok && [...ran.value.statuses.values()]).toEqual(['PASSED']);
});

test('what does not compile makes no task, and its lines say why', async () => {
  const ran = await runOf('nothing', COMPILE);
  expect(ran).toMatchObject({ ok: true, value: { broke: 'it does not compile: a.c:1: error' } });
  expect(ran.ok && ran.value.statuses.size).toBe(0);
});

test('a build has a limit of its own', async () => {
  const ran = await runOf('nothing', ['sleep 600'], 1);
  expect(ran).toMatchObject({
    value: { broke: 'it does not compile: the build ran into its limit of 1 s', timedOut: false },
  });
});

test('output that cannot be kept whole shows no results', async () => {
  const printed = `echo PASSED t.py::a; yes | head -c ${MAX_TEST_OUTPUT + 4096}`;
  const ran = await runOf('', undefined, 60, printed);
  expect(ran).toMatchObject({ ok: true, value: { broke: OUTPUT_CUT, statuses: new Map() } });
});
