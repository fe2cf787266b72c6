/**
 * Rows whose source is not found: the answer is kept as a question, which is asked again when it is due, and only what rests
 * on it is made again.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCache } from '../../cache/cache.ts';
import { commandAt } from '../rig/command.ts';
import { Project } from '../rig/project.ts';
import { BACKEND, serveGit } from '../rig/serve-git.ts';
import { git, makeRepository, QUIET_ENV } from '../tasks/source/helpers.ts';

const DAY = 24 * 60 * 60 * 1000;

let project: Project;
let server: Server;
let base: string;
let requests: string[];
/** Answers in place of git; true when it did. */
let instead: (request: IncomingMessage, response: ServerResponse) => boolean;
let days: number;

beforeEach(async () => {
  project = new Project();
  days = 0;
  requests = [];
  instead = () => false;
  makeRepository(project.folder, 'repo', { a: '1' });
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (!instead(request, response)) serveGit(project.folder, request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  write(row('a', 'main'), row('b', 'v9'), row('c', 'v9'));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(project.folder, { recursive: true, force: true });
});

const row = (instance_id: string, ref: string) => ({
  instance_id,
  repo: 'me/x',
  source: `git+${base}/repo/.git@${ref}`,
  patch: 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n',
  FAIL_TO_PASS: ['t'],
  PASS_TO_PASS: [],
});

function write(...rows: object[]): void {
  writeFileSync(project.path('rows.jsonl'), rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
  writeFileSync(
    project.path('p.yaml'),
    'version: 1\nname: absent\ndataset: { train: { source: rows.jsonl, format: custom } }\n',
  );
}

/** Runs a command so many days later, and says how often git was asked. */
async function run(...args: string[]) {
  requests = [];
  const end = await commandAt(
    project,
    { now: () => Date.now() + days * DAY, env: { ...QUIET_ENV, PATH: process.env.PATH } },
    ...args,
  );
  return { ...end, asked: requests.length };
}

interface Built {
  executed: number;
  badRows: { count: number; left: number }[];
  not_found: { count: number; questions: number; next: number }[];
  asked_again: { changed: string[]; same: string[]; unanswered: { question: string; why: string }[] } | null;
}

async function json(...args: string[]): Promise<Built & { asked: number }> {
  const end = await run(...args, '--json');
  expect(end.stderr.replace(/^asked again.*\n( .*\n)*/m, '')).toBe('');
  return { ...(JSON.parse(end.stdout) as Built), asked: end.asked };
}

const build = () => json('build', 'p.yaml', 'dataset');
const retry = () => json('retry', 'p.yaml', 'dataset');
const push = (tag: string) => git(join(project.folder, 'repo'), 'tag', tag);

/** What branches and tags meant by the answer that there is now. */
async function pins(): Promise<Record<string, string>> {
  const cache = await openCache(project.path('.swemake'));
  try {
    const { key } = cache.database.latest.get('absent/dataset.train')!;
    const { notes } = cache.database.records.get(Buffer.from(key, 'hex'))!;
    const note = notes.pins as { text: string };
    return (JSON.parse(note.text) as { sources: Record<string, string> }).sources;
  } finally {
    await cache.close();
  }
}

describe.skipIf(!existsSync(BACKEND))('a tag that is not there yet', () => {
  test('is asked for again by builds once a day, and by retry always', async () => {
    expect(await build()).toMatchObject({
      executed: 1,
      badRows: [{ count: 2, left: 1 }],
      not_found: [{ count: 2, questions: 1 }],
    });
    expect(await build()).toMatchObject({ executed: 0, asked: 0, not_found: [{ count: 2 }] });
    days = 2;
    const later = await build();
    expect(later).toMatchObject({ executed: 0, asked_again: { changed: [], unanswered: [] } });
    expect(later.asked_again!.same).toEqual([`commit, tag or branch v9 of ${base}/repo/.git`]);
    // One question for both rows.
    expect(later.asked).toBeLessThanOrEqual(2);
    expect(await build()).toMatchObject({ executed: 0, asked: 0 });
    const again = await retry();
    expect(again.asked).toBeGreaterThan(0);
    expect(again.executed).toBe(0);
    // A clock that was set back is no reason to wait.
    days = 0;
    expect((await build()).asked).toBeGreaterThan(0);
    expect((await build()).asked).toBe(0);
  });

  test('is taken once it is there, and what the other rows mean stays', async () => {
    await build();
    const before = await pins();
    push('v9');
    writeFileSync(project.path('repo/a'), '3');
    git(join(project.folder, 'repo'), 'commit', '-qam', 'later');
    expect(await build()).toMatchObject({ executed: 0, asked: 0, not_found: [{ count: 2 }] });
    days = 1.1;
    const end = await build();
    expect(end).toMatchObject({ executed: 1, badRows: [], not_found: [], asked_again: { same: [] } });
    expect(end.asked_again!.changed).toHaveLength(1);
    const main = `git+${base}/repo/.git@main`;
    expect((await pins())[main]).toBe(before[main]);
    expect(await build()).toMatchObject({ executed: 0, asked: 0, badRows: [] });
    days = 9;
    expect(await build()).toMatchObject({ executed: 0, asked: 0 });
  });

  test('is asked for by retry', async () => {
    await build();
    push('v9');
    expect(await retry()).toMatchObject({ executed: 1, badRows: [], not_found: [] });
  });

  test('is asked for by no command that only reads', async () => {
    await build();
    days = 9;
    for (const args of [
      ['plan', 'p.yaml'],
      ['why', 'dataset.train', '--project', 'p.yaml'],
      ['status', 'p.yaml'],
      ['build', 'p.yaml', 'dataset', '--dry-run'],
      ['retry', 'p.yaml', 'dataset', '--dry-run'],
    ]) {
      const end = await run(...args);
      expect([args, end.asked, end.code, end.stderr]).toEqual([args, 0, 0, expect.any(String)]);
    }
  });

  test('is told at the end of builds, and by why', async () => {
    const first = await run('build', 'p.yaml', 'dataset');
    for (const { stdout } of [first, await run('build', 'p.yaml', 'dataset')]) {
      expect(stdout).toMatch(/dataset\.train +2 bad rows, left out: line 2/);
      expect(stdout).toContain('1 of 3 rows left');
      expect(stdout).toMatch(/dataset\.train +2 rows rest on "not found": commit, tag or branch v9 of http/);
      expect(stdout).toMatch(/a build asks again after \d{4}-\d\d-\d\d \d\d:\d\dZ/);
      expect(stdout).toContain('swemake retry p.yaml');
    }
    const why = await run('why', 'dataset.train', '--project', 'p.yaml');
    expect(why.stdout).toMatch(
      /it rests on "not found":\n {2}commit, tag or branch v9 of .*asked .*a build asks again after/,
    );
    days = 2;
    const asked = await run('build', 'p.yaml', 'dataset');
    expect(asked.stderr).toContain('asked again for 1 thing that was not found: 1 still not');
    expect(asked.stdout).toContain('nothing to do');
  });

  test.each([
    ['is down', (_: IncomingMessage, response: ServerResponse) => response.destroy()],
    [
      'shows a login page',
      (_: IncomingMessage, response: ServerResponse) => response.end('<html>Sign in</html>'),
    ],
    ['wants a password', (_: IncomingMessage, response: ServerResponse) => response.writeHead(401).end()],
  ])('is no changed answer where the server %s', async (_, answer) => {
    await build();
    push('v9');
    days = 2;
    instead = (request, response) => {
      answer(request, response);
      return true;
    };
    const end = await build();
    expect(end).toMatchObject({
      executed: 0,
      not_found: [{ count: 2 }],
      asked_again: { changed: [], same: [] },
    });
    expect(end.asked_again!.unanswered).toHaveLength(1);
    expect((await run('build', 'p.yaml', 'dataset')).asked).toBe(0);
    instead = () => false;
    expect(await retry()).toMatchObject({ executed: 1, badRows: [] });
  });

  test('is not forgotten by a kill between the asking and the running', async () => {
    await build();
    push('v9');
    const killed = new Project(project.folder, {
      ...(QUIET_ENV as Record<string, string>),
      SWEMAKE_FAULT: 'absence-asked',
    });
    const child = killed.start(['retry', 'p.yaml', 'dataset']);
    expect(await new Promise((done) => child.on('exit', (_, signal) => done(signal)))).toBe('SIGKILL');
    const why = await run('why', 'dataset.train', '--project', 'p.yaml');
    expect(why.stdout).toContain('stale: what it did not find is there now');
    const end = await build();
    expect(end).toMatchObject({ executed: 1, badRows: [], asked_again: { changed: [], same: [] } });
  });

  test('is the same for two builds at once', async () => {
    await build();
    push('v9');
    const env = QUIET_ENV as Record<string, string>;
    const both = [1, 2].map(() =>
      new Project(project.folder, env).run('retry', 'p.yaml', 'dataset', '--json'),
    );
    const ends = await Promise.all(both);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    const [one, two] = ends.map(({ stdout }) => JSON.parse(stdout) as Built);
    for (const end of [one!, two!]) expect(end).toMatchObject({ badRows: [], not_found: [] });
    expect(one!.executed + two!.executed).toBe(1);
  });
});

test.skipIf(!existsSync(BACKEND))('nobody is asked for a cache that cannot be written', async (context) => {
  await build();
  const folder = project.path('read-only');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['--bind', project.path('.swemake'), folder], { stdio: 'ignore' });
  } catch {
    process.stdout.write('not looked at: a read-only cache: it needs the right to mount\n');
    return context.skip('needs the right to mount');
  }
  try {
    execFileSync('mount', ['-o', 'remount,bind,ro', folder], { stdio: 'ignore' });
    push('v9');
    days = 2;
    for (const command of ['build', 'retry'])
      expect(await json(command, 'p.yaml', 'dataset', '--set', `cache.folder=${folder}`)).toMatchObject({
        ...{ executed: 0, asked: 0, asked_again: null },
        not_found: [{ count: 2 }],
      });
  } finally {
    execFileSync('umount', ['-l', folder]);
  }
});

test.skipIf(!existsSync(BACKEND))('what gc removes is asked about no more', async () => {
  await build();
  const ends = await run('gc', 'p.yaml', '--max-size', '0');
  expect(ends.code).toBe(0);
  const cache = await openCache(project.path('.swemake'));
  const kept = [...cache.database.memos.getKeys({ start: 'absent ', end: 'absent ~' })];
  const records = cache.database.records.getCount();
  await cache.close();
  expect(kept).toHaveLength(records);
});

test.skipIf(!existsSync(BACKEND))(
  'answers that are made again from the journals are asked about',
  async () => {
    await build();
    writeFileSync(project.path('.swemake/records.mdb'), 'damaged');
    push('v9');
    days = 2;
    expect((await run('build', 'p.yaml', 'dataset', '--json')).stdout).toContain('"badRows":[]');
  },
);

test.skipIf(!existsSync(BACKEND))('a login page in place of the repository makes no bad rows', async () => {
  instead = (_, response) => {
    response.setHeader('content-type', 'text/html').end('<html><title>Sign in</title></html>');
    return true;
  };
  const end = await run('build', 'p.yaml', 'dataset', '--json');
  expect(end.code).toBe(3);
  expect(JSON.parse(end.stdout)).toMatchObject({ outcomes: { infra: 1 }, badRows: [], not_found: [] });
  instead = () => false;
  push('v9');
  expect(await build()).toMatchObject({ executed: 1, badRows: [], not_found: [] });
});

test.skipIf(!existsSync(BACKEND))('a repository and a file that come later are taken', async () => {
  const file = join(project.folder, 'x.tar.gz');
  instead = (request, response) => {
    if (request.url !== '/x.tar.gz') return false;
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
    return true;
  };
  write(
    row('a', 'main'),
    { ...row('b', ''), source: `git+${base}/other/.git@main` },
    { ...row('c', ''), source: `archive:${base}/x.tar.gz` },
  );
  expect(await build()).toMatchObject({
    badRows: [{ count: 2, left: 1 }],
    not_found: [{ count: 2, questions: 2 }],
  });
  makeRepository(project.folder, 'other', { a: '1' });
  expect(await retry()).toMatchObject({ executed: 1, badRows: [{ count: 1 }], not_found: [{ count: 1 }] });
  writeFileSync(file, 'an archive, for all that is known');
  expect(await retry()).toMatchObject({ executed: 1, badRows: [], not_found: [] });
});
