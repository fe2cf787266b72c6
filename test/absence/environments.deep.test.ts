/**
 * Installations that do not find a package: the answer is kept as a question to the index, and only the environments that
 * rest on it are built again. They stand beside the machine's own index, which has pip.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandAt } from '../rig/command.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { type TestUpstream, testUpstream, wheel } from '../tasks/index/upstream.ts';

const DAY = 24 * 60 * 60 * 1000;
const LONG = { timeout: 240_000 };

let upstream: TestUpstream;
let days: number;
beforeEach(async () => {
  days = 0;
  upstream = await testUpstream();
  upstream.projects.set('swemake-dep', [{ ...wheel('swemake_dep', '1.0'), uploaded: null }]);
});
afterEach(() => upstream.close());

interface Built {
  executed: number;
  outcomes: Record<string, number>;
  not_found: { address: string; count: number; what: string; first: string }[];
  asked_again: { changed: string[]; same: string[]; unanswered: unknown[] } | null;
}

/** Two environments: the first installs what `requirement` says, the other nothing. */
function twoEnvironments(requirement: string) {
  const project = tinyProject({ instances: 2, recipe: '' });
  const text = readFileSync(project.path('p.yaml'), 'utf8');
  const rule = `recipes:\n    - match: { instance: tiny.0 }\n      pre_install: ["python -m pip install ${requirement}"]\n`;
  writeFileSync(project.path('p.yaml'), text.replace('recipes:\n', rule));
  return project;
}

async function run(project: Project, ...args: string[]) {
  upstream.asked.length = 0;
  const env = { PIP_EXTRA_INDEX_URL: upstream.url, PIP_RETRIES: '1' };
  return commandAt(project, { now: () => Date.now() + days * DAY, env }, ...args);
}

async function json(project: Project, command: string, ...args: string[]): Promise<Built> {
  const end = await run(project, command, 'p.yaml', 'environments.train', ...args, '--json');
  if (!end.stdout.startsWith('{')) throw new Error(`${end.code} ${end.stdout} ${end.stderr}`);
  return JSON.parse(end.stdout) as Built;
}

test.each([
  ['a version', 'swemake-dep==2.0', 'swemake-dep==2.0 on the package index'],
  ['a range', "'swemake-dep>=2'", 'files of swemake-dep on the package index'],
])(
  '%s that comes later is installed, and nothing else is built again',
  LONG,
  async (_, requirement, question) => {
    const project = twoEnvironments(requirement);
    expect(await json(project, 'build')).toMatchObject({
      outcomes: { ok: 2, failed: 1 },
      not_found: [{ address: 'environments.train', count: 1, what: 'item', first: question }],
    });
    expect(await json(project, 'build')).toMatchObject({ executed: 0, asked_again: { same: [] } });
    expect(upstream.asked).toEqual([]);
    // The failure is told by its question, so it is not simply run again.
    expect(await json(project, 'retry')).toMatchObject({ executed: 0, asked_again: { same: [question] } });
    upstream.projects.get('swemake-dep')!.push({ ...wheel('swemake_dep', '2.0'), uploaded: null });
    days = 2;
    expect(await json(project, 'build')).toMatchObject({
      executed: 1,
      outcomes: { ok: 3, failed: 0 },
      not_found: [],
      asked_again: { changed: [question] },
    });
    expect(await json(project, 'build')).toMatchObject({ executed: 0 });
  },
);

test('under --frozen nobody is asked', LONG, async () => {
  const project = tinyProject({ instances: 1 });
  const rows = readFileSync(project.path('rows.jsonl'), 'utf8');
  const later = { ...(JSON.parse(rows) as object), instance_id: 'tiny.later', source: 'git+./repo@v9' };
  writeFileSync(project.path('rows.jsonl'), `${rows}${JSON.stringify(later)}\n`);
  expect(await json(project, 'build')).toMatchObject({ not_found: [{ address: 'dataset.train', count: 1 }] });
  expect((await run(project, 'lock', 'p.yaml')).code).toBe(0);
  days = 2;
  expect(await json(project, 'build', '--frozen')).toMatchObject({
    executed: 0,
    asked_again: null,
    not_found: [{ count: 1 }],
  });
  expect(await json(project, 'build')).toMatchObject({
    executed: 0,
    asked_again: { same: [expect.any(String)] },
  });
});

test('a project that no index has is kept as a question, a login page is a fault', LONG, async () => {
  const project = twoEnvironments('swemake-dep swemake-gone');
  upstream.intercept = (message, response) => {
    if (message.url !== '/simple/swemake-dep/') return false;
    response.setHeader('content-type', 'text/html').end('<html><title>Sign in</title></html>');
    return true;
  };
  const end = await run(project, 'build', 'p.yaml', 'environments.train');
  expect(end.code).toBe(3);
  expect(end.stdout).toMatch(/infra package-index: .*swemake-dep.*is no page of a package index/);
  upstream.intercept = null;
  expect(await json(project, 'build')).toMatchObject({
    executed: 1,
    outcomes: { failed: 1 },
    not_found: [{ count: 1, first: 'files of swemake-gone on the package index' }],
  });
});
