"""Calls agent loops as verl's workers and its trainer do, with trainer.use_v1 and without: each in a task, several for a prompt."""

import asyncio
import copy
import importlib
import json
import math
import sys
import uuid
from types import SimpleNamespace

from . import verl_contract
from .engine import ask, new_weights
from .functions import contract
from .options import by_role, lookup
from .rows import packed, read_rows


def play(spec, options, functions, report):
    if not report.data["command"]["found"]:
        return
    contract(verl_contract.MODULES, report, set(verl_contract.MODULES))
    rollout = options.actor_rollout_ref.rollout
    # Interpolations of verl's own configuration.
    rollout.prompt_length = rollout.prompt_length or options.data.max_prompt_length
    rollout.response_length = rollout.response_length or options.data.max_response_length
    driver = Driver(spec, options, report)
    if driver.target is not None:
        for call in spec["table"]["order"]:
            getattr(driver, call)()


class Tokenizer:
    """What loops ask of it, by the engine's own."""

    eos_token_id = pad_token_id = 0

    def __init__(self, spec):
        self.spec = spec

    def encode(self, text, **_):
        return ask(self.spec, "/tokenize", {"prompt": text})["tokens"]

    def decode(self, ids, **_):
        return ask(self.spec, "/rehearsal/text", {"tokens": list(ids)})["text"]

    def written(self, messages):
        return ask(self.spec, "/tokenize", {"messages": messages})["tokens"]


class Servers:
    """verl's engines: the stand-in."""

    def __init__(self, spec, rollout):
        self.spec, self.rollout = spec, rollout

    async def generate(self, request_id, *, prompt_ids, sampling_params, **_):
        plain = {key: value for key, value in sampling_params.items() if key != "logprobs"}
        response, most = self.rollout.response_length, self.rollout.max_model_len - len(prompt_ids)
        if most < 1:
            raise ValueError(f"a prompt of {len(prompt_ids)} tokens leaves no room to generate within {self.rollout.max_model_len}")
        asked = plain.pop("max_tokens", None) or plain.pop("max_new_tokens", None)
        room = max(1, min(most, asked or min(response, self.rollout.prompt_length + response - len(prompt_ids))))
        body = {"input_ids": list(prompt_ids), "sampling_params": {**plain, "max_new_tokens": room}}
        for attempt in range(4):
            try:
                generated = await asyncio.to_thread(ask, self.spec, "/generate", body)
                break
            except OSError:
                if attempt == 3:
                    raise
        pairs = generated["meta_info"]["output_token_logprobs"]
        reason = generated["meta_info"]["finish_reason"]["type"]
        return SimpleNamespace(token_ids=[one[1] for one in pairs], log_probs=[one[0] for one in pairs], stop_reason=reason, extra_fields={})


class Driver:
    def __init__(self, spec, options, report):
        self.spec, self.options, self.report = spec, options, report
        self.rollout_config = options.actor_rollout_ref.rollout
        self.several = options.trainer.use_v1 is not False
        self.own = sys.modules["verl.experimental.agent_loop.agent_loop"]
        self.tokenizer, self.servers = Tokenizer(spec), Servers(spec, self.rollout_config)
        self.target, self.more = self.find()
        self.rows = [] if self.target is None else read_rows(by_role(spec, options, "trainData"), report, "trainData", spec)
        self.made = []

    def find(self):
        """The loop's class by its name, as workers look it up, and its further settings."""
        agent = self.rollout_config.agent
        name = (agent and agent.default_agent_loop) or "single_turn_agent"
        entry = {"option": "default_agent_loop", "key": "generate", "path": name, "file": None, "error": None}
        self.report.data["functions"].append(entry)
        registry = dict(self.own._agent_loop_registry)
        if agent and agent.agent_loop_config_path:
            try:
                registry.update({one["name"]: one for one in read_loops(agent.agent_loop_config_path)})
            except (OSError, ValueError, KeyError, TypeError) as error:
                entry["error"] = f"{agent.agent_loop_config_path} has no agent loops: {error}"
                return None, {}
        if name not in registry:
            entry["error"] = f"no agent loop of this name is registered; agent_loop_config_path names {', '.join(registry) or 'none'}"
            return None, {}
        given = {key: value for key, value in registry[name].items() if key not in ("name", "_target_")}
        path = registry[name]["_target_"]
        module, _, attribute = path.rpartition(".")
        try:
            loaded = importlib.import_module(module)
            entry["path"], entry["file"] = path, getattr(loaded, "__file__", None)
            return getattr(loaded, attribute), given
        except ModuleNotFoundError as error:
            entry["error"] = f"{module} cannot be imported: there is no module {error.name}"
        except AttributeError:
            entry["error"] = f"{module} has no {attribute}"
        return None, {}

    def evaluate(self):
        if not by_role(self.spec, self.options, "evaluationFirst") and (by_role(self.spec, self.options, "evaluationEvery") or -1) <= 0:
            return
        path = by_role(self.spec, self.options, "evaluationData")
        if path is None:
            self.report.problem("evaluation", "there are evaluations, and no rows for them", self.spec["table"]["names"]["evaluationEvery"])
            return
        rows = read_rows(path, self.report, "evaluationData", self.spec)[: self.spec["evaluationRows"]]
        made = asyncio.run(self.prompts(rows, True))
        rewards = [outputs[-1].reward_score for *_, outputs, _ in made if outputs]
        self.report.data["evaluations"] = {"evaluation": {"samples": len(rewards), "rewards": rewards}}

    async def prompts(self, rows, evaluation):
        config = self.rollout_config
        if evaluation:
            own = config.val_kwargs
            sampling = {"temperature": own.temperature or 0, "top_p": own.top_p or 1.0, "top_k": own.top_k or -1}
            count = own.n or 1
        else:
            sampling = {"temperature": config.temperature, "top_p": config.top_p, "top_k": config.top_k or -1}
            count = config.n or 1
        sampling.update(repetition_penalty=1.0, logprobs=bool(config.calculate_log_probs))
        return await asyncio.gather(
            *(self.one(row, index, session, dict(sampling), evaluation) for index, row in enumerate(rows) for session in range(count))
        )

    async def one(self, row, index, session, sampling, evaluation):
        loop = self.target(
            trainer_config=self.own.DictConfigWrap(config=self.options), server_manager=self.servers, tokenizer=self.tokenizer,
            processor=None, dataset_cls=None, data_config=self.own.DictConfigWrap(config=self.options.data), tools=SimpleNamespace(tools=[]), **self.more,
        )
        given = copy.deepcopy(row)
        given["raw_prompt"] = given.pop("prompt")
        more = {"uid": uuid.uuid4().hex, "session_id": session, "global_steps": 1, "index": index} if self.several else {"index": index}
        try:
            result = await loop.run(sampling, **{**given, **more})
        except Exception as error:
            return index, session, [], f"{type(error).__name__}: {error}"
        outputs = result if isinstance(result, list) else [result]
        if isinstance(result, list) and not self.several:
            return index, session, [], "a list of outputs, which verl takes with trainer.use_v1 alone"
        for one in outputs[:-1]:
            if outputs[-1].reward_score is not None:
                one.reward_score = outputs[-1].reward_score
        return index, session, outputs, None

    def rollout(self):
        if not self.rows:
            return
        wanted = self.options.data.train_batch_size
        made = asyncio.run(self.prompts([self.rows[index % len(self.rows)] for index in range(wanted)], False))
        for number, (group, _, outputs, error) in enumerate(made):
            samples = [self.dumped(one, group, number) for one in outputs]
            entry = {"group": group, "index": number, "evaluation": False, "error": error, "samples": samples}
            self.report.data["rollouts"].append(entry)
            self.made += samples
            if error is not None and not self.several:
                raise RuntimeError(f"a rollout failed, and verl without trainer.use_v1 ends with it: {error}")
            for one in outputs:
                if one.reward_score is None and lookup(self.options, "custom_reward_function.path") is None:
                    raise ValueError("a loop gave no reward_score, and there is no custom_reward_function")
        for group in range(wanted):
            mine = [one for one in made if one[0] == group]
            lost = sum(not outputs for *_, outputs, _ in mine)
            self.report.data["groups"].append(
                {"keep": lost < len(mine), "reason": "all of its rollouts failed" if lost == len(mine) else None, "samples": len(mine) - lost}
            )

    def dumped(self, one, group, index):
        prompt, response = list(one.prompt_ids), list(one.response_ids)
        return {
            # Longer ones are cut to what the rows of a batch hold.
            "tokens": [*prompt[-self.rollout_config.prompt_length :], *response[: self.rollout_config.response_length]],
            "response": min(len(response), self.rollout_config.response_length),
            "mask": list(one.response_mask)[: self.rollout_config.response_length],
            "logprobs": None if one.response_logprobs is None else [float(value) for value in one.response_logprobs][: self.rollout_config.response_length],
            "reward": one.reward_score, "status": "stop", "removed": False, "group": group, "index": index, "stepWise": None, "error": None,
        }

    def batch(self):
        if not self.made:
            return
        actor = self.options.actor_rollout_ref.actor
        self.report.data["trained"] = self.made
        count, samples = len(self.made), self.rollout_config.n or 1
        mini = actor.ppo_mini_batch_size * samples
        gpus = (by_role(self.spec, self.options, "actorNodes") or 1) * (by_role(self.spec, self.options, "actorGpus") or 1)
        processes = max(1, gpus // (actor.ulysses_sequence_parallel_size or 1))
        multiple = math.lcm(processes, mini)
        filled = -(-count // multiple) * multiple if self.several else count
        promised = self.options.data.train_batch_size * samples
        lengths = [len(one["tokens"]) for one in self.made]
        limit = (by_role(self.spec, self.options, "tokensPerGpu") or 0) * (actor.ulysses_sequence_parallel_size or 1)
        epochs = actor.ppo_epochs or 1
        self.report.data["batch"] = {
            "sequences": count, "promised": promised, "globalBatch": mini, "plannedGlobalBatch": mini, "used": count, "trimmed": 0,
            "steps": -(-filled // mini) * epochs, "plannedSteps": promised // mini * epochs, "microBatches": packed(lengths, limit) if limit else count,
            "longest": max(lengths), "tokensPerMicroBatch": limit or None, "padding": filled - count,
        }

    def weights(self):
        self.report.data["weights"] = new_weights(self.spec)


def read_loops(path):
    text = open(path, encoding="utf-8").read()
    try:
        return json.loads(text)
    except ValueError:
        import yaml

        return yaml.safe_load(text)
