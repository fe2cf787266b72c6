/**
 * Builds dist/: one bundle per entry, so that the command starts in a few milliseconds. First makes what follows
 * from the project schema; `--check` builds nothing and fails when a committed result of that is out of date.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { stale, writeGenerated } from './generate.mjs';

/**
 * Bundled although they are dependencies, as reading one file is much faster than reading their dozens; here with
 * the entry that holds ES modules.
 */
const BUNDLED = { yaml: 'yaml/browser/index.js' };

if (process.argv.includes('--check')) {
  const outdated = await stale();
  for (const path of outdated)
    console.error(`${path} is out of date: run node scripts/build.mjs and commit it`);
  process.exitCode = outdated.length > 0 ? 1 : 0;
} else {
  await writeGenerated();
  await bundle();
}

async function bundle() {
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const external = Object.keys(dependencies).filter((name) => !Object.hasOwn(BUNDLED, name));
  await build({
    entryPoints: ['cli/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    alias: { yaml: fileURLToPath(new URL(`../node_modules/${BUNDLED.yaml}`, import.meta.url)) },
    external: external.flatMap((name) => [name, `${name}/*`]),
    logLevel: 'warning',
  });
}
