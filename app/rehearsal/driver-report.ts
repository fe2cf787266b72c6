/** What `python/rehearsal/driver.py` writes. */
export interface DriverReport {
  command: { program: string; found: boolean; cwd: string; cluster: string | null } | null;
  options: { given: number; checked: number; unchecked: string[]; wrong: { option: string; text: string }[] };
  /** Of the options as the command has them. */
  values: Record<string, unknown>;
  functions: { option: string; key: string; path: string; file: string | null; error: string | null }[];
  /** Variables and options that were read while rollouts were made. Absent: there were none. */
  reads?: { variables: string[]; options: string[] };
  replaced: string[];
  /** What the trainer was given as the model: a real path, or a name of the hub. Absent: the driver saw none. */
  begins?: string | null;
  /** false: log-probabilities do not name tokens, since the program computed them from logits. */
  numbered?: false;
  problems: { kind: string; text: string; option: string | null }[];
  rollouts: DrivenRollout[];
  groups: { keep: boolean; reason: string | null; samples: number }[];
  /** What the optimizer gets, before it is cut to whole batches. */
  trained: Sequence[];
  evaluations: Record<string, { samples: number; rewards: unknown[] }> | null;
  batch: Batch | null;
  error: string | null;
}

interface DrivenRollout {
  group: number | null;
  index: number | null;
  evaluation: boolean;
  error: string | null;
  samples: Sequence[];
}

export interface Sequence {
  tokens: number[];
  /** Ids from the first that is trained. */
  response: number;
  mask: number[] | null;
  logprobs: number[] | null;
  reward: number | null;
  status: string;
  removed: boolean;
  group: number | null;
  index: number | null;
  stepWise: { step_scores?: number[] } | null;
  error: string | null;
}

interface Batch {
  sequences: number;
  promised: number;
  globalBatch: number;
  plannedGlobalBatch: number;
  used: number;
  trimmed: number;
  steps: number;
  plannedSteps: number;
  microBatches: number;
  longest: number;
  tokensPerMicroBatch: number | null;
  padding: number;
}
