/** What a command may touch of the process that runs it, handed in so that tests can look at it. */

import type { Shown } from './shown.ts';

/** A stream that people may read on a terminal; see `shown.ts`. */
export interface Output {
  write(text: Shown): unknown;
  readonly isTTY?: boolean | undefined;
  /** Width of a terminal. */
  columns?: number | undefined;
}

export interface CommandIo {
  stdout: Output;
  stderr: Output;
  env: NodeJS.ProcessEnv;
  /** Relative paths of arguments start here. */
  cwd: string;
  /** The time, milliseconds since 1970; absent: that of the machine. */
  now?: () => number;
  /** The streams are a terminal. */
  isTTY: boolean;
  /** Sends a command to GitHub's runner; absent elsewhere. */
  annotate?: (annotation: Shown) => unknown;
  /** Asks the user at the terminal; absent without one. Null: the user wants to leave. */
  ask?: (question: Shown) => Promise<string | null>;
}
