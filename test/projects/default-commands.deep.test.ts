/** What the default profile of each RL project of projects/ gives in place of what `original` gives: docs/internal/seed-commands.md says it all. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { Commands } from './commands.ts';
import { besideDefault } from './seed-page.ts';
import { SYSTEMS } from './seeds.ts';

const page = readFileSync(join(packageRoot(), 'docs/internal/seed-commands.md'), 'utf8');
const commands = new Commands();

describe.each(SYSTEMS)('$repository', (system) => {
  const env = system.env(commands.standIn(system));
  const projects = system.configurations.filter(({ script }) => script !== undefined);

  test.each(projects)('$project', (one) => {
    const unexplained: string[] = [];
    const both = [
      commands.ours(one.project, 'original', env),
      commands.ours(one.project, null, env),
    ] as const;
    expect(page).toContain(besideDefault(one, both, commands, unexplained));
    expect(unexplained).toEqual([]);
  });
});
