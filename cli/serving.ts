/** Runs a server in the foreground: prints its address, or why it could not start, and runs until a signal ends it. */

import type { CommandIo } from '../app/io.ts';
import type { ServeSettings } from '../app/servers/settings.ts';
import { shown } from '../app/shown.ts';
import type { Result } from '../basics/result.ts';
import { forgetToken, publishToken } from '../basics/server-token.ts';
import type { Listening } from '../servers/http/listen.ts';
import { option } from './arguments.ts';

/** Rights to ask a server and to listen: the same for all servers. */
export const ACCESS_OPTIONS = {
  'token-file': option(
    'FILE',
    'file with the token that clients must send (default: SWEMAKE_SERVER_TOKEN; else, on loopback, one is made and written into a file that clients of the same user find)',
  ),
  'no-token': {
    type: 'boolean',
    description:
      'need no token, for clients that can send none; only on loopback, where every user of the machine may then ask. Pages in browsers still may not, and no ${secret:…} of a project is used',
  },
  'tls-certificate': option('FILE', 'certificate for TLS, PEM'),
  'tls-key': option('FILE', 'its key, PEM'),
} as const;

/** The exit code. `byInput`: the end of the standard input ends it, too. */
export async function serveUntilStopped(
  what: string,
  opened: Result<Listening, string>,
  { token, entry }: Pick<ServeSettings, 'token' | 'entry'>,
  io: CommandIo,
  byInput = false,
): Promise<number> {
  const refuse = (why: string) => {
    const help = ['agent', 'model'].includes(what) ? `serve ${what}` : 'serve';
    const remedy = why.includes('EADDRINUSE')
      ? 'another program listens there: end it, or write another --listen'
      : `swemake ${help} --help`;
    io.stderr.write(shown(`E003  the ${what} server could not start: ${why}\n      ${remedy}\n`));
    return 3;
  };
  if (!opened.ok) return refuse(opened.fault);
  const { url, bound, close } = opened.value;
  if (bound !== null) forgetToken(bound, io.env);
  const published =
    entry === 'made' && token !== null && bound !== null ? publishToken(bound, token, io.env) : null;
  if (published?.ok === false) {
    await close();
    return refuse(`its token cannot be kept: ${published.fault}; give one with --token-file FILE`);
  }
  if (published !== null) {
    const { file } = published.value;
    // What is no terminal may be a log, in which no token may be.
    io.stderr.write(
      shown(io.isTTY ? `its token is ${token}, and in ${file}\n` : `its token is in ${file}\n`),
    );
  }
  if (entry === 'none')
    io.stderr.write(
      shown('it needs no token: every user of this machine may ask it, but no page in a browser\n'),
    );
  // Heard from the moment on at which its address is known.
  const asked = untilStopped(byInput);
  io.stdout.write(shown(`${what} server at ${url}\n`));
  await asked;
  await close();
  published?.value.withdraw();
  return 0;
}

function untilStopped(byInput: boolean): Promise<void> {
  return new Promise((resolve) => {
    if (byInput) process.stdin.on('end', () => resolve()).resume();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
