/**
 * The page over 60,000 instances with two rollouts each, beside the same page over 60: how long until the overview and the list of instances are
 * there in a real browser, what the page's script holds in memory, and how large the server is. SWEMAKE_KEEP names a folder in
 * which the large project stays.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import puppeteer, { type Browser } from 'puppeteer-core';
import { linesOf } from '../basics/lines.ts';
import { packageRoot } from '../basics/package-root.ts';
import type { Outcome } from '../schemas/outcome.ts';
import { BROKEN, fillCache, TEST, writeProject } from './filled-project.ts';
import type { BenchResult } from './measure.ts';

const LARGE = 60_000;
const SMALL = 60;
const PROMISE = 3;
/** Pages beside the overview and the list of instances. */
const PAGES = ['environments', 'why', 'flakes', 'time', 'compare'];
/** Megabytes of the page's script. */
const HEAP = 64;

interface PageFigures {
  paintMs: number;
  overviewMs: number;
  listMs: number;
  heapMb: number;
}

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const browser = await puppeteer.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const small = await seenWith(browser, SMALL, print);
    const large = await seenWith(browser, LARGE, print);
    const ratio = large.paintMs / small.paintMs;
    const holds = ratio <= PROMISE && large.heapMb < HEAP;
    return { name: 'ui', ours: large.paintMs, peer: small.paintMs, ratio, promise: PROMISE, holds };
  } finally {
    await browser.close();
  }
}

async function seenWith(
  browser: Browser,
  instances: number,
  print: (line: string) => void,
): Promise<PageFigures> {
  const { SWEMAKE_KEEP: kept } = process.env;
  const isKept = kept !== undefined && instances === LARGE;
  const folder = isKept ? resolve(kept) : mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  mkdirSync(folder, { recursive: true });
  let ui: ChildProcess | null = null;
  try {
    const { file, rows } = writeProject(folder, instances, { agent: true });
    await fillCache(file, { outcomeOf, logOf });
    ui = spawn(process.execPath, [join(packageRoot(), 'bin/swemake.js'), 'ui', file, '--json'], {
      cwd: folder,
    });
    const address = await addressOf(ui);
    const seen = await look(browser, address);
    print(
      `${instances} instances: first paint ${seen.paintMs.toFixed(0)} ms, overview ${seen.overviewMs.toFixed(0)} ms, list to its end ${seen.listMs.toFixed(0)} ms, page ${seen.heapMb.toFixed(1)} MB`,
    );
    const rollout = `rollout?item=${encodeURIComponent(`rollouts.train@${soundInstance(rows)}#0`)}`;
    for (const path of [...PAGES, rollout]) print(await lookAt(browser, address, path));
    print(`  server: ${await memoryOf(browser, address, ui.pid!)}`);
    return seen;
  } finally {
    if (ui !== null && ui.exitCode === null) {
      ui.kill('SIGINT');
      await once(ui, 'exit');
    }
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

/** An instance that was rolled out. */
function soundInstance(rows: string): string {
  for (const { text } of linesOf(rows)) {
    const { instance_id: id } = JSON.parse(text) as { instance_id: string };
    if (!id.includes(BROKEN) && outcomeOf(id).status === 'ok') return id;
  }
  throw new Error('no instance is sound');
}

/** Every tenth instance fails, some are flaky or too slow. */
export function outcomeOf(instance: string): Outcome {
  const mark = [...instance].reduce((sum, one) => (31 * sum + one.charCodeAt(0)) % 1000, 7);
  if (mark < 80)
    return { status: 'failed', reason: 'gold-fails', detail: `the gold patch leaves failing: ${TEST}` };
  if (mark < 95)
    return {
      status: 'flaky',
      reason: 'repeats-disagree',
      detail: `two runs of the untouched state disagree on ${TEST}`,
    };
  if (mark >= 105) return { status: 'ok' };
  return {
    status: 'timeout',
    reason: 'time-limit',
    detail: 'the tests ran into their time limit before the patch',
  };
}

/** What its validation writes. */
export function logOf(instance: string): string {
  const { status } = outcomeOf(instance);
  if (status === 'ok') return '';
  const second = status === 'flaky' ? 'PASSED' : 'FAILED';
  return [
    `== untouched · exit code 1`,
    `FAILED ${TEST}`,
    `== empty patch · exit code 1`,
    `${second} ${TEST}`,
    '',
  ].join('\n');
}

async function addressOf(ui: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: ui.stdout! }))
    return (JSON.parse(line) as { address: string }).address;
  throw new Error('it printed no address');
}

async function look(browser: Browser, address: string): Promise<PageFigures> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 860 });
  await page.goto(address);
  await page.waitForSelector('.funnel');
  const overviewMs = await page.evaluate(() => performance.now());
  const paintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]!.startTime,
  );
  await page.evaluate(() => {
    location.hash = '#/instances';
  });
  const since = performance.now();
  await page.waitForSelector('.list-box [data-index="0"] a');
  await page.evaluate(() => {
    const box = document.querySelector('.list-box')!;
    box.scrollTop = box.scrollHeight;
  });
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll('.list-box [role=row]')];
    const all = Number(document.querySelector('[aria-rowcount]')!.getAttribute('aria-rowcount'));
    return rows.some(
      (row) => row.getAttribute('aria-rowindex') === String(all) && row.querySelector('a') !== null,
    );
  });
  const listMs = performance.now() - since;
  const { JSHeapUsedSize: heap = 0 } = await page.metrics();
  await page.close();
  return { paintMs, overviewMs, listMs, heapMb: heap / 2 ** 20 };
}

/** What the server holds once every record was read and every page shown. */
async function memoryOf(browser: Browser, address: string, pid: number): Promise<string> {
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForFunction(
    async () => {
      const { tally } = await (await fetch('/api/overview')).json();
      return tally.read === tally.of;
    },
    { timeout: 600_000, polling: 1000 },
  );
  await page.close();
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
  return `${megabytes('VmRSS')} MB, of which ${megabytes('RssAnon')} its own (at most ${megabytes('VmHWM')} MB in all)`;
}

/** A page opened by its own address: first paint, until it is there, memory of its script. */
async function lookAt(browser: Browser, address: string, path: string): Promise<string> {
  const [name = ''] = path.split('?');
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 860 });
  const since = performance.now();
  await page.goto(`${address}#/${path}`);
  const isThere = () =>
    document.querySelector('main')?.textContent !== '' && document.querySelector('[aria-busy=true]') === null;
  await page.waitForFunction(isThere, { timeout: 120_000 });
  const thereMs = performance.now() - since;
  const paintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  );
  const { JSHeapUsedSize: heap = 0 } = await page.metrics();
  await page.close();
  return `  ${name}: first paint ${paintMs.toFixed(0)} ms, there ${thereMs.toFixed(0)} ms, page ${(heap / 2 ** 20).toFixed(1)} MB`;
}
