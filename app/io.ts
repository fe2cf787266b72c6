/** What a command may touch of the process that runs it, handed in so that tests can look at it. */

import type { RowsAhead } from '../contract/rows-ahead.ts';

export interface Output {
  write(text: string): unknown;
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
  /** Absent where nothing was begun before the command was loaded. */
  rowsAhead?: RowsAhead;
  /** Asks whoever sits at the terminal; absent where nobody does. Null: they want to leave. */
  ask?: (question: string) => Promise<string | null>;
}
