/** Command lines of engines, beside those that people start by hand today. */
import { describe, expect, test } from 'vitest';
import type { ServeConfig } from '../../../schemas/generated/project.ts';
import { readyPath, type Served, serverCommand } from '../../../tasks/serving/command-line.ts';

const SERVE: ServeConfig = { gpus: 0, replicas: 1, args: [], env: {}, timeout: 600, hang: 600 };
const AGENT_LM = { kind: 'hub', id: 'SWE-bench/SWE-agent-LM-32B', revision: null } as const;

function commandOf(serve: Partial<ServeConfig>, more: Partial<Served> = {}): string {
  const served = { name: 'custom', weights: AGENT_LM, activate: null, host: null, ...more };
  return serverCommand({ ...served, serve: { ...SERVE, ...serve } });
}

describe('an engine', () => {
  test('vLLM, as SWE-MiniSandbox serves its agent', () => {
    // vllm serve $modelp --tensor-parallel-size 8 --async-scheduling --served-model-name custom
    expect(
      commandOf(
        { engine: 'vllm', gpus: 8, args: ['--async-scheduling'] },
        { activate: 'conda activate vllm' },
      ),
    ).toBe(
      'conda activate vllm\n' +
        'exec vllm serve SWE-bench/SWE-agent-LM-32B --tensor-parallel-size 8 --served-model-name custom --host 127.0.0.1 --port {port} --async-scheduling',
    );
    const pinned = { ...AGENT_LM, revision: '0123456789012345678901234567890123456789' };
    expect(commandOf({ engine: 'vllm' }, { weights: pinned, name: 'a model' })).toBe(
      "exec vllm serve SWE-bench/SWE-agent-LM-32B --revision 0123456789012345678901234567890123456789 --served-model-name 'a model' --host 127.0.0.1 --port {port}",
    );
  });

  test('SGLang, as swe-rl evaluates', () => {
    // run_eval_swe.sh: --model-path --served-model-name "eval_model" --tp 4 --host --port --trust-remote-code
    //   --mem-fraction-static 0.85 --skip-server-warmup
    const args = ['--trust-remote-code', '--mem-fraction-static', '0.85', '--skip-server-warmup'];
    const weights = { kind: 'path', path: '/models/Qwen3 32B' } as const;
    expect(commandOf({ engine: 'sglang', gpus: 4, args }, { name: 'eval_model', weights })).toBe(
      "exec python -m sglang.launch_server --model-path '/models/Qwen3 32B' --served-model-name eval_model --tp 4 --host 127.0.0.1 --port {port} --trust-remote-code --mem-fraction-static 0.85 --skip-server-warmup",
    );
  });

  test('llama.cpp', () => {
    const weights = { kind: 'path', path: '/models/tiny.gguf' } as const;
    expect(commandOf({ engine: 'llama.cpp', gpus: 1, args: ['--jinja'] }, { weights })).toBe(
      'exec llama-server --model /models/tiny.gguf --alias custom --n-gpu-layers 999 --host 127.0.0.1 --port {port} --jinja',
    );
    expect(commandOf({ engine: 'llama.cpp' })).toContain(
      'llama-server --hf-repo SWE-bench/SWE-agent-LM-32B ',
    );
  });

  test('on another machine: by ssh, with its variables, open to this one', () => {
    const command = commandOf(
      { engine: 'sglang', gpus: 8, env: { CUDA_VISIBLE_DEVICES: '0,1' } },
      { host: 'user@node1', activate: 'source activate rl' },
    );
    expect(command).toMatch(/^exec ssh -tt -o BatchMode=yes -o ServerAliveInterval=15 user@node1 /);
    expect(command).toContain('export CUDA_VISIBLE_DEVICES=0,1');
    expect(command).toContain('source activate rl');
    expect(command).toContain('--tp 8 --host 0.0.0.0 --port {port}');
  });

  test('or any command, which is told where a checkpoint is', () => {
    const weights = { kind: 'path', path: '/cache/layers/1' } as const;
    const command = 'serve {model} --port {port}';
    expect(commandOf({ command }, { weights })).toBe('serve /cache/layers/1 --port {port}');
    expect(commandOf({ command }, { weights, activate: 'source on' })).toBe(
      'source on\nserve /cache/layers/1 --port {port}',
    );
  });

  test('says where it answers once it is ready', () => {
    expect(readyPath({ ...SERVE, engine: 'vllm' })).toBe('/health');
    expect(readyPath({ ...SERVE, command: 'x' })).toBe('/v1/models');
    expect(readyPath({ ...SERVE, engine: 'sglang', ready: '/v1/models' })).toBe('/v1/models');
  });
});
