/**
 * Rehearses each project below projects/ that trains by reinforcement, as it is and with `--profile original`, with the code of the originals, and
 * writes what came of it into the table of docs/internal/rehearsals.md. A contradiction is no failure of this test: the table says it.
 *
 * SKYRL_DIR, SWEAGENT_DIR, SLIME_DIR, SWE_RL_DIR, MEGATRON_LM_PATH, MILES_DIR, MILES_EXAMPLE: checkouts, as the projects read them. ACTIVATE: what activates a
 * Python that has the packages of these and of `python/` here. REHEARSALS_ROWS: a folder with NAME.jsonl for each folder of projects/, rows of
 * format mutation whose images or environments the functions of the original find; without it `original` gets the tasks of the quickstart,
 * too. REHEARSALS_ONLY (all): projects, separated by spaces. REHEARSALS_FOLDER: where cache and results stay.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { RehearsalResult } from '../../app/rehearsal/rehearse.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { lineOf, profilesOf, rlProjects, writeLine } from './rehearsals-page.ts';

const NEEDED = ['SKYRL_DIR', 'SLIME_DIR', 'SWE_RL_DIR', 'MILES_DIR', 'MILES_EXAMPLE', 'ACTIVATE'];
const missing = NEEDED.filter((name) => process.env[name] === undefined);
if (missing.length > 0) console.log(`skipped: rehearsals of the projects: ${missing.join(', ')} are not set`);

const folder = process.env.REHEARSALS_FOLDER ?? temporaryFolder();
const only = process.env.REHEARSALS_ONLY?.split(' ') ?? rlProjects();
const cases = only.flatMap((project) => profilesOf(project).map((profile) => [project, profile] as const));

/** Words that choose the tasks. */
function tasksOf(project: string, profile: string): string[] {
  // Its command starts an agent server of the project file, which knows no others.
  if (project.startsWith('chain/')) return ['--tasks', 'project'];
  const rows = join(process.env.REHEARSALS_ROWS ?? '', `${dirname(project)}.jsonl`);
  if (profile === '' || !existsSync(rows)) return ['--tasks', 'quickstart'];
  const dataset = { source: rows, split: 'null', format: 'mutation' };
  // They are validated in a sandbox, wherever the project validates.
  const box = { type: 'sandbox', base: 'null', host: 'null' };
  const sets = [
    ...Object.entries(dataset).map(([key, value]) => `dataset.train.${key}=${value}`),
    ...Object.entries(box).map(([key, value]) => `deployments.box.${key}=${value}`),
  ];
  return ['--tasks', 'project', ...sets.flatMap((one) => ['--set', one])];
}

test.skipIf(missing.length > 0).each(cases)('%s %s', { timeout: 0 }, (project, profile) => {
  const name = `${project.replaceAll(/\W/g, '-')}-${profile}`;
  const words = [
    ...['rehearse', `projects/${project}`, ...(profile === '' ? [] : ['--profile', profile])],
    ...['--json', '--timeout', '8m', '--set', `cache.folder=${join(folder, 'cache')}`],
    ...['--set', `out=${join(folder, name)}`, ...tasksOf(project, profile)],
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
