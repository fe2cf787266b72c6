/**
 * The bash that starts a training: what the deployment activates, then the framework's own lines; in a container, the
 * same lines inside of it. And the variables under which scripts that are used today look for files.
 */
import { dirname } from 'node:path';
import { shellWord } from '../../basics/shell.ts';
import type { RlConfig, SftConfig, TrainerImage } from '../../schemas/generated/project.ts';
import type { Slice } from '../../trainers/keys.ts';
import {
  type Job,
  type Launch,
  modelReference,
  type RlTrainer,
  type SftTrainer,
} from '../../trainers/trainer.ts';
import { hubModel } from './hub-model.ts';

export type AnyJob = Job<SftConfig> | Job<RlConfig>;

/** Variables by the names that the seeds' scripts read, and the one that names the rollouts of this training. */
function scriptVariables(job: AnyJob, { keys }: SftTrainer | RlTrainer): Record<string, string> {
  const { config, model, output, data, converted, gpus, run, work } = job;
  const megatron = 'megatron' in config ? config.megatron : undefined;
  const reference = modelReference(model);
  const { wandb } = config.metrics;
  return {
    EXPORT_ROOT: output,
    SAVE_CKPT: `${output}/ckpt`,
    SWE_SAVE_TRAJ_DIR: `${output}/swe_rollouts`,
    OUTPUT_DIR: output,
    PROMPT_DATA: data.train,
    SWEMAKE_RUN: run,
    ...hookVariables(job.config, keys),
    ...(config.command === undefined ? {} : { SWEMAKE_WORK: work }),
    ...(data.validation === null ? {} : { VERIFIED_DIR: dirname(data.validation) }),
    ...(reference === ''
      ? {}
      : { HF_CKPT: reference, EVAL_MODEL_PATH: reference, REF_LOAD: converted ?? reference }),
    ...(megatron === undefined ? {} : { MEGATRON_LM_PATH: megatron }),
    NUM_NODES: `${config.nodes}`,
    NUM_GPUS_PER_NODE: `${gpus}`,
    ...(wandb?.api_key === undefined ? {} : { WANDB_API_KEY: wandb.api_key }),
    ...(wandb?.mode === undefined ? {} : { WANDB_MODE: wandb.mode }),
  };
}

/** What swemake's hooks must know of the training; only what the framework has. */
function hookVariables(config: SftConfig | RlConfig, keys: Slice): Record<string, string> {
  const { max_context: context, sequences, train, dynamic_history: bySteps } = config as Partial<RlConfig>;
  return {
    ...('max_context' in keys ? { SWEMAKE_MAX_SEQ_LEN: `${context}` } : {}),
    ...('sequences' in keys ? { SWEMAKE_SEQUENCES: `${sequences}` } : {}),
    ...('train' in keys && train !== undefined ? { SWEMAKE_TRAIN: train } : {}),
    ...('dynamic_history' in keys && bySteps === true ? { SWEMAKE_DYNAMIC_HISTORY: '1' } : {}),
  };
}

/** The bash that runs, among the files of a training. */
export const SCRIPT = 'train.sh';

/** How a training is started: what is kept beside its result, and its variables. */
export interface Start {
  files: Readonly<Record<string, string>>;
  variables: Readonly<Record<string, string>>;
}

export async function startOf(
  trainer: SftTrainer | RlTrainer,
  asked: AnyJob,
  activate: string | null,
  folders: readonly string[],
): Promise<Start> {
  const weights = hubModel(asked.model, trainer, asked.work);
  const job = { ...asked, model: weights.model };
  const launch = trainer.launch(job as Job<SftConfig> & Job<RlConfig>);
  const { command } = job.config;
  const lines = command === undefined ? launch.script : [`cd ${shellWord(job.start)}`, command];
  const variables = launchVariables(job, trainer, launch);
  const script = trainingScript(job, variables, [...weights.script, ...lines], activate, folders);
  const files = await textsOf(launch.files);
  return { files: { ...files, [SCRIPT]: script }, variables };
}

async function textsOf(files: Launch['files']): Promise<Record<string, string>> {
  const { stringify } = await import('yaml');
  const text = (content: string | object) =>
    typeof content === 'string' ? content : stringify(content, { lineWidth: 0 });
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, text(content)]));
}

/** All variables of the program; those of the project win. */
function launchVariables(
  job: AnyJob,
  trainer: SftTrainer | RlTrainer,
  launch: Launch,
): Record<string, string> {
  const own = Object.entries(job.config.env).map(([name, value]) => [name, String(value)] as const);
  return { ...scriptVariables(job, trainer), ...launch.env, ...Object.fromEntries(own) };
}

/** The script as it is kept beside the result. `folders`: what a container must see. */
function trainingScript(
  job: AnyJob,
  variables: Readonly<Record<string, string>>,
  lines: readonly string[],
  activate: string | null,
  folders: readonly string[],
): string {
  const inside = [
    'set -eo pipefail',
    ...(activate === null ? [] : [activate]),
    `cd ${shellWord(job.work)}`,
    ...lines,
  ];
  const { image } = job.config;
  if (image === undefined) return `${inside.join('\n')}\n`;
  const names = Object.keys(variables).sort();
  return `${inContainer(image, job, inside.slice(activate === null ? 1 : 2).join('\n'), names, folders, activate).join('\n')}\n`;
}

/** A container of one name for one training: what a killed run left of it is removed before it starts again. */
function inContainer(
  image: TrainerImage,
  { id, work, gpus }: AnyJob,
  script: string,
  variables: readonly string[],
  folders: readonly string[],
  activate: string | null,
): string[] {
  const mounts = [...new Set([...folders, ...image.mounts.map((mount) => withTarget(mount))])];
  const words = [
    'docker run --rm --init',
    `--name ${id}`,
    ...(gpus > 0 ? ['--gpus "\\"device=$CUDA_VISIBLE_DEVICES\\""'] : []),
    ...(image.shm === undefined ? [] : [`--shm-size ${image.shm}`]),
    ...(image.ipc === 'host' ? ['--ipc=host'] : []),
    ...(image.network === 'host' ? ['--network host'] : []),
    ...Object.entries(image.ulimits).map(([name, limit]) => `--ulimit ${name}=${limit}`),
    ...(image.privileged ? ['--privileged'] : []),
    ...(image.engine ? ['-v /var/run/docker.sock:/var/run/docker.sock'] : []),
    ...mounts.map((mount) => `-v ${shellWord(withTarget(mount))}`),
    ...variables.map((name) => `-e ${name}`),
    `-w ${shellWord(work)}`,
    shellWord(image.name),
    `bash -c ${shellWord(`set -eo pipefail\n${script}`)}`,
  ];
  return [
    'set -eo pipefail',
    ...(activate === null ? [] : [activate]),
    `docker rm -f ${id} >/dev/null 2>&1 || true`,
    `trap 'docker rm -f ${id} >/dev/null 2>&1' TERM INT`,
    `${words.join(' \\\n  ')} & wait $!`,
  ];
}

/** `/data` means the same path inside. */
function withTarget(mount: string): string {
  const [from, to, mode] = mount.split(':');
  if (to === undefined) return `${from}:${from}`;
  return to === 'ro' && mode === undefined ? `${from}:${from}:ro` : mount;
}
