"""
Stand-ins for the parts of SkyRL, in both generations, that programs with a generator of their own use: what a generator gets and gives, the
experiment whose `run` trains, trainers, and the parts of Ray and hydra around them. What would train hands over to the rehearsal.
"""

import asyncio
from abc import ABC, abstractmethod
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread
from types import SimpleNamespace


def generators(package, module):
    @dataclass
    class TrajectoryID:
        instance_id: str
        repetition_id: int

        def to_string(self):
            return f"{self.instance_id}_{self.repetition_id}"

    @dataclass
    class BatchMetadata:
        global_step: int
        training_phase: str

    class GeneratorInterface(ABC):
        @abstractmethod
        async def generate(self, input_batch): ...

    module.TrajectoryID, module.BatchMetadata, module.GeneratorInterface = TrajectoryID, BatchMetadata, GeneratorInterface
    module.GeneratorInput = module.GeneratorOutput = dict


class Trainer:
    def __init__(self, cfg, **given):
        self.cfg = cfg
        place = cfg.trainer.placement
        gpus = (place.policy_num_nodes or 1) * (place.policy_num_gpus_per_node or 1)
        rank = SimpleNamespace(dp_size=max(1, gpus // (cfg.trainer.policy.sequence_parallel_size or 1)))
        self.policy_model = SimpleNamespace(actor_infos=[SimpleNamespace(rank=rank)])
        self.worker = None

    def build_models(self, policy, critic, ref):
        self.worker = policy

    def convert_to_training_input(self, generator_output, uids):
        return generator_output


class StepWiseTrainer(Trainer):
    def compute_advantages_and_returns(self, data):
        return data


class PolicyWorker:
    """Divides its rows into micro-batches and optimizer steps, as skyrl-train's workers do."""

    def __init__(self, cfg, processes):
        self.cfg = cfg
        self.policy_mini_batch_size_per_gpu = max(1, cfg.trainer.policy_mini_batch_size * cfg.generator.n_samples_per_prompt // processes)

    def ppo_train(self, train_data):
        micro = self.cfg.trainer.micro_train_batch_size_per_gpu or 1
        each = max(1, self.policy_mini_batch_size_per_gpu // micro)
        batches = train_data.batch_size // micro
        return {"steps": batches // each * (self.cfg.trainer.update_epochs_per_batch or 1), "left": batches % each * micro, "micro": batches}


def experiment(play):
    class BasePPOExp:
        def __init__(self, cfg):
            self.cfg = cfg
            self.tokenizer = tokenizer_of(cfg.trainer.policy.model.path)
            self.train_dataset = self.eval_dataset = self.colocate_pg = None

        def get_generator(self, cfg, tokenizer, inference_engine_client):
            raise NotImplementedError("the program has no generator of its own, and that of SkyRL asks its engines, which a rehearsal does not have")

        def get_trainer(self, cfg, *given, **named):
            return Trainer(cfg)

        def run(self):
            play(self)

    return BasePPOExp


def tokenizer_of(path):
    try:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(path)
    except Exception:
        return SimpleNamespace(pad_token_id=0, eos_token_id=0, name_or_path=path)


class Remote:
    """What `ray.remote` makes of a function, which is called in a thread, or of a class, which is made here and now."""

    def __init__(self, inner):
        self.inner = inner
        self.__ray_metadata__ = SimpleNamespace(modified_class=inner)

    def remote(self, *given, **named):
        if isinstance(self.inner, type):
            return self.inner(*given, **named)
        return Reference(lambda: self.inner(*given, **named))

    def options(self, **_):
        return self


class Reference:
    """The end of a call in a thread: `ray.get` and `await` wait for it."""

    def __init__(self, call):
        self.end = Future()
        Thread(target=self.run, args=(call,), daemon=True).start()

    def run(self, call):
        try:
            self.end.set_result(call())
        except BaseException as error:
            self.end.set_exception(error)

    def __await__(self):
        return asyncio.wrap_future(self.end).__await__()


def resolved(value, **_):
    if isinstance(value, list):
        return [resolved(one) for one in value]
    return value.end.result() if isinstance(value, Reference) else value


def no_actor(name, *_, **__):
    raise ValueError(f"there is no actor {name}")


def ray(package, module):
    def remote(*given, **_):
        return Remote(given[0]) if given and callable(given[0]) else Remote

    module.remote, module.get, module.put = remote, resolved, lambda value: value
    module.init = module.shutdown = lambda *_, **__: None
    module.is_initialized, module.get_actor = lambda: False, no_actor


def hydra(options):
    def make(package, module):
        def main(**_):
            return lambda function: lambda: function(options)

        module.main = main

    return make


def modules(package, options, play):
    """By whole name, and which of them are never the real ones."""
    base = experiment(play)

    def main_base(_, module):
        module.BasePPOExp, module.config_dir, module.validate_cfg = base, "", lambda cfg: None
        module.SkyRLTrainConfig = type("SkyRLTrainConfig", (), {"from_cli_overrides": staticmethod(lambda words: options)})

    def trainers(_, module):
        module.RayPPOTrainer = module.RayPPOAsynchTrainer = Trainer

    def step_wise(_, module):
        module.StepWiseTrainer = StepWiseTrainer

    def utils(_, module):
        module.initialize_ray, module.validate_cfg = lambda cfg: None, lambda cfg: None

    if package == "skyrl":
        found = {
            "skyrl.train.generators.base": generators, "skyrl.train.entrypoints.main_base": main_base, "skyrl.train.trainer": trainers,
            "skyrl.train.utils.utils": utils, "skyrl.train.utils": utils,
        }
    else:
        found = {
            "skyrl_train.generators.base": generators, "skyrl_train.entrypoints.main_base": main_base, "skyrl_train.trainer": trainers,
            "skyrl_train.utils": utils, "examples.step_wise.step_wise_trainer": step_wise, "hydra": hydra(options),
        }
    forced = {name for name in found if not name.endswith("generators.base")}
    return {"ray": ray, **found}, {*forced, "ray"}
