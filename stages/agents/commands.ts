/** The commands that install a program below `/opt/agent`. Nothing of when or by whom they were run stays there. */

import type { AgentPins } from '../../contract/pins.ts';
import type { Installation } from '../../tasks/agent/installation.ts';
import { HISTORY } from '../../tasks/agent/source.ts';
import { NPM_PRELUDE } from '../../tasks/npm/tool.ts';
import type { PreparedPython } from '../../tasks/python/provider.ts';
import type { NpmLock } from './packages.ts';

/** For npm, and for scripts of packages. */
export const NPM_VARIABLES = {
  npm_config_userconfig: '/tmp/swemake-npmrc',
  npm_config_globalconfig: '/dev/null',
  npm_config_cache: '/tmp/npm',
  npm_config_progress: 'false',
  // Milliseconds. npm waits 70 s for a registry that is down; the engine tries a fault again, after pauses of its own.
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_factor: '3',
  // The sandbox is what holds them.
  npm_config_dangerously_allow_all_scripts: 'true',
  // Addresses of this machine's registry say nothing to others.
  npm_config_omit_lockfile_registry_resolved: 'true',
};

/** Where a workspace shows the source that its user gives. */
export const GIVEN = '/opt/swemake-source';

/** Copies the source, which builders write into. */
export const SOURCE_COMMAND = [
  'set -e',
  'mkdir -p /opt/agent/source',
  `cp -RP ${GIVEN}/. /opt/agent/source`,
  `rm -rf /opt/agent/source/${HISTORY}`,
].join('\n');

/** `architecture`: of the machine, as Node names it. `isLocked`: what `lockedFiles` gives is there. */
export function npmCommand({ install }: Installation, architecture: string, isLocked: boolean): string {
  const { npm = [], node } = install;
  const add = 'npm install --prefix /opt/agent --save-exact';
  const own = `node-linux-${architecture}`;
  const link = [`ln -sfn node_modules/${own} node`, 'export PATH=/opt/agent/node/bin:$PATH'];
  const steps = isLocked
    ? [
        ...(node === undefined ? [] : link),
        `cp ${LOCKED}/package.json ${LOCKED}/package-lock.json .`,
        'npm ci --prefix /opt/agent',
      ]
    : [
        ...(node === undefined ? [] : [`${add} ${quoted(`${own}@${node}`)}`, ...link]),
        `${add} ${npm.map(quoted).join(' ')}`,
      ];
  return [
    'set -e',
    NPM_PRELUDE,
    'export HOME=/tmp',
    'mkdir -p /opt/agent && cd /opt/agent',
    ...steps,
    // npm's own notes of what it did and where it had it from.
    'rm -rf node_modules/.package-lock.json',
  ].join('\n');
}

export function pipCommand(
  { install }: Installation,
  { separate }: PreparedPython,
  isLocked: boolean,
): string {
  const wanted = (install.pip ?? []).map(quoted);
  const constrained = isLocked ? ['-c', `${LOCKED}/constraints.txt`, ...wanted] : wanted;
  return ['set -e', 'export HOME=/tmp', ...separate('/opt/agent/venv', constrained.join(' '))].join('\n');
}

/** Where a workspace has what a lock file says. */
const LOCKED = '/tmp/swemake-locked';

/** Files by which npm and uv install the packages of a lock file. */
export function lockedFiles({ packages, npm_lock: lines }: AgentPins): Record<string, string> {
  const pins = packages.flatMap((line) => /^\S+==\S+/.exec(line)?.[0] ?? []);
  const files = { 'constraints.txt': pins.map((pin) => `${pin}\n`).join('') };
  if (lines === undefined) return inFolder(files);
  const lock = `${lines.join('\n')}\n`;
  const { dependencies } = (JSON.parse(lock) as NpmLock).packages?.[''] ?? {};
  return inFolder({
    ...files,
    'package-lock.json': lock,
    // As npm wrote it.
    'package.json': `${JSON.stringify({ dependencies }, null, 2)}\n`,
  });
}

function inFolder(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${LOCKED}/${name}`, text]));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
