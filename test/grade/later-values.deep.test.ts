/** Rows that are too short, values that come back as they were given, objects that equal others by what stands elsewhere. */
import { LATER_VALUES } from './later-values.ts';
import { tryLater } from './trials.ts';

await tryLater(LATER_VALUES, [
  'less than there should be',
  'loops over constants',
  'there and back',
  'there and back, by unittest',
  'objects that are alike',
]);
