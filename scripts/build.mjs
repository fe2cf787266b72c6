/**
 * Builds dist/: one bundle per entry, so that the command starts in a few milliseconds. First makes what follows
 * from the project schema; `--clean` leaves nothing of earlier builds; `--check` builds nothing and fails when a committed result of that is out of date.
 */
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { stale, writeGenerated } from './generate.mjs';
import { ledgerProblems } from './ledger.mjs';
import { bundledLicences, installedProblems } from './licences.mjs';

/**
 * Bundled with these entries: they hold ES modules, and msgpackr's looks for no native helper. Reading one file is much faster than
 * reading their dozens. Other packages for development are bundled, too, where the program imports them: users install none of those.
 */
const BUNDLED = {
  yaml: 'yaml/browser/index.js',
  execa: 'execa/index.js',
  '@huggingface/jinja': '@huggingface/jinja/dist/index.js',
  lmdb: 'lmdb/node-index.js',
  msgpackr: 'msgpackr/index.js',
  '@dagrejs/graphlib': '@dagrejs/graphlib/dist/graphlib.esm.js',
};

/**
 * The client of Docker, without what only builds by BuildKit need, which swemake does not do, and without native parts of ssh2: it
 * works without them, and so an installation compiles nothing.
 */
const dockerode = {
  name: 'dockerode',
  setup({ onResolve, onLoad }) {
    const inDockerode = ({ importer }) => /[/\\]dockerode[/\\]lib[/\\]docker\.js$/.test(importer);
    onResolve({ filter: /^\.\/(?:session|buildkit)$/ }, (asked) =>
      inDockerode(asked) ? { path: asked.path, namespace: 'no-buildkit' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'no-buildkit' }, () => ({
      contents: "module.exports = () => { throw new Error('there is no BuildKit here'); };",
      loader: 'js',
    }));
    // They name their folder for a program of Windows, and for WebAssembly that is in their text: neither is read.
    onLoad(
      { filter: /[/\\]ssh2[/\\]lib[/\\](?:agent|protocol[/\\]crypto[/\\]poly1305)\.js$/ },
      ({ path }) => ({
        contents: `const __dirname = '';\n${readFileSync(path, 'utf8')}`,
      }),
    );
    // ssh2 asks for them in a `try`, and works without.
    onResolve({ filter: /^cpu-features$|\/sshcrypto\.node$/ }, ({ path }) => ({
      path: `not-installed/${path.split('/').at(-1)}`,
      external: true,
    }));
  },
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
  metafile: true,
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
};

if (process.argv.includes('--check')) {
  const outdated = await stale();
  for (const path of outdated)
    console.error(`${path} is out of date: run node scripts/build.mjs and commit it`);
  const others = [...(await ledgerProblems()), ...installedProblems()];
  for (const line of others) console.error(line);
  process.exitCode = outdated.length + others.length > 0 ? 1 : 0;
} else {
  // Parts of earlier builds have other names, and would be packed.
  if (process.argv.includes('--clean')) rmSync('dist', { recursive: true, force: true });
  await writeGenerated();
  const bundles = [await bundlePage(), await bundleGrader(), await bundle()];
  const { text, problems } = bundledLicences(bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs)));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  writeFileSync('dist/LICENCES.txt', text);
}

/** The page of `swemake ui`: one script and one stylesheet, for browsers. */
async function bundlePage() {
  const built = await build({
    metafile: true,
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
  return built;
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
  return build({
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
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const external = Object.keys(dependencies).filter((name) => !Object.hasOwn(BUNDLED, name));
  return build({
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
    plugins: [lmdbFromItsPackage, dockerode, startupInOnePiece],
    // CommonJS parts of dependencies ask for `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
}
