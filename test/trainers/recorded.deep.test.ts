/**
 * A build that is killed between the end of a training and its record, while the checkpoint is copied into the cache and
 * after it: the next build ends with the checkpoint of an undisturbed one, and no step is trained twice.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { FaultPoint } from '../../basics/fault-point.ts';
import { Project } from '../rig/project.ts';

const LONG = 120_000;

/** A step each, unless it was made before. */
const TRAINER = `cd "$PROJECT"
echo start >> starts
for step in 1 2; do
  [ -e "$OUTPUT_DIR/.step$step" ] && continue
  echo $step >> steps
  touch "$OUTPUT_DIR/.step$step"
done
head -c 100000 /dev/zero > "$OUTPUT_DIR/model"
cat "$PROMPT_DATA" > "$OUTPUT_DIR/data"
`;

function training(env: Record<string, string> = {}): Project {
  const project = new Project(undefined, env);
  mkdirSync(project.path('base'));
  writeFileSync(project.path('base/config.json'), '{}');
  writeFileSync(project.path('train.sh'), TRAINER);
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
  ];
  writeFileSync(project.path('sft.jsonl'), `${JSON.stringify({ messages })}\n`);
  writeFileSync(project.path('rows.jsonl'), '');
  writeFileSync(
    project.path('p.yaml'),
    `version: 1
name: t
dataset: { train: { source: rows.jsonl, format: custom } }
deployments: { box: { type: local }, cpu: { type: process } }
trainer:
  sft: { type: command, deployment: cpu, command: "bash ./train.sh", model: { path: base }, data: { source: sft.jsonl }, env: { PROJECT: "${project.folder}" } }
`,
  );
  return project;
}

const linesOf = (project: Project, name: string) =>
  existsSync(project.path(name)) ? readFileSync(project.path(name), 'utf8').trim().split('\n') : [];

/** Digest of the checkpoint that the training ended with. */
function checkpointOf(project: Project): unknown {
  const trainings = project.path('.swemake/executors/training');
  const [folder] = readdirSync(trainings);
  return JSON.parse(readFileSync(`${trainings}/${folder}/done.json`, 'utf8')).outputs.checkpoint.digest;
}

let undisturbed: unknown;

beforeAll(async () => {
  const project = training();
  expect(await project.build('p.yaml', 'sft-train')).toMatchObject({ code: 0, executed: 1 });
  undisturbed = checkpointOf(project);
}, LONG);

/** Whether the program of the training is started again. */
const CASES: [FaultPoint, boolean][] = [
  ['pool-renamed', true],
  ['manifest-renamed', true],
  ['tree-renamed', true],
  ['record-before', false],
  ['record-after', false],
];

test.each(CASES)('killed at %s', { timeout: LONG }, async (point, again) => {
  const env: Record<string, string> = { SWEMAKE_FAULT: point };
  const project = training(env);
  const killed = await project.run('build', 'p.yaml', 'sft-train');
  expect(killed.code).toBeNull();
  expect(linesOf(project, 'steps')).toEqual(['1', '2']);
  delete env.SWEMAKE_FAULT;
  expect(await project.build('p.yaml', 'sft-train')).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  expect(linesOf(project, 'starts')).toHaveLength(again ? 2 : 1);
  expect(linesOf(project, 'steps')).toEqual(['1', '2']);
  expect(checkpointOf(project)).toBe(undisturbed);
  expect(await project.build('p.yaml', 'sft-train')).toMatchObject({ code: 0, executed: 0 });
});
