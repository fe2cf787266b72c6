/**
 * What the driver of a rehearsal must know of a framework, to treat a generated command as the framework does. The driver, in
 * `python/rehearsal`, reads it as JSON. A framework without it cannot be rehearsed yet.
 */

/**
 * What a framework does with a command, in its order. evaluate: rollouts on the evaluation rows. rollout: groups, their
 * generations, rewards and filters, until a batch is full; then the rest is given up. batch: what the optimizer gets. weights:
 * the engines get new weights.
 */
type Call = 'evaluate' | 'rollout' | 'batch' | 'weights';

export interface Rehearsal {
  /** How the framework calls rollouts: a module of `python/rehearsal`. */
  form: 'samples' | 'generator' | 'loop' | 'trainer';
  /** Name of its Python package; the first that can be imported, else the first of all. */
  packages: readonly string[];
  /** The engine whose protocol its rollouts speak. */
  engine: 'sglang' | 'vllm';
  /** Programs that its scripts start, relative to its folder; `*.py`: any. A stand-in of the framework has them. */
  programs: readonly string[];
  /** Modules that are started by `-m`. */
  modules: readonly string[];
  /**
   * How its options are written, and where they are defined: files below its folder (or in its package) and below Megatron's. name: of
   * hydra's configuration, or of the class that holds all options. own: the program's own arguments, read by it alone.
   */
  options: {
    style: 'flags' | 'hydra' | 'dataclass' | 'own';
    folder: readonly string[];
    megatron: readonly string[];
    name?: string;
  };
  /** Names of the options that the driver reads, by what they mean; several are multiplied. Absent: the framework has none. */
  names: Readonly<Partial<Record<OptionRole, string | readonly string[]>>>;
  /** Options that name a Python function or module, with the key of `trainer.rl` that they come from. */
  functions: Readonly<Record<string, string>>;
  /** Options that only functions of rollouts read, and the framework's own code does not. */
  forFunctions?: readonly string[];
  order: readonly Call[];
}

export type OptionRole =
  | 'batch'
  | 'samples'
  | 'globalBatch'
  | 'steps'
  | 'tokensPerGpu'
  | 'contextParallel'
  | 'tensorParallel'
  | 'pipelineParallel'
  | 'dynamicBatch'
  | 'actorNodes'
  | 'actorGpus'
  | 'rolloutGpus'
  | 'colocate'
  | 'judgeGpus'
  | 'judge'
  | 'perStep'
  | 'rewardKey'
  | 'evaluationData'
  | 'evaluationEvery'
  | 'evaluationFirst'
  | 'save'
  /** The model that the training begins with. */
  | 'weights'
  | 'trainData'
  | 'stepWise';
