/** What all ecosystems on Node have in common: Node and npm as toolchains, and their place on PATH. */
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { type EcosystemKind, type EcosystemStep, toolchainPlace } from '../kind.ts';

/** The npm that comes with a Node, by Node's major version: later ones do not run on it. */
const NPM_OF_NODE: readonly Usual[] = [
  [22, '10.9.2'],
  [18, '10.8.2'],
  [16, '8.19.4'],
  [0, '6.14.18'],
];

/** From a major version of Node on. */
export type Usual = readonly [major: number, version: string];

/** The version of a program for the Node of a toolchain; `table` has the latest Node first. */
export function usualFor(table: readonly Usual[], { node = '' }: Readonly<Record<string, string>>): string {
  const major = Number(/^\d+/.exec(node)?.[0] ?? 0);
  return table.find(([least]) => major >= least)![1];
}

function npmVersion(toolchain: Readonly<Record<string, string>>): string {
  return toolchain.npm ?? usualFor(NPM_OF_NODE, toolchain);
}

export const NODE_TOOLCHAINS: EcosystemKind['toolchains'] = {
  node: { from: 'npm', package: 'node-linux-{arch}' },
  npm: { from: 'npm', package: 'npm', usual: npmVersion },
};

export const SOURCES = ['.js', '.cjs', '.mjs', '.jsx', '.ts', '.cts', '.mts', '.tsx'];

/** Puts npm and further programs on PATH; `programs`: name -> absolute path. */
function placePrograms(
  toolchain: Readonly<Record<string, string>>,
  programs: Readonly<Record<string, string>> = {},
): string {
  const npm = toolchainPlace('npm', npmVersion(toolchain));
  const all = { npm: `${npm}/bin/npm-cli.js`, npx: `${npm}/bin/npx-cli.js`, ...programs };
  const links = Object.entries(all).map(([name, path]) => `ln -s ${path} /opt/env/bin/${name}`);
  return ['mkdir -p /opt/env/bin', ...links].join('\n');
}

/** Of every command: Node and what is beside it, and an npm that asks for nothing. */
export function nodeVariables({ node = '' }: Readonly<Record<string, string>>): Record<string, string> {
  return {
    PATH: `/opt/env/bin:${toolchainPlace('node', node)}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };
}

/** Of the steps that install. */
export const STEP_VARIABLES = {
  npm_config_offline: 'false',
  npm_config_cache: '/tmp/npm',
  PUPPETEER_SKIP_DOWNLOAD: '1',
};

/** Manifests of workspaces, which a lock file at the root covers, and what is patched in packages. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)package\.json$/.test(path) && !/(?:^|\/)node_modules\//.test(path);
}

/**
 * Before a command that installs. On the host's network the index has an address with a credential in it, another one in each run, and what is
 * installed names it. It becomes the address that builds behind the proxy see.
 */
const UNNAMED = [
  'unname() {',
  '  case ${npm_config_registry:-} in http://127.0.0.1:*) ;; *) return ;; esac',
  '  grep -rlIZF -- "$npm_config_registry" $(printf \'%s\\n\' "$1" /testbed /opt/env | sort -u) 2> /dev/null |',
  '    xargs -0 -r sed -i "s#$npm_config_registry#http://index.swemake/${npm_config_registry#http://*/*/}#g"',
  '}',
  `trap "unname '$PWD'" EXIT`,
].join('\n');

/** The steps of an environment: programs on PATH, packages by the package manager's own `command`, and what the recipe adds. */
export function nodeSteps(
  { packages, pre_install, install, toolchain = {} }: BuildRecipe,
  command: string,
  programs: Readonly<Record<string, string>> = {},
): EcosystemStep[] {
  return [
    ...stepsOf('create', 'create', [placePrograms(toolchain, programs)]),
    ...stepsOf('dependencies', 'packages', packages.includes('package.json') ? [unnamed(command)] : []),
    ...stepsOf('installation', 'pre_install', pre_install.map(unnamed)),
    ...stepsOf('installation', 'install', install.map(unnamed)),
  ];
}

/**
 * Packages as they are with other manifests, which the current folder has, and behind them those of the repository that
 * are in no folder of theirs. Of a package that both name, the other manifests' version stays. `loose`: for a lock file that
 * does not fit them, as where a patch comes without it.
 */
export function withPatched(command: string, loose: string): string {
  const again = [
    `if [ $code != 0 ]; then echo 'note: the lock file does not fit the patched manifests'`,
    ...['(', loose, ')', 'fi'],
  ];
  // A condition would let the command go on behind what fails in it.
  const first = ['set +e', '(', command, ')', 'code=$?', 'set -e'];
  return [UNNAMED, ...first, ...(loose === command ? ['[ $code = 0 ]'] : again), MERGE].join('\n');
}

const MERGE = [
  'find . -name node_modules -prune -type d | while read -r folder; do',
  '  before=/testbed/${folder#./}',
  '  if [ -d "$before" ]; then',
  '    (cd "$before"; find . -mindepth 1 -maxdepth 1; find . -mindepth 2 -maxdepth 2 \\( -path "./@*" -o -path "./.pnpm/*" -o -path "./.bin/*" \\)) > /tmp/before',
  '    while read -r one; do',
  '      [ -e "$folder/$one" ] || [ -L "$folder/$one" ] || { [ ! -e "$before/$one" ] && [ ! -L "$before/$one" ]; } || mv "$before/$one" "$folder/$one"',
  '    done < /tmp/before',
  '    rm -rf "$before"',
  '  fi',
  '  mkdir -p "$(dirname "$before")"; mv "$folder" "$before"',
  'done',
].join('\n');

const unnamed = (command: string) => `${UNNAMED}\n${command}`;

function stepsOf(phase: EcosystemStep['phase'], name: string, commands: readonly string[]): EcosystemStep[] {
  return commands.map((command, index) => ({ name: `${name}[${index}]`, phase, command }));
}
