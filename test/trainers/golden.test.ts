/** What is generated for trainings like those of the seeds, byte for byte: commands, configurations, rows. */
import { join } from 'node:path';
import { Template } from '@huggingface/jinja';
import { expect, test } from 'vitest';
import type { RlConfig, SftConfig } from '../../schemas/generated/project.ts';
import { rlRows } from '../../stages/rl-data/rows.ts';
import { startOf } from '../../tasks/training/script.ts';
import { RL_TRAINERS, SFT_TRAINERS } from '../../trainers/registry.ts';
import { permutation } from '../../trainers/rows/permutation.ts';
import {
  type Conversation,
  PARQUET,
  PARQUET_WITHOUT_TOOLS,
  SLIME_MESSAGES,
  TRL_MESSAGES,
  textConversation,
} from '../../trainers/rows/sft.ts';
import type { Listing, Resume } from '../../trainers/trainer.ts';
import { Project } from '../rig/project.ts';
import { jobOf, settingsOf, type Written } from './jobs.ts';

const project = new Project();
const COMMIT = '0123456789012345678901234567890123456789';
const CODER = { id: 'Qwen/Qwen2.5-Coder-3B-Instruct', revision: COMMIT };
const QWEN = { id: 'Qwen/Qwen3-32B', revision: COMMIT };

const SFT: Record<string, Written> = {
  torchtune: {
    type: 'torchtune',
    model: CODER,
    metrics: { wandb: { project: 'swesmith', api_key: '${secret:WANDB}' } },
  },
  trl: { type: 'trl', model: CODER, lora: { rank: 16 }, max_steps: 100, save_every: 20 },
  skyrl: { type: 'skyrl', model: CODER },
  slime: { type: 'slime', model: CODER, folder: '/slime' },
  verl: { type: 'verl', model: CODER, overrides: { 'optim.lr': null, 'trainer.balance_batch': true } },
};
/** The columns of the seeds’ scripts. */
const RL: Record<string, Written> = {
  // SWE-MiniSandbox: run_swe_3B_sandbox.sh
  skyrl: {
    ...{ type: 'skyrl', flavor: 'minisandbox', model: CODER, folder: '/SkyRL/skyrl-train', colocate: true },
    ...{ engine_gpus: 2, context_parallel: 2, batch: 16, samples: 8, kl: 0.001, max_prompt: 16384 },
    ...{ max_context: 20480, max_response: 4096, memory_fraction: 0.8, clip_high: 0.2, save_every: 30 },
    overrides: { '+generator.sweagent.agent.step_limit': 150 },
  },
  'skyrl-unified': { type: 'skyrl', model: CODER, folder: '/SkyRL', batch: 16, samples: 4, actor_gpus: 4 },
  // OpenClaw-RL: run_swe_rl_32b_remote_8nodes.sh
  slime: {
    ...{
      type: 'slime',
      model: QWEN,
      folder: '/slime',
      module: '/swe-rl',
      model_args: 'scripts/models/qwen3-32B.sh',
    },
    ...{
      nodes: 8,
      actor_gpus: 4,
      rollout_gpus: 4,
      engine_gpus: 4,
      tensor_parallel: 8,
      dynamic_history: true,
    },
    ...{
      batch: 8,
      samples: 8,
      steps: 2000,
      kl: 0,
      memory_fraction: 0.55,
      save_every: 2,
      ray_address: 'http://head:8265',
    },
    env: { SWE_ENV_SERVER_URL: 'http://head:18090', SWE_MAX_CONCURRENT: '128' },
  },
  // run_swe_rl_32b_remote_8nodes_resume.sh
  'slime-raw': {
    ...{
      type: 'slime',
      mode: 'raw',
      model: QWEN,
      folder: '/slime',
      model_args: 'scripts/models/qwen3-32B.sh',
    },
    ...{ megatron: '/root/Megatron-LM', output: 'fixed', output_folder: 'export', steps: 2000 },
  },
  // run_swe_rl_8b_prm_5nodes_remote.sh: a node of the judge's own
  'slime-prm': {
    ...{ type: 'slime', model: { id: 'Qwen/Qwen3-8B', revision: COMMIT }, folder: '/slime', nodes: 5 },
    ...{ actor_gpus: 4, rollout_gpus: 4, tensor_parallel: 4, engine_gpus: 2, estimator: 'step_wise' },
    ...{
      dynamic_history: true,
      batch: 8,
      samples: 4,
      max_context: 32768,
      prm: { model: 'Qwen/Qwen3-4B', gpus: 8, engine_gpus: 8 },
    },
  },
  // Miles: run-qwen3-4b-instruct.sh in its container
  miles: {
    ...{
      type: 'miles',
      model: { id: 'Qwen/Qwen3-4B-Instruct-2507', revision: COMMIT },
      folder: '/root/miles',
    },
    ...{
      gpus: 4,
      colocate: true,
      tensor_parallel: 2,
      steps: 3000,
      batch: 8,
      samples: 8,
      kl: 0.01,
      temperature: 0.8,
    },
    ...{
      max_context: 16384,
      max_response: 8192,
      max_tokens_per_gpu: 2048,
      save_every: 100,
      megatron: '/root/Megatron-LM',
    },
    image: {
      ...{
        name: 'radixark/miles:latest',
        shm: '32GiB',
        ipc: 'host',
        network: 'host',
        privileged: true,
        engine: true,
      },
      ulimits: { nofile: '65536:65536', memlock: '-1', stack: '67108864' },
      mounts: ['/mnt/data:/data'],
    },
  },
  verl: { type: 'verl', model: CODER, batch: 16, samples: 8, kl: 0.001, engine_gpus: 2, max_prompt: 4096 },
};

const golden = (name: string) => join(import.meta.dirname, 'golden', name);

function textOf(files: Readonly<Record<string, string>>): string {
  return Object.entries(files)
    .map(([name, text]) => `--- ${name}\n${text}`)
    .join('\n');
}

test.each(Object.entries(SFT))('sft with %s', async (name, written) => {
  const config = await settingsOf<SftConfig>(project, 'sft', written);
  const files = [
    'config.json',
    'merges.txt',
    'model-00001-of-00002.safetensors',
    'model-00002-of-00002.safetensors',
    'vocab.json',
  ];
  const model = { kind: 'folder', path: '/models/coder', files, id: CODER.id } as const;
  const job = jobOf(config, name === 'torchtune' ? { model } : {});
  const trainer = SFT_TRAINERS[config.type as keyof typeof SFT_TRAINERS];
  const { files: generated } = await startOf(trainer, job, 'source /opt/conda/bin/activate sft', ['/w']);
  await expect(textOf(generated)).toMatchFileSnapshot(golden(`sft-${name}.txt`));
});

test.each(Object.entries(RL))('rl with %s', async (name, written) => {
  const config = await settingsOf<RlConfig>(project, 'rl', written);
  const converted = name === 'slime-raw' ? '/cache/torch_dist' : null;
  const job = jobOf(config, { gpus: config.gpus ?? 8, converted });
  const trainer = RL_TRAINERS[config.type as keyof typeof RL_TRAINERS];
  const { files } = await startOf(trainer, job, null, ['/w']);
  await expect(textOf(files)).toMatchFileSnapshot(golden(`rl-${name}.txt`));
});

test('bridge mode goes on with --load, raw mode always has it', async () => {
  const config = await settingsOf<RlConfig>(project, 'rl', RL.miles!);
  const words = (resume: null | { from: string; done: number }) =>
    RL_TRAINERS.miles.launch(jobOf(config, { gpus: 4, resume })).script.join('\n');
  expect(words(null)).not.toContain('--load ');
  expect(words({ from: 'ckpt', done: 3 })).toContain('--load /w/output/ckpt');
  const raw = RL_TRAINERS.slime.convert!(await settingsOf<RlConfig>(project, 'rl', RL['slime-raw']!))!;
  expect(raw.script({ model: '/m', output: '/o', gpus: 8 }).join('\n')).toContain(
    'torchrun --nproc-per-node 8 tools/convert_hf_to_torch_dist.py',
  );
});

/** A folder as a trainer sees it: names with their text, the later the newer. */
function listing(files: Record<string, string>): Listing {
  const paths = Object.keys(files);
  return {
    names: (path) => {
      const prefix = path === '' ? '' : `${path}/`;
      const below = paths
        .filter((one) => one.startsWith(prefix))
        .map((one) => one.slice(prefix.length).split('/')[0]!);
      return [...new Set(below)].sort();
    },
    read: (path) => files[path] ?? null,
    time: (path) => (path in files ? paths.indexOf(path) : null),
  };
}

test('each framework goes on from its last whole checkpoint', async () => {
  const sft = await settingsOf<SftConfig>(project, 'sft', { ...SFT.torchtune!, epochs: 3 });
  const rl = await settingsOf<RlConfig>(project, 'rl', RL.slime!);
  const epoch = (number: number) => ({
    [`epoch_${number}/model-1.safetensors`]: '',
    [`epoch_${number}/model.safetensors.index.json`]: '',
  });
  const state = { 'recipe_state/recipe_state.pt': '' };
  const { torchtune, trl } = SFT_TRAINERS;
  expect(torchtune.resume(listing({}), sft)).toBeNull();
  expect(torchtune.resume(listing({ ...epoch(0), ...state }), sft)).toEqual({ from: 'epoch_0', done: 1 });
  // The state is of the epoch before: the later one was cut off.
  expect(torchtune.resume(listing({ ...epoch(0), ...state, ...epoch(1) }), sft)).toEqual({
    from: 'epoch_0',
    done: 1,
  });
  expect(torchtune.resume(listing({ ...epoch(0), ...epoch(1), ...state, ...epoch(2) }), sft)).toEqual({
    from: 'epoch_1',
    done: 2,
  });
  const whole = { 'checkpoint-10/trainer_state.json': '{"global_step": 10}' };
  expect(trl.resume(listing({ ...whole, 'checkpoint-20/model.safetensors': '' }), sft)).toEqual({
    from: 'checkpoint-10',
    done: 10,
  });
  expect(trl.resume(listing({ ...whole, 'checkpoint-20/trainer_state.json': '{"glo' }), sft)).toMatchObject({
    done: 10,
  });
  const { slime, skyrl, verl } = RL_TRAINERS;
  const saved = {
    'ckpt/latest_checkpointed_iteration.txt': '4\n',
    'hf/3/config.json': '',
    'hf/4/config.json': '',
    'hf/5/model.safetensors': '',
  };
  expect(slime.resume(listing(saved), rl)).toEqual({ from: 'ckpt', done: 5 });
  expect(slime.checkpoint(listing(saved), rl)).toMatchObject({ path: 'hf/4' });
  expect(skyrl.resume(listing({ 'ckpt/latest_ckpt_global_step.txt': '30' }), rl)).toEqual({
    from: 'ckpt',
    done: 30,
  });
  expect(
    skyrl.checkpoint(
      listing({ 'export/global_step_9/policy/a': '', 'export/global_step_30/policy/a': '' }),
      rl,
    ),
  ).toMatchObject({ path: 'export/global_step_30/policy' });
  expect(
    verl.checkpoint(
      listing({ 'latest_checkpointed_iteration.txt': '7', 'global_step_7/actor/huggingface/a': '' }),
      rl,
    ),
  ).toMatchObject({ path: 'global_step_7/actor/huggingface' });
});

test.each([
  [
    'torchtune',
    'Step 3 | loss:63.79 lr:0.001 tokens_per_second_per_gpu:5102.5',
    { step: 3, values: { loss: 63.79, lr: 0.001, tokens_per_second_per_gpu: 5102.5 } },
  ],
  ['torchtune', '1|12|Loss: 35.9: 100%', { step: 12, values: { Loss: 35.9 } }],
  [
    'trl',
    "{'loss': '5.546', 'grad_norm': '1.2e-05', 'learning_rate': '0.0001', 'epoch': '0.5'}",
    { step: 1, values: { loss: 5.546, grad_norm: 1.2e-5, learning_rate: 0.0001, epoch: 0.5 } },
  ],
  [
    'slime',
    "[INFO] step 4: {'train/loss': 0.25, 'train/grad_norm': 1.5}",
    { step: 4, values: { 'train/loss': 0.25, 'train/grad_norm': 1.5 } },
  ],
  [
    'verl',
    'step:7 - actor/pg_loss:-0.02 - critic/score/mean:np.float64(0.5)',
    { step: 7, values: { 'actor/pg_loss': -0.02, 'critic/score/mean': 0.5 } },
  ],
  [
    'slime',
    "[INFO] rollout 4: {'rollout/response_lengths': 12.0, 'rollout/rewards': 0.0, 'rollout/raw_reward': 0.0}",
    { step: 4, values: { 'rollout/response_lengths': 12 } },
  ],
  ['slime', 'a line of no interest', null],
] as const)('a line of %s: %s', (name, line, metric) => {
  expect(SFT_TRAINERS[name].metrics(null, {} as SftConfig)(line)).toEqual(metric);
});

test('optimizer steps of slime count as the step of RL that they are a part of', async () => {
  const config = await settingsOf<RlConfig>(project, 'rl', { ...RL.slime, updates: 2 });
  for (const type of ['slime', 'miles'] as const) {
    const read = RL_TRAINERS[type].metrics(null, config);
    const stepOf = (line: string) => read(`[INFO] ${line}: {'train/loss': 0.5}`)?.step;
    expect([stepOf('rollout 5'), stepOf('step 10'), stepOf('step 11'), stepOf('perf 5')]).toEqual([
      5, 5, 5, 5,
    ]);
  }
});

test('numbers of SkyRL stand below their step, also where Ray names the process', () => {
  const table = [
    "{'loss/avg_final_loss': '-0.0012',",
    " 'reward/avg_raw_reward': '0.2500',",
    " 'trainer/global_step': 3}",
  ];
  const head = '2026-08-21 18:02:38.123 | INFO     | skyrl.train.utils.tracking:log:189 - Step 3: ';
  const values = { 'loss/avg_final_loss': -0.0012, 'reward/avg_raw_reward': 0.25, 'trainer/global_step': 3 };
  const read = (lines: string[]) =>
    lines.flatMap(RL_TRAINERS.skyrl.metrics(null, {} as RlConfig)).filter((one) => one !== null);
  expect(read([head, ...table, ...table])).toEqual([{ step: 3, values }]);
  const who = (line: string) => `\u001b[36m(skyrl_entrypoint pid=71)\u001b[0m ${line}`;
  const other = "(FSDPPolicyWorker pid=72) {'of': 1}";
  expect(read([who(head), who(table[0]!), other, ...table.slice(1).map(who)])).toEqual([{ step: 3, values }]);
});

test('conversations as torchtune reads them', () => {
  const say = (role: string, content: string) => ({ role, content });
  const told = [
    say('system', 's'),
    say('user', 'a'),
    say('assistant', 'b'),
    say('tool', 'c'),
    say('user', 'd'),
    say('assistant', 'e'),
  ];
  expect(textConversation({ messages: told })).toEqual({
    messages: [
      say('system', 's'),
      say('user', 'a'),
      say('assistant', 'b'),
      say('user', 'c\nd'),
      say('assistant', 'e'),
    ],
  });
  expect(textConversation({ messages: [say('assistant', 'b')] })).toBe('the assistant speaks first');
  expect(textConversation({ messages: [say('user', 'b')] })).toBe('no message of an assistant');
});

/** A conversation of sft-data in the style tools. */
const CALLED: Conversation = {
  messages: [
    { role: 'user', content: 'mend' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } },
        { id: 'b', type: 'function', function: { name: 'bash', arguments: '{"comm' } },
      ],
    },
    { role: 'tool', content: 'x.py', tool_call_id: 'a' },
    { role: 'assistant', content: 'done' },
  ],
  tools: [{ type: 'function', function: { name: 'bash', parameters: {} } }],
};

test.each([
  ['trl', TRL_MESSAGES],
  ['slime', SLIME_MESSAGES],
])('%s trains calls as the model wrote them', (_, { row }) => {
  const { messages, tools } = row(CALLED, false) as { messages: { content: string }[]; tools: unknown };
  expect(tools).toEqual(CALLED.tools);
  // As the template of Qwen2.5 writes a call.
  const template = new Template(
    '{% for m in messages %}{% for call in m.tool_calls or [] %}{{ call.function.name }} {{ call.function.arguments | tojson }}\n{% endfor %}{% endfor %}',
  );
  // What is no JSON stays as it was written.
  expect(template.render({ messages })).toBe('bash {"command": "ls"}\nbash "{\\"comm"\n');
});

test('of conversations of one call each framework trains the last reply alone', async () => {
  const [task, called, output, done] = (TRL_MESSAGES.row(CALLED, false) as { messages: unknown[] }).messages;
  expect(TRL_MESSAGES.row(CALLED, true)).toEqual({
    prompt: [task, called, output],
    completion: [done],
    tools: CALLED.tools,
  });
  expect(SLIME_MESSAGES.row(CALLED, true)).toEqual({
    messages: [task, { ...(called as object), step_loss_mask: 0 }, output, done],
    tools: CALLED.tools,
  });
  const begun = async (written: Written) => {
    const config = await settingsOf<SftConfig>(project, 'sft', written);
    const trainer = SFT_TRAINERS[config.type as keyof typeof SFT_TRAINERS];
    return textOf((await startOf(trainer, jobOf(config), null, [])).files);
  };
  const trl = await begun({ ...SFT.trl, samples: 'step' });
  expect(trl).toContain('completion_only_loss: true');
  expect(trl).not.toContain('assistant_only_loss');
  expect(await begun({ ...SFT.skyrl, samples: 'step' })).toContain('train_on_what=last_assistant_message');
  // Conversations from elsewhere are whole.
  const elsewhere = { samples: 'step', data: { source: 'a/b' } };
  expect(await begun({ ...SFT.trl, ...elsewhere })).toContain('assistant_only_loss: true');
});

test('a text in parts is one text, and no JSON of it', () => {
  const parts = [
    { type: 'text', text: 'me' },
    { type: 'text', text: 'nd' },
  ];
  const picture = [...parts, { type: 'image', image: 'x.png' }];
  const messages = [
    { role: 'user', content: parts },
    { role: 'user', content: picture },
    { role: 'assistant', content: 'done' },
  ];
  const [first, second, last] = messages;
  const text = { role: 'user', content: 'mend' };
  for (const { row } of [TRL_MESSAGES, SLIME_MESSAGES])
    expect(row({ messages }, false)).toEqual({ messages: [text, second, last] });
  for (const { row } of [PARQUET, PARQUET_WITHOUT_TOOLS]) {
    expect(row({ messages: [first!, last!] }, false)).toEqual({ messages: [text, last] });
    expect(row({ messages }, false)).toBe('it has parts of a message that are no text');
  }
});

test('verl gets no tools, which it cannot read', () => {
  const { messages } = CALLED;
  expect(PARQUET_WITHOUT_TOOLS.row(CALLED, false)).toBe(
    'it has tools, which verl cannot read from JSON text',
  );
  expect(PARQUET_WITHOUT_TOOLS.row({ messages }, false)).toEqual({ messages });
});

test('verl takes as many steps as are asked for, however few an epoch has', async () => {
  const config = await settingsOf<RlConfig>(project, 'rl', { ...RL.verl, steps: 300 });
  const script = RL_TRAINERS.verl.launch(jobOf(config)).script.join('\n');
  expect(script).toContain('trainer.total_epochs=300');
  expect(script).toContain('trainer.total_training_steps=300');
  const sft = await settingsOf<SftConfig>(project, 'sft', { ...SFT.verl, max_steps: 50 });
  expect(SFT_TRAINERS.verl.launch(jobOf(sft)).script.join('\n')).toContain('trainer.total_epochs=50');
});

test('verl has room for a whole sequence on the GPUs that share it', async () => {
  const tokensOf = async (written: Written) => {
    const config = await settingsOf<RlConfig>(project, 'rl', { ...RL.verl, ...written });
    const script = RL_TRAINERS.verl.launch(jobOf(config)).script.join('\n');
    return [...script.matchAll(/max_token_len_per_gpu=(\d+)/g)].map(([, tokens]) => Number(tokens));
  };
  expect(await tokensOf({ max_context: 32768 })).toEqual([32768, 32768]);
  expect(await tokensOf({ max_context: 32768, context_parallel: 4 })).toEqual([8192, 8192]);
  expect(await tokensOf({ max_tokens_per_gpu: 65536 })).toEqual([65536, 65536]);
});

const torchtuneFile = async (written: Written, resume: Resume | null, id: string) => {
  const config = await settingsOf<SftConfig>(project, 'sft', {
    type: 'torchtune',
    model: { id },
    ...written,
  });
  const files = ['config.json', 'model.safetensors', 'vocab.json'];
  const model = { kind: 'folder', path: '/models/base', files, id } as const;
  return SFT_TRAINERS.torchtune.launch(jobOf(config, { model, resume })).files['torchtune.yaml'];
};

test('an adapter of torchtune goes on beside the weights that it was begun with', async () => {
  const from = { from: 'epoch_0', done: 1 };
  const recipe = { recipe: 'lora_finetune_distributed' };
  expect(await torchtuneFile(recipe, null, CODER.id)).not.toHaveProperty('checkpointer.adapter_checkpoint');
  expect(await torchtuneFile(recipe, from, CODER.id)).toMatchObject({
    checkpointer: {
      checkpoint_files: ['model.safetensors'],
      adapter_checkpoint: 'epoch_0/adapter_model.pt',
    },
  });
  expect(await torchtuneFile({}, from, CODER.id)).toMatchObject({
    checkpointer: { checkpoint_files: ['epoch_0/model-00001-of-00001.safetensors'] },
  });
});

test('torchtune’s tokenizer of Llama has a file of its own', async () => {
  expect(await torchtuneFile({}, null, 'meta-llama/Llama-3.1-8B-Instruct')).toHaveProperty('tokenizer', {
    _component_: 'torchtune.models.llama3.llama3_tokenizer',
    path: '/models/base/original/tokenizer.model',
    max_seq_len: 32768,
  });
});

test('the order is that of datasets’ shuffle', () => {
  // numpy.random.default_rng(seed).permutation(n) of numpy 2.4.6
  expect(permutation(5, 42)).toEqual([4, 2, 3, 1, 0]);
  expect(permutation(9, 7)).toEqual([8, 0, 7, 1, 3, 6, 2, 4, 5]);
  expect(permutation(37, 42).slice(0, 12)).toEqual([27, 18, 26, 5, 4, 23, 36, 7, 25, 32, 10, 22]);
  const many = permutation(1000, 42);
  expect(many.slice(0, 6)).toEqual([978, 933, 859, 916, 127, 608]);
  expect(many.reduce((sum, value, index) => sum + value * index, 0)).toBe(248_321_539);
});

test('rows of each framework', async () => {
  const row = { instance_id: 'getmoto__moto-1', patch: 'the answer', FAIL_TO_PASS: ['a'], version: '5.0' };
  const task = { problem: 'It is wrong.', row };
  const settings = { source: 'SWE-Gym/SWE-Gym', split: 'train', gold: 'keep' } as const;
  const rows = Object.fromEntries(
    (['slime', 'miles', 'skyrl', 'verl'] as const).map((form) => [form, rlRows(form, [task], settings)[0]]),
  );
  await expect(`${JSON.stringify(rows, null, 1)}\n`).toMatchFileSnapshot(golden('rl-rows.txt'));
  const told = { problem: task.problem, row: { ...row, mutation: { file: 'the answer' } } };
  for (const form of ['slime', 'miles', 'skyrl', 'verl'] as const)
    expect(JSON.stringify(rlRows(form, [told], { ...settings, gold: 'drop' }))).not.toContain('the answer');
});

test('weights are those of the pinned revision, whatever the framework can ask for itself', async () => {
  const begunRl = async (written: Written) => {
    const config = await settingsOf<RlConfig>(project, 'rl', written);
    return startOf(RL_TRAINERS[config.type as keyof typeof RL_TRAINERS], jobOf(config), null, []);
  };
  for (const [name, written] of Object.entries(RL)) {
    const { files, variables } = await begunRl(written);
    expect(files['train.sh'], name).toContain(`hub.snapshot_download`);
    expect(variables.HF_CKPT, name).toBe('/w/run/model');
  }
  const config = await settingsOf<SftConfig>(project, 'sft', { ...SFT.trl, model: CODER });
  const trl = await startOf(SFT_TRAINERS.trl, jobOf(config), null, []);
  expect(trl.files['trl.yaml']).toContain(`model_revision: "${COMMIT}"`);
  const unpinned = await begunRl({ ...RL.verl, model: { id: QWEN.id } });
  expect(unpinned.variables.HF_CKPT).toBe(QWEN.id);
  // slime and Miles look for a folder of the name.
  for (const name of ['slime', 'miles']) {
    const { files, variables } = await begunRl({ ...RL[name], model: { id: QWEN.id } });
    expect(files['train.sh'], name).toMatch(/snapshot_download\(sys\.argv\[1\]\)\)\S* Qwen\/Qwen3-32B\)/);
    expect(files['train.sh'], name).toContain('--hf-checkpoint /w/run/model');
    expect(variables.HF_CKPT, name).toBe('/w/run/model');
  }
  const own = await begunRl({ type: 'command', command: 'train "$HF_CKPT"', model: QWEN });
  expect(own.files['train.sh']).toMatch(
    /snapshot_download.*\nln -sfn .*\ncd \/w\/project\ntrain "\$HF_CKPT"/,
  );
});

test('files of TensorBoard are in the folder of their training', async () => {
  const metrics = { tensorboard: true };
  for (const name of ['slime', 'miles', 'skyrl', 'verl']) {
    const config = await settingsOf<RlConfig>(project, 'rl', { ...RL[name], metrics });
    const trainer = RL_TRAINERS[config.type as keyof typeof RL_TRAINERS];
    const { variables } = await startOf(trainer, jobOf(config), null, []);
    expect([name, variables.TENSORBOARD_DIR]).toEqual([name, '/w/output/logs']);
  }
  for (const type of ['skyrl', 'verl'] as const) {
    const config = await settingsOf<SftConfig>(project, 'sft', { ...SFT[type], metrics });
    const { variables } = await startOf(SFT_TRAINERS[type], jobOf(config), null, []);
    expect([type, variables.TENSORBOARD_DIR]).toEqual([type, '/w/output/logs']);
  }
});

test('SkyRL starts the module that the project names', async () => {
  const module = 'swemake_rollouts.skyrl_main';
  for (const flavor of ['minisandbox', 'unified']) {
    const config = await settingsOf<RlConfig>(project, 'rl', { ...RL.skyrl, flavor, generate: module });
    const { files } = await startOf(RL_TRAINERS.skyrl, jobOf(config), null, []);
    expect(files['train.sh']).toContain(`python -m ${module} 'data.train_data=[`);
    // skyrl-train has no such key; the program uses its trainer of examples.
    if (flavor === 'minisandbox') expect(files['train.sh']).not.toContain('step_wise');
    else expect(files['train.sh']).toContain('generator.step_wise_trajectories=true');
  }
});
