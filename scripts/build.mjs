/**
 * Builds dist/: one bundle per entry, so that the command starts in a few milliseconds. First makes what follows
 * from the project schema; `--clean` leaves nothing of earlier builds; `--check` builds nothing and fails when a committed result of that is out of date.
 */
import { copyFileSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { stale, writeGenerated } from './generate.mjs';
import { ledgerProblems } from './ledger.mjs';

/**
 * Bundled although they are dependencies, as reading one file is much faster than reading their dozens; here with
 * the entry that holds ES modules. msgpackr's is the one that looks for no native helper.
 */
const BUNDLED = {
  yaml: 'yaml/browser/index.js',
  execa: 'execa/index.js',
  '@huggingface/jinja': '@huggingface/jinja/dist/index.js',
  lmdb: 'lmdb/node-index.js',
  msgpackr: 'msgpackr/index.js',
  '@dagrejs/graphlib': '@dagrejs/graphlib/dist/graphlib.esm.js',
};

/** lmdb's native part stays where it is installed: it is searched from its package's folder, not from dist/. */
const lmdbFromItsPackage = {
  name: 'lmdb-from-its-package',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]lmdb[/\\]native\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const here = 'fileURLToPath(import.meta.url)';
      if (!text.includes(here)) throw new Error(`${path} has changed: how does it find its native part now?`);
      return { contents: text.replace(here, "require.resolve('lmdb')") };
    });
  },
};

/**
 * Every file of ours imports cli/startup.ts. Not by `inject`: that adds it to CommonJS parts of dependencies, too, and what
 * those import is wrapped in functions, which are read twice.
 */
const STARTUP = fileURLToPath(new URL('../cli/startup.ts', import.meta.url));
const startupInOnePiece = {
  name: 'startup-in-one-piece',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const own = path === STARTUP ? '' : `import ${JSON.stringify(STARTUP)}; `;
      return { contents: `${own}${text}`, loader: 'ts' };
    });
  },
};

const COMMON = {
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
};

if (process.argv.includes('--check')) {
  const outdated = await stale();
  for (const path of outdated)
    console.error(`${path} is out of date: run node scripts/build.mjs and commit it`);
  const unsettled = await ledgerProblems();
  for (const line of unsettled) console.error(line);
  process.exitCode = outdated.length + unsettled.length > 0 ? 1 : 0;
} else {
  // Parts of earlier builds have other names, and would be packed.
  if (process.argv.includes('--clean')) rmSync('dist', { recursive: true, force: true });
  await writeGenerated();
  await bundle();
}

/** The page of `swemake ui`: one script and one stylesheet, for browsers. */
async function bundlePage() {
  await build({
    entryPoints: { page: 'ui/page/main.tsx', 'page-style': 'ui/page/page.css' },
    outdir: 'dist/ui',
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  });
  renameSync('dist/ui/page-style.css', 'dist/ui/page.css');
  for (const name of ['page.html', 'icon.svg']) copyFileSync(`ui/page/${name}`, `dist/ui/${name}`);
}

/** What the sources make of themselves. */
async function buildIdOfSources() {
  const { outputFiles } = await build({
    entryPoints: ['basics/build-id.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  const { idOfSources } = await import(`data:text/javascript;base64,${code}`);
  return idOfSources(process.cwd());
}

/** The grader that tasks of Harbor have: one file, with all that it uses but the parser of Python's syntax. */
async function bundleGrader() {
  await build({
    ...COMMON,
    entryPoints: { grade: 'app/harbor/grader/main.ts' },
    outExtension: { '.js': '.mjs' },
    external: ['@vscode/tree-sitter-wasm'],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
}

async function bundle() {
  await bundlePage();
  await bundleGrader();
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const external = Object.keys(dependencies).filter((name) => !Object.hasOwn(BUNDLED, name));
  await build({
    ...COMMON,
    entryPoints: ['cli/main.ts'],
    splitting: true,
    alias: Object.fromEntries(
      Object.entries(BUNDLED).map(([name, entry]) => [
        name,
        fileURLToPath(new URL(`../node_modules/${entry}`, import.meta.url)),
      ]),
    ),
    define: { SWEMAKE_BUILD_ID: JSON.stringify(await buildIdOfSources()) },
    // ordered-binary reads keys by code that it evaluates, which finds nothing by its name in a bundle.
    external: [...external.flatMap((name) => [name, `${name}/*`]), 'ordered-binary'],
    plugins: [lmdbFromItsPackage, startupInOnePiece],
    // CommonJS parts of dependencies ask for `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
}
