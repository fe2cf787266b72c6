/** What Node, its package managers and runners of tests say of a recipe. */
import type { Hint } from '../hints.ts';

/** A package below node_modules. */
const PACKAGE = String.raw`node_modules\/((?:@[\w.-]+\/)?[\w][\w.-]*)\/`;

/** A package whose own script, which is not run, would have compiled or fetched a file of it. */
const UNBUILT = new RegExp(
  [
    String.raw`(?<![\w@/.-])([\w@/.-]+): Failed to install correctly`,
    String.raw`Could not locate the bindings file\. Tried:\s+\S+ \S*${PACKAGE}`,
    String.raw`No native build was found for [^\n]*(?:\n[^\n]*){0,3}?${PACKAGE}`,
    String.raw`Cannot find module '\.{1,2}\/[^'\n]*'\s+Require stack:\s+- \S*${PACKAGE}`,
    String.raw`Cannot find module '[^'\n]*?${PACKAGE}[^'\n]*\.node'`,
    String.raw`spawn \S*${PACKAGE}\S+ (?:ENOENT|EACCES)`,
    'installing the "(sharp)" module',
  ].join('|'),
);

export const NODE_HINTS: readonly Hint[] = [
  [UNBUILT, 'install ("npm rebuild $1": scripts of packages are not run)'],
  [
    /Could not find Chrome|No binary for (\w+) browser|Failed to launch the browser process|Please set env variable CHROME_BIN/,
    'system, env (chromium, and its program as CHROME_BIN)',
  ],
  [
    /digital envelope routines::unsupported/,
    'toolchain (node 16, or NODE_OPTIONS: --openssl-legacy-provider under env)',
  ],
  [
    /notsup Required: \{"node":"([^"]+)"|engine "node" is incompatible with this module\. Expected version "([^"]+)"|Unsupported (?:environment|engine)[\s\S]{0,300}?Expected version: (\S+)/,
    'toolchain (node $1)',
  ],
  [
    /ReferenceError: (structuredClone|fetch|ReadableStream|AbortController|Blob|File|WebSocket|navigator) is not defined|SyntaxError: Unexpected token '(\?\?=|\|\|=|&&=|\?\.|\?\?|\.)'|No such built-in module: (node:\w+)|Cannot find module '(node:\w+)'/,
    'toolchain (a newer node, for $1)',
  ],
  [/\bERESOLVE\b/, 'env (npm_config_legacy_peer_deps: "true")'],
  [
    /can only install packages when your package\.json and package-lock\.json[^\n]* are in sync/,
    'toolchain (the npm that wrote the lock file)',
  ],
  [
    /ERR_PNPM_(?:OUTDATED_LOCKFILE|LOCKFILE_BREAKING_CHANGE)/,
    'toolchain (the pnpm that wrote the lock file)',
  ],
  [
    /package\.json defines "packageManager": "(yarn|pnpm)@(\d[\w.-]*)/,
    ([name, version]) => `toolchain (${name}: "${version}")`,
  ],
  [/lockfile would have been modified by this install/, 'toolchain (the yarn that wrote the lock file)'],
  [/No matching version found for (\S+?)\.?(?:\s|$)/, 'as_of (a later day: $1 is not there yet)'],
  [
    /Cannot find (?:module|package) '(?:\/testbed\/|\.{1,2}\/(?:[^'\n]*\/)?(?=[^'\n]*'(?: from '|\s+Require stack:\s+- )(?!\S*node_modules)))((?:dist|build|out|esm|cjs)(?:\/[^'\n]*)?)'/,
    'build (what makes $1)',
  ],
  [
    /Cannot find (?:module|package) '((?:@[\w.-]+\/)?[A-Za-z][\w.-]*)(?:\/[^'\n]*)?'/,
    'packages, install (what has the module $1)',
  ],
  [
    /(?:sh|bash): (?:line )?(?:\d+: )?(jest|mocha|vitest|karma|qunit|ava|tap|tsc|ts-node|tsx|webpack|rollup|babel|nyc|c8|cross-env|rimraf|grunt|gulp|lerna|nx|turbo): (?:command )?not found/,
    'packages, install (what has the program $1)',
  ],
];
