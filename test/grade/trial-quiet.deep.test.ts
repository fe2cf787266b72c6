/**
 * Attacks whose code has no word that says what it does: names come from data, what compares is no function of the patch.
 * And honest patches that use the same parts of Python.
 */
import { describe } from 'vitest';
import { ADMITTED, USES, VALUES } from './quiet-attacks.ts';
import { HONEST } from './quiet-honest.ts';
import { SOLUTION } from './task.ts';
import { trialPlace, tryPatches } from './trials.ts';

const place = await trialPlace('pytest==8.3.5');

describe.skipIf(place === null)('', () => {
  const task = { options: { test: 'python -m pytest -rA -v -p no:cacheprovider' }, solution: SOLUTION };
  tryPatches('values that equal others', place!, { ...task, honest: HONEST, attacks: VALUES });
  tryPatches('uses of the interpreter', place!, { ...task, honest: {}, attacks: USES, admitted: ADMITTED });
});
