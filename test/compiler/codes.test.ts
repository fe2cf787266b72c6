/** Every code that is used is documented, and every documented one is used. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { INFRA_REASONS, infra } from '../../schemas/outcome.ts';

test('docs/errors.md lists exactly the codes of the compiler and the commands', () => {
  const code = sourceOf('compiler');
  const page = readFileSync(join(packageRoot(), 'docs/errors.md'), 'utf8');
  const checked = [...code.matchAll(/'([EW][12]\d\d)'/g)].map((found) => found[1]!);
  const used = [
    ...checked,
    ...(`${sourceOf('cli')}${sourceOf('app/rehearsal')}`.match(/\bE(?:00\d|999)\b/g) ?? []),
  ];
  const documented = [...page.matchAll(/^\| ([EW]\d+) \|/gm)].map((found) => found[1]!);
  expect(new Set(documented).size).toBe(documented.length);
  expect([...documented].sort()).toEqual([...new Set(used)].sort());
});

test('docs/errors.md lists every end without an answer', () => {
  const page = readFileSync(join(packageRoot(), 'docs/errors.md'), 'utf8');
  const documented = [...page.matchAll(/^\| `(infra|config|stopped) ([a-z-]+)` \|/gm)];
  const ends = INFRA_REASONS.map((reason) => `${infra(reason, '').status} ${reason}`);
  expect(documented.map(([, status, reason]) => `${status} ${reason}`).sort()).toEqual([...ends].sort());
});

function sourceOf(name: string): string {
  const folder = join(packageRoot(), name);
  const sources = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  return sources.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}
