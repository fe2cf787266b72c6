/** Long texts on a terminal go through a pager, as git's do; elsewhere they are printed as they are. */
import { spawnSync } from 'node:child_process';
import type { CommandIo } from '../app/io.ts';
import type { Shown } from '../app/shown.ts';
import { isTerminal } from './style.ts';

/** Shows `text` in $PAGER, or in less; prints it when there is none, or when stdout is no terminal. */
export function page(text: Shown, io: CommandIo): void {
  if (!isTerminal(io) || !showPaged(text, io)) io.stdout.write(text);
}

function showPaged(text: Shown, { env, cwd }: CommandIo): boolean {
  const named = env.PAGER ?? 'less -R';
  if (named.trim() === '' || named === 'cat') return false;
  const { status, error } = spawnSync('/bin/sh', ['-c', named], {
    input: text,
    cwd,
    // -F: a text that fits is printed; -X: it stays when the pager ends.
    env: { ...env, LESS: env.LESS ?? 'FRX' },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // A pager that is closed early breaks the pipe, which is no failure. 127: there is no such program.
  const isCut = (error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';
  return (error === undefined || isCut) && status !== 127;
}
