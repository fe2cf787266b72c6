/** Errors that only a mistake in swemake's own code can cause, so that no machine and no service is blamed for them. */
import { AssertionError } from 'node:assert';

/** What the language throws at wrong code. Errors of the operating system have other classes. */
const CLASSES = [TypeError, ReferenceError, RangeError, AssertionError];

/** The mistake in an error or in one of its causes; null for anything else. */
export function bugOf(error: unknown): Error | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    // undici's and Node's own fetch throw a TypeError around what really happened.
    const isWrapper = at.cause instanceof Error;
    if (!isWrapper && CLASSES.some((one) => at instanceof one)) return at;
  }
  return null;
}

/** As part of a sentence. */
export function bugText({ name, message }: Error): string {
  return `a bug in swemake: ${name}: ${message}`;
}

/** Where it happened, for a log. */
export function bugTrace(bug: Error): string {
  return `this is a bug in swemake; please report it with these lines\n${bug.stack ?? bug.message}\n`;
}
