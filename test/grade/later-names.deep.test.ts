/** Classes and constants of the code under test, which its tests compare with; single answers; functions that tests call for both sides. */
import { LATER_VALUES } from './later-values.ts';
import { tryLater } from './trials.ts';

await tryLater(LATER_VALUES, [
  'errors that are raised',
  'constants that tests compare with',
  'constants, by unittest',
  'names for what tests ask',
  'one answer',
  'both sides by one function',
]);
