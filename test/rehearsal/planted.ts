/** A tiny project with slime, whose rollout functions are a module of the test: a small agent over HTTP, sound unless told otherwise. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

/** What the functions do wrong; `sound`: nothing. */
export type Fault =
  | 'sound'
  | 'shifted'
  | 'dropped'
  | 'retokenised'
  | 'unlimited'
  | 'image'
  | 'shown'
  | 'masked';

const HOOKS = String.raw`
import asyncio, json, os, urllib.request, urllib.error

FAULT = os.environ.get("FAULT", "sound")


def post(address, body):
    for _ in range(4):
        try:
            request = urllib.request.Request(address, json.dumps(body).encode(), {"content-type": "application/json"})
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return {"refused": error.read().decode()}
        except (urllib.error.URLError, ConnectionError, OSError):
            continue
    raise RuntimeError("the engine does not answer")


def work(args, sample, sampling):
    """One call after the other; each prompt goes on with the ids of the one before, so one sequence holds all of them."""
    if FAULT == "image" and "swe-gym" not in sample.metadata["data_source"]:
        raise NotImplementedError(f"image name for data source {sample.metadata['data_source']} is not known")
    base = f"http://{args.sglang_router_ip}:{args.sglang_router_port}"
    ids = post(base + "/tokenize", {"prompt": sample.prompt})["tokens"]
    start = len(ids)
    mask, logprobs = [], []
    limit = args.rollout_max_context_len if FAULT != "unlimited" else 10**9
    judge = os.environ.get("JUDGE")
    for turn in range(12):
        room = limit - len(ids) - sampling["max_new_tokens"]
        if room <= 0:
            break
        body = {"input_ids": ids, "sampling_params": {"temperature": sampling["temperature"], "max_new_tokens": sampling["max_new_tokens"]}}
        said = post(base + "/generate", body)
        if "refused" in said:
            break
        pairs = said["meta_info"]["output_token_logprobs"]
        new = [one[1] for one in pairs]
        if FAULT == "retokenised":
            new = post(base + "/tokenize", {"prompt": said["text"]})["tokens"]
            pairs = (pairs + pairs)[: len(new)]
        ids, mask = ids + new, mask + [1] * len(new)
        logprobs += [one[0] for one in pairs]
        if judge:
            post(f"http://{args.prm_router_ip}:{args.prm_router_port}/generate", {"text": "score in \\boxed{}", "sampling_params": {}})
        if "I am done" in said["text"]:
            break
        shown = post(base + "/tokenize", {"prompt": "\nobservation " + ("x1 " * 400)})["tokens"]
        if len(ids) + len(shown) + sampling["max_new_tokens"] > limit:
            break
        ids, mask, logprobs = ids + shown, mask + [1 if FAULT == "shown" else 0] * len(shown), logprobs + [0.0] * len(shown)
    if FAULT == "shifted":
        mask = [0] + mask[:-1]
    if FAULT == "masked" and sample.index % 2 == 1:
        mask = [0] * len(mask)
    if FAULT == "dropped":
        keep = mask.index(0) if 0 in mask else len(mask)
        ids, mask, logprobs = ids[: start + keep], mask[:keep], logprobs[:keep]
    sample.tokens, sample.response_length, sample.loss_mask, sample.rollout_log_probs = ids, len(ids) - start, mask, logprobs
    sample.reward = {"score": 1.0}
    sample.status = type(sample).Status.COMPLETED
    sample.response = "said"
    return sample


async def generate(args, sample, sampling_params, evaluation=False):
    return await asyncio.to_thread(work, args, sample, sampling_params)


async def reward_func(args, sample, **_):
    return sample.reward


def keep_all(args, samples, **_):
    return True


def keep_none(args, samples, **_):
    return False
`;

export interface Planted {
  fault?: Fault;
  /** Lines below `trainer.rl`, indented by four spaces. */
  rl?: string;
  overrides?: Record<string, unknown>;
  generate?: string;
  port?: number;
}

let project: Project | null = null;

/** The same cache for all: tasks are validated once. */
export async function planted(options: Planted = {}): Promise<Project> {
  project ??= tinyProject({ instances: 2, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
  mkdirSync(project.path('hooks'), { recursive: true });
  writeFileSync(project.path('hooks/planted_hooks.py'), HOOKS);
  const { fault = 'sound', rl = '', generate = 'planted_hooks.generate' } = options;
  const overrides = { 'dynamic-sampling-filter-path': 'planted_hooks.keep_all', ...options.overrides };
  const { port = await freePort() } = options;
  writeFileSync(
    project.path('p.yaml'),
    `${BASE}
agent:
  type: bash
  model: { base_url: "http://127.0.0.1:${port}/v1", name: m, identity: "m@1" }
trainer:
  rl:
    type: slime
    deployment: gpu
    folder: slime
    module: hooks
    model: { id: owner/model, revision: "0123456789012345678901234567890123456789" }
    generate: ${generate}
    reward: planted_hooks.reward_func
    actor_gpus: 4
    rollout_gpus: 2
    batch: 2
    samples: 4
    steps: 1
    max_context: 8192
    max_response: 256
    env: { FAULT: ${fault}${rl.includes('prm') && !rl.includes('# no judge') ? ', JUDGE: "1"' : ''} }
    overrides: ${JSON.stringify(overrides)}
${rl}`,
  );
  return project;
}

const BASE = `version: 1
name: tiny
dataset:
  train: { source: rows.jsonl, format: custom }
environments:
  recipes:
    - match: {}
      pip: []
      install: []
      test: python -m unittest -v
      parser: unittest
deployments:
  box:
    type: sandbox
    network: { build: proxy, grade: off }
  gpu: { type: process, resources: { gpu: 8 } }
validation: { deployment: box, timeout: 60s }`;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
