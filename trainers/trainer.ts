/**
 * Describes a kind of trainer, which is a framework: the keys that it has, its rows, how its program is started for a job, what it
 * leaves in its output folder, and what its output lines mean. Everything about a kind is in its folder, and the registry has one
 * line for it. All of it is pure: a job in, files and a command out. So everything that a training is started with can be
 * read and compared before a GPU is paid for.
 */
import type { Json } from '../basics/canonical.ts';
import type { RlConfig, SftConfig } from '../schemas/generated/project.ts';
import type { EVERY, Slice } from './keys.ts';
import type { Rehearsal } from './rehearsal.ts';
import type { RL_EVERY } from './rl-keys.ts';
import type { SftRows } from './rows/sft.ts';
import type { SFT_EVERY } from './sft-keys.ts';

/** A framework. It trains on conversations, on tasks, or on both. */
export interface TrainerKind {
  /** What a project writes as `type`. In the key of every training. */
  readonly name: string;
  /** What messages call it, such as "SkyRL". */
  readonly title: string;
  readonly sft?: SftTrainer;
  readonly rl?: RlTrainer;
}

/** Settings of a framework: what all have, and the keys of its own slice. */
export type SftSettings<S extends Slice> = Pick<
  SftConfig,
  'type' | (keyof (typeof EVERY & typeof SFT_EVERY & S) & keyof SftConfig)
>;
export type RlSettings<S extends Slice> = Pick<
  RlConfig,
  'type' | (keyof (typeof EVERY & typeof RL_EVERY & S) & keyof RlConfig)
>;

/** One training, with absolute paths of the machine that it runs on. */
export interface Job<C> {
  config: C;
  /** Short and unique; the same when the same training is continued. */
  id: string;
  /** Begins the names of its rollouts: the same when it is continued, another one when it begins again. */
  run: string;
  /** Of the project, for people. */
  name: string;
  /** Folder of the generated files. */
  work: string;
  /** Folder that a command of the project starts in. */
  start: string;
  /** Folder that the framework writes to. */
  output: string;
  data: TrainingFiles;
  model: ModelSource;
  /** GPUs on each node. */
  gpus: number;
  /** What an earlier run of the same training left to go on from; null: it begins. */
  resume: Resume | null;
  /** Folder of the weights in torch_dist, for those that need it. */
  converted: string | null;
}

export type RlJob = Job<RlConfig>;

/** Absolute paths. */
export interface TrainingFiles {
  train: string;
  /** null: there is none. */
  validation: string | null;
}

/** Where the weights come from that training begins with. */
export type ModelSource =
  | { kind: 'hub'; id: string; revision: string | null }
  | {
      kind: 'folder';
      path: string /** Names of its files. */;
      files: readonly string[] /** What it is called. */;
      id: string;
    };

/** How a program is started. */
export interface Launch {
  /** Files of the work folder by name. What is no text is written as YAML. */
  files: Record<string, string | object>;
  /** Lines of bash that prepare and start it; the last one is the training. */
  script: readonly string[];
  env: Record<string, string>;
}

/** Where a training goes on. */
export interface Resume {
  /** A folder or file below the output folder, in the framework's own words. */
  from: string;
  /** Steps that are done; epochs, where the framework counts those. */
  done: number;
}

/** An output folder as trainers look at it. Paths are relative to it. */
export interface Listing {
  /** Names in a folder, sorted; none when it is not there. */
  names(path: string): readonly string[];
  /** Text of a small file; null when it is not there. */
  read(path: string): string | null;
  /** When a file was last written, milliseconds; null when it is not there. */
  time(path: string): number | null;
}

/** What becomes the checkpoint: files below a folder of the output. */
export interface CheckpointFolder {
  /** Relative to the output folder. */
  path: string;
  /** Names directly in it that are no part of the model. */
  leaveOut: RegExp | null;
}

/** What one line of output says. */
export interface Metric {
  step: number;
  values: Record<string, number>;
}

/** A problem of a configuration, at a key below the trainer's own. */
export interface Problem {
  path: readonly string[];
  message: string;
  remedy: string;
}

/** Reads the lines of one training in their order. */
export type MetricsReader = (line: string) => Metric | null;

/** A task that is learnt from. */
export interface RlTask {
  problem: string;
  /** The row as the dataset has it; without `patch` where the project drops it. */
  row: Record<string, Json>;
}

/** Which row it becomes. */
export interface RlRowPlace {
  /** What `data_source` says. */
  source: string;
  split: 'train' | 'validation';
  index: number;
}

/** The form in which a framework takes tasks. A row holds the whole task, since the rollout functions read it there. */
export interface RlRows {
  /** How the name of their file ends: JSON lines or Parquet. */
  readonly ending: 'jsonl' | 'parquet';
  row(task: RlTask, place: RlRowPlace): Record<string, Json>;
}

interface Framework<C> {
  /** The keys that it has beside those of all frameworks, with their schemas. Any other key is an error. */
  readonly keys: Slice;
  /** Name of the Python distribution whose version decides what is trained; null: its folder's commit does. */
  readonly distribution: string | null;
  /**
   * How the framework gets its first weights: from a folder of its own, or from that in which the hub's client keeps them; by their
   * name on the hub, always the newest; or by name and revision. Weights that it cannot fetch in this way are fetched first.
   */
  readonly weights: 'folder' | 'snapshot' | 'name' | 'revision';
  launch(job: Job<C>): Launch;
  /** null: there is nothing to go on from. */
  resume(output: Listing, config: C): Resume | null;
  /** null: it made no checkpoint. */
  checkpoint(output: Listing, config: C): CheckpointFolder | null;
  /** Folders below the output that are one saved step each; the number at the end is the step. Absent: none is known. */
  readonly saved?: RegExp;
  metrics(resume: Resume | null, config: C): MetricsReader;
  /** `gpus`: on each node, as far as it is known. */
  problems(config: C, gpus: number): Problem[];
}

export interface SftTrainer extends Framework<SftConfig> {
  readonly rows: SftRows;
  /** `epochs`: it saves only at their ends, `max_steps` bounds each of them, and `Resume.done` counts them. */
  readonly counts: 'steps' | 'epochs';
  /** With `lora` its checkpoint has the adapters apart, and is no model by itself. */
  readonly keepsAdapters?: true;
}

export interface RlTrainer extends Framework<RlConfig> {
  /** null: those of another framework, which the project names. */
  readonly rows: RlRows | null;
  /** Absent: it cannot be rehearsed yet. */
  readonly rehearsal?: (config: RlConfig) => Rehearsal;
  /** Whether weights must be converted first, with how; null: no. */
  convert?(config: RlConfig): Convert | null;
}

export interface Convert {
  /** Bash that makes `output` of the folder `model`. */
  script(paths: { model: string; output: string; gpus: number }): readonly string[];
}

/** What a model is called where a name is needed. */
export function modelId(source: ModelSource): string {
  return source.id;
}

/** What a framework that knows the hub is given: an id or a folder. */
export function modelReference(source: ModelSource): string {
  return source.kind === 'hub' ? source.id : source.path;
}
