"""
Stand-ins for what a program that trains with TRL's GRPO takes from others: the trainer, whose `train` hands over to the rehearsal; and, where
TRL is not there, its configuration, and the library of data sets.
"""

from collections import defaultdict
from types import SimpleNamespace

from .skyrl_contract import tokenizer_of


def trainer(play):
    class GRPOTrainer:
        def __init__(self, model=None, reward_funcs=None, args=None, train_dataset=None, eval_dataset=None, processing_class=None, **more):
            name = model if isinstance(model, str) else None
            self.begins = name or getattr(model, "name_or_path", None)
            self.model = SimpleNamespace(training=True) if name is not None or model is None else model
            self.model.training = True
            self.args = args
            self.reward_funcs = reward_funcs if isinstance(reward_funcs, list) else [reward_funcs]
            self.train_dataset, self.eval_dataset = train_dataset, eval_dataset
            self.processing_class = processing_class or tokenizer_of(name)
            self.rollout_func, self.callbacks = more.get("rollout_func"), more.get("callbacks") or []
            self.accelerator = SimpleNamespace(process_index=0, num_processes=1, is_main_process=True)
            self.state = SimpleNamespace(global_step=0, log_history=[])
            self._metrics = {"train": defaultdict(list), "eval": defaultdict(list)}
            self._logs = defaultdict(list)

        def train(self, **_):
            play(self)

        def evaluate(self, *_, **__):
            return {}

        def save_model(self, *_, **__):
            pass

        save_state = push_to_hub = save_model

    return GRPOTrainer


class Config(SimpleNamespace):
    """The arguments that a program gives; what it does not give has TRL's default where the rehearsal needs one."""

    def __init__(self, **given):
        defaults = {
            "num_generations": 8, "per_device_train_batch_size": 8, "gradient_accumulation_steps": 1, "steps_per_generation": None,
            "num_iterations": 1, "temperature": 1.0, "eval_strategy": "no", "output_dir": None, "generation_batch_size": None,
        }
        super().__init__(**{**defaults, **given})
        self.steps_per_generation = self.steps_per_generation or self.gradient_accumulation_steps
        self.generation_batch_size = self.generation_batch_size or self.per_device_train_batch_size * self.steps_per_generation


class Dataset(list):
    @classmethod
    def from_list(cls, rows):
        return cls(rows)


def install(play, report, load):
    """Puts the trainer in the place of TRL's; all of TRL, where it is not there. `load` stands for the loading of weights by a name."""
    import sys
    import types

    try:
        import trl
    except ImportError as error:
        report.replaced(f"trl: a stand-in, since it cannot be imported here ({type(error).__name__}: {error})")
        trl = sys.modules["trl"] = types.ModuleType("trl")
        trl.GRPOConfig = Config
    trl.GRPOTrainer = trainer(play)
    report.replaced("trl.GRPOTrainer: a stand-in, which asks for rollouts and trains nothing")
    try:
        import datasets  # noqa: F401
    except ImportError:
        report.replaced("datasets: a stand-in")
        module = sys.modules["datasets"] = types.ModuleType("datasets")
        module.Dataset = Dataset
    try:
        import transformers
        from transformers import AutoModelForCausalLM
    except ImportError:
        return
    loads = classmethod(lambda cls, name, *_, **__: load(str(name)))
    try:
        AutoModelForCausalLM.from_pretrained = loads
        AutoModelForCausalLM.from_pretrained  # noqa: B018
    except ImportError:
        # Of a torch that is too old for it transformers has the name alone, which raises where it is used.
        report.replaced("transformers.AutoModelForCausalLM: a stand-in, since transformers does not take this torch")
        transformers.AutoModelForCausalLM = type("AutoModelForCausalLM", (), {"from_pretrained": loads})
