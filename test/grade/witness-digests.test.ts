/** Digests of the witness's own functions, which stand in places of the runner's: they do not depend on where in the witness they are. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';

const DIGESTS = readFileSync(join(packageRoot(), 'grading/run/witness/digests.py'), 'utf8');
const FUNCTION = 'def made():\n    def function(*given):\n        return ANSWER\n    return function\n';

/** The digest of a function of the witness, or of another file, with lines before it. */
function digestOf(lines: number, { answer = 'given', isOther = false } = {}): string {
  const text = `${'\n'.repeat(lines)}${FUNCTION.replace('ANSWER', answer)}`;
  const program = [
    'import sys',
    'from hashlib import sha256',
    'names = {"sys": sys, "sha256": sha256}',
    'digests, text, path = sys.argv[1:]',
    'exec(compile(digests, "witness.py", "exec"), names)',
    'exec(compile(text, path, "exec"), names)',
    'print(names["digest_of"](names["made"]().__code__))',
  ].join('\n');
  const argv = ['-c', program, DIGESTS, text, isOther ? 'other.py' : 'witness.py'];
  return execFileSync('python3', argv, { encoding: 'utf8' }).trim();
}

test('a line more before it makes it no other function, and another answer does', () => {
  expect(digestOf(3)).toBe(digestOf(0));
  expect(digestOf(0, { answer: 'None' })).not.toBe(digestOf(0));
});

test('code of other files has its lines', () => {
  expect(digestOf(3, { isOther: true })).not.toBe(digestOf(0, { isOther: true }));
});

/** Gold runs hold digests of these functions, since they stand in places that tests of other packages see. */
const IN_PLACES: Readonly<Record<string, string>> = {
  'failures.py: function': '50292858ea979bb1',
  'operands.py: _hide_test': 'f90d718a83fb1b0e',
  'operands.py: function': 'e07dd94a6c39b319',
  'operands.py: of_source': '0799f81e4e3282d0',
  'operands.py: rewrite_asserts': '9f3b353e85b357de',
  'outcomes.py: part': 'c5588abef06ec075',
  'process.py: run': '1aa228900e7807bf',
};

test('functions in places of the runner are those of the baselines that caches have', () => {
  const folder = join(packageRoot(), 'grading/run/witness');
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.py'))) {
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [, placed] of text.matchAll(/(?<!def )posing\((\w+),/g)) {
      const start = new RegExp(`^( *)def ${placed}\\(`, 'm').exec(text);
      const body = start === null ? '' : text.slice(start.index);
      const end = new RegExp(`\\n {0,${start?.[1]?.length ?? 0}}\\S`).exec(body)?.index ?? body.length;
      const lines = body
        .slice(0, end)
        .split('\n')
        .map((line) => line.trim());
      const code = lines.filter((line) => line !== '' && !line.startsWith('#')).join('\n');
      found[`${name}: ${placed}`] = digestText(code);
    }
  }
  const told = 'raise validate in the ledger where one of them is another one, and write its digest here';
  expect(found, told).toEqual(IN_PLACES);
});

function digestText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
