"""
Stand-ins for the parts of slime and Miles that rollout functions use: `Sample`, the outputs of rollout and filter functions, and the
rollout function itself with its order of calls: groups, generation, reward, filter, until the batch is full, then an abort.
"""

import asyncio
import importlib
import inspect
import sys
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


def types_module(package, module):
    @dataclass
    class Sample:
        group_index: int | None = None
        index: int | None = None
        rollout_id: int | None = None
        prompt: Any = ""
        tokens: list = field(default_factory=list)
        response: str = ""
        response_length: int = 0
        label: str | None = None
        reward: Any = None
        loss_mask: list | None = None
        weight_versions: list = field(default_factory=list)
        rollout_log_probs: list | None = None
        remove_sample: bool = False
        metadata: dict = field(default_factory=dict)
        generate_function_path: str | None = None
        train_metadata: dict | None = None
        session_id: str | None = None

        class Status(Enum):
            PENDING = "pending"
            COMPLETED = "completed"
            TRUNCATED = "truncated"
            ABORTED = "aborted"
            FAILED = "failed"

        status: Any = Status.PENDING

    Sample.__module__ = Sample.Status.__module__ = module.__name__
    module.Sample = Sample


def outputs_module(package, module):
    @dataclass
    class RolloutFnTrainOutput:
        samples: list
        metrics: dict | None = None

    @dataclass
    class RolloutFnEvalOutput:
        data: dict
        metrics: dict | None = None

    module.RolloutFnTrainOutput, module.RolloutFnEvalOutput = RolloutFnTrainOutput, RolloutFnEvalOutput


def filter_module(package, module):
    @dataclass
    class DynamicFilterOutput:
        keep: bool
        reason: str | None = None

    module.DynamicFilterOutput = DynamicFilterOutput


def rollout_module(package, module):
    class Single(type):
        _instances: dict = {}

        def __call__(cls, *args, **kwargs):
            if cls not in cls._instances:
                cls._instances[cls] = super().__call__(*args, **kwargs)
            return cls._instances[cls]

    class GenerateState(metaclass=Single):
        def __init__(self, args):
            self.args, self.aborted = args, False

    def outputs():
        return sys.modules[f"{package}.rollout.base_types"]

    def generate_rollout(args, rollout_id, data_source, evaluation=False):
        state = GenerateState(args)
        state.aborted = False
        if evaluation:
            return outputs().RolloutFnEvalOutput(data=asyncio.run(evaluated(args, data_source)))
        samples, metrics = asyncio.run(batch(args, data_source, state))
        return outputs().RolloutFnTrainOutput(samples=samples, metrics=metrics)

    module.GenerateState, module.generate_rollout = GenerateState, generate_rollout


async def one(args, sample, sampling, evaluation):
    generate = load(args.custom_generate_function_path)
    more = {"evaluation": evaluation} if "evaluation" in inspect.signature(generate).parameters else {}
    made = await generate(args, sample, dict(sampling), **more)
    for each in made if isinstance(made, list) else [made]:
        if each.status is not type(each).Status.ABORTED and each.reward is None and args.custom_rm_path:
            each.reward = await load(args.custom_rm_path)(args, each)
    return made


def sampling_of(args):
    return {
        "temperature": args.rollout_temperature, "top_p": args.rollout_top_p or 1.0, "top_k": -1,
        "max_new_tokens": args.rollout_max_response_len, "stop": args.rollout_stop,
    }


async def batch(args, data_source, state):
    """Groups until `rollout_batch_size` of them are kept; what still runs then is given up."""
    wanted, kept, dropped, running = args.rollout_batch_size, [], {}, set()
    choose = load(args.dynamic_sampling_filter_path) if args.dynamic_sampling_filter_path else None
    while len(kept) < wanted:
        while len(running) + len(kept) < wanted:
            for group in data_source.get_samples(args.over_sampling_batch_size or wanted):
                running.add(asyncio.ensure_future(grouped(args, group)))
        done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            group = task.result()
            verdict = choose(args, group) if choose else None
            keep = verdict is None or verdict is True or getattr(verdict, "keep", False)
            if not keep:
                reason = getattr(verdict, "reason", None)
                dropped[reason] = dropped.get(reason, 0) + 1
            elif len(kept) < wanted:
                kept.append(group)
    state.aborted = True
    if running:
        await asyncio.wait(running)
    state.aborted = False
    first = lambda group: group[0][0] if isinstance(group[0], list) else group[0]  # noqa: E731
    kept.sort(key=lambda group: first(group).index)
    return kept, {f"rollout/dynamic_filter/drop_{reason}": count for reason, count in dropped.items()}


async def grouped(args, group):
    return list(await asyncio.gather(*(one(args, sample, sampling_of(args), False) for sample in group)))


async def evaluated(args, data_source):
    found = {}
    for name, samples in data_source.evaluation.items():
        made = await asyncio.gather(*(one(args, sample, sampling_of(args), True) for sample in samples))
        flat = [each for many in made for each in (many if isinstance(many, list) else [many])]
        key = args.eval_reward_key or args.reward_key
        rewards = [each.reward[key] if key and isinstance(each.reward, dict) else each.reward for each in flat]
        truncated = [each.status is type(each).Status.TRUNCATED for each in flat]
        found[name] = {"rewards": rewards, "truncated": truncated, "samples": flat}
    return found


def load(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


#: By their place in the package.
MODULES = {
    "utils.types": types_module,
    "rollout.base_types": outputs_module,
    "rollout.filter_hub.base_types": filter_module,
    "rollout.sglang_rollout": rollout_module,
}
