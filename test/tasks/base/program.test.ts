/** What a program that makes a root complains about. */
import { expect, test } from 'vitest';
import { makeWith } from '../../../tasks/base/program.ts';

const services = { env: process.env, signal: new AbortController().signal };

test.each([
  [
    'E: the list has expired\nE: apt-get update failed\nI: main\nE: it failed to run',
    'E: the list has expired',
  ],
  ['some text\nfatal: no such image\nbye', 'fatal: no such image'],
])('the reason of %j', async (printed, reason) => {
  const argv = ['sh', '-c', 'printf "%s\\n" "$0" >&2; exit 25', printed] as const;
  const made = await makeWith([...argv], 'apt-get install it', services);
  expect(made).toEqual({
    ok: false,
    fault: { status: 'infra', reason: 'source-fetch', detail: `sh: ${reason}` },
  });
});
