/** Wrong project files again: trainings that cannot be, told before a GPU is paid for. */
import { MINIMAL } from './project-folder.ts';
import { type WrongProject, wrong } from './wrong-projects.ts';

const COMMIT = '0123456789012345678901234567890123456789';
const QWEN = `model: { id: Qwen/Qwen3-8B, revision: "${COMMIT}" }`;
const GPUS = 'deployments: { box: {}, gpu: { type: process, resources: { gpu: 8 } } }\n';
const HEAD = `${MINIMAL}agent: { type: noop }\n${GPUS}`;
const sft = (keys: string) => `${HEAD}trainer: { sft: { ${keys} } }\n`;
const rl = (keys: string) =>
  `${HEAD}trainer: { rl: { type: slime, folder: ".", model_args: p.yaml, ${QWEN}, ${keys} } }\n`;

export const TRAINING: WrongProject[] = [
  wrong(
    'more GPUs than the deployment has',
    sft(`type: trl, ${QWEN}, gpus: «9»`),
    'E135',
    '9 GPUs are asked for, and deployment "gpu" has 8',
    'write fewer, or resources: { gpu: … } of the deployment',
  ),
  wrong(
    'dropout of adapters in verl',
    sft(`type: verl, ${QWEN}, lora: { dropout: «0.1» }`),
    'E135',
    'verl has no dropout of adapters',
    'write dropout: 0, or use type: trl or torchtune',
  ),
  wrong(
    'a checkpoint that nothing makes',
    `${HEAD}trainer: { rl: { type: slime, folder: ".", model_args: p.yaml, model: { from: «sft» } } }\n`,
    'E135',
    'trainer.sft makes no checkpoint',
    'write trainer: { sft: { type: … } }',
  ),
  wrong(
    'an evaluated checkpoint that nothing makes',
    `${MINIMAL}agent: { model: { base_url: "http://h/v1", name: m } }\nevaluation: { dataset: train, models: { tuned: { from: «sft», serve: { engine: vllm } } } }\n`,
    'E135',
    'trainer.sft makes no checkpoint',
    'write trainer: { sft: { type: … } }',
  ),
  wrong(
    'RL from adapters',
    `${HEAD}trainer:\n  sft: { type: trl, ${QWEN}, lora: { rank: 16 } }\n  rl: { type: slime, folder: ".", model_args: p.yaml, model: { from: «sft» } }\n`,
    'E135',
    'with lora the checkpoint of trainer.sft is no model by itself: trl keeps the adapters apart',
    'remove lora, or use type: torchtune, which merges them',
  ),
  wrong(
    'adapters that are served',
    `${MINIMAL}agent: { model: { base_url: "http://h/v1", name: m } }\n${GPUS}trainer: { sft: { type: verl, ${QWEN}, lora: { rank: 16 } } }\nevaluation: { dataset: train, models: { tuned: { from: «sft», serve: { engine: vllm } } } }\n`,
    'E135',
    'with lora the checkpoint of trainer.sft is no model by itself: verl keeps the adapters apart',
    'remove lora, or use type: torchtune, which merges them',
  ),
  wrong(
    'an evaluated checkpoint that nothing serves',
    `${MINIMAL}agent: { model: { base_url: "http://h/v1", name: m } }\n${GPUS}trainer: { sft: { type: trl, ${QWEN} } }\nevaluation: { dataset: train, models: { tuned: { from: «sft» } } }\n`,
    'E135',
    'nothing serves this checkpoint',
    'add serve: { engine: vllm }, or serve: { command: … } with {model} for its folder and {port}',
  ),
  wrong(
    'tool calls for torchtune',
    sft(
      `type: torchtune, model: { id: Qwen/Qwen2.5-Coder-3B-Instruct, revision: "${COMMIT}" }, style: «tools»`,
    ),
    'E135',
    'torchtune drops tool calls from conversations',
    'write style: xml or ticks',
  ),
  wrong(
    'tools for verl',
    sft(`type: verl, ${QWEN}, style: «tools»`),
    'E135',
    'verl cannot read tools that are JSON text',
    'write style: xml or ticks, or use type: trl, skyrl or slime',
  ),
  wrong(
    'one conversation a step for a trainer that trains all replies',
    sft(`type: verl, ${QWEN}, samples: «step»`),
    'E135',
    'verl trains all replies of a conversation, and those of earlier steps are in each later one',
    'write samples: trajectory, or use type: trl, skyrl or slime',
  ),
  wrong(
    'a folder of checkpoints that two trainings share',
    `${HEAD}trainer:\n  sft: { type: trl, ${QWEN}, output: fixed, output_folder: ckpt }\n  rl: { type: slime, folder: ".", model_args: p.yaml, ${QWEN}, output: fixed, output_folder: «./ckpt/» }\n`,
    'E132',
    'the folder is that of trainer.sft: each training would go on from checkpoints of the other',
    'write another folder',
  ),
  wrong(
    'a folder of checkpoints within that of another training',
    `${HEAD}trainer:\n  sft: { type: trl, ${QWEN}, output: fixed, output_folder: ckpt }\n  rl: { type: slime, folder: ".", model_args: p.yaml, ${QWEN}, output: fixed, output_folder: «ckpt/rl» }\n`,
    'E132',
    'the folder overlaps that of trainer.sft: each training would go on from checkpoints of the other',
    'write another folder',
  ),
  wrong(
    'a key of another framework',
    rl('type: miles, «prm»: { votes: 3 }').replace('type: slime, ', ''),
    'E103',
    'Miles has no key "prm"',
    'remove it, or use type: slime; Miles has type, data, model, deployment, gpus, nodes, command, env, output, output_folder, keep, metrics, image, timeout, folder, commit, overrides, save_every, generate, sequences, train, epochs, batch, samples, updates, learning_rate, weight_decay, kl, clip, clip_high, estimator, temperature, top_p, max_prompt, max_context, max_response, seed, engine_gpus, memory_fraction, context_parallel, steps, colocate, actor_gpus, rollout_gpus, max_tokens_per_gpu, reward, module, mode, model_args, megatron, ray_address, tensor_parallel and pipeline_parallel',
  ),
  wrong(
    'a key that a command does not read',
    sft(`type: command, command: "true", ${QWEN}, «dtype»: fp32`),
    'E103',
    'a command has no key "dtype"',
    'remove it, or use type: torchtune or trl; a command has type, golden, balance, decontaminate, style, samples, train, data, model, deployment, gpus, nodes, command, env, output, output_folder, keep, metrics, image, timeout, folder, commit, max_steps, epochs, batch_size and accumulation',
  ),
  wrong(
    'a judge whose values no sample holds',
    rl('generate: swemake_rollouts.slime.generate, nodes: 2, «prm»: { gpus: 8 }'),
    'E135',
    'swemake’s hooks give the judge’s value to one sample a step',
    'write dynamic_history: true',
  ),
  wrong(
    'a judge that a framework does not have',
    rl('type: miles, estimator: «step_wise»').replace('type: slime, ', ''),
    'E135',
    'step_wise learns from judged steps, and Miles has no judge of steps',
    'write estimator: grpo, or use type: slime',
  ),
  wrong(
    'GPUs that train and serve beside those that there are',
    rl('actor_gpus: «6», rollout_gpus: 4'),
    'E135',
    '6 + 4 GPUs are more than the 8 that there are',
    'use fewer, or more nodes',
  ),
  wrong(
    'parallelism that divides nothing',
    rl('tensor_parallel: «3»'),
    'E135',
    'tensor × pipeline × context parallel is 3, which does not divide the 4 GPUs that train',
    'choose a divisor',
  ),
  wrong(
    'engines that do not fit',
    rl('engine_gpus: «3»'),
    'E135',
    '3 does not divide the 4 GPUs that serve rollouts',
    'choose a divisor',
  ),
  wrong(
    'a batch that cannot be divided',
    rl('batch: 8, samples: 8, updates: «3»'),
    'E135',
    '8 × 8 samples cannot be divided into 3 steps',
    'choose a divisor',
  ),
  wrong(
    'no room for a reply',
    rl('max_context: 8192, max_response: «8192»'),
    'E135',
    'a reply of 8192 tokens leaves nothing of a context of 8192',
    'write a larger max_context, or a smaller max_response',
  ),
];
