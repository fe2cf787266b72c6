import { afterAll } from 'vitest';
import { end } from './at-end.ts';

// Hooks run last first, so what a test file itself stops at its end is stopped by then.
// A busy disk takes its time.
afterAll(end, 600_000);
