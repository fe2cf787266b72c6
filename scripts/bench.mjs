/**
 * npm run bench -- NAME [--json]: bundles bench/NAME.ts and runs it. Human lines come first; the last thing
 * printed is one JSON object {name, ours, peer, ratio, promise, holds}. Exit code 1 when the promise does not
 * hold, 2 when the peer is not installed.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const json = process.argv.includes('--json');
const [name] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const known = readdirSync(join(root, 'bench')).map((file) => file.replace(/\.ts$/, ''));

if (name === undefined || !known.includes(name)) {
  console.error(`usage: npm run bench -- NAME [--json], with one of: ${known.join(', ')}`);
  process.exit(2);
}
const outfile = join(root, 'dist/bench', `${name}.mjs`);
await build({
  entryPoints: [join(root, 'bench', `${name}.ts`)],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
const { bench } = await import(pathToFileURL(outfile).href);
if (bench === undefined) {
  console.error(`bench/${name}.ts holds no benchmark`);
  process.exit(2);
}
try {
  const result = await bench((line) => (json ? console.error(line) : console.log(line)));
  const verdict = result.holds ? 'holds' : 'DOES NOT HOLD';
  if (!json)
    console.log(`${result.name}: ratio ${result.ratio.toFixed(2)}, promised ${result.promise}: ${verdict}`);
  console.log(JSON.stringify(result));
  process.exitCode = result.holds ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = /^install the peer first/.test(error.message) ? 2 : 1;
}
