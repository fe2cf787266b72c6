/** Exit codes that mean that a program was killed. */

/** Exit codes by which a shell reports a killed command: 128 and the number of SIGKILL or SIGTERM. */
const ENDED: readonly (number | null)[] = [137, 143];

export function isKilled(exitCode: number | null): boolean {
  return ENDED.includes(exitCode);
}
