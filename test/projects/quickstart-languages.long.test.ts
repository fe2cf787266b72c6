/**
 * The quickstart in Go and JavaScript, as a user builds it. Needs Go's module proxy and npm's registry, which the machine's own settings name;
 * compiles Go's standard library.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { Project } from '../rig/project.ts';

const LONG = 3_600_000;
const hasRegistry = spawnSync('npm', ['view', 'mocha@10.8.2', 'version'], { timeout: 60_000 }).status === 0;
if (!hasRegistry) console.log('skipped: the quickstart of languages: npm reaches no registry');

test.skipIf(!hasRegistry)(
  'all twelve tasks are sound, and the baselines solve all and none',
  { timeout: LONG },
  async () => {
    const project = new Project();
    for (const name of ['quickstart-languages.yaml', 'quickstart-languages.jsonl'])
      copyFileSync(join(packageRoot(), 'projects', name), project.path(name));
    const build = await project.build('quickstart-languages.yaml');
    expect(build).toMatchObject({ code: 0, outcomes: { infra: 0 } });
    const stages = new Map(build.stages.map(({ stage, outcomes }) => [stage, outcomes]));
    expect(stages.get('validate.train')).toMatchObject({ ok: 12, failed: 0, flaky: 0, timeout: 0 });
    // The oracle's twelve and the noop's twelve.
    expect(stages.get('grade.train')).toMatchObject({ ok: 12, failed: 12 });
    expect(await project.build('quickstart-languages.yaml')).toMatchObject({ code: 0, executed: 0 });
  },
);
