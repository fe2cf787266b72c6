/** Classes and strategies of tests among the code, by unittest, nose2, Hypothesis and two workers of xdist. */
import { LATER_PARTS } from './later-parts.ts';
import { tryLater } from './trials.ts';

await tryLater(LATER_PARTS, [
  'a base of tests among the code',
  'tests by nose2',
  'strategies among the code',
  'by two workers',
]);
