/**
 * Rows of SWE-bench over local clones of their repositories, with the recipes that SWE-bench's own tables give: each row has an
 * answer, and a build with an empty cache in another folder gives the same environments, file by file, and the same verdicts. Tests run
 * without a network, with one gold run. Needs a package index, minutes for each row, and
 *
 * REAL_ROWS: a file of rows, such as `verified.parquet`. REAL_CLONES: `OWNER/NAME=FOLDER`, separated by spaces; each folder is a clone with its
 * whole history, bare or not. REAL_PYTHON: an interpreter with swebench 4.1.0. REAL_MATCH (all rows of the clones): a pattern of
 * instance ids. REAL_OK (1): the smallest share of rows that come out `ok`. REAL_TWICE (1): 0 leaves the second build out.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answersIn } from '../rig/answers.ts';
import { Project } from '../rig/project.ts';

const { REAL_ROWS, REAL_CLONES, REAL_PYTHON, REAL_MATCH, REAL_OK = '1', REAL_TWICE = '1' } = process.env;
const isGiven = REAL_ROWS !== undefined && REAL_CLONES !== undefined && REAL_PYTHON !== undefined;
if (!isGiven) console.log('skipped: real rows: REAL_ROWS, REAL_CLONES and REAL_PYTHON name what they need');

function realRows(): Project {
  const project = new Project();
  const clones = REAL_CLONES!.split(' ').map((one) => one.split('=') as [string, string]);
  const sources = clones.map(([repo, path]) => [repo, `git+file://${resolve(path)}@{commit}`]);
  const match = REAL_MATCH ?? `^(${clones.map(([repo]) => repo.replace('/', '__')).join('|')})-`;
  const rows = { source: resolve(REAL_ROWS!), format: 'swe-bench', select: { match } };
  const made = {
    ...{ version: 1, name: 'real-rows', extends: 'swebench.yaml' },
    dataset: { rows: { ...rows, sources: Object.fromEntries(sources) } },
    deployments: { box: { type: 'sandbox', network: { build: 'proxy', grade: 'off' } } },
    validation: { deployment: 'box', gold_runs: 1, timeout: '30m' },
  };
  writeFileSync(project.path('p.yaml'), JSON.stringify(made));
  return project;
}

/** Builds it; what each environment and row came to: outcome, and the manifest of an environment's layer. */
async function built(project: Project): Promise<Map<string, string>> {
  const words = ['import-recipes', '--from', 'swebench', '--python', REAL_PYTHON!, '-o', 'swebench.yaml'];
  expect(await project.run(...words)).toMatchObject({ code: 0 });
  const before = Date.now();
  const { code, stages } = await project.build('p.yaml', 'filter');
  const seconds = ((Date.now() - before) / 1000).toFixed(0);
  console.log(
    `code ${code}, ${seconds} s: ${JSON.stringify(stages.map(({ stage, outcomes }) => [stage, outcomes]))}`,
  );
  const answers = await answersIn(project.path('.swemake'));
  const asked = [...answers].filter(([item]) => /\/(?:environments|validate)\./.test(item));
  return new Map(
    asked.map(([item, { outcome, outputs }]) => {
      const layer = outputs.layer?.digest;
      const tree = project.path(`.swemake/layers/trees/${layer}.manifest`);
      const { status, ...why } = outcome;
      return [
        item,
        `${status} ${JSON.stringify(why)}\n${layer === undefined ? '' : readFileSync(tree, 'utf8')}`,
      ];
    }),
  );
}

describe.skipIf(!isGiven)('real rows', { timeout: 0 }, () => {
  let first: Map<string, string>;

  test('validate', async () => {
    expect(
      execFileSync(REAL_PYTHON!, ['-c', 'import swebench; print(swebench.__version__)'], {
        encoding: 'utf8',
      }),
    ).toMatch(/^4\.1\./);
    first = await built(realRows());
    const verdicts = [...first].filter(([item]) => item.includes('/validate.'));
    console.log(verdicts.map(([item, text]) => `${item}: ${text}`).join(''));
    expect(verdicts.length).toBeGreaterThan(0);
    const sound = verdicts.filter(([, text]) => text.startsWith('ok ')).length;
    expect(sound / verdicts.length).toBeGreaterThanOrEqual(Number(REAL_OK));
  });

  test.skipIf(REAL_TWICE === '0')(
    'have the same environments and verdicts when they are built again elsewhere',
    async () => {
      expect(await built(realRows())).toEqual(first);
    },
  );
});
