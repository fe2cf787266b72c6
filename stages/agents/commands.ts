/** The commands that install a program below `/opt/agent`. Nothing of when or by whom they were run stays there. */

import type { Installation } from '../../tasks/agent/installation.ts';
import { NPM_PRELUDE } from '../../tasks/npm/tool.ts';
import type { PreparedPython } from '../../tasks/python/provider.ts';

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

/** `architecture`: of the machine, as Node names it. */
export function npmCommand({ install }: Installation, architecture: string): string {
  const { npm = [], node } = install;
  const add = 'npm install --prefix /opt/agent --save-exact';
  const own = `node-linux-${architecture}`;
  return [
    'set -e',
    NPM_PRELUDE,
    'export HOME=/tmp',
    'mkdir -p /opt/agent && cd /opt/agent',
    ...(node === undefined
      ? []
      : [
          `${add} ${quoted(`${own}@${node}`)}`,
          `ln -sfn node_modules/${own} node`,
          'export PATH=/opt/agent/node/bin:$PATH',
        ]),
    `${add} ${npm.map(quoted).join(' ')}`,
    // npm's own notes of what it did and where it had it from.
    'rm -rf node_modules/.package-lock.json',
  ].join('\n');
}

export function pipCommand({ install }: Installation, { separate }: PreparedPython): string {
  const wanted = (install.pip ?? []).map(quoted).join(' ');
  return ['set -e', 'export HOME=/tmp', ...separate('/opt/agent/venv', wanted)].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
