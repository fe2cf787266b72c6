/**
 * A copy of the sources with the trainer that docs/contributing.md shows: a folder, a line of the registry, and a line of the table of
 * keys. Everything else follows, and it trains.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { SourcesWith } from '../rig/contributing.ts';
import { Project } from '../rig/project.ts';
import { redTests } from '../rig/sources.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const PAGE = 'A new trainer';
/** What the project trains with before it uses the new trainer. */
const COMMAND = `type: command, command: 'cp "$PROMPT_DATA" "$OUTPUT_DIR/model"'`;
/** What `npm run build` writes. */
const GENERATED = [
  'docs/reference.md',
  'docs/trainers.md',
  'schemas/editor.schema.json',
  'schemas/generated/project.ts',
  'schemas/generated/validate.js',
  'schemas/project.schema.json',
];

describe('the trainer of the page', () => {
  let sources: SourcesWith;
  let project: Project;
  const planOf = async (...set: string[]) => {
    const words = set.flatMap((one) => ['--set', one]);
    const plan = await project.run('plan', 'p.yaml', 'sft-train', '--json', ...words);
    return (JSON.parse(plan.stdout) as { stages: Record<string, unknown>[] }).stages.at(-1)!;
  };

  beforeAll(() => {
    sources = new SourcesWith(PAGE);
    const { folder } = trainingProject();
    project = new Project(folder, {}, sources.root);
  });

  test('touches its folder, the registry, the table of keys and what is generated', () => {
    expect(sources.changed()).toEqual(
      ['test/contract/leaves.ts', 'trainers/registry.ts', 'trainers/unigram/trainer.ts', ...GENERATED].sort(),
    );
  });

  test('has the right types', () => {
    expect(sources.typeErrors('trainers', 'stages', 'compiler')).toBe('');
  });

  test('is in the schema, the types, the reference and the page of trainers', () => {
    expect(sources.read('schemas/project.schema.json')).toMatch(/"verl",\s*"unigram",\s*"command"/);
    expect(sources.read('schemas/generated/project.ts')).toContain('words: number;');
    expect(sources.read('docs/reference.md')).toContain('Words that the model knows. For unigram.');
    expect(sources.read('docs/trainers.md')).toContain('`verl`, `unigram`, `command`');
  });

  test('what others train keeps its key', async () => {
    const old = new Project(project.folder, {}, packageRoot());
    expect(await old.build('p.yaml', 'sft-train')).toMatchObject({ code: 0, executed: 1 });
    expect(await project.build('p.yaml', 'sft-train')).toMatchObject({ code: 0, executed: 0 });
  });

  test('has its key alone, and other trainers do not have it', async () => {
    const check = async (type: string, key: string) => {
      const yaml = readFileSync(project.path('p.yaml'), 'utf8');
      const text = yaml.replace(COMMAND, `type: ${type}, ${key}`);
      writeFileSync(project.path('wrong.yaml'), text);
      return project.run('check', 'wrong.yaml');
    };
    expect(await check('unigram', 'words: 3')).toMatchObject({ code: 0 });
    expect((await check('trl', 'words: 3')).stderr).toMatch(
      /^wrong\.yaml:\d+:\d+ +E103 +TRL has no key "words"[\s\S]*use type: unigram; TRL has type, golden/m,
    );
    expect((await check('unigram', 'epochs: 3')).stderr).toContain('unigram has no key "epochs"');
    expect((await check('unigram', 'words: 0')).stderr).toContain('words');
  });

  test('trains, keeps the checkpoint, and trains again for another value of its key', async () => {
    const yaml = readFileSync(project.path('p.yaml'), 'utf8');
    const text = yaml.replace(COMMAND, 'type: unigram, words: 2');
    writeFileSync(project.path('p.yaml'), text);
    expect(await project.build('p.yaml', 'sft-train')).toMatchObject({ code: 0, executed: 1 });
    const [folder] = readdirSync(project.path('out/tiny')).filter((name) => name.startsWith('sft-train.'));
    const metrics = readFileSync(project.path(`out/tiny/${folder}/metrics.json`), 'utf8');
    expect(metrics).toMatch(/"words": 2/);
    expect(await project.build('p.yaml', 'sft-train')).toMatchObject({ executed: 0 });
    expect(await planOf('trainer.sft.words=5')).toMatchObject({ stale: 1 });
  });

  test('agrees with what other tests expect', () => {
    expect(redTests(sources.root, 'test/trainers/golden', 'test/contract/leaves')).toBe('');
  });

  test('is settled in the ledger by the command of the page', () => {
    expect(sources.unsettled()).toBe('');
  });
});

/** A project that trains on conversations of its own. */
function trainingProject(): Project {
  const { folder } = tinyProject({ instances: 1, isCold: true });
  const project = new Project(folder);
  mkdirSync(project.path('base'));
  writeFileSync(project.path('base/config.json'), '{}');
  const messages = [
    { role: 'user', content: 'one two two' },
    { role: 'assistant', content: 'two' },
  ];
  writeFileSync(project.path('sft.jsonl'), `${JSON.stringify({ messages })}\n`);
  const keys = 'deployment: gpu, model: { path: base }, data: { source: sft.jsonl }';
  const yaml = readFileSync(project.path('p.yaml'), 'utf8');
  writeFileSync(project.path('p.yaml'), yaml.replace(/^deployments:\n/m, '$&  gpu: { type: process }\n'));
  appendFileSync(project.path('p.yaml'), `trainer: { sft: { ${keys}, ${COMMAND} } }\n`);
  return project;
}
