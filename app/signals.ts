/** Ctrl-C once: start nothing new and let running actions end. Twice: end them now; they are no answers. */
import type { CommandIo } from './io.ts';

export interface Stop {
  /** No new action is started. */
  drain: AbortSignal;
  /** Running actions are ended. */
  abort: AbortSignal;
  release(): void;
}

export function stopOnSignals(io: CommandIo): Stop {
  const drain = new AbortController();
  const abort = new AbortController();
  const onSignal = (): void => {
    if (drain.signal.aborted) {
      abort.abort();
      return;
    }
    io.stderr.write('stopping: running actions are finished first; once more ends them now\n');
    drain.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    drain: drain.signal,
    abort: abort.signal,
    release: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
