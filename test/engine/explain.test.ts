/** Differences of values as `why` marks them. */
import { describe, expect, test } from 'vitest';
import { explain, type KnownItems, type Now } from '../../engine/explain.ts';
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

describe('what changed', () => {
  const answer = (key: string, run: string, startedAt: number, patch: string, environment: string) =>
    ({
      key,
      preimage: {
        domain: 'item',
        stage: 'grade',
        version: 1,
        parts: { patch: { value: patch }, environment: { digest: environment } },
      },
      record: { outcome: { status: 'ok' }, run, startedAt, durationMs: 1, digest: `of ${key}` },
    }) as never;
  const place = { address: 'grade.train', item: 'a#0' };
  const upstream = { address: 'environments.train', item: 'e' };
  const known = (now: Now, answers: never[], above: never[] = []) =>
    ({
      now: ({ address }: { address: string }) =>
        address === upstream.address ? { kind: 'answered', answer: above[0] } : now,
      answers: ({ address }: { address: string }) => (address === upstream.address ? above : answers),
      source: (_: unknown, role: string) => (role === 'environment' ? upstream : null),
      describe: () => Promise.resolve(null),
      notes: () => Promise.resolve([]),
    }) as unknown as KnownItems;

  test('is told by the run before, and not by one that came later', async () => {
    // `patch` was one, two, three, and was then set back to two: that answer holds again.
    const [one, two, three] = [
      answer('k1', 'r1', 1, 'one', 'e'),
      answer('k2', 'r2', 2, 'two', 'e'),
      answer('k3', 'r3', 3, 'three', 'e'),
    ] as const;
    const found = await explain(place, known({ kind: 'answered', answer: two }, [two, three, one]));
    expect(found.standing).toBe('fresh');
    expect(found.changes).toMatchObject([{ role: 'patch', lines: [{ before: ['one'], now: ['two'] }] }]);
    expect([found.last?.run, found.lastSuccess?.run]).toEqual(['r2', 'r2']);
  });

  test('is nothing for the first answer, whatever came later', async () => {
    const [one, two] = [answer('k1', 'r1', 1, 'one', 'e'), answer('k2', 'r2', 2, 'two', 'e')] as const;
    const found = await explain(place, known({ kind: 'answered', answer: one }, [two, one]));
    expect(found).toMatchObject({ standing: 'fresh', changes: [], comparedWith: null });
  });

  test('upstream has the time of the answer that was used, and none where it was answered again later', async () => {
    const above = (...startedAt: number[]) => [
      ...startedAt.map((at, index) => answer(`e2.${index}`, `r${at}`, at, 'x', 'y')),
      answer('e1', 'r1', 1, 'w', 'y'),
    ];
    const digests = (answers: never[]) =>
      answers.map((one, index) => {
        const { record } = one as { record: object };
        return {
          ...(one as object),
          record: { ...record, digest: index === answers.length - 1 ? 'old' : 'new' },
        };
      }) as never[];
    const now = answer('k2', 'r5', 5, 'one', 'new');
    const before = answer('k1', 'r2', 2, 'one', 'old');
    const because = async (...startedAt: number[]) =>
      (
        await explain(
          place,
          known({ kind: 'answered', answer: now }, [now, before], digests(above(...startedAt))),
        )
      ).changes[0]?.because;
    expect(await because(4)).toMatchObject({ item: 'environments.train@e', at: 4 });
    expect(await because(9, 4)).toMatchObject({ at: 4 });
    expect(await because(9)).toMatchObject({ at: null });
  });
});
