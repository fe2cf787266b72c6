/** The tools that environments begin with are releases that support their Python. */
import { expect, test } from 'vitest';
import { seedsFor, uvSupports } from '../../../tasks/python/pins.ts';

/** The first minor version of Python 3 that a release supports, as its metadata says. */
const SINCE: Record<string, number> = {
  'pip 20.3.4': 5,
  'pip 21.3.1': 6,
  'pip 24.0': 7,
  'pip 25.1.1': 9,
  'pip 25.3': 9,
  'setuptools 50.3.2': 5,
  'setuptools 59.6.0': 6,
  'setuptools 68.0.0': 7,
  'wheel 0.37.1': 5,
  'wheel 0.42.0': 7,
};
/** The last release before one that no longer supports the version. */
const LAST: Record<string, Record<string, string>> = {
  '3.5.10': { pip: '20.3.4', setuptools: '50.3.2', wheel: '0.37.1' },
  '3.6.15': { pip: '21.3.1', setuptools: '59.6.0', wheel: '0.37.1' },
  '3.7.16': { pip: '24.0', setuptools: '68.0.0', wheel: '0.42.0' },
};

test.each(Array.from({ length: 10 }, (_, index) => index + 5))('Python 3.%i', (minor) => {
  for (const [name, version] of Object.entries(seedsFor(`3.${minor}.1`)))
    expect(SINCE[`${name} ${version}`], `${name} ${version}`).toBeLessThanOrEqual(minor);
  expect('setuptools' in seedsFor(`3.${minor}.1`)).toBe(minor < 12);
  expect(uvSupports(`3.${minor}.1`)).toBe(minor >= 8);
});

test.each(Object.entries(LAST))('%s has the last that support it', (version, seeds) => {
  expect(seedsFor(version)).toEqual(seeds);
});

test('versions are compared as numbers, and newer ones have the newest', () => {
  expect(seedsFor('3.10.0')).toEqual(seedsFor('3.9.0'));
  expect(seedsFor('3.14.0')).toEqual({ pip: '25.3' });
  expect(seedsFor('3.20.0')).toEqual(seedsFor('3.14.0'));
});
