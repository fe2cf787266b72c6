/** Differences of values as `why` marks them. */
import { describe, expect, test } from 'vitest';
import { differences } from '../../engine/explain-difference.ts';

describe('differences', () => {
  test('name the entry of a list that changed', () => {
    const before = { install: ['a', 'python -m pip install -e .', 'c'], python: '3.11' };
    const now = { install: ['a', 'python -m pip install -e .[test]', 'c'], python: '3.11' };
    expect(differences('recipe', before, now)).toEqual([
      {
        place: 'recipe.install[1]',
        before: ['python -m pip install -e .'],
        now: ['python -m pip install -e .[test]'],
      },
    ]);
  });

  test('of an inserted entry do not touch the later ones', () => {
    expect(differences('list', ['a', 'b', 'c'], ['x', 'a', 'b', 'y', 'c'])).toEqual([
      { place: 'list[0]', before: [], now: ['x'] },
      { place: 'list[3]', before: [], now: ['y'] },
    ]);
  });

  test('of texts are lines, of maps fields, of absent values all of them', () => {
    expect(differences('pip freeze', 'a==1\nb==1\n', 'a==1\nb==2\nc==1\n')).toEqual([
      { place: 'pip freeze', before: ['b==1'], now: ['b==2', 'c==1'] },
    ]);
    expect(differences('limits', { memory: 1 }, { memory: 2, pids: 3 })).toEqual([
      { place: 'limits.memory', before: ['1'], now: ['2'] },
      { place: 'limits.pids', before: [], now: ['3'] },
    ]);
    expect(differences('', { a: { b: null } }, { a: {} })).toEqual([
      { place: 'a.b', before: ['null'], now: [] },
    ]);
    expect(differences('x', 1, 1)).toEqual([]);
  });

  test('of very long lists are what is in one of them only', () => {
    const before = Array.from({ length: 3000 }, (_, index) => `old ${index}`);
    const now = before.map((_, index) => (index % 1000 === 0 ? `old ${index}` : `new ${index}`));
    const [one, ...others] = differences('list', ['same', ...before], ['same', ...now, 'end']);
    expect(others).toEqual([]);
    expect(one).toMatchObject({ place: expect.stringMatching(/^list\[\d+\]$/) });
    expect(one!.before).toHaveLength(2997);
    expect(one!.now).toHaveLength(2998);
  });
});
