/** A fault that comes again in every build says so at the third, and what would end it: `accept --as failed` is one way. */
import { expect, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import type { BuildResult, Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const LONG = 240_000;

type Built = BuildResult & { adopted: string[]; warnings: string[] };
const build = (project: Project, ...targets: string[]) =>
  commandJson<Built>(project, 'build', 'p.yaml', ...targets);
const again = ({ warnings }: Built) => warnings.filter((text) => text.includes('builds in a row'));

/** A package that no host has: a fault at once, in each build. */
const RECIPE = '      system: [swemake-no-such-package]\n';

test('it is told at the third build, and can be counted as failed', { timeout: LONG }, async () => {
  const project = tinyProject({ instances: 2, recipe: RECIPE });
  const accept = (...args: string[]) => command(project, 'accept', ...args);
  for (const _ of [1, 2]) expect(again(await build(project))).toEqual([]);
  const third = await build(project);
  expect(third.outcomes).toMatchObject({ infra: 3 });
  const [told] = again(third);
  const item = /^(environments\.train@\S+) ended with tool-missing in 3 builds in a row or more/.exec(
    told!,
  )![1]!;
  expect(told).toContain(`\nswemake accept --as failed '${item}'`);
  expect(again(third)).toHaveLength(1);
  const shown = await command(project, 'build', 'p.yaml');
  expect(shown.stdout).toContain(`warning: ${item} ended with tool-missing`);

  // Where it would make a reward or a sample, or where nothing is known, it is refused.
  const wrong = await accept('--as', 'ok', item);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('nothing can be accepted as "ok"')]);

  const taken = await accept('--as', 'failed', item);
  expect([taken.stderr, taken.stdout]).toEqual(['', `accepted ${item} (failed)\n`]);
  const after = await build(project);
  expect(after.adopted).toEqual([item]);
  expect(again(after)).toEqual([]);
  // The environment, and the two instances that would use it; nothing is rewarded.
  expect(after.outcomes).toMatchObject({ failed: 3, infra: 0 });
  const [warning] = after.warnings.filter((text) => text.startsWith(item));
  expect(warning).toMatch(
    /was counted as failed by hand: counted as failed by hand after infra tool-missing: /,
  );
  expect((await command(project, 'why', item)).stdout).toMatch(/failed given-up.*adopted/s);
  expect(await build(project)).toMatchObject({ executed: 0 });
  // A build that is asked for tries it again.
  expect(await build(project, '--force', item)).toMatchObject({ adopted: [] });
});

test('an answer elsewhere than of environments and validations is not given up', {
  timeout: LONG,
}, async () => {
  const project = tinyProject({ instances: 1 });
  const refused = await command(project, 'accept', '--as', 'failed', 'dataset.train', '--project', 'p.yaml');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    'only items of environments, discover and validate can be counted as failed',
  );
  await build(project, 'environments');
  const fresh = await command(project, 'accept', '--as', 'failed', 'validate.train@tiny.0');
  expect(fresh.stderr).toContain('its last build did not end with a fault');
});
