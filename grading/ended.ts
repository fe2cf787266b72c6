/** Exit codes that a program cannot give by itself. */

/** As a shell tells that a command of its was ended from outside: 128 and the number of SIGKILL, SIGTERM. */
const ENDED: readonly (number | null)[] = [137, 143];

export function isEndedByForce(exitCode: number | null): boolean {
  return ENDED.includes(exitCode);
}
