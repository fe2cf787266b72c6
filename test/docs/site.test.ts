/** The site of the pages: each is there, each link leads somewhere, nothing comes from a network, and the search finds sections. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';

const CHROMIUM = '/usr/bin/chromium';
const out = join(temporaryFolder(), 'site');
const { makeSite, htmlOf } = (await import(pathToFileURL(join(packageRoot(), 'scripts/site.mjs')).href)) as {
  makeSite(root: string, out: string): Promise<{ pages: number }>;
  htmlOf(path: string): string;
};
const { SEARCH_OPTIONS } = (await import(
  pathToFileURL(join(packageRoot(), 'scripts/site/options.mjs')).href
)) as { SEARCH_OPTIONS: ConstructorParameters<typeof MiniSearch>[0] };

beforeAll(async () => void (await makeSite(packageRoot(), out)));

const read = (path: string) => readFileSync(join(out, path), 'utf8');
const htmlFiles = () =>
  readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));

test('has a page for each page', () => {
  const pages = readdirSync(join(packageRoot(), 'docs'), { recursive: true, encoding: 'utf8' });
  const wanted = pages.filter((name) => name.endsWith('.md')).map((name) => htmlOf(`docs/${name}`));
  expect(htmlFiles().sort()).toEqual(['index.html', ...wanted].sort());
});

test('leads nowhere wrong and asks no network', () => {
  const wrong = htmlFiles().flatMap((page) =>
    [...read(page).matchAll(/ (href|src)="([^"]*)"/g)].flatMap(([, attribute, link = '']) => {
      if (/^[a-z]+:/.test(link)) return attribute === 'src' ? [`${page}: ${link}`] : [];
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? page : relative(out, resolve(out, dirname(page), path));
      if (!existsSync(join(out, file))) return [`${page}: ${link}`];
      const hasAnchor = anchor === undefined || read(file).includes(` id="${decodeURIComponent(anchor)}"`);
      return hasAnchor ? [] : [`${page}: ${link}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test.each([
  ['flaky', 'validate'],
  ['baselines', 'Project file'],
  ['slurm', 'Clusters'],
  ['E133', 'What messages mean'],
])('the search for %s finds %s', (words, page) => {
  const json = read('search-index.js').replace(/^globalThis\.SEARCH_INDEX = |;\n$/g, '');
  const index = MiniSearch.loadJSON(json, SEARCH_OPTIONS!);
  expect(index.search(words).map((found) => found.page as string)).toContain(page);
});

describe.skipIf(!existsSync(CHROMIUM))('in a browser', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    page = await browser.newPage();
  });
  afterAll(async () => await browser?.close());

  test('a section is found by the keyboard alone, also from a page in a folder', async () => {
    await page.goto(pathToFileURL(join(out, 'guides/train-with-rl.html')).href);
    await page.keyboard.press('/');
    await page.keyboard.type('gold_runs');
    await page.waitForSelector('#found a');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(page.url()).toMatch(/reference\.html#gold_runs$/);
  });

  test('is usable with a screen reader and on a telephone', async () => {
    await page.setViewport({ width: 390, height: 800 });
    await page.goto(pathToFileURL(join(out, 'validate.html')).href);
    await page.addScriptTag({ path: join(packageRoot(), 'node_modules/axe-core/axe.min.js') });
    const found = await page.evaluate(`axe.run().then(({ violations }) => violations.map(({ id }) => id))`);
    expect(found).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
