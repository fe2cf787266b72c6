/** Events for an open page, as server-sent events: that the run continued, with its state, and that data changed. */
import type { Change } from './live-project.ts';

export interface ChangeSource {
  /** Gives a function that ends it. */
  onChange(listener: (change: Change) => void): () => void;
  /** How often data changed. */
  changes(): number;
  /** The state of the run, as JSON. */
  run(): string;
}

/** Milliseconds in which changes are collected. */
const PAUSE_MS = 250;
/** Milliseconds between two messages of a stream, so that it does not look broken. */
const BEAT_MS = 15_000;

/**
 * Both are said at the beginning, so that a page that was cut off learns what it missed. While a page reads nothing, nothing is
 * stored for it.
 */
export function changeStream(source: ChangeSource): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const open = { run: true, data: true };
  let timer: NodeJS.Timeout | null = null;
  let end = (): void => undefined;
  const send = (stream: ReadableStreamDefaultController<Uint8Array>, text: string): void => {
    if ((stream.desiredSize ?? 0) > 0) stream.enqueue(encoder.encode(text));
  };
  const flush = (stream: ReadableStreamDefaultController<Uint8Array>): void => {
    timer = null;
    if ((stream.desiredSize ?? 0) <= 0 || !(open.run || open.data)) return;
    const run = open.run ? `event: run\ndata: ${source.run()}\n\n` : '';
    const data = open.data ? `event: data\ndata: ${source.changes()}\n\n` : '';
    open.run = false;
    open.data = false;
    send(stream, run + data);
  };
  return new ReadableStream({
    start(stream) {
      const stop = source.onChange((change) => {
        open[change] = true;
        timer ??= setTimeout(flush, PAUSE_MS, stream);
      });
      const beat = setInterval(send, BEAT_MS, stream, ': here\n\n');
      beat.unref();
      end = () => {
        stop();
        clearInterval(beat);
        if (timer !== null) clearTimeout(timer);
      };
    },
    pull(stream) {
      if (timer === null) flush(stream);
    },
    cancel: () => end(),
  });
}
