/**
 * One item that only comes to faults does not keep the results of the others from people: they are written beside, with the
 * fault's name, and never in the place or under the key of a complete set.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command, commandJson } from '../rig/command.ts';
import type { BuildResult, Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const INSTANCES = 9;
const STUCK = 'tiny.7';
/** A package that no host has: a fault at once, in each build. */
const RECIPE = `    - match: { instance: "${STUCK}" }\n      system: [swemake-no-such-package]\n`;

type Built = BuildResult & { warnings: string[]; incomplete: { stage: string; missing: number }[] };
const build = (project: Project) => commandJson<Built>(project, 'build', 'p.yaml');

/** The patches are gold's, so each instance with a verdict is resolved. */
function withPredictions(project: Project): string {
  const rows = lines(project, 'rows.jsonl');
  const gold = ({ instance_id, patch }: Record<string, unknown>) => ({
    instance_id,
    model_patch: reversed(String(patch)),
    model_name_or_path: 'gold',
  });
  writeFileSync(project.path('gold.json'), JSON.stringify(rows.map(gold)));
  const text = `${readFileSync(project.path('p.yaml'), 'utf8')}evaluation:
  dataset: train
  deployment: box
  predictions: { gold: [gold.json] }
`;
  writeFileSync(project.path('p.yaml'), text);
  return text;
}

/** The solution: a bug's diff has one line less and one more. */
const reversed = (diff: string): string => diff.replace(/^-(VALUE.*)\n\+(VALUE.*)$/m, '-$2\n+$1');

const lines = (project: Project, path: string): Record<string, unknown>[] =>
  readFileSync(project.path(path), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const json = (project: Project, path: string) => JSON.parse(readFileSync(project.path(path), 'utf8'));

test('all but one are written apart, with the name and the fault of the missing one', {
  timeout: 240_000,
}, async () => {
  const project = tinyProject({ instances: INSTANCES });
  const whole = withPredictions(project);
  writeFileSync(project.path('p.yaml'), whole.replace('  recipes:\n', `  recipes:\n${RECIPE}`));
  const stuck = await build(project);
  expect(stuck.outcomes.infra).toBeGreaterThan(0);
  expect(stuck.incomplete.map(({ stage }) => stage)).toEqual(['filter.train', 'evaluate.train']);
  expect(stuck.warnings.join('\n')).toContain(
    'results of the others are in out/tiny/incomplete/filter.train; build again',
  );

  // The places of complete sets are empty, so no script takes this one for all.
  for (const stage of ['filter.train', 'evaluate.train'])
    expect(existsSync(project.path(`out/tiny/${stage}`))).toBe(false);
  const others = Array.from({ length: INSTANCES }, (_, at) => `tiny.${at}`).filter((id) => id !== STUCK);
  const passed = lines(project, 'out/tiny/incomplete/filter.train/passed.jsonl');
  expect(passed.map((row) => row.instance_id)).toEqual(others);
  const { incomplete, missing } = json(project, 'out/tiny/incomplete/filter.train/missing.json');
  expect(incomplete).toBe(true);
  expect(missing).toEqual([
    expect.objectContaining({ item: expect.stringMatching(/^environments\.train@/), reason: 'tool-missing' }),
    expect.objectContaining({ item: `validate.train@${STUCK}`, status: 'infra', reason: 'upstream-infra' }),
  ]);

  // The fault is no verdict: neither resolved nor unresolved.
  const folder = 'out/tiny/incomplete/evaluate.train';
  const report = json(project, `${folder}/gold/report.json`);
  expect(report).toMatchObject({
    resolved_ids: [...others].sort(),
    unresolved_ids: [],
    infra_failure_ids: [STUCK],
  });
  const results = lines(project, `${folder}/gold/results.jsonl`);
  expect(results.map((line) => [line.instance_id, line.resolved])).toEqual(
    [...others].sort().map((id) => [id, true]),
  );
  const item = `grade.train@${STUCK}#gold`;
  expect(json(project, `${folder}/missing.json`).missing).toContainEqual(expect.objectContaining({ item }));

  // No fault is kept: the next build tries it again, and nothing else.
  const again = await build(project);
  expect(again.incomplete).toEqual(stuck.incomplete);
  expect((await command(project, 'build', 'p.yaml')).code).toBe(3);

  // When it has an answer, the complete set is made, and the other one goes away.
  writeFileSync(project.path('p.yaml'), whole);
  expect(await build(project)).toMatchObject({ incomplete: [], outcomes: { infra: 0 } });
  expect(lines(project, 'out/tiny/filter.train/passed.jsonl')).toHaveLength(INSTANCES);
  expect(json(project, 'out/tiny/evaluate.train/gold/report.json').resolved_ids).toHaveLength(INSTANCES);
  expect(existsSync(project.path('out/tiny/incomplete'))).toBe(false);

  // A fault that comes later leaves the complete set as it is.
  const before = readFileSync(project.path('out/tiny/filter.train/passed.jsonl'));
  writeFileSync(project.path('p.yaml'), whole.replace('  recipes:\n', `  recipes:\n${RECIPE}`));
  await build(project);
  expect(readFileSync(project.path('out/tiny/filter.train/passed.jsonl'))).toEqual(before);
  expect(lines(project, 'out/tiny/incomplete/filter.train/passed.jsonl')).toHaveLength(INSTANCES - 1);
});
