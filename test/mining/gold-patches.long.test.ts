/**
 * Gold patches are graded as predictions of tasks that nothing has validated, and doubt masks: each has a reward of 1. The tasks are mined from
 * histories. What each repository gives is printed. Needs a package index, minutes for each repository, and
 *
 * GOLD_CLONES: `OWNER/NAME=FOLDER`, separated by spaces; each folder is a clone with its history and tags, bare or not. GOLD_COUNT (5): tasks of
 * each. GOLD_CACHE (a folder of its own): a cache that is kept. GOLD_JOBS (2): actions at the same time.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../schemas/outcome.ts';
import { answersIn } from '../rig/answers.ts';
import { Project } from '../rig/project.ts';

const { GOLD_CLONES, GOLD_COUNT = '5', GOLD_CACHE, GOLD_JOBS = '2' } = process.env;
if (GOLD_CLONES === undefined) console.log('skipped: gold patches: GOLD_CLONES names clones');

interface Row {
  instance_id: string;
  patch: string;
}

/** The outcome of each gold patch of a repository; `ok` is one with a reward of 1. */
async function graded(repo: string, clone: string): Promise<Map<string, Outcome>> {
  const project = new Project();
  const cache = GOLD_CACHE ?? project.path('.swemake');
  const mined = await project.run(
    ...['mine', resolve(clone), '--repo', repo, '--count', GOLD_COUNT, '-j', GOLD_JOBS, '-o', 'rows.jsonl'],
  );
  const rows = linesOf(project, 'rows.jsonl');
  if (rows.length === 0) throw new Error(`${repo}: mine made no row\n${mined.stdout}\n${mined.stderr}`);
  const predictions = rows.map(({ instance_id, patch }) =>
    JSON.stringify({ instance_id, model_name_or_path: 'gold', model_patch: patch }),
  );
  writeFileSync(project.path('gold.jsonl'), `${predictions.join('\n')}\n`);
  const file = {
    ...{ version: 1, name: `gold-${repo.replace('/', '-').toLowerCase()}`, cache: { folder: cache } },
    dataset: {
      eval: { source: 'rows.jsonl', format: 'custom' },
      one: { source: 'rows.jsonl', format: 'custom', select: { sample: 1, seed: 0 } },
    },
    deployments: { box: { type: 'sandbox', network: { build: 'proxy', rollout: 'off', grade: 'off' } } },
    validation: { dataset: 'one', deployment: 'box', timeout: '15m' },
    grading: { suspicion: 'mask' },
    evaluation: { dataset: 'eval', deployment: 'box', predictions: { gold: ['gold.jsonl'] } },
    agent: { type: 'oracle' },
  };
  writeFileSync(project.path('p.yaml'), JSON.stringify(file));
  const end = await project.run('build', 'p.yaml', 'evaluate', '-j', GOLD_JOBS);
  const answers = await answersIn(cache);
  return new Map(
    rows.map(({ instance_id }) => {
      const outcome = answers.get(`${file.name}/grade.eval@${instance_id}#gold`)?.outcome;
      if (outcome === undefined)
        throw new Error(`${instance_id} has no verdict\n${end.stdout}\n${end.stderr}`);
      return [instance_id, outcome];
    }),
  );
}

function linesOf(project: Project, name: string): Row[] {
  return readFileSync(project.path(name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

describe.skipIf(GOLD_CLONES === undefined)('gold patches without validation', { timeout: 0 }, () => {
  test.each(
    (GOLD_CLONES ?? '')
      .split(' ')
      .filter(Boolean)
      .map((one) => one.split('=') as [string, string]),
  )('%s: each is rewarded', async (repo, clone) => {
    const outcomes = await graded(repo, clone);
    const lost = [...outcomes].filter(([, { status }]) => status !== 'ok');
    console.log(`${repo}: ${outcomes.size - lost.length} of ${outcomes.size} rewarded`);
    expect(lost).toEqual([]);
  });
});
