/** Every code that is used is documented, and every documented one is used. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../schemas/package-root.ts';

test('docs/errors.md lists exactly the codes of the compiler', () => {
  const folder = join(packageRoot(), 'compiler');
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const code = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const page = readFileSync(join(packageRoot(), 'docs/errors.md'), 'utf8');
  const used = [...code.matchAll(/'([EW][12]\d\d)'/g)].map((found) => found[1]!);
  const documented = [...page.matchAll(/^\| ([EW]\d+) \|/gm)].map((found) => found[1]!);
  expect(new Set(documented).size).toBe(documented.length);
  expect([...documented].sort()).toEqual([...new Set(used)].sort());
});
