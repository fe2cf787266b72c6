/**
 * Runs a training to its checkpoint. The name of its folder is made from everything that decides the training. So
 * files in it belong to the same training, which was interrupted, and it goes on by its framework's own rule.
 * Whatever ends it early is a fault: the memory of a GPU is in no key, and a crash is no answer.
 */

import { randomBytes } from 'node:crypto';
import { constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { jsonObject } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { temporaryPath } from '../../cache/folder.ts';
import { FINISHED, isFinished } from '../../cache/scratch.ts';
import { inside } from '../../contract/machine.ts';
import type { ActionResult } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import { endingOf } from '../../executors/process-runner.ts';
import type { RlConfig, SftConfig } from '../../schemas/generated/project.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Output } from '../../schemas/record.ts';
import type {
  CheckpointFolder,
  ModelSource,
  RlTrainer,
  SftTrainer,
  TrainingFiles,
} from '../../trainers/trainer.ts';
import { pinnedImage } from '../pins.ts';
import { folderSource } from './base-model.ts';
import { activationOf } from './framework.ts';
import { listingOf } from './output-folder.ts';
import { absolute, startFolder } from './paths.ts';
import { StepsFile, TrainingProgress } from './progress.ts';
import { type AnyJob, SCRIPT, type Start, startOf } from './script.ts';
import { deploymentGpus, deploymentPids, TRAINING, type TrainingMachine } from './settings.ts';
import { STEPS_FILE, tidy } from './tidy.ts';

export interface Training {
  which: 'sft' | 'rl';
  trainer: SftTrainer | RlTrainer;
  config: SftConfig | RlConfig;
  /** Digest of all that decides it. */
  identity: string;
  name: string;
  gpus: number;
  model: ModelSource;
  converted: string | null;
  /** Optimizer steps in all, where they are known. */
  steps: number | null;
  /** Steps for which one of those stands that `Resume` says are done. */
  saved: number;
  /** Writes the rows below a folder, in the framework's form. */
  write(folder: string): Promise<Result<TrainingFiles, Infra>>;
}

/** Variables of the host that frameworks read, beside those that every program gets. */
export const INHERITED =
  /^(CUDA_|NVIDIA_|HF_|HUGGINGFACE_|NCCL_|TORCH_|PYTORCH_|OMP_|TRANSFORMERS_|VLLM_|SGLANG_|RAY_|DOCKER_|PYTHONPATH$|SWE_|OPENAI_)/;
const TAIL_LINES = 25;
const NO_MEMORY =
  /torch\.(cuda\.)?OutOfMemoryError|CUDA out of memory|CUBLAS_STATUS_ALLOC_FAILED|HIP out of memory/;
/** Between two lines for who watches, milliseconds. */
const SHOWN_EVERY = 2_000;

export async function train(training: Training, tools: Tools): Promise<ActionResult> {
  const services = inside(tools.machine, ...TRAINING);
  const folder = join(
    services.cache.folder.executors,
    'training',
    `${training.which}-${training.identity.slice(-16)}`,
  );
  const fixed = fixedFolder(training.config, services);
  // A forced training does not go on from an earlier one. What a finished one left stays.
  if (tools.isForced) {
    if (isFinished(folder)) renameSync(folder, `${folder}-before-${Date.now()}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  mkdirSync(folder, { recursive: true });
  const known = await finished(folder, services);
  if (known !== null) {
    if (fixed === null) tidy(folder, training.trainer, training.config, training.saved);
    return known;
  }
  const output = fixed ?? join(folder, 'output');
  mkdirSync(output, { recursive: true });
  const ran = await run(training, { folder, output }, tools);
  if (!ran.ok) return { outcome: ran.fault, outputs: {} };
  const left = training.trainer.checkpoint(listingOf(output), training.config as never);
  if (left === null)
    return {
      outcome: infra('training', `the trainer ended well and left no checkpoint in ${output}`),
      outputs: {},
    };
  const checkpoint = await store(output, left, services);
  const outputs = { checkpoint };
  const place = `${hostname()}:${output}\n`;
  const notes = { ...ran.value(tools), 'output-folder.txt': tools.store(place) };
  const result: ActionResult = { outcome: { status: 'ok' }, outputs, notes };
  // From here on a crash finds the answer, not an empty folder.
  writeFileSync(join(folder, `${FINISHED}.new`), JSON.stringify({ outputs, notes }), { flush: true });
  renameSync(join(folder, `${FINISHED}.new`), join(folder, FINISHED));
  if (fixed === null) tidy(folder, training.trainer, training.config, training.saved);
  return result;
}

function fixedFolder(
  { output, output_folder: folder }: SftConfig | RlConfig,
  { projectFolder }: Pick<TrainingMachine, 'projectFolder'>,
): string | null {
  return output === 'fixed' && folder !== undefined ? resolve(projectFolder, folder) : null;
}

/** The answer of an earlier run that was killed before it wrote its record. */
async function finished(
  folder: string,
  { cache }: Pick<TrainingMachine, 'cache'>,
): Promise<ActionResult | null> {
  const path = join(folder, FINISHED);
  if (!existsSync(path)) return null;
  // A file that was cut off is as good as none.
  const kept = jsonObject<Partial<Pick<ActionResult, 'outputs' | 'notes'>>>(readFileSync(path, 'utf8'));
  const { outputs, notes } = kept ?? {};
  const checkpoint = outputs?.checkpoint?.digest;
  if (checkpoint !== undefined && (await cache.layers.open(checkpoint)) !== null)
    return { outcome: { status: 'ok' }, outputs: outputs!, ...(notes === undefined ? {} : { notes }) };
  rmSync(path, { force: true });
  return null;
}

function withPinnedImage<C extends SftConfig | RlConfig>(
  config: C,
  { pins }: Pick<TrainingMachine, 'pins'>,
): C {
  const { image } = config;
  return image === undefined
    ? config
    : { ...config, image: { ...image, name: pinnedImage(image.name, pins) } };
}

/** Trains; the value is the notes of a training that succeeded. */
async function run(
  training: Training,
  places: { folder: string; output: string },
  tools: Tools,
): Promise<Result<(tools: Tools) => Record<string, Output>, Infra>> {
  const { trainer, config, which, identity, name, gpus, converted } = training;
  const services = inside(tools.machine, ...TRAINING);
  const work = join(places.folder, 'work');
  mkdirSync(work, { recursive: true });
  const written = await training.write(join(places.folder, 'data'));
  if (!written.ok) return written;
  const model = await inFolder(training, places.folder, tools);
  if (!model.ok) return model;
  const resume = trainer.resume(listingOf(places.output), config as never);
  const id = `swemake-${which}-${identity.slice(-16)}`;
  const runAs = runName(id, join(places.folder, 'run'), resume === null);
  const job = {
    ...{ config: withPinnedImage(absolute(config, services), services), id, run: runAs, name, work },
    ...{ output: places.output, gpus, resume, converted },
    ...{ data: written.value, model: model.value, start: startFolder(config, services) },
  } as AnyJob;
  const activate = activationOf(which, services);
  const folders = [
    places.folder,
    places.output,
    ...(model.value.kind === 'folder' ? [model.value.path] : []),
  ];
  const begun = await startOf(trainer, job, activate, [...folders, ...foldersOf(job)]);
  // No command must find our script where it names one of its own.
  for (const [file, text] of Object.entries(begun.files))
    writeFileSync(join(work, file === SCRIPT ? `.swemake-${file}` : file), text);
  if (resume !== null) tools.log(`goes on from ${resume.from}\n`);
  const steps = new StepsFile(join(places.folder, STEPS_FILE), resume !== null);
  const progress = new TrainingProgress(
    trainer.metrics(resume, config as never),
    training.steps,
    (resume?.done ?? 0) * training.saved,
    Date.now(),
    steps,
  );
  const ended = await start(job, begun, progress, training, tools);
  if (!ended.ok) return ended;
  return success(({ store }) => ({
    'metrics.json': store(`${JSON.stringify(progress.metrics(), null, 1)}\n`),
    'training.log': store(ended.value),
    ...Object.fromEntries(Object.entries(begun.files).map(([file, text]) => [file, store(text)])),
  }));
}

/**
 * Kept in a file for as long as the training lasts: rollouts of weights that no longer exist are not asked for again.
 */
function runName(id: string, path: string, begins: boolean): string {
  if (begins || !existsSync(path))
    writeFileSync(path, `${id}-${randomBytes(4).toString('hex')}`, { flush: true });
  return readFileSync(path, 'utf8');
}

/** Its output, when it ended well. */
async function start(
  job: AnyJob,
  begun: Start,
  progress: TrainingProgress,
  { which, gpus }: Training,
  tools: Tools,
): Promise<Result<string, Infra>> {
  const { processes, env, config } = inside(tools.machine, ...TRAINING);
  const of = deploymentGpus(config, which);
  let shownAt = 0;
  const ended = await processes.run({
    command: begun.files[SCRIPT]!,
    cwd: job.work,
    env: { PYTHONUNBUFFERED: '1', ...begun.variables },
    inherit: Object.keys(env).filter((variable) => INHERITED.test(variable)),
    log: join(dirname(job.work), 'training.log'),
    onOutput: (text) => {
      tools.log(text);
      const shown = progress.take(text, Date.now());
      if (shown === null || Date.now() - shownAt < SHOWN_EVERY) return;
      shownAt = Date.now();
      tools.progress(shown);
    },
    signal: tools.signal,
    timeout: job.config.timeout,
    pids: deploymentPids(config, which),
    ...(of > 0 ? { gpus: { count: gpus, of } } : {}),
  });
  if (!ended.ok) return ended;
  const { exitCode, timedOut, output } = ended.value;
  if (exitCode === 0) return success(output);
  const how = timedOut ? `did not end within trainer.${which}.timeout` : endingOf(ended.value);
  const remedy = NO_MEMORY.test(output)
    ? ' because GPU memory ran out; make batches or conversations smaller, or take more or larger GPUs'
    : '; build again, and it goes on from its last checkpoint';
  const tail = output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  return fault(infra('training', `the trainer ${how}${remedy}\n${tail}`));
}

/** The model as a folder, where the framework’s configuration names its files. */
async function inFolder(
  { trainer, model, which }: Training,
  folder: string,
  tools: Tools,
): Promise<Result<ModelSource, Infra>> {
  if (trainer.weights !== 'folder' || model.kind === 'folder') return success(model);
  const { processes, env } = inside(tools.machine, ...TRAINING);
  const place = join(folder, 'model');
  const activate = activationOf(which, inside(tools.machine, ...TRAINING));
  const revision = model.revision === null ? '' : ` --revision ${model.revision}`;
  const fetched = await processes.run({
    command: `${activate === null ? '' : `${activate}\n`}hf download ${model.id}${revision} --local-dir '${place}'`,
    cwd: folder,
    inherit: Object.keys(env).filter((variable) => INHERITED.test(variable)),
    log: join(folder, 'download.log'),
    onOutput: (text) => tools.log(text),
    signal: tools.signal,
    timeout: null,
  });
  if (!fetched.ok) return fetched;
  if (fetched.value.exitCode !== 0)
    return fault(
      infra(
        'source-fetch',
        `${model.id} was not fetched\n${fetched.value.output.trim().split('\n').slice(-5).join('\n')}`,
      ),
    );
  return success(folderSource(place, model.id));
}

function foldersOf({ config, converted, start }: AnyJob): string[] {
  const rl = config as RlConfig;
  return [
    config.command === undefined ? undefined : start,
    config.folder,
    rl.module,
    rl.megatron,
    converted,
  ].filter((one) => one !== undefined && one !== null);
}

/** A copy of the checkpoint in the pool. Its folder stays whole, so that a kill at any moment loses nothing of it. */
async function store(
  output: string,
  { path, leaveOut }: CheckpointFolder,
  { cache }: Pick<TrainingMachine, 'cache'>,
): Promise<Output> {
  const from = join(output, path);
  const staging = temporaryPath(cache.folder);
  mkdirSync(staging);
  // Links stay as they are: made absolute they would differ from folder to folder, and lead nowhere once this one is removed.
  const how = { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE };
  for (const name of await readdir(from))
    if (!leaveOut?.test(name)) await cp(join(from, name), join(staging, name), how);
  const { digest } = await cache.layers.add(staging);
  return { kind: 'layer', digest };
}
