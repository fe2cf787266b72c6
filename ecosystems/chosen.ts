/** The part of a command that chooses tests; Linux refuses arguments of 128 KiB, so with too many of them all tests are run. */
export function chosenIf(argument: string): string {
  return Buffer.byteLength(argument) < MOST ? argument : '';
}

const MOST = 100_000;
