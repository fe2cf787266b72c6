"""Runs a program that trains with TRL's GRPO, up to its trainer, and asks for rollouts as that trainer does."""

import os
import runpy
import sys

from . import trl_contract
from .engine import new_weights
from .weights import Replies, scripted

#: Groups of a rehearsal.
GROUPS = 2


def play(spec, options, functions, report):
    command = report.data["command"]
    if not command["found"]:
        return
    replies = Replies(spec)
    trl_contract.install(lambda trainer: Run(spec, report, trainer, replies).all(), report, lambda name: scripted(spec, replies, name))
    program = command["program"]
    entry = {"option": "command", "key": "command", "path": program, "file": None, "error": None}
    report.data["functions"].append(entry)
    sys.argv = [program, *command["words"]]
    try:
        if program.startswith("-m "):
            runpy.run_module(program[3:], run_name="__main__", alter_sys=True)
        else:
            entry["file"] = os.path.abspath(program)
            runpy.run_path(program, run_name="__main__")
    except ModuleNotFoundError as error:
        entry["error"] = f"{program} imports {error.name}, which is not there"
    except Exception:
        # What a program does with a model that was never trained is no matter.
        if not report.data["trained"]:
            raise
    if not report.data["rollouts"] and entry["error"] is None:
        report.problem("program", f"{program} made no GRPOTrainer of TRL that trains", "command")


class Run:
    def __init__(self, spec, report, trainer, replies):
        self.spec, self.report, self.trainer, self.args, self.replies = spec, report, trainer, trainer.args, replies
        begins = trainer.begins
        # A name that is no folder here is one of the hub.
        report.data["begins"] = os.path.realpath(begins) if begins is not None and os.path.exists(begins) else begins
        report.data["values"].update({key: value for key, value in vars(self.args).items() if isinstance(value, (int, float, str, bool))})
        self.made = []

    def all(self):
        if self.trainer.rollout_func is None:
            self.report.problem("function", "the trainer has no rollout_func: TRL would generate by itself, without the agent", "command")
            return
        try:
            for call in self.spec["table"]["order"]:
                getattr(self, call)()
        finally:
            self.answered_here()

    def answered_here(self):
        """Whether the program's own process was the model: then its log-probabilities are those of logits, and name no token."""
        if not self.replies.all:
            return
        self.replies.tell()
        self.report.data["numbered"] = False
        self.report.replaced("weights that the program loads: a model in its process whose logits allow what the scripts say")

    def evaluate(self):
        if str(getattr(self.args, "eval_strategy", "no")).rpartition(".")[2].lower() == "no":
            return
        rows = list(self.trainer.eval_dataset or [])[: self.spec["evaluationRows"]]
        if not rows:
            self.report.problem("evaluation", "there are evaluations (eval_strategy), and no rows for them (eval_dataset)", "command")
            return
        self.trainer.model.training = False
        output, rewards = self.generated(rows)
        self.trainer.model.training = True
        self.report.data["evaluations"] = {"evaluation": {"samples": len(rewards), "rewards": rewards}}

    def generated(self, rows):
        """Ids, and the sum of all reward functions, as TRL asks for them; None: no function has one."""
        prompts = [row["prompt"] for row in rows]
        output = dict(self.trainer.rollout_func(prompts, self.trainer))
        missing = sorted({"prompt_ids", "completion_ids", "logprobs"} - output.keys())
        if missing:
            raise ValueError(f"rollout_func gave no {', '.join(missing)}")
        for name, values in output.items():
            if values is not None and len(values) != len(rows):
                raise ValueError(f"rollout_func gave {len(values)} {name} for {len(rows)} prompts")
        extra = {name: values for name, values in output.items() if name not in ("prompt_ids", "completion_ids", "logprobs", "env_mask")}
        columns = {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"}
        completions = [[{"role": "assistant", "content": ""}] for _ in rows]
        given = {**columns, **extra, "completion_ids": output["completion_ids"]}
        by_function = [function(prompts=prompts, completions=completions, **given) for function in self.trainer.reward_funcs]
        sums = [[one for one in values if one is not None] for values in zip(*by_function)]
        return output, [float(sum(values)) if values else None for values in sums]

    def rollout(self):
        rows, each = list(self.trainer.train_dataset), self.args.num_generations
        if not rows:
            self.report.problem("rows", "train_dataset has no rows", "command")
            return
        groups = max(1, min(GROUPS, self.args.generation_batch_size // each))
        batch = [rows[group % len(rows)] for group in range(groups) for _ in range(each)]
        try:
            output, rewards = self.generated(batch)
        except Exception as error:
            self.report.data["rollouts"].append({"group": None, "index": None, "evaluation": False, "error": f"{type(error).__name__}: {error}", "samples": []})
            raise
        for index, reward in enumerate(rewards):
            prompt, completion = list(output["prompt_ids"][index]), list(output["completion_ids"][index])
            logprobs = None if output["logprobs"] is None else [float(one) for one in output["logprobs"][index]]
            mask = output.get("env_mask")
            sample = {
                "tokens": prompt + completion, "response": len(completion), "mask": None if mask is None else list(mask[index]), "logprobs": logprobs,
                "reward": reward, "status": "aborted" if reward is None else "stop", "removed": False, "group": index // each, "index": index,
                "stepWise": None, "error": "it has no reward" if reward is None else None,
            }
            self.made.append(sample)
            self.report.data["rollouts"].append({"group": index // each, "index": index, "evaluation": False, "error": None, "samples": [sample]})
        for group in range(groups):
            members = [one for one in self.made if one["group"] == group]
            self.report.data["groups"].append({"keep": True, "reason": None, "samples": len(members)})

    def batch(self):
        if not self.made:
            return
        size = self.args.per_device_train_batch_size * self.args.gradient_accumulation_steps
        steps = max(1, self.args.steps_per_generation // self.args.gradient_accumulation_steps) * self.args.num_iterations
        count = len(self.made)
        self.report.data["trained"] = self.made
        self.report.data["batch"] = {
            "sequences": count, "promised": count, "globalBatch": size, "plannedGlobalBatch": size, "used": count, "trimmed": 0, "steps": steps,
            "plannedSteps": steps, "microBatches": count // min(count, self.args.per_device_train_batch_size),
            "longest": max(len(one["tokens"]) for one in self.made), "tokensPerMicroBatch": None, "padding": 0,
        }
        rewards = [one["reward"] for one in self.made if one["reward"] is not None]
        mean = sum(rewards) / len(rewards) if rewards else 0.0
        self.trainer.state.log_history.append({"reward": mean, "reward_std": 0.0, "loss": 0.0, "grad_norm": 0.0})

    def weights(self):
        self.report.data["weights"] = new_weights(self.spec)
