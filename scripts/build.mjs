/**
 * Builds dist/: one bundle per entry, so that the command starts in a few milliseconds. First makes what follows
 * from the project schema; `--check` builds nothing and fails when a committed result of that is out of date.
 */
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { stale, writeGenerated } from './generate.mjs';

/** Bundled although they are dependencies: reading one file is much faster than reading their dozens. */
const BUNDLED = ['yaml'];

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
  const external = Object.keys(dependencies).filter((name) => !BUNDLED.includes(name));
  await build({
    entryPoints: ['cli/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: external.flatMap((name) => [name, `${name}/*`]),
    logLevel: 'warning',
  });
}
