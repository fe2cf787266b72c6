/** Answers of tests that a patch writes down, and conditions that only hold while tests run. */
import { LATER_VALUES } from './later-values.ts';
import { tryLater } from './trials.ts';

await tryLater(LATER_VALUES, ['answers that are written down']);
