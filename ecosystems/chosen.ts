/** The part of a command that chooses tests. Empty, so that all tests run, where it is too long: Linux refuses an argument of 128 KiB. */
export function chosenIf(argument: string): string {
  return Buffer.byteLength(argument) < MOST ? argument : '';
}

const MOST = 100_000;
