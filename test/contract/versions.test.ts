/** People whose answers are made again because swemake changed read what is different, from the ledger. */
import { describe, expect, test } from 'vitest';
import { planText } from '../../cli/plan-table.ts';
import { explanationText } from '../../cli/why-text.ts';
import { versionChangeIn, versionReasons } from '../../contract/versions.ts';
import { explain, type KnownItems } from '../../engine/explain.ts';

const LEDGER = [
  { published: 'x', versions: { grade: 5 } },
  { unit: 'grade', version: 6, reason: 'one' },
  { unit: 'validate', version: 6, reason: 'other' },
  { unit: 'grade', version: 7, reason: 'two' },
  { unit: 'grade', version: 7, reason: 'three' },
  { module: 'a.ts', code: '12' },
];
/** The forged reward that versions before 7 may have cached. */
const FORGED = /^commands before the tests .* cannot rewrite the witness, which was rewarded/;

test('the reasons of all versions that lie between', () => {
  const text = `${LEDGER.map((line) => JSON.stringify(line)).join('\n')}\n`;
  expect(versionReasons('grade', 5, 7, text)).toEqual(['one', 'two', 'three']);
  expect(versionReasons('grade', 6, 7, text)).toEqual(['two', 'three']);
  expect(versionReasons('grade', 7, 6, text)).toEqual([]);
  expect(versionReasons('filter', 0, 9, text)).toEqual([]);
});

test('the ledger of this version has those of grade and validate', () => {
  expect(versionReasons('grade', 6, 7)).toContainEqual(expect.stringMatching(FORGED));
  expect(versionReasons('validate', 8, 9)).toContainEqual(expect.stringMatching(FORGED));
  expect(versionChangeIn('changed: patch')).toBeNull();
});

describe('they are told', () => {
  test('by plan, once below the table', () => {
    const row = { items: 3, fresh: 0, stale: 3, new: 0, possible: 0 };
    const text = planText(
      [
        {
          ...row,
          stage: 'grade.train',
          why: '2 swemake changed: grade 6 → 7; 1 swemake changed: grade 6 → 7, changed: patch',
        },
        { ...row, stage: 'grade.eval', why: 'swemake changed: grade 6 → 7' },
      ],
      { known: null, never: [] },
    );
    expect(text.match(/^swemake changed: grade 6 → 7: .*$/gm)).toHaveLength(1);
    expect(text).toMatch(/^swemake changed: grade 6 → 7: .*which was rewarded/m);
  });

  test('by why, with what else changed', async () => {
    const preimage = (version: number, patch: string) => ({
      domain: 'item' as const,
      stage: 'grade',
      version,
      parts: { patch: { value: patch } },
    });
    const record = { outcome: { status: 'ok' }, run: 'r', startedAt: 0, durationMs: 1 };
    const known = (patch: string) =>
      ({
        now: () => ({ kind: 'would-run', preimage: preimage(7, patch) }),
        answers: () => [{ key: 'k', preimage: preimage(6, 'a'), record }],
      }) as unknown as KnownItems;
    const place = { address: 'grade.train', item: 'a#0' };
    const told = async (patch: string) =>
      explanationText({ ...(await explain(place, known(patch))), lastFault: null, notFound: [] } as never);
    expect(await told('a')).toMatch(/^stale: swemake changed$/m);
    expect(await told('a')).toMatch(/^ {2}swemake changed: grade 6 → 7 +\+ .*/m);
    expect(await told('a')).toContain('which was rewarded');
    expect(await told('b')).toMatch(/^stale: swemake and its patch changed$/m);
  });
});
