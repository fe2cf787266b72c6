"""
`python -m swemake_rollouts.skyrl_main KEY=VALUE…`: SkyRL's own training with the rollouts of agent servers, in either generation:
skyrl-train with hydra, or the package skyrl. SWEMAKE_MODEL_URL names SkyRL's HTTP endpoint; absent, its engines or
its configuration do.

Each sequence of a rollout is a row: `generator.step_wise_trajectories` of the package skyrl, and the StepWiseTrainer of skyrl-train's
examples. SWEMAKE_SEQUENCES=longest trains the longest one of each rollout.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def generator_of(cfg: Any, tokenizer: Any, engines: Any, step_wise: bool) -> Any:
    """The generator that a training is given, for the endpoint of its engines."""
    from .client import servers
    from .skyrl import SwemakeGenerator

    known = servers().settings.model_url
    pad = getattr(tokenizer, "pad_token_id", None)
    return SwemakeGenerator(known or _endpoint(cfg.generator, engines), step_wise, pad=0 if pad is None else pad)


def takes_rows(cfg: Any) -> bool:
    """Whether the package skyrl takes several rows of a rollout."""
    return bool(getattr(cfg.generator, "step_wise_trajectories", False))


def _sequences() -> str:
    from .client import servers

    return servers().settings.sequences


def _endpoint(generator: Any, engines: Any) -> str | None:
    """What the engines say, as in the newer package skyrl, else what the configuration opens."""
    endpoint_url = getattr(engines, "get_endpoint_url", None)
    if endpoint_url is not None:
        return f"{endpoint_url()}/v1"
    host, port = getattr(generator, "http_endpoint_host", None), getattr(generator, "http_endpoint_port", None)
    return None if not host or not port else f"http://{host}:{port}/v1"


def _experiment(base: Any) -> type:
    class Experiment(base):  # type: ignore[misc]
        def get_generator(self, cfg: Any, tokenizer: Any, inference_engine_client: Any) -> Any:
            return generator_of(cfg, tokenizer, inference_engine_client, takes_rows(cfg))

    return Experiment


def _step_wise_experiment(base: Any) -> type:
    """Of skyrl-train, whose own trainer takes one row of a rollout."""
    if _sequences() == "longest":
        return _experiment(base)

    class Experiment(base):  # type: ignore[misc]
        def get_generator(self, cfg: Any, tokenizer: Any, inference_engine_client: Any) -> Any:
            return generator_of(cfg, tokenizer, inference_engine_client, True)

        def get_trainer(self, cfg: Any, *given: Any, **named: Any) -> Any:
            return step_wise_trainer()(cfg, *given, **named)

    return Experiment


def step_wise_trainer() -> type:
    """
    skyrl-train's StepWiseTrainer with as many optimizer steps as a batch has mini-batches of tasks, and with the advantage of a rollout
    on all tokens of its rows. On its own it makes a step for each `policy_mini_batch_size × n_samples_per_prompt` rows, so many for
    rollouts of many rows, and keeps the gradients of the rest; and it cuts the advantage of each row at the length of the last one.
    """
    given = import_module("examples.step_wise.step_wise_trainer").StepWiseTrainer

    class Trainer(given):  # type: ignore[misc]
        def build_models(self, policy: Any, critic: Any, ref: Any) -> Any:
            return super().build_models(whole_batches(policy), critic, ref)

        def convert_to_training_input(self, generator_output: Any, uids: Any) -> Any:
            size = self.policy_model.actor_infos[0].rank.dp_size * self.cfg.trainer.micro_train_batch_size_per_gpu
            return super().convert_to_training_input(filled(generator_output, size * mini_batches(self.cfg)), uids)

        def compute_advantages_and_returns(self, data: Any) -> Any:
            mask = data["response_mask"]
            data["response_mask"] = mask * 0 + 1
            data = super().compute_advantages_and_returns(data)
            data["response_mask"] = mask
            for key in ("advantages", "returns"):
                data[key] = data[key] * mask
            return data

    return Trainer


def mini_batches(cfg: Any) -> int:
    """Optimizer steps of a batch of tasks."""
    return max(1, int(cfg.trainer.train_batch_size // cfg.trainer.policy_mini_batch_size))


def whole_batches(actor: Any) -> Any:
    """The actor class of workers that divide the rows that they get by the number of mini-batches."""
    import ray

    base = actor.__ray_metadata__.modified_class

    class PolicyWorker(base):  # type: ignore[misc]
        def ppo_train(self, train_data: Any) -> Any:
            self.policy_mini_batch_size_per_gpu = train_data.batch_size // mini_batches(self.cfg)
            return base.ppo_train(self, train_data)

    return ray.remote(num_gpus=1)(PolicyWorker)


def filled(output: Any, multiple: int) -> Any:
    """
    The rows with masked copies of the last one, so that their number is a multiple. They come before it and are no last steps, so
    they belong to its rollout and change no reward.
    """
    count = len(output["response_ids"])
    missing = -count % multiple
    if missing == 0:
        return output
    empty = {"loss_masks": [0] * len(output["response_ids"][-1]), "is_last_step": False}
    rows = {
        key: [*values[:-1], *[empty.get(key, values[-1])] * missing, values[-1]]
        for key, values in output.items()
        if isinstance(values, list) and len(values) == count
    }
    return {**output, **rows}


def _run(entrypoint: str, experiment: Any, initialize: str, cfg: Any) -> None:
    """Trains in a task of Ray, off the head node, as SkyRL's own entrypoints do."""
    import ray

    @ray.remote(num_cpus=1)
    def train(given: Any) -> None:
        experiment(import_module(entrypoint).BasePPOExp)(given).run()

    import_module(initialize).initialize_ray(cfg)
    ray.get(train.remote(cfg))


def main() -> None:
    try:
        base = import_module("skyrl.train.entrypoints.main_base")
    except ModuleNotFoundError as missing:
        if missing.name not in ("skyrl", "skyrl.train"):
            raise
        _hydra()
        return
    cfg = base.SkyRLTrainConfig.from_cli_overrides(sys.argv[1:])
    base.validate_cfg(cfg)
    _run("skyrl.train.entrypoints.main_base", _experiment, "skyrl.train.utils.utils", cfg)


def _hydra() -> None:
    import hydra

    name = "skyrl_train.entrypoints.main_base"
    base = import_module(name)

    @hydra.main(config_path=base.config_dir, config_name="ppo_base_config", version_base=None)
    def trained(cfg: Any) -> None:
        base.validate_cfg(cfg)
        _run(name, _step_wise_experiment, "skyrl_train.utils", cfg)

    trained()


if __name__ == "__main__":
    main()
