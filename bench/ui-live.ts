/**
 * The page of 60,000 instances while a build runs: how long from an item's end until the page shows it, what server and
 * page need of a processor, whether they grow, whether lists stay fluid, and a killed build that goes on. The real engine builds
 * in a process of its own, with actions that are answered at a given rate. SWEMAKE_KEEP names a folder in which the project stays;
 * SWEMAKE_RATE and SWEMAKE_SECONDS set the pace and the length.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { packageRoot } from '../basics/package-root.ts';
import { fillCache, writeProject } from './filled-project.ts';
import type { BenchResult } from './measure.ts';
import { logOf, outcomeOf } from './ui.ts';

const INSTANCES = Number(process.env.SWEMAKE_INSTANCES ?? 60_000);
/** Item ends per second. */
const RATE = Number(process.env.SWEMAKE_RATE ?? 75);
const SECONDS = Number(process.env.SWEMAKE_SECONDS ?? 180);
/** Milliseconds until the page shows an end: the median may not be above it. */
const PROMISE = 2000;
const TICKS = 100;

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const { SWEMAKE_KEEP: kept } = process.env;
  const folder = kept === undefined ? mkdtempSync(join(tmpdir(), 'swemake-bench-')) : resolve(kept);
  // A tab behind another one draws nothing, so each page has a browser.
  const launch = () => puppeteer.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const browsers = [await launch(), await launch()] as const;
  let ui: ChildProcess | null = null;
  let build: ChildProcess | null = null;
  try {
    const file = await validatedProject(folder);
    ui = spawn(process.execPath, [join(packageRoot(), 'bin/swemake.js'), 'ui', file, '--json'], {
      cwd: folder,
    });
    const address = await addressOf(ui);
    const overview = await opened(browsers[0], address);
    const list = await opened(browsers[1], `${address}#/instances`);
    build = startBuild(file);
    await saying(overview, 'a build runs');
    // What it showed of an earlier run does not count.
    await overview.evaluate(() => {
      (window as unknown as { seen: unknown[] }).seen.length = 0;
    });
    const runs = join(folder, '.swemake/runs');
    print('seconds, server: processor %, MB of its own; overview: script %, MB; frames of a scrolled list');
    const since = Date.now();
    let from = await useOf(ui.pid!, overview);
    const first = from;
    while (Date.now() - since < SECONDS * 1000) {
      await sleep(Math.min(30, SECONDS / 6) * 1000);
      const slowest = await scrolled(list);
      const to = await useOf(ui.pid!, overview);
      print(
        `${Math.round((to.at - since) / 1000)} s: ${percent(from.cpu, to.cpu, from, to)}, ${to.mb}; ${percent(from.script, to.script, from, to)}, ${to.heapMb.toFixed(1)}; slowest frame ${slowest.toFixed(0)} ms, filter ${(await filtered(list)).toFixed(0)} ms`,
      );
      from = to;
    }
    print(
      `all the time: server ${percent(first.cpu, from.cpu, first, from)}, page ${percent(first.script, from.script, first, from)}`,
    );
    const waits = await shownAfter(overview, runs);
    print(
      `shown after: median ${at(waits, 0.5)} ms, 95 % ${at(waits, 0.95)} ms, slowest ${at(waits, 1)} ms, of ${waits.length} ends`,
    );

    build.kill('SIGKILL');
    await saying(overview, 'the last build was killed');
    await overview.setOfflineMode(true);
    build = startBuild(file);
    await sleep(5000);
    await overview.setOfflineMode(false);
    await saying(overview, 'a build runs');
    const before = await graded(overview);
    await overview.waitForFunction(
      (old) => document.querySelector('table td.right')?.textContent !== old,
      { timeout: 300_000 },
      before,
    );
    print('killed, the page cut off meanwhile, and resumed: it is shown again');
    const ours = at(waits, 0.5);
    return {
      name: 'ui-live',
      ours,
      peer: PROMISE,
      ratio: ours / PROMISE,
      promise: 1,
      holds: ours <= PROMISE,
    };
  } finally {
    for (const child of [build, ui])
      if (child !== null && child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    for (const browser of browsers) await browser.close();
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** All instances are validated, none is rolled out. */
async function validatedProject(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'rows.jsonl'))) {
    const { file } = writeProject(folder, INSTANCES);
    await fillCache(file, { outcomeOf, logOf });
  }
  return writeProject(folder, INSTANCES, { agent: true }).file;
}

/** A build in a process of its own, as one that can be killed. */
function startBuild(file: string): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(import.meta.url), 'build', file], { stdio: 'inherit' });
}

async function build(file: string): Promise<void> {
  let next = 0;
  const pace = async () => {
    next = Math.max(performance.now(), next + 1000 / RATE);
    await sleep(next - performance.now());
  };
  await fillCache(file, { pace, withJournal: true });
}

async function addressOf(ui: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: ui.stdout! }))
    return (JSON.parse(line) as { address: string }).address;
  throw new Error('it printed no address');
}

/** The page, which notes when it shows how many actions have run. */
async function opened(browser: Browser, address: string): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 860 });
  await page.goto(address);
  await page.waitForSelector('.funnel, .list-box a', { timeout: 300_000 });
  await page.evaluate(() => {
    const seen: [at: number, actions: number][] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const [, text] =
        /([\d,]+) actions? run/.exec(document.querySelector('.run-line')?.textContent ?? '') ?? [];
      const actions = Number(text?.replaceAll(',', '') ?? 0);
      if (actions > (seen.at(-1)?.[1] ?? 0)) seen.push([Date.now(), actions]);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return page;
}

async function saying(page: Page, words: string): Promise<void> {
  const isSaid = (wanted: string) => document.querySelector('.run')?.textContent?.includes(wanted);
  await page.waitForFunction(isSaid, { timeout: 300_000 }, words);
}

async function graded(page: Page): Promise<string> {
  return page.evaluate(() => document.querySelector('table td.right')?.textContent ?? '');
}

/** Milliseconds from each end in the journal until it was shown. */
async function shownAfter(page: Page, runs: string): Promise<number[]> {
  const seen = await page.evaluate(() => (window as unknown as { seen: [number, number][] }).seen);
  const run = readdirSync(runs).sort().at(-1)!;
  const ends = readFileSync(join(runs, run, 'events.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"item-finished"') && line.includes('"record":'))
    .map((line) => Date.parse((JSON.parse(line) as { at: string }).at));
  const waits: number[] = [];
  for (const [index, end] of ends.entries()) {
    const shown = seen.find(([, actions]) => actions > index);
    if (shown !== undefined) waits.push(shown[0] - end);
  }
  return waits.sort((a, b) => a - b);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))]!;
}

interface Use {
  at: number;
  /** Seconds of a processor. */
  cpu: number;
  script: number;
  mb: number;
  heapMb: number;
}

async function useOf(pid: number, page: Page): Promise<Use> {
  const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const own = Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  const { TaskDuration: script = 0, JSHeapUsedSize: heap = 0 } = await page.metrics();
  return {
    at: Date.now(),
    cpu: (Number(user) + Number(system)) / TICKS,
    script,
    mb: Math.round(own / 1024),
    heapMb: heap / 2 ** 20,
  };
}

function percent(from: number, to: number, before: Use, after: Use): string {
  return `${((100_000 * (to - from)) / (after.at - before.at)).toFixed(1)} %`;
}

/** The longest time between two frames while the list is scrolled from top to bottom. */
function scrolled(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const box = document.querySelector('.list-box')!;
    let slowest = 0;
    let last = performance.now();
    for (let step = 0; step <= 100; step += 1) {
      box.scrollTop = (box.scrollHeight * step) / 100;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      slowest = Math.max(slowest, now - last);
      last = now;
    }
    return slowest;
  });
}

/** Milliseconds until a filter is applied. */
function filtered(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const count = () => document.querySelector('h2 small')?.textContent;
    const before = count();
    const since = performance.now();
    location.hash = location.hash.includes('status') ? '#/instances' : '#/instances?status=flaky';
    while (count() === before || count() === undefined) await new Promise(requestAnimationFrame);
    return performance.now() - since;
  });
}

if (process.argv[2] === 'build') await build(process.argv[3]!);
