/** How long the tests of an instance may run. */
import type { DatasetConfig } from '../schemas/generated/project.ts';
import { formatNamed } from './registry.ts';

/** Seconds that one run of the tests of an instance may take; `written`: what the project says. */
export function testTimeout(written: number | undefined, format: DatasetConfig['format']): number {
  return written ?? formatNamed(format).testTimeout;
}
