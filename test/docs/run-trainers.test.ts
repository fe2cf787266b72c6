/** The table of what was run names tests and programs that are there, for each trainer that there is. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { TRAINERS } from '../../trainers/registry.ts';

const read = (path: string) => readFileSync(join(packageRoot(), path), 'utf8');
const rows = read('docs/internal/tests.md')
  .split('## Which trainers were run')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| trainer'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

test('each file that the table names is there', () => {
  const named = rows.flatMap((cells) =>
    [...cells.join(' ').matchAll(/`((?:test|scripts)\/[^\s`]+)/g)].map(([, path]) => path!),
  );
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((path) => !existsSync(join(packageRoot(), path)))).toEqual([]);
});

test('each trainer that can be rehearsed has a row with the test that does it, and no other has', () => {
  const rehearsed = rows.filter(([, , rehearsal]) => rehearsal !== '');
  const title = (kind: (typeof TRAINERS)[number]) => (kind.name === 'command' ? 'TRL' : kind.title);
  for (const kind of TRAINERS) {
    const own = rehearsed.find(([name]) => name!.startsWith(title(kind)));
    if (kind.rl?.rehearsal === undefined) continue;
    const path = /`(test[^`]+)`/.exec(own?.[2] ?? '')?.[1];
    expect(path, kind.name).toBeDefined();
    const framework = kind.name === 'command' ? 'trl' : kind.name;
    const text = read(path!);
    expect(text.includes(`'${framework}`), `${path} rehearses ${framework}`).toBe(true);
  }
  expect(rehearsed).toHaveLength(TRAINERS.filter(({ rl }) => rl?.rehearsal !== undefined).length);
});

test('no training is told but by a program that does it', () => {
  for (const [name, training] of rows)
    expect(
      training === 'none' || /`(?:scripts\/[\w-]+\.mjs|test\/[\w/.-]+\.test\.ts)/.test(training!),
      name,
    ).toBe(true);
});
