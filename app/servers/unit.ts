/** The systemd unit that runs a server as it was asked for on a command line. */
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import type { CommandIo } from '../io.ts';

export function unitText(what: string, args: readonly string[], { env, cwd }: CommandIo): string {
  const words = [process.execPath, join(packageRoot(), 'bin/swemake.js'), 'serve', ...args];
  // The token is in none of them: it comes from a file.
  const kept = Object.entries(env).filter(([name]) => /^SWE_[A-Z_]+$/.test(name));
  return [
    '[Unit]',
    `Description=swemake ${what} server`,
    'After=network-online.target',
    'Wants=network-online.target',
    '',
    '[Service]',
    `ExecStart=${words.map((word) => unitWord(word.replaceAll('$', '$$$$'))).join(' ')}`,
    `WorkingDirectory=${plain(cwd)}`,
    ...kept.map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`),
    'Restart=always',
    'RestartSec=2',
    'KillMode=mixed',
    'TimeoutStopSec=30',
    '# Limits of containers are control groups below its own.',
    'Delegate=yes',
    'LimitNOFILE=1048576',
    'TasksMax=infinity',
    'OOMPolicy=continue',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');
}

/** Percent signs have a meaning everywhere in units, and dollar signs in commands alone. */
function plain(text: string): string {
  return text.replaceAll('%', '%%');
}

function unitWord(text: string): string {
  const escaped = plain(text);
  return /^[\w@%+=:,./$-]+$/.test(escaped)
    ? escaped
    : `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
