/**
 * The page in a real browser, over a real project whose build is killed and resumed before its eyes: what it shows live,
 * every page in both themes, accessibility, and hostile text in whatever a project may hold.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RehearsalResult } from '../../app/rehearsal/rehearse.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import type { Project } from '../rig/project.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { fenced, instanceOf, SUBMIT, solve, turnOf } from '../rig/solver.ts';

const CHROMIUM = '/usr/bin/chromium';
const HOSTILE =
  '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><svg onload=window.hacked=1>javascript:hacked';
const KEY = 'a-key-that-nobody-may-see-7f3a';

const isThere = existsSync(CHROMIUM);
if (!isThere) console.warn(`the page is not tested: there is no ${CHROMIUM} (apt-get install chromium)`);

let server: ModelServer;
let project: Project;
let ui: ChildProcess;
let address: URL;
let browser: Browser;
let page: Page;
const errors: string[] = [];
const seen = { killed: '', resumed: '', endpoint: '' };

beforeAll(async () => {
  if (!isThere) return;
  server = await startModelServer((asked) => {
    if (instanceOf(asked) === 0) return solve(asked, 2);
    if (turnOf(asked) === 0) return { ...fenced(`echo '${HOSTILE}' ${KEY}; ls`), reasoning: HOSTILE };
    if (turnOf(asked) === 1) return fenced(`echo 'a${HOSTILE}' > 'b<img src=x onerror=hacked>.txt'`);
    return { text: `${HOSTILE}\n\n${fenced(SUBMIT).text as string}` };
  });
  project = rolloutProject({
    url: server.url,
    instances: 2,
    rollouts: 2,
    type: 'auto',
    seconds: 2,
    model: 'api_key: "${secret:UI_KEY}"',
    env: { UI_KEY: KEY },
  });
  const rows = project.path('rows.jsonl');
  const lines = readFileSync(rows, 'utf8').trim().split('\n');
  const hostile = lines.map((line) => {
    const row = JSON.parse(line) as Record<string, string>;
    return JSON.stringify({ ...row, problem_statement: `${row.problem_statement}\n${HOSTILE}` });
  });
  writeFileSync(rows, `${hostile.join('\n')}\n`);
  address = await startUi();
  browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  page = await browser.newPage();
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.setViewport({ width: 1280, height: 860 });
  await page.goto(address.href);
  await buildBeforeItsEyes();
}, 300_000);

afterAll(async () => {
  await browser?.close();
  if (ui !== undefined && ui.exitCode === null) {
    ui.kill('SIGINT');
    await once(ui, 'exit');
  }
  await server?.stop();
});

async function startUi(): Promise<URL> {
  ui = project.start(['ui', 'p.yaml', '--json']);
  for await (const line of createInterface({ input: ui.stdout! }))
    return new URL((JSON.parse(line) as { address: string }).address);
  throw new Error('it printed no address');
}

/** A build that is killed once something is answered, and one that goes on from there. */
async function buildBeforeItsEyes(): Promise<void> {
  await saying('No build has run yet');
  const killed = project.start(['build', 'p.yaml', 'grade', 'filter']);
  await saying('a build runs');
  await page.waitForFunction(
    () => /[1-9]\d* actions? run/.test(document.querySelector('.run')?.textContent ?? ''),
    {
      timeout: 170_000,
    },
  );
  process.kill(-killed.pid!, 'SIGKILL');
  await saying('the last build was killed');
  seen.killed = await text('.run');
  const resumed = project.run('build', 'p.yaml', 'grade', 'filter');
  await saying('a build runs');
  expect(await resumed).toMatchObject({ code: 0 });
  await saying('the last build came to its end');
  seen.resumed = await text('.run');
  // The page's other numbers follow by themselves.
  await page.waitForFunction(() => document.querySelector('.funnel')?.textContent?.includes('solved1'), {
    timeout: 170_000,
  });
  seen.endpoint = await page.$eval('.endpoint', (line) => {
    line.querySelector('.mono')!.textContent =
      'http://a-gateway-with-a-long-name.models.internal.example.com:8000/v1';
    const { right } = line.parentElement!.getBoundingClientRect();
    return [...line.children].every((part) => part.getBoundingClientRect().right <= right + 1)
      ? 'whole'
      : 'cut off';
  });
}

async function saying(words: string): Promise<void> {
  await page
    .waitForFunction((wanted) => document.body.textContent?.includes(wanted), { timeout: 170_000 }, words)
    .catch(async () => {
      throw new Error(`the page does not say "${words}" but: ${await text('#page')}`);
    });
}

function text(selector: string): Promise<string> {
  return page.$eval(selector, (element) => element.textContent ?? '');
}

test('the line of an endpoint with a long address is not cut off at 1280 pixels', () => {
  expect(seen.endpoint).toBe('whole');
});

const HARD = 'rollouts.train@tiny.1#0';
const PAGES: [string, string, string][] = [
  ['overview', '#/overview', 'from read to trained on'],
  ['instances', '#/instances', 'tiny.1'],
  ['lost instances', '#/instances?lost=solved', '1 of 2'],
  ['instance', '#/instance?dataset=train&id=tiny.1', 'none of 2 samples solves it'],
  ['task', '#/instance?dataset=train&id=tiny.1&tab=task', 'm1 is wrong'],
  ['patches', '#/instance?dataset=train&id=tiny.1&tab=patches&left=%230&right=%231', 'onerror=hacked'],
  ['steps', `#/rollout?item=${encodeURIComponent(HARD)}`, 'commands'],
  ['patch', `#/rollout?item=${encodeURIComponent(HARD)}&tab=patch`, 'onerror=hacked'],
  ['verdict', `#/rollout?item=${encodeURIComponent(HARD)}&tab=verdict`, 'FAIL_TO_PASS'],
  ['log', `#/rollout?item=${encodeURIComponent(HARD)}&tab=log`, 'bytes 0 to'],
  ['environments', '#/environments', 'Nothing failed.'],
  ['why', '#/why?item=validate.train%40tiny.0', 'its answer holds'],
  ['flakes', '#/flakes', 'No item is flaky.'],
  ['time', '#/time', 'validate.train'],
  ['time of a rollout', `#/time?item=${encodeURIComponent(HARD)}`, 'step 1'],
  ['compare', '#/compare', 'instances of both'],
  ['rehearsal', '#/rehearsal', 'was not rehearsed'],
];

/** As `swemake rehearse` writes it. */
const REHEARSED: RehearsalResult = {
  ...{ project: 'tiny', framework: 'slime', folder: '/out', command: null, functions: [], groups: [] },
  tasks: { of: 'project', ids: ['tiny.0'] },
  replaced: [`the model: ${HOSTILE}`],
  options: { given: 3, checked: 2, unchecked: ['lr'], wrong: [] },
  measured: {
    ...{ calls: 3, written: 50, trained: 40, share: 0.8, drift: 0, foreign: 0, twice: 0, behind: 0 },
    ...{ misaligned: 0, sequences: 1, judged: 0, turns: { written: 5, trained: 4 } },
    rollouts: [
      {
        ...{ script: 'solved', index: 0, calls: 3, written: 50, sequences: 1, trained: 40, reward: 1 },
        ...{ stepRewards: 0, status: 'completed', longestPrompt: 9 },
      },
    ],
  },
  evaluations: null,
  batch: null,
  engine: { refused: [], judged: 0, dropped: 0 },
  gpus: { each: 8, nodes: 1, judge: 0 },
  memory: { rollouts: 8, bytes: null },
  unread: [{ key: 'trainer.rl.max_prompt', why: HOSTILE }],
  unchecked: ['speed'],
  diagnostics: [
    {
      ...{ code: 'E007', severity: 'error', message: `${KEY} ${HOSTILE}`, remedy: 'mend it' },
      ...{ file: 'p.yaml', line: 7, column: 1, length: 1, text: '' },
    },
  ],
};

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

describe.runIf(isThere)('the page', () => {
  test('follows a run that is killed and one that goes on', () => {
    expect(seen.killed).toContain('finished work is kept');
    expect(seen.resumed).toContain(' ok');
  });

  test.each(PAGES)(
    '%s: what it is for, no fault, nothing hostile alive, axe finds nothing',
    async (_, hash, words) => {
      for (const theme of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
        await page.evaluate((to) => {
          location.hash = to;
        }, hash);
        await page.waitForFunction(
          (wanted) => document.querySelector('main')?.textContent?.includes(wanted),
          { timeout: 30_000 },
          words,
        );
        const violations = await accessibility();
        expect(
          violations.map(({ id, nodes }) => `${theme} ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`),
        ).toEqual([]);
      }
      const alive = await page.evaluate(() => ({
        hacked: (window as unknown as { hacked?: number }).hacked,
        scripts: [...document.scripts].map(({ src }) => new URL(src).pathname),
        pictures: document.querySelectorAll('img, iframe, object, embed').length,
      }));
      expect(alive).toEqual({ hacked: undefined, scripts: ['/page.js'], pictures: 0 });
      expect(errors).toEqual([]);
    },
  );

  test('shows the last rehearsal, and axe finds nothing there', async () => {
    mkdirSync(project.path('out/tiny/rehearsal'), { recursive: true });
    writeFileSync(project.path('out/tiny/rehearsal/rehearsal.json'), JSON.stringify(REHEARSED));
    for (const hash of ['#/overview', '#/rehearsal']) await page.evaluate((to) => location.assign(to), hash);
    await saying('written tokens that are trained');
    await saying('4 of 5');
    const content = await text('main');
    for (const words of ['80', 'p.yaml:7', 'mend it', 'trainer.rl.max_prompt', HOSTILE, '2 of 3 checked'])
      expect(content).toContain(words);
    expect(content).not.toContain(KEY);
    expect((await accessibility()).map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('shows hostile text as it is, and the prompt to the letter', async () => {
    await page.evaluate(
      (to) => {
        location.hash = to;
      },
      `#/rollout?item=${encodeURIComponent(HARD)}`,
    );
    await saying('Step 3');
    await page.click('.step details:last-of-type summary');
    await page.waitForSelector('.step .message');
    const content = await text('main');
    expect(content).toContain(HOSTILE);
    expect(content).toContain('m1 is wrong');
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });

  test('is gone through by keys', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.waitForSelector('.list-box [data-index="1"] a');
    // The last row holds the focus, however often the key comes.
    const focused = () => page.evaluate(() => document.querySelector('.list-box a:focus')?.textContent ?? '');
    for (let tries = 0; tries < 50 && !(await focused()).includes('tiny.1'); tries += 1) {
      await page.keyboard.press('j');
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    expect(await focused()).toContain('tiny.1');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('id=tiny.1'));
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelector('dialog[open]') === null);
    expect(await page.evaluate(() => location.hash)).toBe('#/instance?dataset=train&id=tiny.1');
  });

  test('holds no secret, in none of its answers', async () => {
    const data = await page.evaluate(async (item) => {
      const paths = [
        'overview',
        'instances',
        'instance?dataset=train&id=tiny.1',
        'environments',
        'time',
        'flakes',
        'rehearsal',
      ];
      const more = ['rollout', 'log', 'why'].map((name) => `${name}?item=${encodeURIComponent(item)}`);
      const prompts = [0, 1, 2].map((call) => `prompt?item=${encodeURIComponent(item)}&call=${call}`);
      const all = [...paths, ...more, ...prompts].map(async (path) => (await fetch(`/api/${path}`)).text());
      return (await Promise.all(all)).join('\n');
    }, HARD);
    expect(data).toContain('onerror');
    expect(data).not.toContain(KEY);
  });

  test('is refused to whoever comes otherwise', async () => {
    const [cookie] = (await browser.cookies()).map(({ name, value }) => `${name}=${value}`);
    const status = (path: string, headers: Record<string, string>, method = 'GET') =>
      new Promise<number | undefined>((resolve, reject) => {
        request({ host: '127.0.0.1', port: address.port, path, headers, method }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end();
      });
    const host = address.host;
    expect(await status('/api/overview', { host, cookie: cookie! })).toBe(200);
    expect(await status('/api/overview', { host })).toBe(401);
    expect(await status('/?token=forged', { host })).toBe(401);
    expect(await status('/api/overview', { host: 'evil.example', cookie: cookie! })).toBe(421);
    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'])
      expect(await status('/api/overview', { host, cookie: cookie! }, method)).toBe(405);
    expect(await status('/../package.json', { host, cookie: cookie! })).toBe(404);
    const { headers } = await fetch(address, { redirect: 'manual' });
    expect(headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict/);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  });
});

async function accessibility(): Promise<Violation[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await inject();
  return page.evaluate(async () => {
    const { axe: checker } = window as unknown as {
      axe: { run(): Promise<{ violations: Violation[] }> };
    };
    return (await checker.run()).violations;
  });
}

/** Beside the page's own policy, which lets no such script in. */
async function inject(): Promise<void> {
  const client = await page.createCDPSession();
  await client.send('Runtime.evaluate', { expression: readFileSync(axe, 'utf8') });
  await client.detach();
}
