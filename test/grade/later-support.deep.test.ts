/** What stands among the code and helps tests: assertions, comparisons, golden files, cases. */
import { LATER_PARTS } from './later-parts.ts';
import { tryLater } from './trials.ts';

await tryLater(LATER_PARTS, [
  'assertions among the code',
  'comparisons among the code',
  'golden files among the code',
  'cases among the code',
  'variables that tests ask for',
]);
