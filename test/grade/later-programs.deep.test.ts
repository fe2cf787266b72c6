/** Programs, asynchronous handlers, sites of Django, logs, steps of behave and docstrings. */
import { LATER_PARTS } from './later-parts.ts';
import { tryLater } from './trials.ts';

await tryLater(LATER_PARTS, [
  'handlers that are awaited',
  'a program that tests start',
  'a site of Django',
  'warnings and logs',
  'steps of behave',
  'examples of docstrings',
]);
