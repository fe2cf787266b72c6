"""
Rollouts over HTTP with a fault that FAULT names, or with none: what a small agent does, and what hooks of each framework make of it.
"""

import asyncio
import importlib
import json
import os
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

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


def work(base, prompt, limit, sampling, index, judge=None):
    """One call after the other; each prompt goes on with the ids of the one before, so one sequence holds all of them."""
    limit = limit if FAULT != "unlimited" else 10**9
    ids = post(base + "/tokenize", {"prompt": prompt})["tokens"]
    start, mask, logprobs = len(ids), [], []
    for _ in range(12):
        if limit - len(ids) - sampling["max_new_tokens"] <= 0:
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
            post(judge + "/generate", {"text": "score in \\boxed{}", "sampling_params": {}})
        if "I am done" in said["text"]:
            break
        shown = post(base + "/tokenize", {"prompt": "\nobservation " + ("x1 " * 400)})["tokens"]
        if len(ids) + len(shown) + sampling["max_new_tokens"] > limit:
            break
        ids, mask, logprobs = ids + shown, mask + [1 if FAULT == "shown" else 0] * len(shown), logprobs + [0.0] * len(shown)
    if FAULT == "shifted":
        mask = [0] + mask[:-1]
    if FAULT == "masked" and index % 2 == 1:
        mask = [0] * len(mask)
    if FAULT == "dropped":
        keep = mask.index(0) if 0 in mask else len(mask)
        ids, mask, logprobs = ids[: start + keep], mask[:keep], logprobs[:keep]
    return ids[:start], ids[start:], mask, logprobs


# slime and Miles


async def generate(args, sample, sampling_params, evaluation=False):
    if FAULT == "image" and "swe-gym" not in sample.metadata["data_source"]:
        raise NotImplementedError(f"image name for data source {sample.metadata['data_source']} is not known")
    if FAULT == "silent":
        sample.status = type(sample).Status.ABORTED
        return sample
    judge = f"http://{args.prm_router_ip}:{args.prm_router_port}" if os.environ.get("JUDGE") else None
    base = f"http://{args.sglang_router_ip}:{args.sglang_router_port}"
    limit = args.rollout_max_context_len or int(os.environ["SWEMAKE_MAX_SEQ_LEN"])
    made = await asyncio.to_thread(work, base, sample.prompt, limit, sampling_params, sample.index or 0, judge)
    prompt, response, sample.loss_mask, sample.rollout_log_probs = made
    sample.tokens, sample.response_length = prompt + response, len(response)
    sample.reward = {"score": 1.0}
    sample.status = type(sample).Status.COMPLETED
    sample.response = "said"
    return sample


async def reward_func(args, sample, **_):
    return sample.reward


def generate_rollout(args, rollout_id, data_source, evaluation=False):
    own = importlib.import_module(f"{os.environ['PACKAGE']}.rollout.sglang_rollout")
    return own.generate_rollout(args, rollout_id, data_source, evaluation=evaluation)


def keep_all(args, samples, **_):
    return True


def keep_none(args, samples, **_):
    return False


# SkyRL


class Generator:
    def __init__(self, cfg, engines):
        told = getattr(engines, "get_endpoint_url", None)
        at = cfg.generator
        self.base = told() if told else f"http://{at.http_endpoint_host}:{at.http_endpoint_port}"
        self.limit = (at.max_input_length or 0) + at.sampling_params.max_generate_length
        self.step_wise = bool(at.step_wise_trajectories)

    async def generate(self, batch):
        sampling = {"temperature": batch["sampling_params"]["temperature"], "max_new_tokens": batch["sampling_params"]["max_generate_length"]}
        texts = [one[0]["content"] for one in batch["prompts"]]
        made = await asyncio.gather(
            *(asyncio.to_thread(work, self.base, text, self.limit, sampling, index) for index, text in enumerate(texts))
        )
        rows = [(index, *row) for index, one in enumerate(made) for row in (steps(one) if self.step_wise or FAULT == "longest" else [one])]
        if FAULT == "longest":
            rows = [max((row for row in rows if row[0] == index), key=lambda row: sum(row[3])) for index in range(len(made))]
        ends = [at + 1 == len(rows) or rows[at + 1][0] != row[0] for at, row in enumerate(rows)]
        equal = FAULT == "equal" or batch["batch_metadata"].training_phase == "eval"
        if FAULT == "lost":
            return {"prompt_token_ids": [], "response_ids": [], "loss_masks": [], "rewards": []}
        return {
            "prompt_token_ids": [row[1] for row in rows],
            "response_ids": [row[2] for row in rows],
            "loss_masks": [row[3][:-1] if FAULT == "short" else row[3] for row in rows],
            "rollout_logprobs": [row[4] for row in rows],
            "rewards": [1.0 if equal else float(row[0] % 2) for row in rows],
            "stop_reasons": ["stop"] * len(rows),
            "trajectory_ids": [batch["trajectory_ids"][row[0]] for row in rows],
            "is_last_step": ends if self.step_wise else None,
            "rollout_metrics": {},
        }


def steps(made):
    """A row for each reply, with all before it as its prompt."""
    prompt, response, mask, logprobs = made
    at, rows = 0, []
    while at < len(mask):
        if mask[at] == 0:
            at += 1
            continue
        end = at
        while end < len(mask) and mask[end] == 1:
            end += 1
        rows.append((prompt + response[:at], response[at:end], mask[at:end], logprobs[at:end]))
        at = end
    return rows


def skyrl(package, entry):
    import ray

    base = importlib.import_module(f"{package}.entrypoints.main_base")

    class Experiment(base.BasePPOExp):
        def get_generator(self, cfg, tokenizer, inference_engine_client):
            return Generator(cfg, inference_engine_client)

        def get_trainer(self, cfg, *given, **named):
            if package == "skyrl_train" and cfg.generator.step_wise_trajectories:
                return importlib.import_module("examples.step_wise.step_wise_trainer").StepWiseTrainer(cfg, **named)
            return super().get_trainer(cfg, *given, **named)

    @ray.remote(num_cpus=1)
    def train(cfg):
        Experiment(cfg).run()

    ray.get(train.remote(entry))


# verl

if os.environ.get("PACKAGE") == "verl":
    from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput

    class Loop(AgentLoopBase):
        async def run(self, sampling_params, raw_prompt, index, session_id=0, **_):
            if FAULT == "raises":
                raise RuntimeError("there is no verdict")
            longest = 256 if FAULT == "unread" else int(os.environ["SWEMAKE_MAX_RESPONSE"])
            sampling = {"temperature": sampling_params["temperature"], "max_new_tokens": longest}
            text = raw_prompt[0]["content"] * (9 if FAULT == "cut" else 1)
            made = await asyncio.to_thread(work, os.environ["ENGINE"], text, int(os.environ["SWEMAKE_MAX_SEQ_LEN"]), sampling, session_id)
            rows = steps(made) if FAULT == "steps" else [made]
            outputs = [
                AgentLoopOutput(
                    prompt_ids=row[0][-20:] if FAULT == "cut" else row[0], response_ids=row[1], response_mask=row[2],
                    response_logprobs=row[3], reward_score=None if FAULT == "lost" else 1.0, metrics=AgentLoopMetrics(), num_turns=2,
                )
                for row in rows
            ]
            return outputs if len(outputs) > 1 else outputs[0]


# TRL


def rollout_func(prompts, trainer):
    """Its prompts come once for each rollout."""
    limit = int(os.environ["SWEMAKE_MAX_SEQ_LEN"])
    sampling = {"temperature": trainer.args.temperature, "max_new_tokens": 256}
    with ThreadPoolExecutor() as pool:
        asked = [pool.submit(work, os.environ["ENGINE"], one[0]["content"], limit, sampling, index) for index, one in enumerate(prompts)]
    made = [one.result() for one in asked]
    found = {
        "prompt_ids": [one[0] for one in made], "completion_ids": [one[1] for one in made], "logprobs": [one[3] for one in made],
        "env_mask": [one[2] for one in made], "planted_reward": [float(index % 2) for index in range(len(made))],
    }
    if FAULT == "unmasked":
        del found["env_mask"]
    if FAULT == "lost":
        del found["logprobs"]
    if FAULT == "few":
        found = {name: values[:-1] for name, values in found.items()}
    return found


def planted_reward(completions, planted_reward, **_):
    return [1.0] * len(planted_reward) if FAULT == "equal" else planted_reward


if __name__ == "__main__":
    if os.environ["PACKAGE"] == "skyrl":
        skyrl("skyrl.train", importlib.import_module("skyrl.train.entrypoints.main_base").SkyRLTrainConfig.from_cli_overrides(sys.argv[1:]))
    else:
        import hydra

        hydra.main(config_path="", config_name="ppo_base_config", version_base=None)(lambda cfg: skyrl("skyrl_train", cfg))()
