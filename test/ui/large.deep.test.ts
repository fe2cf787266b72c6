/** The page over a log of 100 MB, in a real browser: it is read by parts, and neither page nor server holds the whole. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import puppeteer, { type Browser } from 'puppeteer-core';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { fillCache, TEST, writeProject } from '../../bench/filled-project.ts';
import { temporaryFolder } from '../rig/folder.ts';

const CHROMIUM = '/usr/bin/chromium';
const isThere = existsSync(CHROMIUM);
if (!isThere) console.warn(`the page is not tested: there is no ${CHROMIUM} (apt-get install chromium)`);

const MB = 2 ** 20;
const LOG_MB = 100;
/** Of the page's script, and of what the server grows by: less than the log. */
const MAX_MB = { page: 48, server: 85 };

let browser: Browser | undefined;
let ui: ChildProcess | undefined;
afterAll(async () => {
  await browser?.close();
  if (ui !== undefined && ui.exitCode === null) {
    ui.kill('SIGINT');
    await once(ui, 'exit');
  }
});

test.runIf(isThere)('a log of 100 MB is gone through by parts', { timeout: 300_000 }, async () => {
  const folder = temporaryFolder();
  const { file, rows } = writeProject(folder, 20, { agent: true });
  const [first = ''] = readFileSync(rows, 'utf8').split('\n');
  const { instance_id: id } = JSON.parse(first) as { instance_id: string };
  const line = `${'x'.repeat(1022)}\n`;
  const log = `the first line\n${line.repeat((LOG_MB * MB) / line.length)}PASSED ${TEST}\nthe last line\n`;
  const { counts } = await fillCache(file, {
    logOf: (instance) => (instance === id ? log : ''),
    // Rollouts with the same patch have one verdict, whichever of them is graded.
    gradeLogOf: (item) => (item.startsWith(`${id}#`) ? log : ''),
  });
  expect(counts.ok).toBeGreaterThan(20);

  ui = spawn(process.execPath, [join(packageRoot(), 'bin/swemake.js'), 'ui', file, '--json'], {
    cwd: folder,
  });
  const address = await addressOf(ui);
  browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForSelector('.funnel', { timeout: 170_000 });
  const before = residentMb(ui);
  await page.evaluate(
    (to) => {
      location.hash = to;
    },
    `#/instance?dataset=train&id=${encodeURIComponent(id)}&tab=log`,
  );
  const saying = (words: string) =>
    page.waitForFunction(
      (wanted) => document.querySelector('main')?.textContent?.includes(wanted),
      { timeout: 170_000 },
      words,
    );
  await saying('the last line');
  const press = (name: string) =>
    page.evaluate((wanted) => {
      const buttons = [...document.querySelectorAll<HTMLButtonElement>('.log button')];
      buttons.find((button) => button.textContent === wanted)!.click();
    }, name);
  await press('start');
  await saying('the first line');
  await press('later');
  await page.waitForFunction(() => !document.querySelector('main')?.textContent?.includes('the first line'), {
    timeout: 170_000,
  });
  await press('end');
  await saying('the last line');
  // A rollout shows the lines that its verdict rests on, by their numbers.
  await page.evaluate(
    (to) => {
      location.hash = to;
    },
    `#/rollout?item=${encodeURIComponent(`rollouts.train@${id}#0`)}&tab=verdict`,
  );
  await saying(`${Math.floor((LOG_MB * MB) / line.length) + 2}  PASSED`);
  const { JSHeapUsedSize: heap = 0 } = await page.metrics();
  expect(heap / MB).toBeLessThan(MAX_MB.page);
  expect(residentMb(ui) - before).toBeLessThan(MAX_MB.server);
});

async function addressOf(child: ChildProcess): Promise<string> {
  for await (const text of createInterface({ input: child.stdout! }))
    return (JSON.parse(text) as { address: string }).address;
  throw new Error('it printed no address');
}

/** Of a process. */
function residentMb({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
