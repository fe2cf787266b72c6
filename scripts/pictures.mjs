/**
 * The pictures of docs/ui: the pages of `swemake ui` over a project that was built, in both themes, in a real browser. Each is
 * looked at by axe too; a violation fails the script. By hand, after the quickstart was built:
 *
 *     node scripts/pictures.mjs projects/quickstart.yaml [--to docs/ui]
 *
 * Those of 60,000 instances, from the project of the benchmark:
 *
 *     SWEMAKE_KEEP=/tmp/large npm run bench ui
 *     node scripts/pictures.mjs /tmp/large/bench.yaml --mark 60000 [--to docs/ui]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import puppeteer from 'puppeteer-core';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string', default: 'docs/ui' }, mark: { type: 'string', default: '' } },
});
const [project] = positionals;
if (project === undefined) {
  console.error('usage: node scripts/pictures.mjs PROJECT [--to FOLDER] [--mark MARK]');
  process.exit(2);
}
const mark = values.mark === '' ? [] : [values.mark];
const root = fileURLToPath(new URL('..', import.meta.url));
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const ui = spawn(process.execPath, [join(root, 'bin/swemake.js'), 'ui', project, '--json']);
const browser = await puppeteer.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
let violations = 0;

/** Beside the page's own policy, which lets no such script in. */
async function violationsOf(page) {
  const client = await page.createCDPSession();
  await client.send('Runtime.evaluate', { expression: readFileSync(axe, 'utf8') });
  await client.detach();
  return page.evaluate(async () => (await window.axe.run()).violations.map(({ id }) => id));
}

try {
  let address;
  for await (const line of createInterface({ input: ui.stdout })) {
    address = JSON.parse(line).address;
    break;
  }
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 860 });
  await page.goto(address);
  await page.waitForSelector('.funnel');
  // The numbers of all records.
  await page.waitForFunction(
    async () => {
      const { tally } = await (await fetch('/api/overview')).json();
      return tally.read === tally.of;
    },
    { timeout: 600_000, polling: 1000 },
  );
  const { rows } = await page.evaluate(async () => (await fetch('/api/instances?from=0&count=500')).json());
  const { dataset, id } = rows.find(({ rewards }) => rewards !== '') ?? rows[0];
  const rollout = `rollouts.${dataset}@${id}#0`;
  const views = {
    overview: 'overview',
    instances: 'instances',
    instance: `instance?dataset=${dataset}&id=${encodeURIComponent(id)}`,
    rollout: `rollout?item=${encodeURIComponent(rollout)}`,
    environments: 'environments',
    why: `why?item=${encodeURIComponent(`validate.${dataset}@${id}`)}`,
    flakes: 'flakes',
    time: 'time',
    compare: 'compare',
  };
  for (const [name, hash] of Object.entries(views)) {
    for (const theme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      await page.evaluate((to) => {
        location.hash = `#/${to}`;
      }, hash);
      await page.waitForFunction(
        () =>
          document.querySelector('main')?.textContent !== '' &&
          document.querySelector('[aria-busy=true]') === null,
        { timeout: 120_000 },
      );
      await page.waitForNetworkIdle({ idleTime: 500, concurrency: 1 });
      await page.screenshot({ path: join(values.to, `${[name, ...mark, theme].join('-')}.png`) });
      const left = await violationsOf(page);
      violations += left.length;
      console.log(`${name} ${theme}: ${left.length === 0 ? 'no violation' : left.join(', ')}`);
    }
  }
} finally {
  await browser.close();
  ui.kill('SIGINT');
  await once(ui, 'exit');
}
process.exitCode = violations === 0 ? 0 : 1;
