/** Why a row has no lists: what its outcome says, what its log says beyond that, and what would help. */
import { expect, test } from 'vitest';
import { discoveredIn, toldWhy } from '../../app/discover/discover.ts';
import { digestOf } from '../../basics/digest.ts';
import type { Cache } from '../../cache/cache.ts';
import type { Collection } from '../../contract/stage.ts';
import type { Outcome } from '../../schemas/outcome.ts';

async function whyOf(outcome: Outcome, log: string) {
  const notes = { log: { kind: 'inline', text: log, digest: digestOf(log) } };
  const discover = {
    entry: () => ({ outcome }),
    record: () => ({ outputs: {}, notes }),
  } as unknown as Collection;
  const none = { entry: () => null, record: () => null } as unknown as Collection;
  const given = { discover, validate: none, bad: [], cache: {} as Cache, begun: new Set<string>() };
  const environments = { entries: () => [], record: () => null } as unknown as Collection;
  const one = (await discoveredIn(['a'], { ...given, environments })).get('a')!;
  if (one.isMeasured) throw new Error('it is measured');
  return { ...one, told: toldWhy(one) };
}

const failed = (reason: 'no-tests-ran' | 'no-failing-test' | 'build-failed', detail: string) =>
  ({ status: 'failed', reason, detail }) as const;
const NONE = 'no test ran with the gold patch (the output names no test; exit code 1)';

test.each<[string, Outcome, string, string]>([
  [
    'pytest',
    failed('no-tests-ran', 'no test ran with the gold patch: t.py does not load: ImportError: x'),
    "E   ModuleNotFoundError: No module named 'y'\n",
    'no test ran with the gold patch: t.py does not load: ImportError: x; what would help: `pip: [y]` in the recipe',
  ],
  [
    'mocha',
    failed('no-tests-ran', NONE),
    "Error: Cannot find module 'chai'\nRequire stack:\n- /testbed/test/a.js\n",
    `${NONE}: Error: Cannot find module 'chai'; what would help: \`packages, install\` in the recipe: what has the module chai`,
  ],
  [
    'mocha with modules',
    failed('no-tests-ran', NONE),
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'chai' imported from /testbed/test/a.mjs\n",
    `${NONE}: Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'chai' imported from /testbed/test/a.mjs; what would help: \`packages, install\` in the recipe: what has the module chai`,
  ],
  [
    'jest',
    failed('no-tests-ran', 'no test ran with the gold patch: test/a.test.js does not load'),
    "FAIL test/a.test.js\n  ● Test suite failed to run\n\n    Cannot find module 'lodash' from 'test/a.test.js'\n",
    "no test ran with the gold patch: test/a.test.js does not load: Cannot find module 'lodash' from 'test/a.test.js'; what would help: `packages, install` in the recipe: what has the module lodash",
  ],
  [
    'Go',
    failed('build-failed', 'with the gold patch: a_test.go:4:2: no required module provides package x.org/y'),
    'a_test.go:4:2: no required module provides package x.org/y; to add it:\n',
    'with the gold patch: a_test.go:4:2: no required module provides package x.org/y; what would help: `packages` in the recipe: the go.mod of what imports x.org/y',
  ],
  [
    'tests that ran',
    failed('no-failing-test', 'no test begins to pass with the gold patch, which ran: a'),
    "E   ModuleNotFoundError: No module named 'y'\n",
    'no test begins to pass with the gold patch, which ran: a',
  ],
])('%s', async (_, outcome, log, told) => {
  expect(await whyOf(outcome, log)).toMatchObject({ told, log, isFault: false });
});

test('the log of an environment that was not built is that of its build', async () => {
  const log = 'ERROR: No matching distribution found for x==9\n';
  const detail = 'pip[0]: ERROR: No matching distribution found for x==9';
  const record = { outputs: {}, notes: { log: { kind: 'inline', text: log, digest: digestOf(log) } } };
  const outcome = { status: 'failed', reason: 'environment-failed', detail } as const;
  const collection = (parts: object) =>
    ({ entry: () => null, record: () => null, ...parts }) as unknown as Collection;
  const built = { name: 'e', outcome: { status: 'failed', reason: 'install-failed', detail } };
  const found = await discoveredIn(['a'], {
    discover: collection({ entry: () => ({ outcome }) }),
    validate: collection({}),
    environments: collection({ entries: () => [built], record: () => record }),
    ...{ bad: [], cache: {} as Cache, begun: new Set<string>() },
  });
  expect(found.get('a')).toMatchObject({ reason: 'environment-failed', detail, log });
});
