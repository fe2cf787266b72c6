/** What a file of ours that cannot be written or read means: the task's own limit, or a fault and no answer. */
import { describe, expect, test } from 'vitest';
import { fileFault } from '../../executors/helper-fault.ts';
import { infra } from '../../schemas/outcome.ts';

describe('a file of ours that cannot be written', () => {
  test('for a workspace that is full met a limit of the task', () => {
    const full = { status: 'refused', reason: 'full', detail: 'write /x: No space left on device' } as const;
    expect(fileFault('applying it', full)).toEqual({
      status: 'failed',
      reason: 'workspace-killed',
      detail: 'applying it met a limit: write /x: No space left on device',
    });
  });

  test('for what lies in its place is a fault', () => {
    const place = { status: 'refused', reason: 'place', detail: 'write /x: Is a directory' } as const;
    expect(fileFault('applying it', place)).toEqual(infra('helper', 'applying it: write /x: Is a directory'));
  });

  test('for a workspace that is gone is what ended it', () => {
    const own = { status: 'failed', reason: 'workspace-killed', detail: 'out of memory' } as const;
    for (const lost of [infra('killed', 'ended'), own]) expect(fileFault('applying it', lost)).toBe(lost);
  });
});
