"""
`python -m swemake_rollouts.skyrl_main KEY=VALUE…`: SkyRL's own training with the rollouts of agent servers, in either generation:
skyrl-train with hydra, or the package skyrl. SWEMAKE_MODEL_URL names SkyRL's HTTP endpoint; absent, the configuration does.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def generator_of(cfg: Any, tokenizer: Any) -> Any:
    """The generator that a training is given, for the endpoint that its configuration opens."""
    from .client import servers
    from .skyrl import SwemakeGenerator

    known = servers().settings.model_url
    pad = getattr(tokenizer, "pad_token_id", None)
    return SwemakeGenerator(model_url=known or _endpoint(cfg.generator), pad=0 if pad is None else pad)


def _endpoint(generator: Any) -> str | None:
    host, port = getattr(generator, "http_endpoint_host", None), getattr(generator, "http_endpoint_port", None)
    return None if not host or not port else f"http://{host}:{port}/v1"


def _experiment(base: Any) -> type:
    class Experiment(base):  # type: ignore[misc]
        def get_generator(self, cfg: Any, tokenizer: Any, inference_engine_client: Any) -> Any:
            return generator_of(cfg, tokenizer)

    return Experiment


def _run(entrypoint: str, initialize: str, cfg: Any) -> None:
    """Trains in a task of Ray, off the head node, as SkyRL's own entrypoints do."""
    import ray

    @ray.remote(num_cpus=1)
    def train(given: Any) -> None:
        _experiment(import_module(entrypoint).BasePPOExp)(given).run()

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
    _run("skyrl.train.entrypoints.main_base", "skyrl.train.utils.utils", cfg)


def _hydra() -> None:
    import hydra

    name = "skyrl_train.entrypoints.main_base"
    base = import_module(name)

    @hydra.main(config_path=base.config_dir, config_name="ppo_base_config", version_base=None)
    def trained(cfg: Any) -> None:
        base.validate_cfg(cfg)
        _run(name, "skyrl_train.utils", cfg)

    trained()


if __name__ == "__main__":
    main()
