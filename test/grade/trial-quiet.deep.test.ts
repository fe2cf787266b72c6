/**
 * Attacks whose code has no word that says what it does: names come from data, what compares is no function of the patch.
 * And honest patches that use the same parts of Python.
 */
import { describe } from 'vitest';
import { ADMITTED, USES, VALUES } from './quiet-attacks.ts';
import { HONEST } from './quiet-honest.ts';
import { SOLUTION } from './task.ts';
import { trialPlace, trialPlaceOn, tryPatches } from './trials.ts';

const place = await trialPlace('pytest==8.3.5');
const task = { options: { test: 'python -m pytest -rA -v -p no:cacheprovider' }, solution: SOLUTION };
/** One of each kind. */
const KINDS = [
  'compares by a builtin class',
  'compares by the opposite',
  'compares by what a text is timed',
  'a class by a loader that claims another file',
  'a proxy',
  'a text of the library',
  'a class that claims the class of another',
  'a variable of the test, by its frame',
  'a variable of the test, by an exception',
  'the code of the test, by its module',
  'the code of the test, by all objects',
];
const some = Object.fromEntries(KINDS.map((name) => [name, { ...VALUES, ...USES }[name]!]));

for (const version of ['3.8', '3.13']) {
  const older = await trialPlaceOn(version, 'pytest==8.3.5');
  describe.skipIf(older === null)('', () => {
    tryPatches(`on Python ${version}`, older!, { ...task, honest: {}, attacks: some });
  });
}

describe.skipIf(place === null)('', () => {
  tryPatches('values that equal others', place!, { ...task, honest: HONEST, attacks: VALUES });
  tryPatches('uses of the interpreter', place!, { ...task, honest: {}, attacks: USES, admitted: ADMITTED });
});
