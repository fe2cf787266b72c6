/**
 * Starts the generated command as a training would be started, with two differences: `ray` and `python` on its path are ours, so the
 * program of the framework becomes the driver, and its batch is smaller. What else had to be replaced is in `replaced`.
 */

import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { shellWord } from '../../basics/shell.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import { rlOf } from '../../contract/config.ts';
import type { ProcessRunner } from '../../executors/process-runner.ts';
import type { RlConfig } from '../../schemas/generated/project.ts';
import { activationOf } from '../../tasks/training/framework.ts';
import { absolute, startFolder } from '../../tasks/training/paths.ts';
import { SCRIPT, startOf } from '../../tasks/training/script.ts';
import { deploymentGpus } from '../../tasks/training/settings.ts';
import { INHERITED } from '../../tasks/training/train.ts';
import type { Rehearsal } from '../../trainers/rehearsal.ts';
import type { ModelSource, RlJob, RlTrainer, TrainingFiles } from '../../trainers/trainer.ts';
import type { DriverReport } from './driver-report.ts';

export interface LaunchOptions {
  project: ResolvedProject;
  trainer: RlTrainer;
  table: Rehearsal;
  data: TrainingFiles;
  tokenizer: string;
  port: number;
  work: string;
  standIns: boolean;
  processes: ProcessRunner;
  env: NodeJS.ProcessEnv;
  timeout: number;
  signal: AbortSignal;
}

export interface Launched {
  /** null: the command did not come to the framework’s program. */
  report: DriverReport | null;
  output: string;
  exitCode: number | null;
  timedOut: boolean;
  replaced: string[];
  config: RlConfig;
  gpus: number;
  /** The output folder that the command was given. */
  own: string;
  job: RlJob;
}

const DRIVER = join(packageRoot(), 'python/rehearsal');
const GROUPS = 2;
const SAMPLES = 4;
const EVALUATION_ROWS = 2;

export async function launchRehearsal(options: LaunchOptions): Promise<Launched> {
  const { project, trainer, table, work, port, tokenizer } = options;
  const replaced: string[] = [];
  const given = rlOf(project.config);
  const whole = withStandIns(given, options, replaced);
  // A program of its own decides its batch.
  const config = table.options.style === 'own' ? whole : smaller(whole, replaced);
  const gpus = given.gpus ?? deploymentGpus(project.config, 'rl');
  const state = join(work, 'state');
  const shims = join(work, 'bin');
  for (const folder of [state, shims, join(work, 'output')]) mkdirSync(folder, { recursive: true });
  writeShims(shims);
  const place = { projectFolder: project.folder };
  const moved = absolute(config, place);
  // A server that the command starts keeps rollouts by their names, and would answer with those of an earlier rehearsal.
  const job = {
    ...{
      config: moved,
      id: 'swemake-rehearsal',
      run: `rehearsal-${randomUUID()}`,
      name: project.config.name,
      work,
    },
    ...{ start: startFolder(config, place), output: join(work, 'output'), data: options.data, gpus },
    ...{ resume: null, converted: 'mode' in config && config.mode === 'raw' ? join(work, 'output') : null },
    model: modelOf(config, options, replaced),
  } as RlJob;
  replaced.push('the optimizer: its batch is counted and not trained');
  const activation = activationOf('rl', { config: project.config });
  // Behind what the deployment activates, which may put its own Python first.
  const activate = `${activation === null ? '' : `${activation}\n`}export PATH=${shellWord(shims)}${delimiter}"$PATH"`;
  const begun = await startOf(trainer, job, activate, []);
  for (const [name, text] of Object.entries(begun.files)) writeFileSync(join(work, name), text);
  const spec = {
    ...{ table, state, shims, host: '127.0.0.1', port, tokenizer, result: join(work, 'driver.json') },
    ...{ programs: table.programs.map((one) => one.split('/').at(-1)), evaluationRows: EVALUATION_ROWS },
    modules: [config.generate, ...table.modules].filter((one) => one !== undefined),
    folder: moved.folder ?? null,
    megatron: 'megatron' in moved ? (moved.megatron ?? null) : null,
  };
  writeFileSync(join(work, 'spec.json'), JSON.stringify(spec));
  const ended = await options.processes.run({
    command: begun.files[SCRIPT]!,
    cwd: work,
    env: { ...begun.variables, PYTHONUNBUFFERED: '1', REHEARSAL_SPEC: join(work, 'spec.json') },
    inherit: Object.keys(options.env).filter((name) => INHERITED.test(name)),
    log: join(work, 'rehearsal.log'),
    signal: options.signal,
    timeout: options.timeout,
  });
  const output = ended.ok ? ended.value.output : ended.fault.detail;
  return {
    ...{ report: readReport(spec.result), output, replaced, config: given, gpus, own: job.output, job },
    exitCode: ended.ok ? ended.value.exitCode : null,
    timedOut: ended.ok && ended.value.timedOut,
  };
}

/** No checkpoint of an earlier training is needed: one of `trainer.sft` need not be there yet. */
function modelOf(
  { model }: RlConfig,
  { tokenizer, work }: LaunchOptions,
  replaced: string[],
): ModelSource & { kind: 'folder' } {
  if (model?.from !== 'sft') {
    replaced.push('weights: none; the folder of the tokenizer stands for the model');
    return { kind: 'folder', path: tokenizer, files: readdirSync(tokenizer), id: model?.id ?? 'model' };
  }
  const path = join(work, CHECKPOINT);
  mkdirSync(path);
  for (const name of OF_TOKENIZERS)
    if (existsSync(join(tokenizer, name))) copyFileSync(join(tokenizer, name), join(path, name));
  writeFileSync(join(path, 'model.safetensors'), noTensors());
  replaced.push(
    `the checkpoint of trainer.sft: ${path}, with the tokenizer and a file without weights; trainer.sft is not run`,
  );
  return { kind: 'folder', path, files: readdirSync(path), id: 'checkpoint' };
}

/** The folder that stands for the checkpoint of `trainer.sft`. */
const CHECKPOINT = 'sft-checkpoint';
/** Files of a model's folder that programs read as its tokenizer. */
const OF_TOKENIZERS = [
  ...['tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json', 'added_tokens.json'],
  ...['vocab.json', 'merges.txt', 'chat_template.jinja', 'generation_config.json'],
];

/** A file of safetensors that is read as one and holds nothing. */
function noTensors(): Buffer {
  const header = Buffer.from('{"__metadata__":{"format":"pt"}}');
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header]);
}

function readReport(path: string): DriverReport | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as DriverReport) : null;
}

function writeShims(folder: string): void {
  for (const name of ['ray', 'uv', 'python', 'python3']) {
    const python = name === 'ray' || name === 'uv' ? 'python3' : name;
    const text = [
      '#!/bin/sh',
      `PATH=\${PATH#*${shellWord(`${folder}${delimiter}`)}}`,
      `exec ${python} ${shellWord(join(DRIVER, 'shim.py'))} ${name} "$@"`,
    ].join('\n');
    writeFileSync(join(folder, name), `${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

/** With `--stand-ins` a folder with the framework’s programs takes the place of its checkout. */
function withStandIns(
  config: RlConfig,
  { standIns, work, table, project }: LaunchOptions,
  replaced: string[],
): RlConfig {
  const { image, ...rest } = config;
  if (image !== undefined) replaced.push(`the container of ${image.name}: the command runs on this machine`);
  if (
    !standIns ||
    table.options.style === 'own' ||
    (config.folder !== undefined && existsSync(resolve(project.folder, config.folder)))
  )
    return rest as RlConfig;
  const folder = join(work, 'framework');
  mkdirSync(folder, { recursive: true });
  for (const program of table.programs.filter((one) => !one.startsWith('*'))) {
    mkdirSync(dirname(join(folder, program)), { recursive: true });
    writeFileSync(join(folder, program), '');
  }
  writeFileSync(join(folder, 'model.sh'), 'MODEL_ARGS=()\n');
  replaced.push(
    `${config.type}: a stand-in of its calling contract; no option is checked against its source`,
  );
  const shape = 'model_args' in config && config.model_args !== undefined ? { model_args: 'model.sh' } : {};
  return { ...rest, folder, ...shape } as RlConfig;
}

/** A batch that two processors roll out in minutes, with the project’s division into steps. */
function smaller(config: RlConfig, replaced: string[]): RlConfig {
  const samples = Math.min(config.samples, SAMPLES);
  let batch = Math.min(config.batch, GROUPS);
  while ((batch * samples) % config.updates !== 0 && batch < config.batch) batch += 1;
  if (batch !== config.batch || samples !== config.samples)
    replaced.push(`batch: ${batch} × ${samples} rollouts in place of ${config.batch} × ${config.samples}`);
  return { ...config, batch, samples };
}
