/**
 * Ctrl-C once: start nothing new and let running actions end. Twice: end them now; they are no answers. SIGTERM ends
 * them at once: SIGKILL follows it soon, and would leave what they started. Where all that runs can be repeated, as when
 * rows are measured, Ctrl-C also ends it at once.
 */
import type { CommandIo } from './io.ts';
import { shown } from './shown.ts';

export interface Stop {
  /** No new action is started. */
  drain: AbortSignal;
  /** Running actions are ended. */
  abort: AbortSignal;
  /** Called at once when the user stops the run, in place of a plain line. */
  onStopping(tell: () => void): void;
  release(): void;
}

/** `endsAtOnce`: what is said when the first signal ends what runs. Absent: the first Ctrl-C lets it end by itself. */
export function stopOnSignals(io: CommandIo, endsAtOnce: string | null = null): Stop {
  const drain = new AbortController();
  const abort = new AbortController();
  let tell = (): void => {
    io.stderr.write(shown('stopping: running actions are finished first; once more ends them now\n'));
  };
  const endNow = (): void => {
    if (!abort.signal.aborted)
      io.stderr.write(shown(`${endsAtOnce ?? 'ending what runs; nothing of it is kept'}\n`));
    drain.abort();
    abort.abort();
  };
  const onInterrupt = (): void => {
    if (drain.signal.aborted || endsAtOnce !== null) {
      endNow();
      return;
    }
    tell();
    drain.abort();
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', endNow);
  return {
    drain: drain.signal,
    abort: abort.signal,
    onStopping: (listener) => {
      tell = listener;
    },
    release: () => {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', endNow);
    },
  };
}
