"""Calls rollouts as slime and Miles do: a function for each sample, a reward, a filter for each group, a rollout function around."""

import copy
import importlib
import inspect
import sys
from types import SimpleNamespace

from . import slime_contract
from .engine import new_weights
from .functions import contract
from .options import by_role
from .rows import PATIENCE, AllDropped, packed, read_rows


def play(spec, options, functions, report):
    package = functions.package
    contract({f"{package}.{name}": make for name, make in slime_contract.MODULES.items()}, report)
    own = importlib.import_module(f"{package}.rollout.sglang_rollout")
    generate = functions.found.get("custom-generate-function-path")
    options.sglang_router_ip, options.sglang_router_port = spec["host"], spec["port"]
    options.prm_router_ip, options.prm_router_port = spec["host"], spec["port"]
    options.hf_checkpoint = spec["tokenizer"]
    options.rollout_global_dataset = True
    derive(spec, options, package)
    if generate is None:
        if not any(one["option"] == "custom-generate-function-path" for one in report.data["functions"]):
            report.problem("function", "the command names no function that makes rollouts", "custom-generate-function-path")
        return
    if any(one["error"] for one in report.data["functions"]):
        return
    driver = Driver(spec, options, functions, report, own)
    for call in spec["table"]["order"]:
        getattr(driver, call)()


def derive(spec, options, package):
    """What the framework itself does with its options before the first rollout."""
    role = lambda name: by_role(spec, options, name)  # noqa: E731
    if options.over_sampling_batch_size is None:
        options.over_sampling_batch_size = role("batch")
    if options.rollout_num_gpus is None:
        options.rollout_num_gpus = (role("actorNodes") or 1) * (role("actorGpus") or 1)
    try:
        http = importlib.import_module(f"{package}.utils.http_utils")
    except ImportError:
        return
    http.init_http_client(options)


class Driver:
    def __init__(self, spec, options, functions, report, own):
        self.spec, self.options, self.functions, self.report, self.own = spec, options, functions, report, own
        self.sample = importlib.import_module(f"{functions.package}.utils.types").Sample
        self.rows = read_rows(by_role(spec, options, "trainData"), report, "trainData", spec)
        self.number = self.groups = self.in_a_row = 0
        self.output = None
        module = sys.modules[__name__]
        module.CURRENT = self
        options.custom_generate_function_path = f"{__name__}.watched_generate"
        if "dynamic-sampling-filter-path" in functions.found:
            options.dynamic_sampling_filter_path = f"{__name__}.watched_filter"

    def evaluate(self):
        every, path = by_role(self.spec, self.options, "evaluationEvery"), by_role(self.spec, self.options, "evaluationData")
        if every is None:
            return
        if path is None:
            self.report.problem("evaluation", "there are evaluations, and no rows for them", self.spec["table"]["names"]["evaluationEvery"])
            return
        words = path if isinstance(path, list) else [path]
        pairs = list(zip(words[::2], words[1::2], strict=False)) if len(words) > 1 else [("evaluation", words[0])]
        sets = {name: read_rows(file, self.report, "evaluationData", self.spec)[: self.spec["evaluationRows"]] for name, file in pairs}
        if not all(sets.values()):
            return
        source = SimpleNamespace(evaluation={name: [self.one(row, None, None) for row in rows] for name, rows in sets.items()})
        output = self.function()(self.options, 0, source, evaluation=True)
        data = getattr(output, "data", output)
        self.report.data["evaluations"] = {name: {"samples": len(one["samples"]), "rewards": one["rewards"]} for name, one in data.items()}

    def function(self):
        return self.functions.found.get("rollout-function-path") or self.own.generate_rollout

    def one(self, row, group, index):
        key, meta = self.options.input_key or "text", self.options.metadata_key or "metadata"
        metadata = row.get(meta) or {}
        return self.sample(group_index=group, index=index, prompt=row.get(key, ""), metadata=copy.deepcopy(metadata))

    def get_samples(self, count):
        """The next groups of rows, again and again."""
        found = []
        for _ in range(count):
            row = self.rows[self.groups % len(self.rows)]
            members = []
            for _ in range(by_role(self.spec, self.options, "samples") or 1):
                members.append(self.one(row, self.groups, self.number))
                self.number += 1
            found.append(members)
            self.groups += 1
        return found

    def add_samples(self, groups):
        pass

    def __call__(self, count):
        return self.get_samples(count)

    def rollout(self):
        if not self.rows:
            return
        try:
            self.output = self.function()(self.options, 0, self, evaluation=False)
        except AllDropped as error:
            self.report.problem("filter", str(error), "dynamic-sampling-filter-path")

    def batch(self):
        if self.output is None:
            return
        groups = getattr(self.output, "samples", self.output)
        samples = list(flat(groups))
        self.report.data["trained"] = [dumped(one, self.spec, self.options) for one in samples]
        self.report.data["metrics"] = getattr(self.output, "metrics", None)
        self.report.data["batch"] = batches(self.spec, self.options, samples)

    def weights(self):
        self.report.data["weights"] = new_weights(self.spec)


async def watched_generate(args, sample, sampling_params, evaluation=False):
    """The project's function, watched."""
    driver = CURRENT
    function = driver.functions.found["custom-generate-function-path"]
    more = {"evaluation": evaluation} if "evaluation" in inspect.signature(function).parameters else {}
    entry = {"group": sample.group_index, "index": sample.index, "evaluation": evaluation, "error": None, "samples": []}
    driver.report.data["rollouts"].append(entry)
    try:
        made = await function(args, sample, sampling_params, **more)
    except Exception as error:
        entry["error"] = f"{type(error).__name__}: {error}"
        raise
    entry["samples"] = [dumped(one, driver.spec, args) for one in (made if isinstance(made, list) else [made])]
    return made


def watched_filter(args, samples, **more):
    driver = CURRENT
    verdict = driver.functions.found["dynamic-sampling-filter-path"](args, samples, **more)
    keep = verdict if isinstance(verdict, bool) else verdict.keep
    reason = None if isinstance(verdict, bool) else verdict.reason
    driver.report.data["groups"].append({"keep": bool(keep), "reason": reason, "samples": len(list(flat(samples)))})
    driver.in_a_row = 0 if keep else driver.in_a_row + 1
    if driver.in_a_row >= PATIENCE * (args.rollout_batch_size or 1):
        raise AllDropped(f"{driver.in_a_row} groups in a row were dropped: {reason or 'no reason is given'}")
    return verdict


CURRENT = None


def flat(groups):
    for one in groups:
        if isinstance(one, list):
            yield from flat(one)
        else:
            yield one


def dumped(sample, spec, options):
    metadata = sample.metadata or {}
    key = by_role(spec, options, "rewardKey")
    reward = sample.reward.get(key) if key and isinstance(sample.reward, dict) else sample.reward
    return {
        "tokens": list(sample.tokens), "response": sample.response_length,
        "mask": None if sample.loss_mask is None else list(sample.loss_mask),
        "logprobs": None if sample.rollout_log_probs is None else [float(one) for one in sample.rollout_log_probs],
        "reward": reward, "status": getattr(sample.status, "value", str(sample.status)),
        "removed": bool(sample.remove_sample), "group": sample.group_index, "index": sample.index,
        "stepWise": metadata.get("step_wise"), "versions": list(getattr(sample, "weight_versions", None) or []),
        "error": metadata.get("error"),
    }


def batches(spec, options, samples):
    """What the optimizer gets: the samples cut to whole global batches, packed into micro-batches."""
    role = lambda name: by_role(spec, options, name)  # noqa: E731
    batch, per, steps = role("batch") or 0, role("samples") or 1, role("steps")
    planned = role("globalBatch") or (batch * per)
    size = planned
    if role("perStep") and steps:
        size = max(1, len(samples) // steps)
    if role("dynamicBatch"):
        # One step with all samples, rounded down to a multiple of the processes.
        share = (role("tensorParallel") or 1) * (role("pipelineParallel") or 1) * (role("contextParallel") or 1)
        processes = max(1, (role("actorNodes") or 1) * (role("actorGpus") or 1) // share)
        size = max(processes, len(samples) // processes * processes)
    used = len(samples) // size * size if size else 0
    limit = (role("tokensPerGpu") or 0) * (role("contextParallel") or 1)
    lengths = [len(one.tokens) for one in samples[:used]]
    return {
        "sequences": len(samples), "promised": batch * per, "globalBatch": size, "plannedGlobalBatch": planned,
        "used": used, "trimmed": len(samples) - used, "steps": used // size if size else 0, "plannedSteps": steps or (batch * per // planned if planned else 0),
        "microBatches": packed(lengths, limit) if limit else used, "longest": max(lengths, default=0), "tokensPerMicroBatch": limit or None,
        "padding": 0.0,
    }
