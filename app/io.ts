/** What a command may touch of the process that runs it, handed in so that tests can look at it. */

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
  /** The streams are a terminal. */
  isTTY: boolean;
  /** Asks whoever sits at the terminal; absent where nobody does. */
  ask?: (question: string) => Promise<string>;
}
