/** Builds dist/: one bundle per entry, so that the command starts in a few milliseconds. */
import { build } from 'esbuild';

await build({
  entryPoints: ['cli/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
