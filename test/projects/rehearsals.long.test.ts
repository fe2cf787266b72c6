/**
 * Rehearses each project below projects/ that trains by reinforcement, as it is and with `--profile original`, with the code of the originals, and
 * writes what came of it into the table of docs/internal/rehearsals.md. A contradiction is no failure of this test: the table says it.
 *
 * SKYRL_DIR, SWEAGENT_DIR, SLIME_DIR, SWE_RL_DIR, MEGATRON_LM_PATH, MILES_DIR, MILES_EXAMPLE: checkouts, as the projects read them. ACTIVATE: what activates a
 * Python that has the packages of these and of `python/` here. REHEARSALS_ONLY (all): projects, separated by spaces. REHEARSALS_FOLDER: where
 * cache and results stay.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RehearsalResult } from '../../app/rehearsal/rehearse.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { lineOf, rlProjects, writeLine } from './rehearsals-page.ts';

const NEEDED = ['SKYRL_DIR', 'SLIME_DIR', 'SWE_RL_DIR', 'MILES_DIR', 'MILES_EXAMPLE', 'ACTIVATE'];
const missing = NEEDED.filter((name) => process.env[name] === undefined);
if (missing.length > 0) console.log(`skipped: rehearsals of the projects: ${missing.join(', ')} are not set`);

const folder = process.env.REHEARSALS_FOLDER ?? temporaryFolder();
const only = process.env.REHEARSALS_ONLY?.split(' ') ?? rlProjects();
const cases = only.flatMap((project) => ['', 'original'].map((profile) => [project, profile] as const));

test.skipIf(missing.length > 0).each(cases)('%s %s', { timeout: 0 }, (project, profile) => {
  const name = `${project.replaceAll(/\W/g, '-')}-${profile}`;
  const words = [
    ...['rehearse', `projects/${project}`, ...(profile === '' ? [] : ['--profile', profile])],
    ...[
      '--tasks',
      'quickstart',
      '--json',
      '--timeout',
      '6m',
      '--set',
      `cache.folder=${join(folder, 'cache')}`,
    ],
    ...['--set', `out=${join(folder, name)}`],
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/swemake.js', ...words], {
    cwd: packageRoot(),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect([0, 1, 2], stderr).toContain(status);
  const result = stdout === '' ? null : (JSON.parse(stdout) as RehearsalResult);
  const error = /(E\d+ {2}.*)/.exec(stderr)?.[1] ?? '';
  writeLine(lineOf(project, profile, result, error));
});
