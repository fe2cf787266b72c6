/**
 * Real training with TRL and torchtune on a model with random weights, as a project does it: the checkpoint is an output, a second
 * build trains nothing, a killed training goes on, and changed conversations are trained again. On a processor the model has 90,000
 * parameters. With SFT_GPU=1 TRL trains one with the shape of Qwen2.5-0.5B, but for its vocabulary of bytes, in bfloat16 on one GPU.
 * TRL and torchtune come from the package index (6 GB each), or TRL_PYTHON and TORCHTUNE_PYTHON have them.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../basics/digest.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { pythonWith } from '../rig/installed.ts';
import { Project } from '../rig/project.ts';
import { hasPackageIndex } from '../rig/quickstart.ts';
import { trlPython } from '../rig/trl.ts';
import { until } from '../rig/until.ts';

const LONG = 3_600_000;
const hasGpu = process.env.SFT_GPU !== undefined;
const hasIndex = hasPackageIndex();

const size = hasGpu
  ? {
      hidden: 896,
      inner: 4864,
      layers: 24,
      heads: 14,
      length: 8192,
      steps: 60,
      saveEvery: 20,
      rate: 3e-4,
      dtype: 'bf16',
    }
  : {
      hidden: 64,
      inner: 128,
      layers: 2,
      heads: 4,
      length: 512,
      steps: 24,
      saveEvery: 4,
      rate: 1e-3,
      dtype: 'fp32',
    };

/** Interpreter, settings of the trainer, and a file that says that there is something to go on from. */
const FRAMEWORKS = {
  trl: {
    python: hasIndex ? trlPython() : null,
    settings: {
      ...{ max_steps: size.steps, save_every: size.saveEvery, overrides: { dataloader_pin_memory: false } },
    },
    state: /output\/checkpoint-\d+\/trainer_state\.json$/,
  },
  torchtune: {
    python:
      hasIndex && !hasGpu
        ? (process.env.TORCHTUNE_PYTHON ??
          pythonWith('torchtune', ['torch==2.7.1', 'torchao==0.11.0', 'torchtune==0.6.0']))
        : null,
    settings: {
      ...{ recipe: 'full_finetune_single_device', epochs: 3, max_steps: size.steps / 3 },
      overrides: {
        model: {
          ...{ _component_: 'torchtune.models.qwen2.qwen2', vocab_size: 151936, num_layers: size.layers },
          ...{ num_heads: size.heads, num_kv_heads: 2, embed_dim: size.hidden, intermediate_dim: size.inner },
          ...{ max_seq_len: size.length, tie_word_embeddings: true },
        },
        'tokenizer._component_': 'torchtune.models.qwen2_5.qwen2_5_tokenizer',
        'checkpointer.model_type': 'QWEN2',
      },
    },
    state: /output\/recipe_state\/recipe_state\.pt$/,
  },
};

const conversation = (index: number, what: string) => ({
  messages: [
    { role: 'system', content: 'You mend code.' },
    { role: 'user', content: `m${index} is ${what}.` },
    {
      role: 'assistant',
      content: `<function=bash>\n<parameter=command>cat m${index}.py</parameter>\n</function>`,
    },
    { role: 'user', content: 'OBSERVATION:\nVALUE = -1' },
    { role: 'assistant', content: '<function=submit>\n</function>' },
  ],
});

describe.each(['trl', 'torchtune'] as const)('%s', (type) => {
  const { python, settings, state } = FRAMEWORKS[type];
  const on = test.skipIf(python === null);
  const project = new Project();
  const out = (name: string) => readFileSync(project.path(`out/sft/sft-train.data/${name}`), 'utf8');
  const build = () => project.build('p.yaml', 'sft-train');
  const writeRows = (what: string) =>
    writeFileSync(
      project.path('sft.jsonl'),
      Array.from({ length: 24 }, (_, index) => `${JSON.stringify(conversation(index, what))}\n`).join(''),
    );
  const losses = () => (JSON.parse(out('metrics.json')).steps as { loss: number }[]).map(({ loss }) => loss);
  /** Of the weights of the checkpoint. */
  const weights = () => {
    const folder = out('output-folder.txt')
      .trim()
      .replace(/^[^:]*:/, '');
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => /(^|\/)model[^/]*\.safetensors$/.test(name)).sort();
    expect(files.length).toBeGreaterThan(0);
    return files.map((name) => digestOf(readFileSync(`${folder}/${name}`)));
  };

  on('trains once, and its loss falls', { timeout: LONG }, async () => {
    const { hidden, inner, layers, heads } = size;
    const words = [type, project.path('base'), hidden, inner, layers, heads].map(String);
    execFileSync(python!, [`${packageRoot()}/test/trainers/sft-models.py`, ...words], { stdio: 'pipe' });
    writeRows('wrong');
    writeFileSync(project.path('rows.jsonl'), '');
    const sft = {
      ...{ type, deployment: 'host', model: { path: 'base' }, data: { source: 'sft.jsonl' } },
      ...{ dtype: size.dtype, learning_rate: size.rate, batch_size: 2, max_length: size.length },
    };
    const activate = `export PATH=${dirname(python!)}:$PATH HF_HUB_OFFLINE=1`;
    const host = { type: 'process', resources: { gpu: hasGpu ? 1 : 0 }, activate };
    const file = {
      ...{ version: 1, name: 'sft', dataset: { train: { source: 'rows.jsonl', format: 'custom' } } },
      ...{ deployments: { box: { type: 'local' }, host }, trainer: { sft: { ...sft, ...settings } } },
    };
    writeFileSync(project.path('p.yaml'), JSON.stringify(file));
    expect(await build()).toMatchObject({ code: 0, executed: 1 });
    expect(losses().every(Number.isFinite)).toBe(true);
    expect(losses().at(-1)).toBeLessThan(losses()[0]! - 1);
    expect(await build()).toMatchObject({ code: 0, executed: 0 });
  });

  on('goes on where it was killed', { timeout: LONG }, async () => {
    const whole = weights();
    renameSync(project.path('.swemake'), project.path('kept'));
    const child = project.start(['build', 'p.yaml', 'sft-train', '--json']);
    const isSaved = () => {
      try {
        const below = project.path('.swemake/executors/training');
        return readdirSync(below, { recursive: true, encoding: 'utf8' }).some((path) => state.test(path));
      } catch (error) {
        // The folder is not there yet, or a file went away while it was listed.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        return false;
      }
    };
    await until(isSaved, LONG);
    const closed = new Promise((resolve) => child.once('close', resolve));
    process.kill(-child.pid!, 'SIGKILL');
    await closed;
    expect(await build()).toMatchObject({ code: 0, executed: 1 });
    expect((await project.run('logs', 'sft-train.data', '--project', 'p.yaml')).stdout).toMatch(
      /goes on from \S+/,
    );
    expect(losses().every(Number.isFinite)).toBe(true);
    // TRL's weights after a continued training are not bit for bit those of an uninterrupted one.
    if (type === 'torchtune') expect(weights()).toEqual(whole);
    rmSync(project.path('kept'), { recursive: true });
  });

  on('trains again for changed conversations', { timeout: LONG }, async () => {
    writeRows('broken');
    expect(await build()).toMatchObject({ code: 0, executed: 1 });
    expect(await build()).toMatchObject({ code: 0, executed: 0 });
  });
});
