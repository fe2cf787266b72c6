/**
 * The script that runs an instance's tests in a workspace. Its output holds SWE-bench's markers, so any tool of
 * that family reads it, and its own exit code is the test command's. It holds no here-document, so nothing in a
 * command can collide with a delimiter.
 */
import { END_MARKER, EXIT_CODE_MARKER, START_MARKER } from './log.ts';

export interface EvalScriptParts {
  /**
   * Commands before the tests, in the same shell, so that they can set variables. If they fail, the tests still run.
   */
  evalCommands: readonly string[];
  testCommand: string;
}

/** Text for `bash -c`. */
export function evalScript({ evalCommands, testCommand }: EvalScriptParts): string {
  const lines = [
    // One pipe for both outputs. With two, a marker could appear before output of the tests.
    'exec 2>&1',
    // A needless change of the folder would leave OLDPWD behind, which an agent's shell has not.
    '[ "$PWD" = /testbed ] || cd /testbed || exit 97',
    ...evalCommands,
    `echo '${START_MARKER}'`,
    // A subshell: the test command may call exit.
    '(',
    ':',
    testCommand,
    ')',
    'SWEMAKE_TEST_EXIT_CODE=$?',
    // Output may end without a newline.
    'echo',
    `echo '${END_MARKER}'`,
    `echo "${EXIT_CODE_MARKER} $SWEMAKE_TEST_EXIT_CODE"`,
    'exit "$SWEMAKE_TEST_EXIT_CODE"',
  ];
  return `${lines.join('\n')}\n`;
}
