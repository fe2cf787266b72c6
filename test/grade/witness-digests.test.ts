/** Digests of the witness's own functions, which stand in places of the runner's: they do not depend on where in the witness they are. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
