/** The public training scripts that projects in projects/ stand for, and why their commands differ. */
import { join } from 'node:path';

/** Option -> why. */
type Reasons = Readonly<Record<string, string>>;

export interface Configuration {
  /** Theirs, in their repository. */
  script?: string;
  /** Theirs, where a file says it all. */
  configuration?: string;
  /** Ours, below projects/. */
  project: string;
  /** Default: original. */
  profile?: string;
  explained: Reasons;
}

export interface System {
  /** Folder below ORIGINALS. */
  repository: string;
  revision: string;
  /** What is needed of it. */
  folders: readonly string[];
  /** Variables that tell where it is. */
  env(root: string): Record<string, string>;
  configurations: readonly Configuration[];
}

/** Flags that we write and they do not, or otherwise: why. */
const SLIME: Reasons = {
  '--save-hf': 'the weights in the hub’s layout, which evaluation serves',
  '--rollout-seed': 'slime’s default, written down',
  '--global-batch-size': 'batch × samples ÷ steps, as slime computes it',
  '--load': 'the folder of --save',
};
const MILES: Reasons = {
  ...SLIME,
  'env PYTHONUNBUFFERED': 'they wrote PYTHONBUFFERED',
  'env PYTHONFAULTHANDLER': 'a crash shows where',
};
const SKYRL: Reasons = {
  'trainer.policy.model.path': 'BASE_MODEL; theirs is the checkpoint of SFT, as in chain.yaml',
  'generator.sweagent.agent.model.name': 'BASE_MODEL; theirs is the checkpoint of SFT, as in chain.yaml',
  'trainer.policy.optimizer_config.weight_decay': 'SkyRL’s default, written down',
  'generator.sweagent.instances.deployment.tool_path': 'a place on the machine',
  'generator.sweagent.env_type': 'their file says container, which their generator refuses',
  'trainer.run_name': 'the name of the project',
  'trainer.algorithm.kl_loss_coef': 'SkyRL’s default, written down',
  'trainer.algorithm.eps_clip_low': 'SkyRL’s default, written down',
  'trainer.algorithm.eps_clip_high': 'SkyRL’s default, written down',
  'trainer.seed': 'SkyRL’s default, written down',
  'trainer.hf_save_interval': 'the weights in the hub’s layout, which evaluation serves',
  'trainer.export_path': 'where SkyRL writes the weights of `hf_save_interval`',
  'trainer.dump_data_batch': 'rows of each step are kept beside the checkpoint',
  'generator.sampling_params.temperature': 'SkyRL’s default, written down',
  'generator.sampling_params.top_p': 'SkyRL’s default, written down',
  'trainer.resume_mode': 'SkyRL’s default; goes on after a kill',
  'trainer.logger': 'wandb with --profile wandb',
  'trainer.project_name': 'swerl2 with --profile wandb',
};
const TUNE: Reasons = {
  'model._component_': 'the name that torchtune 0.6.1 has for it',
  'checkpointer.recipe_checkpoint': 'null is the default',
  'dataset.new_system_prompt': 'null is the default',
  'metric_logger.group': 'W&B’s name of the run',
  'metric_logger.job_type': 'W&B’s own label',
  'metric_logger.name': 'W&B’s name of the run',
  'metric_logger.log_dir': 'the log beside the result',
  'checkpointer.checkpoint_files': 'names of the files that the model has',
  exp_name: 'a variable of their file',
  profiler: 'off in both',
};
/** Variables of the job’s processes. */
const VARIABLES: Reasons = {
  'env SWEMAKE_RUN': 'names the rollouts of this training for swemake’s own hooks',
  'env SWEMAKE_MAX_SEQ_LEN': 'max_context, for swemake’s own hooks',
  'env SWEMAKE_SEQUENCES': 'sequences, for swemake’s own hooks',
  'env SWEMAKE_DYNAMIC_HISTORY': 'dynamic_history, for swemake’s own hooks',
  'env PYTHONPATH': 'folders of the checkouts, in another order or number',
  'env NCCL_NVLS_ENABLE': 'set it in your shell where there is NVLink',
  'env MASTER_ADDR': 'set by the cluster',
  'env NO_PROXY': 'taken from your shell',
  'env no_proxy': 'taken from your shell',
  'env SWE_SAVE_TRAJ_DIR': 'below the output folder',
  'env SWE_ENV_SERVER_URL': 'the address of your pool',
};

const swerl = (script: string, model: string): Configuration => ({
  script: `swe-rl/scripts/${script}`,
  project: `swe-rl/${model}.yaml`,
  explained: { ...SLIME, ...VARIABLES },
});
export const SYSTEMS: readonly System[] = [
  {
    repository: 'Gen-Verse+OpenClaw-RL',
    revision: 'HEAD',
    folders: ['swe-rl', 'slime/scripts', 'slime/train.py', 'slime/train_async.py'],
    env: (root) => ({
      SLIME_DIR: join(root, 'slime'),
      SWE_RL_DIR: join(root, 'swe-rl'),
      MEGATRON_LM_PATH: join(root, 'Megatron-LM'),
      HF_CKPT: '/WEIGHTS',
      PRM_MODEL_PATH: '/JUDGE',
    }),
    configurations: [
      swerl('run_swe_rl_32b_remote_8nodes.sh', '32b-8-nodes'),
      swerl('run_swe_rl_32b_remote_8nodes_resume.sh', '32b-8-nodes-resume'),
      swerl('run_swe_rl_32b_remote_4nodes.sh', '32b-4-nodes'),
      swerl('run_swe_rl_8b_remote_2nodes.sh', '8b-2-nodes'),
      swerl('run_swe_rl_8b_prm_5nodes_remote.sh', '8b-prm-5-nodes'),
    ],
  },
  {
    repository: 'radixark+miles',
    // The example was removed since.
    revision: 'adecabffb',
    folders: ['examples/experimental/swe-agent', 'scripts/models', 'train.py'],
    env: (root) => ({ MILES_DIR: root, MILES_EXAMPLE: join(root, 'examples/experimental/swe-agent') }),
    configurations: [
      {
        script: 'examples/experimental/swe-agent/run-qwen3-4b-instruct.sh',
        project: 'miles/qwen3-4b-swe-gym.yaml',
        explained: { ...MILES, ...VARIABLES },
      },
    ],
  },
  {
    repository: 'lblankl+SWE-MiniSandbox',
    revision: 'HEAD',
    folders: ['SkyRL/skyrl-train/examples/swe_agent', 'config/tune'],
    env: (root) => ({
      SKYRL_DIR: join(root, 'SkyRL/skyrl-train'),
    }),
    configurations: [
      ...[
        ['run_swe_3B_sandbox.sh', 'rl-1-node'],
        ['2node-3b-16bcz-32n.sh', 'rl-2-nodes'],
        ['run_swe_3B_container.sh', 'rl-container'],
      ].map(
        ([script, project]): Configuration => ({
          script: `SkyRL/skyrl-train/examples/swe_agent/${script}`,
          project: `swe-minisandbox/${project}.yaml`,
          explained: SKYRL,
        }),
      ),
      {
        configuration: 'config/tune/swe_Qwen3bsandbox.yaml',
        project: 'swe-minisandbox/sft-3b.yaml',
        profile: 'wandb',
        explained: TUNE,
      },
    ],
  },
];

const OWN_AGENT = 'of their agent; the agent server has the agent, the model and the limits of the project';
const OWN_HOOKS = 'swemake’s hooks, which ask the agent server';

/** Why the default profile gives something else than `original`, by the first word that fits. */
export const DEFAULT_REASONS: readonly (readonly [name: RegExp, why: string])[] = [
  [/^--custom-reward-post/, 'counts each rollout once, and leaves faults out of the mean of their group'],
  [/^--dynamic-sampling-filter/, 'drops a group with a fault; without it the fault would count as a reward'],
  [/^--(?:custom-|rollout-function)/, OWN_HOOKS],
  [
    /dynamic_history|DYNAMIC_HISTORY/,
    'a sample for each call: their trainer cuts what is more than a whole batch',
  ],
  [/^--use-dynamic-global-batch/, 'each sample is trained: with a fixed batch Miles cuts what is more'],
  [/^--sequence-parallel/, 'Megatron’s advice with tensor parallelism; it changes no result'],
  [/^env PYTHONPATH/, 'without the folders of their rollouts'],
  [/^env SWEMAKE_AGENT_URL/, 'where the agent server is'],
  [/^env (?:LITELLM|MSWEA|OPENAI|SWE)_/, OWN_AGENT],
  [/^generator\.(?:sweagent|miniswe)/, OWN_AGENT],
  [/^trainer\.asynch/, 'a key of their fork; its default is the same'],
];
