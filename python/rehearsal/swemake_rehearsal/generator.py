"""Runs the program that a command starts as SkyRL's, with its experiment, generator and trainer, in SkyRL's order of calls."""

import asyncio
import copy
import importlib
import runpy
import sys
from types import SimpleNamespace

from . import skyrl_contract
from .engine import new_weights
from .functions import contract
from .options import by_role, lookup
from .rows import PATIENCE, packed, read_rows


def play(spec, options, functions, report):
    command = report.data["command"]
    module = command["program"].removeprefix("-m ")
    if not command["found"]:
        return
    package = spec["table"]["packages"][0]
    serve(spec, options)
    whole = composed(options)
    play_all = lambda experiment: Run(spec, options, report, package, experiment, whole).all()  # noqa: E731
    names, patched = skyrl_contract.modules(package, whole, play_all)
    contract(names, report, patched=patched)
    entry = {"option": "generate", "key": "generate", "path": module, "file": None, "error": None}
    report.data["functions"].append(entry)
    try:
        entry["file"] = importlib.util.find_spec(module).origin
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except ModuleNotFoundError as error:
        entry["error"] = f"{module} imports {error.name}, which is not there"
    if not report.data["rollouts"] and entry["error"] is None:
        report.problem("program", f"{module} ended without a rollout", "generate")


def composed(options):
    """The options as hydra made them, where it is there, with what the rehearsal puts into them."""
    if options.hydra_config is None:
        return options
    from omegaconf import OmegaConf

    whole = options.hydra_config
    for name in ("generator.http_endpoint_host", "generator.http_endpoint_port", "trainer.policy.model.path"):
        OmegaConf.update(whole, name, lookup(options, name), force_add=True)
    return whole


def serve(spec, options):
    """The address of the engines, where the command opens one."""
    options.trainer.policy.model.path = spec["tokenizer"]
    generator = options.generator
    if generator.enable_http_endpoint:
        generator.http_endpoint_host, generator.http_endpoint_port = spec["host"], spec["port"]
    else:
        generator.http_endpoint_host = generator.http_endpoint_port = None


class Run:
    def __init__(self, spec, options, report, package, experiment, whole):
        self.spec, self.options, self.report, self.package, self.experiment = spec, options, report, package, experiment
        self.types = sys.modules[f"{package}.generators.base" if package == "skyrl_train" else "skyrl.train.generators.base"]
        self.step_wise = bool(options.generator.step_wise_trajectories)
        # As the engines of the later generation say it.
        methods = {"get_endpoint_url": lambda: f"http://{spec['host']}:{spec['port']}"} if package == "skyrl" else {}
        engines = SimpleNamespace(**methods)
        self.generator = experiment.get_generator(whole, experiment.tokenizer, engines)
        named = dict(tracker=None, tokenizer=experiment.tokenizer, train_dataset=None, eval_dataset=None, colocate_pg=None)
        self.trainer = experiment.get_trainer(whole, inference_engine_client=engines, generator=self.generator, **named)
        self.trainer.build_models(skyrl_contract.Remote(skyrl_contract.PolicyWorker), None, None)
        self.rows = read_rows(first(by_role(spec, options, "trainData")), report, "trainData", spec)
        self.at = 0
        self.output = None

    def all(self):
        for call in self.spec["table"]["order"]:
            getattr(self, call)()

    def evaluate(self):
        every = by_role(self.spec, self.options, "evaluationEvery")
        if not every or every < 0:
            return
        path = first(by_role(self.spec, self.options, "evaluationData"))
        if path is None:
            self.report.problem("evaluation", "there are evaluations, and no rows for them", self.spec["table"]["names"]["evaluationEvery"])
            return
        rows = read_rows(path, self.report, "evaluationData", self.spec)[: self.spec["evaluationRows"]]
        if not rows or not by_role(self.spec, self.options, "evaluationFirst"):
            return
        given = self.asked(rows, self.options.generator.eval_n_samples_per_prompt or 1, "eval", 0)
        output = self.generated(given)
        ends = output.get("is_last_step") or [True] * len(output["rewards"])
        rewards = [whole(reward) for reward, end in zip(output["rewards"], ends) if end]
        self.report.data["evaluations"] = {"evaluation": {"samples": len(rewards), "rewards": rewards}}

    def asked(self, rows, samples, phase, step):
        many = [(index, row, repetition) for index, row in enumerate(rows) for repetition in range(samples)]
        sampling = self.options.generator.eval_sampling_params if phase == "eval" else None
        sampling = sampling if sampling is not None and vars(sampling) else self.options.generator.sampling_params
        plain = {key: value for key, value in vars(sampling).items() if value is not None}
        own = [{key: value for key, value in row.items() if key not in ("prompt", "env_class")} for _, row, _ in many]
        # SWE-MiniSandbox's skyrl-train tells the step in each row.
        extras = [{**copy.deepcopy(one), "global_step": step} for one in own]
        return {
            "prompts": [row["prompt"] for _, row, _ in many],
            "env_classes": [row.get("env_class") or self.options.environment.env_class for _, row, _ in many],
            "env_extras": extras,
            "sampling_params": plain,
            "trajectory_ids": [self.types.TrajectoryID(instance_id=str(self.at + index), repetition_id=one) for index, _, one in many],
            "batch_metadata": self.types.BatchMetadata(global_step=step, training_phase=phase),
        }

    def generated(self, given):
        try:
            output = asyncio.run(self.generator.generate(given))
        except Exception as error:
            if given["batch_metadata"].training_phase == "train":
                self.report.data["rollouts"].append(
                    {"group": None, "index": None, "evaluation": False, "error": f"{type(error).__name__}: {error}", "samples": []}
                )
            raise
        check(len(given["prompts"]), output, self.step_wise or bool(output.get("is_last_step")))
        return output

    def rollout(self):
        """Batches of tasks until one is kept: with a filter, SkyRL asks again for what it drops."""
        if not self.rows:
            return
        wanted, samples = self.options.trainer.train_batch_size, self.options.generator.n_samples_per_prompt or 1
        chosen = self.options.trainer.algorithm.dynamic_sampling.type if self.options.trainer.algorithm.dynamic_sampling else None
        kept = []
        for _ in range(PATIENCE):
            rows = [self.rows[(self.at + index) % len(self.rows)] for index in range(wanted)]
            given = self.asked(rows, samples, "train", 1)
            self.at += wanted
            output = self.generated(given)
            rows_of = self.split(output, given)
            for row in rows_of:
                row["output"] = output
            groups = {}
            for row in rows_of:
                groups.setdefault(row["group"], []).append(row)
            for members in groups.values():
                varies = len({row["reward"] for row in members if row["last"]}) > 1
                keep = chosen != "filter" or varies or samples == 1
                self.report.data["groups"].append({"keep": keep, "reason": None if keep else "all rewards are equal", "samples": len(members)})
                if keep:
                    kept += members
            if len({row["group"] for row in kept}) >= wanted or chosen != "filter":
                break
        if not kept:
            self.report.problem("filter", "all groups were dropped: all rewards in them are equal", "trainer.algorithm.dynamic_sampling.type")
            return
        self.output = kept

    def split(self, output, given):
        """The rows of an output, by the rollouts that they are of."""
        count = len(output["response_ids"])
        ids = output.get("trajectory_ids") or given["trajectory_ids"][:count]
        ends = output.get("is_last_step") or [True] * count
        logprobs = output.get("rollout_logprobs")
        order = {(one.instance_id, one.repetition_id): index for index, one in enumerate(given["trajectory_ids"])}
        rows = []
        for index, one in enumerate(ids):
            mask, stop = list(output["loss_masks"][index]), (output.get("stop_reasons") or [None] * count)[index]
            is_fault = not any(mask) and stop not in (None, "stop", "length")
            rows.append({
                "tokens": [*output["prompt_token_ids"][index], *output["response_ids"][index]], "response": len(output["response_ids"][index]),
                "mask": mask, "logprobs": None if logprobs is None else [float(value) for value in logprobs[index]],
                "reward": whole(output["rewards"][index]), "status": "aborted" if is_fault else stop or "stop", "removed": False,
                "group": one.instance_id, "index": order.get((one.instance_id, one.repetition_id)), "stepWise": None,
                "error": f"it has no verdict ({stop})" if is_fault else None, "last": ends[index], "id": one,
            })
        for key, index in order.items():
            own = [shown(row) for row in rows if row["index"] == index]
            entry = {"group": key[0], "index": index, "evaluation": False, "error": None, "samples": own}
            self.report.data["rollouts"].append(entry)
        return rows

    def batch(self):
        if self.output is None:
            return
        rows, cfg = self.output, self.options
        has_ends = bool(self.output[0]["output"].get("is_last_step"))
        given = {
            "prompt_token_ids": [row["tokens"][: len(row["tokens"]) - row["response"]] for row in rows],
            "response_ids": [row["tokens"][len(row["tokens"]) - row["response"] :] for row in rows],
            "rewards": [[0.0] * (row["response"] - 1) + [row["reward"]] for row in rows],
            "loss_masks": [row["mask"] for row in rows],
            "rollout_logprobs": None if rows[0]["logprobs"] is None else [row["logprobs"] for row in rows],
            "trajectory_ids": [row["id"] for row in rows],
            "is_last_step": [row["last"] for row in rows] if has_ends else None,
        }
        made = self.trainer.convert_to_training_input(given, [row["group"] for row in rows])
        filled = len(made["response_ids"])
        self.report.data["trained"] = [shown(row) for row in rows]
        samples = cfg.generator.n_samples_per_prompt or 1
        promised = cfg.trainer.train_batch_size * samples
        mini = cfg.trainer.policy_mini_batch_size * samples
        processes = self.trainer.policy_model.actor_infos[0].rank.dp_size
        lengths = [len(one) + len(two) for one, two in zip(made["prompt_token_ids"], made["response_ids"])]
        if self.package == "skyrl":
            # It divides by tasks, however many rows they have.
            steps, left = len({row["group"] for row in rows}) // cfg.trainer.policy_mini_batch_size, 0
            micro = -(-filled // processes)
        else:
            made_worker = self.trainer.worker.__ray_metadata__.modified_class(cfg, processes)
            trained = made_worker.ppo_train(SimpleNamespace(batch_size=filled // processes))
            steps, left, micro = trained["steps"], trained["left"] * processes, trained["micro"]
        self.report.data["batch"] = {
            "sequences": len(rows), "promised": promised, "globalBatch": mini, "plannedGlobalBatch": mini, "used": len(rows) - left,
            "trimmed": left, "steps": steps, "plannedSteps": max(1, promised // mini), "microBatches": micro, "longest": max(lengths),
            "tokensPerMicroBatch": None, "padding": filled - len(rows),
        }

    def weights(self):
        self.report.data["weights"] = new_weights(self.spec)


def shown(row):
    return {key: value for key, value in row.items() if key not in ("output", "last", "id")}


def whole(reward):
    return float(sum(reward)) if isinstance(reward, list) else float(reward)


def first(paths):
    return (paths[0] if paths else None) if isinstance(paths, list) else paths


def check(prompts, output, step_wise):
    """What SkyRL's trainer checks of an output before it goes on."""
    rows = len(output["response_ids"])
    if rows == 0:
        raise RuntimeError("the generator gave nothing")
    if not step_wise and rows != prompts:
        raise ValueError(f"the generator gave {rows} rows for {prompts} prompts, and generator.step_wise_trajectories is not set")
    for key in ("prompt_token_ids", "loss_masks", "rewards", "rollout_logprobs", "stop_reasons", "trajectory_ids", "is_last_step"):
        values = output.get(key)
        if values is not None and len(values) != rows:
            raise ValueError(f"the generator gave {len(values)} {key} for {rows} rows")
    for index in range(rows):
        for key in ("loss_masks", "rollout_logprobs"):
            values = output.get(key)
            if values is not None and len(values[index]) != len(output["response_ids"][index]):
                raise ValueError(f"row {index} has {len(values[index])} {key} for {len(output['response_ids'][index])} ids")
    if step_wise:
        check_steps(output)


def check_steps(output):
    ids, ends = output["trajectory_ids"], output["is_last_step"]
    seen, before = set(), None
    for one, end in zip(ids, ends):
        key = (one.instance_id, one.repetition_id)
        if key != before and key in seen:
            raise ValueError(f"the rows of {key} are not one behind the other")
        seen.add(key)
        before = None if end else key
    if not ends[-1]:
        raise ValueError("the last row ends no rollout")
