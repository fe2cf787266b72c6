/** Validates the rows of a project in `p.yaml`, and says in a few words what came of them. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Outcome } from '../../schemas/outcome.ts';
import { answersIn } from '../rig/answers.ts';
import type { Project } from '../rig/project.ts';

/** Outcome of each row, and the room that their environments take. */
export interface Judged {
  ok: number;
  /** Rows that are not `ok`, each with its reason; '' where all are. */
  why: string;
  mebibytes: number;
}

interface DatasetProject {
  /** The dataset. */
  rows: object;
  /** Folder of a cache that is kept; else the project has its own. */
  cache?: string | undefined;
  /** Hosts that builds may ask beside indexes of packages. */
  hosts?: readonly string[];
}

/** Writes a project that has the recipes of `recipes.yaml` and validates in a sandbox, without a network. */
export function datasetProject(project: Project, { rows, cache, hosts = [] }: DatasetProject): void {
  const made = {
    ...{ version: 1, name: 'dataset-environments', extends: 'recipes.yaml' },
    dataset: { rows },
    deployments: { box: { type: 'sandbox', network: { build: 'proxy', grade: 'off' }, allow_hosts: hosts } },
    validation: { deployment: 'box', gold_runs: 1, timeout: '15m' },
    ...(cache === undefined ? {} : { cache: { folder: cache } }),
  };
  writeFileSync(project.path('p.yaml'), JSON.stringify(made));
}

/** True when the repository in `clone` has it. */
export function hasCommit(clone: string, commit: string): boolean {
  return spawnSync('git', ['-C', clone, 'cat-file', '-e', `${commit}^{commit}`]).status === 0;
}

/** Builds `p.yaml` up to the verdicts. A fault throws, since it is no answer. */
export async function judged(project: Project): Promise<Judged> {
  const { code, outcomes } = await project.build('p.yaml', 'filter');
  if ((outcomes.infra ?? 0) > 0)
    throw new Error(
      `${outcomes.infra} items have no answer\n${(await project.run('build', 'p.yaml', 'filter')).stdout}`,
    );
  if (code !== 0 && code !== 1) throw new Error(`build ended with ${code}`);
  const plan = await project.run('plan', 'p.yaml', 'filter', '--disk', '--json');
  const { disk } = JSON.parse(plan.stdout) as { disk: { unshared: number } };
  const rows = await verdicts(project);
  const bad = [...rows].filter(([, { status }]) => status !== 'ok');
  return {
    ok: rows.size - bad.length,
    why: bad.map(([name, outcome]) => `${name}: ${saying(outcome)}`).join('; '),
    mebibytes: Math.round(disk.unshared / 2 ** 20),
  };
}

/** The verdict of each row of the last build; those of other projects in the same cache are left out. */
export async function verdicts(project: Project): Promise<Map<string, Outcome>> {
  const names = readFileSync(project.path('rows.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { instance_id: string }).instance_id);
  const answers = await answersIn(cacheOf(project));
  return new Map(
    names.map((name) => {
      const answer = answers.get(`dataset-environments/validate.rows@${name}`);
      if (answer === undefined) throw new Error(`${name} has no verdict`);
      return [name, answer.outcome];
    }),
  );
}

function cacheOf(project: Project): string {
  const { cache } = JSON.parse(readFileSync(project.path('p.yaml'), 'utf8')) as {
    cache?: { folder: string };
  };
  return cache?.folder ?? project.path('.swemake');
}

/** Outcome and reason, and the beginning of what it says. */
function saying(outcome: Outcome): string {
  if (outcome.status === 'ok') return 'ok';
  const said = outcome.detail.split('\n')[0]!;
  return `${outcome.reason} (${said.length > 160 ? `${said.slice(0, 160)}…` : said})`;
}
