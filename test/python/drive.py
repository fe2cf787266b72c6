"""
Drives the hooks of one framework as its trainer does, against running agent servers: with the framework's own classes where
they can be imported, else with those in `stubs`. Prints which, and what came of it.

    python drive.py FRAMEWORK AGENT_URLS MODEL_URL JUDGE_URL
"""

import asyncio
import importlib
import json
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from urllib.parse import urlsplit

FRAMEWORK, AGENTS, MODEL, JUDGE = sys.argv[1:5]
try:
    importlib.import_module(FRAMEWORK)
except ImportError:
    sys.path.insert(0, str(Path(__file__).parent / "stubs"))

from swemake_rollouts import RolloutFault, Settings  # noqa: E402
from swemake_rollouts import client  # noqa: E402
from swemake_rollouts.metrics import step_metrics  # noqa: E402
from swemake_rollouts.rollout import Rollout, Sequence, neutral_rewards  # noqa: E402

SETTINGS = Settings(urls=tuple(AGENTS.split(",")), run=f"run-{FRAMEWORK}", model="m", wait=60)
SOLVED, MISSED, UNKNOWN = "tiny.0", "tiny.1", "tiny.9"


def use(**more) -> None:
    client.use(replace(SETTINGS, **more))


#: Of the model `cut`: the ids that it writes in its two turns, each behind a prompt of its own, and their log-probabilities.
WRITTEN = [[102, 103], [202, 203]]
PROMPTS = [[100, 101], [200, 201]]
LOGPROBS = [-0.1, -0.2]


def trained(ids: list, mask: list) -> list:
    return [id for id, one in zip(ids, mask, strict=True) if one]


def original(repository: str, commit: str, path: str, names: list[str], known: dict) -> dict | None:
    """Functions of an original's source at a commit, by name, from the bare repository below ORIGINALS; None: it is not there."""
    import ast
    import os
    import subprocess

    bare = f"{os.environ.get('ORIGINALS', '/nowhere')}/{repository}/repo"
    shown = subprocess.run(["git", f"--git-dir={bare}", "show", f"{commit}:{path}"], capture_output=True, text=True)
    if shown.returncode != 0:
        return None
    found = [node for node in ast.walk(ast.parse(shown.stdout)) if isinstance(node, ast.FunctionDef) and node.name in names]
    for node in found:
        node.decorator_list, node.returns = [], None
        for argument in node.args.args:
            argument.annotation = None
    scope = {"logger": SimpleNamespace(info=lambda *_: None, warning=lambda *_: None), **known}
    exec(compile(ast.Module(body=found, type_ignores=[]), path, "exec"), scope)
    assert {node.name for node in found} == set(names)
    return scope


def openclaw(samples: list, args) -> list | None:
    """What OpenClaw-RL's slime takes of the samples of a batch, and what it makes of judged steps; None: its source is not here."""
    import itertools

    known = {"itertools": itertools, "call_rollout_fn": lambda *_, **__: SimpleNamespace(samples=samples, metrics=None)}
    names = ["_get_rollout_data", "_compute_dynamic_global_batch_size", "_post_process_step_wise_rewards"]
    scope = original("Gen-Verse+OpenClaw-RL", "0d034dd5", "slime/slime/ray/rollout.py", names, known)
    if scope is None:
        return None
    manager = SimpleNamespace(args=args, generate_rollout=None, data_source=None, train_parallel_config={"dp_size": 4})
    manager._compute_dynamic_global_batch_size = lambda *a, **k: scope["_compute_dynamic_global_batch_size"](manager, *a, **k)
    data, _ = scope["_get_rollout_data"](manager, 1)
    return [data, manager._dynamic_global_batch_size, scope["_post_process_step_wise_rewards"](manager, data)]


def samples_of(framework: str) -> dict:
    """slime and Miles."""
    hooks = importlib.import_module(f"swemake_rollouts.{framework}")
    sample_class = importlib.import_module(f"{framework}.utils.types").Sample
    at = urlsplit(MODEL)
    args = SimpleNamespace(sglang_router_ip=at.hostname, sglang_router_port=at.port, reward_key=None)
    sampling = {"temperature": 0.7, "top_p": 1.0, "top_k": -1, "max_new_tokens": 64, "stop": None}

    def sample(group: int, index: int, instance: str):
        form = {"instance": {"instance_id": instance}} if framework == "slime" else {"instance_id": instance}
        return sample_class(group_index=group, index=index, prompt="p", metadata=form)

    async def group(number: int, instances: list[str]) -> list:
        members = [sample(number, 10 * number + index, name) for index, name in enumerate(instances)]
        return list(await asyncio.gather(*(hooks.generate(args, one, sampling) for one in members)))

    use()
    sound = asyncio.run(group(0, [SOLVED, MISSED]))
    assert [one.reward for one in sound] == [1.0, 0.0], [one.reward for one in sound]
    for one in sound:
        assert one.status == sample_class.Status.COMPLETED
        assert one.tokens == list(range(1, 11)), one.tokens
        assert one.loss_mask == [1, 1, 0, 0, 0, 1, 1] and one.response_length == 7
        assert one.rollout_log_probs == [-0.1, -0.2, 0, 0, 0, -0.1, -0.2]
    assert asyncio.run(hooks.reward_func(args, sound)) == [1.0, 0.0]
    assert asyncio.run(hooks.reward_func(args, sound[0])) == 1.0
    assert hooks.dynamic_filter(args, sound).keep is True

    faulty = asyncio.run(group(1, [SOLVED, MISSED, UNKNOWN]))
    lost = faulty[2]
    assert lost.status == sample_class.Status.ABORTED and lost.reward is None and lost.remove_sample
    dropped = hooks.dynamic_filter(args, faulty)
    assert dropped.keep is False and dropped.reason == "group_has_aborted"
    try:
        asyncio.run(hooks.reward_func(args, lost))
        raise AssertionError("a fault had a reward")
    except RolloutFault:
        pass

    # What their own rollout function would have made, which hands over to the module's.
    own = importlib.import_module(f"{framework}.rollout.sglang_rollout")
    output_class = importlib.import_module(f"{framework}.rollout.base_types").RolloutFnTrainOutput
    made = output_class(samples=[sound, faulty], metrics=None)
    theirs = getattr(own, "generate_rollout", None)
    own.generate_rollout = lambda *_, **__: made
    output = hooks.generate_rollout(args, 3, None)
    own.generate_rollout = theirs
    assert output.metrics["agent/turns_mean"] == 2 and output.metrics["agent/turns_sum"] == 8, output.metrics
    assert output.metrics["agent/faults"] == 1
    assert lost.reward == 0.5 and sum(lost.loss_mask) == 0 and lost.remove_sample

    evaluated = [sample(3, 30, MISSED), sample(3, 31, UNKNOWN)]
    for one in evaluated:
        asyncio.run(hooks.generate(args, one, sampling, evaluation=True))
    of = {"samples": evaluated, "rewards": [one.reward for one in evaluated], "truncated": [False, False]}
    own.generate_rollout = lambda *_, **__: SimpleNamespace(data={"e": of, "gone": {"samples": evaluated[1:], "rewards": [None]}})
    assert hooks.generate_rollout(args, 3, None, evaluation=True).data == {
        "e": {"samples": evaluated[:1], "rewards": [0.0], "truncated": [False]}
    }
    own.generate_rollout = theirs

    keyed = SimpleNamespace(**{**vars(args), "reward_key": "score"})
    one = asyncio.run(hooks.generate(keyed, sample(2, 20, SOLVED), sampling))
    assert one.reward == {"score": 1.0, "acc": 1.0}

    use(dynamic_history=True, run=f"run-{framework}-steps")
    steps = asyncio.run(hooks.generate(args, sample(0, 7, SOLVED), sampling))
    assert [one.tokens for one in steps] == [[1, 2, 3, 4, 5], list(range(1, 11))], [one.tokens for one in steps]
    assert [one.loss_mask for one in steps] == [[1, 1], [1, 1]]
    assert [one.rollout_id for one in steps] == [7, 7]
    assert [one.reward for one in steps] == [1.0, 1.0]
    assert [one.metadata["dynamic_step_index"] for one in steps] == [0, 1]
    assert [one.reward for one in steps] == [1.0, 1.0]
    return {"metrics": sorted(output.metrics), **turns_of(framework, hooks, sample_class, sample, sampling, args)}


def turns_of(framework: str, hooks, sample_class, sample, sampling: dict, args) -> dict:
    """Rollouts whose prompts do not go on from one another: each turn is trained once, or it is said what is dropped."""
    own = importlib.import_module(f"{framework}.rollout.sglang_rollout")
    output_class = importlib.import_module(f"{framework}.rollout.base_types").RolloutFnTrainOutput
    # OpenClaw-RL's slime, whose global batch counts samples: eight processes train, in groups of two for each model.
    parallel = dict(actor_num_nodes=2, actor_num_gpus_per_node=4, tensor_model_parallel_size=2, num_steps_per_rollout=1)
    fork = SimpleNamespace(**{**vars(args), **parallel, "dynamic_history": True, "reward_key": "score"})

    def finished(groups: list, given) -> object:
        theirs = getattr(own, "generate_rollout", None)
        own.generate_rollout = lambda *_, **__: output_class(samples=groups, metrics=None)
        try:
            return hooks.generate_rollout(given, 3, None)
        finally:
            own.generate_rollout = theirs

    def aligned(samples: list) -> None:
        for one in samples:
            assert len(one.loss_mask) == len(one.rollout_log_probs) == one.response_length
            if not one.remove_sample:
                assert trained(one.rollout_log_probs, one.loss_mask) == LOGPROBS, one

    use(model="cut", run=f"run-{framework}-cut")
    siblings = asyncio.run(hooks.generate(args, sample(0, 70, SOLVED), sampling))
    assert [one.tokens for one in siblings] == [[*a, *b] for a, b in zip(PROMPTS, WRITTEN)]
    assert [trained(one.tokens[-2:], one.loss_mask) for one in siblings] == WRITTEN
    assert {one.rollout_id for one in siblings} == {70} and {one.reward for one in siblings} == {1.0}
    # Members of a group may be lists or not; the framework looks at the first.
    fault = asyncio.run(hooks.generate(args, sample(0, 71, UNKNOWN), sampling))
    output = finished([[fault, siblings]], args)
    assert output.samples == [[fault, *siblings]]
    aligned(siblings)
    assert output.metrics["agent/written_tokens"] == output.metrics["agent/trained_tokens"] == 4
    assert output.metrics["agent/dropped_tokens_share"] == 0

    normal = SimpleNamespace(**{**vars(args), "advantage_estimator": "grpo", "rewards_normalization": True, "grpo_std_normalization": False})
    missed = asyncio.run(hooks.generate(args, sample(0, 72, MISSED), sampling))
    many = [*siblings, *missed[:1], fault]
    # One that solved it and one that did not, however many samples they make; a fault is neither.
    assert hooks.normalized_rewards(normal, many)[1] == [0.5, 0.5, -0.5, 0.0]

    steps = asyncio.run(hooks.generate(fork, sample(0, 73, SOLVED), sampling))
    output = finished([[steps, [*asyncio.run(hooks.generate(fork, sample(0, 74, MISSED), sampling))]]], fork)
    (group,) = output.samples
    # Four samples for four processes: nothing is cut.
    assert len(group) == 4 and output.metrics["agent/padding"] == 0
    output = finished([[steps]], fork)
    (group,) = output.samples
    padding = group[2:]
    assert len(group) == 4 and all(one.remove_sample and sum(one.loss_mask) == 0 for one in padding)
    assert {(one.group_index, one.index) for one in group} == {(0, 73)}
    assert output.metrics["agent/padding"] == 2 and output.metrics["agent/trained_tokens"] == 4
    for given, settings in (({"dynamic_history": False}, {}), ({"dynamic_history": False}, {"sequences": "longest"})):
        use(model="cut", run=f"run-{framework}-fixed", **settings)
        fixed = SimpleNamespace(**{**vars(args), **given})
        try:
            (kept,) = flat_of(asyncio.run(hooks.generate(fixed, sample(0, 75, SOLVED), sampling)))
        except RolloutFault as error:
            assert not settings and "2 sequences" in str(error) and "longest" in str(error), error
            continue
        assert settings and trained(kept.tokens[-2:], kept.loss_mask) == WRITTEN[0]
        output = finished([[kept]], fixed)
        assert output.metrics["agent/dropped_tokens_share"] == 0.5, output.metrics

    at = urlsplit(JUDGE)
    judged = SimpleNamespace(
        **vars(fork), prm_enable=True, prm_router_ip=at.hostname, prm_router_port=at.port, prm_model_path="prm", prm_m=3,
        prm_step_coef=0.5, prm_temperature=0.25, prm_max_new_tokens=99,
    )
    use(model="cut", run=f"run-{framework}-judged")
    scored = asyncio.run(hooks.generate(judged, sample(0, 76, SOLVED), sampling))
    missed = asyncio.run(hooks.generate(judged, sample(0, 77, MISSED), sampling))
    assert [one.reward["score"] for one in scored] == [1.5, 1.5] and [one.reward["score"] for one in missed] == [-0.5, -0.5]
    wise = [one.metadata["step_wise"] for one in [*scored, *missed]]
    assert [one["step_indices"] for one in wise] == [[0], [1]] * 2, wise
    assert [one["step_token_spans"] for one in wise] == [[[0, 2]]] * 4
    # The step that submits is not judged.
    assert [one["step_scores"] for one in wise] == [[1.0], [0.0]] * 2
    assert [one["step_scores_with_outcome"] for one in wise] == [[1.5], [1.0], [-0.5], [-1.0]]
    assert [one["outcome_reward"] for one in wise] == [1.0, 1.0, -1.0, -1.0]
    prm = scored[0].metadata["prm"]
    assert prm["step_mean_score"] == 1.0 and prm["step_details"] == [
        {"step_index": 0, "scores": [1, 1, 1], "mean_score": 1.0, "status": "ok"}
    ]
    # OpenClaw-RL trains all of them in one optimizer step, each step normalised over the two rollouts, and none of the copies.
    more = dict(
        load_debug_rollout_data=None, disable_rollout_trim_samples=False, global_batch_size=2, use_dynamic_global_batch_size=False,
        rewards_normalization=True, reward_key="score",
    )
    given = SimpleNamespace(**{**vars(judged), **more})
    batch = finished([[scored, missed], [asyncio.run(hooks.generate(judged, sample(1, 80, SOLVED), sampling))]], given)
    read = openclaw(batch.samples, given)
    if read is not None:
        data, size, (values, spans, indices, tasks) = read
        assert len(data) == size == 8 and sum(one.remove_sample for one in data) == 2, data
        assert [round(one[0], 3) for one in values[:4]] == [1.0, 1.0, -1.0, -1.0] and indices[:4] == [[0], [1]] * 2, values
        assert spans[:4] == [[[0, 2]]] * 4 and tasks == [0] * 4 + [1] * 4
        assert values[4:6] == [[1.5], [1.0]] and values[6:] == [[], []]

    held_out = asyncio.run(hooks.generate(judged, sample(0, 78, SOLVED), sampling, evaluation=True))
    assert held_out.reward["score"] == 1.0
    try:
        asyncio.run(hooks.generate(SimpleNamespace(**{**vars(judged), "prm_router_ip": None}), sample(0, 79, SOLVED), sampling))
        raise AssertionError("a judge that has no address was passed over")
    except RuntimeError as error:
        assert "no address of the judge" in str(error)
    return {"judged": len(scored), "openclaw": read is not None}


def flat_of(samples) -> list:
    return samples if isinstance(samples, list) else [samples]


class Args(SimpleNamespace):
    """A trainer's arguments; those that are not named are absent."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)


async def nothing(*_) -> None:
    pass


def own_rollouts(framework: str) -> dict:
    """slime's or Miles' own rollout function with our hooks, a filter that drops a group, an abort, and an evaluation."""
    import tempfile

    own = importlib.import_module(f"{framework}.rollout.sglang_rollout")
    if hasattr(own, "dumper_utils"):
        # It tells SGLang's own module what to write.
        own.dumper_utils.configure_sglang = nothing
    hooks = importlib.import_module(f"swemake_rollouts.{framework}")
    types = importlib.import_module(f"{framework}.utils.types")
    config_class = importlib.import_module(f"{framework}.utils.eval_config").EvalDatasetConfig
    folder = Path(tempfile.mkdtemp())
    tiny_tokenizer().save_pretrained(folder / "model")
    at = urlsplit(MODEL)
    path = f"swemake_rollouts.{framework}"
    args = Args(
        sglang_router_ip=at.hostname, sglang_router_port=at.port, hf_checkpoint=str(folder / "model"),
        rollout_global_dataset=True, sglang_server_concurrency=8, rollout_num_gpus=1, rollout_num_gpus_per_engine=1, num_gpus_per_node=1, eval_num_gpus=0,
        rollout_temperature=0.7, rollout_top_p=1.0, rollout_top_k=-1, rollout_max_response_len=64, rollout_skip_special_tokens=False,
        n_samples_per_prompt=2, rollout_batch_size=1, over_sampling_batch_size=1, rollout_seed=1, reward_key="score",
        custom_generate_function_path=f"{path}.generate", custom_rm_path=f"{path}.reward_func",
        dynamic_sampling_filter_path=f"{path}.dynamic_filter",
    )
    importlib.import_module(f"{framework}.utils.http_utils").init_http_client(args)
    form = lambda name: {"instance": {"instance_id": name}}  # noqa: E731
    groups = [[UNKNOWN, SOLVED], [SOLVED, MISSED]]
    numbers = iter(range(1000, 2000))

    def group(names: list[str]) -> list:
        number = next(numbers)
        return [
            types.Sample(group_index=number, index=next(numbers), prompt="p", metadata=form(name)) for name in names
        ]

    source = SimpleNamespace(
        get_samples=lambda count: [group(groups.pop(0)) for _ in range(count)], add_samples=lambda groups: None
    )
    use(run=f"run-{framework}-own")
    output = hooks.generate_rollout(args, 1, source)
    (kept,) = output.samples
    assert [one.reward["score"] for one in kept] == [1.0, 0.0] and not groups, kept
    assert output.metrics["agent/turns_sum"] == 4 and output.metrics["agent/faults"] == 0, output.metrics
    assert any("group_has_aborted" in key for key in output.metrics), output.metrics

    # It has its batch: what is still under way is given up.
    state = own.GenerateState(args)
    state.aborted = True
    (lost,) = group([SOLVED])
    asyncio.run(hooks.generate(args, lost, state.sampling_params))
    assert lost.status == types.Sample.Status.ABORTED and lost.reward is None and lost.remove_sample
    state.reset()
    asyncio.run(hooks.generate(args, lost, state.sampling_params))
    assert lost.status == types.Sample.Status.COMPLETED and lost.reward["score"] == 1.0 and not lost.remove_sample

    rows = folder / "eval.jsonl"
    rows.write_text("".join(json.dumps({"prompt": "p", "metadata": form(name)}) + "\n" for name in (SOLVED, MISSED, UNKNOWN)))
    args.eval_datasets = [
        config_class(
            name="held-out", path=str(rows), input_key="prompt", metadata_key="metadata", n_samples_per_eval_prompt=1,
            temperature=0.7, top_p=1.0, top_k=-1, max_response_len=64,
        )
    ]
    args.eval_max_prompt_len = None
    found = hooks.generate_rollout(args, 1, source, evaluation=True).data["held-out"]
    assert sorted(found["rewards"]) == [0.0, 1.0] and len(found["samples"]) == len(found["truncated"]) == 2, found
    return {"own": True, "dropped": [key for key in output.metrics if "group_has_aborted" in key]}


def empty_modules(*names: str) -> None:
    """Engines and backends that need a GPU, which nothing here calls."""
    from importlib.abc import Loader, MetaPathFinder
    from importlib.machinery import ModuleSpec

    class Empty(ModuleType):
        __path__: list[str] = []
        __version__ = "0.3.0"

        def __getattr__(self, name: str):
            if name.startswith("__"):
                raise AttributeError(name)
            return type(name, (), {})

    class Finder(MetaPathFinder, Loader):
        def find_spec(self, name, path=None, target=None):
            return ModuleSpec(name, self, is_package=True) if name.split(".")[0] in names else None

        def create_module(self, spec):
            return Empty(spec.name)

        def exec_module(self, module) -> None:
            pass

    sys.meta_path.append(Finder())


def samples_and_own(framework: str) -> dict:
    if "stubs" in str(list(importlib.import_module(framework).__path__)):
        return samples_of(framework)
    empty_modules("sglang", "sglang_router", "megatron", "transformer_engine", "mbridge")
    return {**samples_of(framework), **own_rollouts(framework)}


def step_wise_training() -> None:
    """skyrl-train's StepWiseTrainer, with stand-ins for what it stands on."""
    from swemake_rollouts import skyrl_main

    class Row(list):
        """A row of a tensor, as far as the hook computes with it."""

        def __mul__(self, other):
            return Row(a * (b if isinstance(other, list) else other) for a, b in zip(self, other if isinstance(other, list) else self))

        def __add__(self, number):
            return Row(one + number for one in self)

    class StepWiseTrainer:
        def __init__(self, cfg):
            self.cfg = cfg
            self.policy_model = SimpleNamespace(actor_infos=[SimpleNamespace(rank=SimpleNamespace(dp_size=4))])

        def convert_to_training_input(self, output, uids):
            return output

        def compute_advantages_and_returns(self, data):
            assert data["response_mask"] == [1, 1, 1], "the advantage is cut at the length of another row"
            return {**data, "advantages": Row([0.5] * 3), "returns": Row([0.5] * 3)}

    for name in ("examples", "examples.step_wise", "examples.step_wise.step_wise_trainer"):
        sys.modules[name] = ModuleType(name)
    sys.modules["examples.step_wise.step_wise_trainer"].StepWiseTrainer = StepWiseTrainer
    trainer = SimpleNamespace(train_batch_size=16, policy_mini_batch_size=8, micro_train_batch_size_per_gpu=1)
    cfg = SimpleNamespace(trainer=trainer, generator=SimpleNamespace(http_endpoint_host="h", http_endpoint_port=1))
    made = skyrl_main.step_wise_trainer()(cfg)
    rows = {"response_ids": [[1], [2, 3], [4]], "loss_masks": [[1], [1, 1], [1]], "is_last_step": [True, False, True], "rewards": [1.0, 0.0, 0.5], "rollout_metrics": {}}
    filled = made.convert_to_training_input(rows, None)
    # Four processes and two optimizer steps: eight rows, the copies within the last rollout.
    assert len(filled["response_ids"]) == 8 and sum(map(sum, filled["loss_masks"])) == 4, filled
    assert filled["is_last_step"] == [True, *[False] * 6, True] and filled["rewards"][-1] == 0.5
    whole = made.compute_advantages_and_returns({"response_mask": Row([1, 1, 0])})
    assert whole["advantages"] == [0.5, 0.5, 0] and whole["response_mask"] == [1, 1, 0]

    class Experiment:
        pass

    use(run="run-skyrl-main", model_url=MODEL)
    tokenizer = SimpleNamespace(pad_token_id=7)
    stepping = skyrl_main._step_wise_experiment(Experiment)()
    assert stepping.get_generator(cfg, tokenizer, None).step_wise and isinstance(stepping.get_trainer(cfg), StepWiseTrainer)
    use(run="run-skyrl-main", model_url=MODEL, sequences="longest")
    assert not hasattr(skyrl_main._step_wise_experiment(Experiment)(), "get_trainer")
    use(run="run-skyrl-main")
    assert skyrl_main.generator_of(cfg, tokenizer, None, True).model_url == "http://h:1/v1"
    assert skyrl_main.generator_of(cfg, tokenizer, SimpleNamespace(get_endpoint_url=lambda: "http://e:2"), True).model_url == "http://e:2/v1"
    use(run="run-skyrl-main", model_url=MODEL)
    for several in (True, False):
        unified = SimpleNamespace(generator=SimpleNamespace(step_wise_trajectories=several))
        assert skyrl_main._experiment(Experiment)().get_generator(unified, tokenizer, None).step_wise is several


def skyrl() -> dict:
    from skyrl.train.generators.base import BatchMetadata, TrajectoryID
    from swemake_rollouts.skyrl import SwemakeGenerator

    def batch(names: list[tuple[str, int]]) -> dict:
        return {
            "prompts": [[{"role": "user", "content": "p"}] for _ in names],
            "env_classes": ["null"] * len(names),
            "env_extras": [{"data_source": "d", "instance": {"instance_id": name}} for name, _ in names],
            "sampling_params": {"temperature": 0.7, "top_k": -1, "max_generate_length": 64, "logprobs": 1},
            "trajectory_ids": [TrajectoryID(name, number) for name, number in names],
            "batch_metadata": BatchMetadata(global_step=4, training_phase="train"),
        }

    use()
    names = [(SOLVED, 0), (SOLVED, 1), (MISSED, 0), (UNKNOWN, 0)]
    output = asyncio.run(SwemakeGenerator(model_url=MODEL).generate(batch(names)))
    assert output["rewards"] == [1.0, 1.0, 0.0, 2 / 3], output["rewards"]
    assert output["loss_masks"] == [[1, 1, 0, 0, 0, 1, 1]] * 3 + [[0]]
    assert output["response_ids"][0] == list(range(4, 11)) and output["prompt_token_ids"][0] == [1, 2, 3]
    assert output["rollout_metrics"]["agent/turns_sum"] == 6 and output["rollout_metrics"]["agent/faults"] == 1
    validated = []
    try:
        from skyrl.train.utils.trainer_utils import validate_generator_output

        validate_generator_output(len(names), output)
        validated.append("whole")
    except ImportError as error:
        validated.append(f"not validated: {error}")
    use(model="cut", run="run-skyrl-cut")
    steps = asyncio.run(SwemakeGenerator(model_url=MODEL, step_wise=True).generate(batch([(SOLVED, 0), (MISSED, 0)])))
    assert steps["is_last_step"] == [False, True, False, True]
    # Each turn that the model wrote is trained once, as it was written.
    assert steps["prompt_token_ids"] == PROMPTS * 2 and steps["response_ids"] == WRITTEN * 2
    assert steps["loss_masks"] == [[1, 1]] * 4 and steps["rollout_logprobs"] == [LOGPROBS] * 4
    assert steps["rewards"] == [1.0, 1.0, 0.0, 0.0] and [id.instance_id for id in steps["trajectory_ids"]] == [SOLVED] * 2 + [MISSED] * 2
    assert steps["rollout_metrics"]["agent/written_tokens"] == steps["rollout_metrics"]["agent/trained_tokens"] == 8
    numbers = SimpleNamespace(concatenate=lambda lists: SimpleNamespace(sum=lambda: sum(map(sum, lists))))
    names_ = ["validate_generator_output", "_validate_step_wise_fields"]
    scope = original("NovaSky-AI+SkyRL", "a9564572", "skyrl/train/utils/trainer_utils.py", names_, {"np": numbers})
    if scope is not None:
        scope["validate_generator_output"](2, steps, step_wise=True)
        validated.append("step-wise, by SkyRL's source")
    try:
        asyncio.run(SwemakeGenerator(model_url=MODEL).generate(batch([(SOLVED, 0)])))
        raise AssertionError("turns were dropped without a word")
    except RolloutFault as error:
        assert "2 sequences" in str(error) and "step_wise_trajectories" in str(error), error
    use(model="cut", run="run-skyrl-longest", sequences="longest")
    longest = asyncio.run(SwemakeGenerator(model_url=MODEL).generate(batch([(SOLVED, 0)])))
    assert longest["response_ids"] == WRITTEN[:1]
    assert longest["rollout_metrics"]["agent/dropped_tokens_share"] == 0.5, longest["rollout_metrics"]
    step_wise_training()
    if validated == ["whole"]:
        validate_generator_output(2, steps, step_wise=True)
        validated.append("step-wise")
    use(run="run-skyrl-faults")
    try:
        asyncio.run(SwemakeGenerator(model_url=MODEL).generate(batch([(UNKNOWN, 0)])))
        raise AssertionError("a batch of faults was given to train on")
    except RolloutFault:
        pass
    return {"validated": validated}


FENCE = "THOUGHT: go on\n\n```mswea_bash_command\n%s\n```"
REPLIES = [FENCE % "echo 'VALUE = 0' > m0.py", FENCE % "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"]


def generate_engine(tokenizer) -> str:
    """vLLM's route of token ids, which says what mends the task."""
    import threading
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            turn = tokenizer.decode(asked["token_ids"]).count("<|start|>assistant") - 1
            ids = [*tokenizer.encode(REPLIES[turn], add_special_tokens=False), tokenizer.eos_token_id]
            logprobs = {"content": [{"token": f"token_id:{id}", "logprob": -0.5} for id in ids]}
            choice = {"token_ids": ids, "logprobs": logprobs, "finish_reason": "stop"}
            self._send(200, {"request_id": "r", "choices": [choice]})

        def do_GET(self) -> None:
            self._send(404, {})

        def _send(self, status: int, body: dict) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"


class Engine:
    """Says what mends the task, in the ids of the tokenizer."""

    #: Limits of replies.
    asked: list[int | None] = []

    def __init__(self, tokenizer, output) -> None:
        self.tokenizer, self.output, self.said = tokenizer, output, 0

    async def generate(self, request_id, *, prompt_ids, sampling_params, **_):
        self.asked.append(sampling_params.get("max_tokens"))
        text = REPLIES[min(self.said, 1)]
        self.said += 1
        ids = [*self.tokenizer.encode(text, add_special_tokens=False), self.tokenizer.eos_token_id]
        return self.output(token_ids=ids, log_probs=[-0.5] * len(ids))


def verl() -> dict:
    from swemake_rollouts.verl import SwemakeAgentLoop
    from verl.experimental.agent_loop.agent_loop import DictConfigWrap, _agent_loop_registry
    from verl.workers.rollout.replica import TokenOutput

    try:
        from omegaconf import OmegaConf
        from verl.utils.dataset.rl_dataset import RLHFDataset

        create, tokenizer = OmegaConf.create, tiny_tokenizer()
    except ImportError:
        from verl.stub import RLHFDataset, create, tokenizer
    assert "swemake" in _agent_loop_registry
    config = create({"actor_rollout_ref": {"rollout": {"prompt_length": 9000, "response_length": 9000}}, "data": {}})

    def loop(**more):
        return SwemakeAgentLoop(
            trainer_config=DictConfigWrap(config), server_manager=Engine(tokenizer, TokenOutput), tokenizer=tokenizer,
            processor=None, dataset_cls=RLHFDataset, data_config=DictConfigWrap(config.data), **more,
        )

    row = {"raw_prompt": [], "extra_info": {"instance": json.dumps({"instance_id": SOLVED})}}

    async def run(params, asked, **more):
        return await loop(**more).run(params, **asked)

    use()
    (asked,) = asyncio.run(run({"temperature": 0.7, "top_k": -1}, row, model_url=MODEL))
    assert asked.reward_score == 1.0 and asked.response_mask == [1, 1, 0, 0, 0, 1, 1]
    assert asked.prompt_ids == [1, 2, 3] and asked.response_logprobs == [-0.1, -0.2, 0, 0, 0, -0.1, -0.2]
    assert asked.metrics.generate_sequences > 0 and asked.metrics.compute_score > 0
    use(max_response=512, run="run-verl-plays")
    (played,) = asyncio.run(run({"temperature": 0.7}, row))
    assert played.reward_score == 1.0, played.reward_score
    assert Engine.asked == [512, 512], Engine.asked
    assert len(played.response_ids) == len(played.response_mask) == len(played.response_logprobs)
    said = tokenizer.decode([id for id, mask in zip(played.response_ids, played.response_mask) if mask])
    assert said.count("mswea_bash_command") == 2 and "COMPLETE_TASK" in said, said
    assert 0 in played.response_mask, "what the environment said is trained"
    use(dynamic_history=True, run="run-verl-steps")
    steps = asyncio.run(run({"temperature": 0.7}, row))
    assert len(steps) == 2 and all(set(one.response_mask) == {1} for one in steps)
    use(model="cut", run="run-verl-cut")
    cut = asyncio.run(run({"temperature": 0.7}, row, model_url=MODEL))
    assert [one.prompt_ids for one in cut] == PROMPTS and [one.response_ids for one in cut] == WRITTEN
    assert all(one.response_mask == [1, 1] and one.response_logprobs == LOGPROBS and one.reward_score == 1.0 for one in cut)
    assert cut[0].extra_fields["reward_extra_info"]["agent/dropped_tokens_share"] == 0
    config.trainer = create({"use_v1": False}) if not isinstance(config, SimpleNamespace) else {"use_v1": False}
    try:
        asyncio.run(run({"temperature": 0.7}, row, model_url=MODEL))
        raise AssertionError("turns were dropped without a word")
    except RolloutFault as error:
        assert "2 sequences" in str(error) and "use_v1" in str(error), error
    use(model="cut", run="run-verl-longest", sequences="longest")
    longest = asyncio.run(run({"temperature": 0.7}, row, model_url=MODEL))
    assert longest.response_ids == WRITTEN[0] and longest.extra_fields["reward_extra_info"]["agent/dropped_tokens_share"] == 0.5
    del config.trainer
    use(run="run-verl-faults")
    try:
        asyncio.run(run({}, {**row, "extra_info": {"instance": json.dumps({"instance_id": UNKNOWN})}}, model_url=MODEL))
        raise AssertionError("a fault was an output")
    except RolloutFault:
        pass
    return {"played": len(played.response_ids), "trained": sum(played.response_mask)}


def tiny_tokenizer():
    """Of bytes, with a template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([*alphabet, "<|end|>", "<|start|>"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|end|>", pad_token="<|end|>", additional_special_tokens=["<|start|>"]
    )
    fast.chat_template = (
        "{% for m in messages %}{{ '<|start|>' + m['role'] + '\n' + m['content'] + '<|end|>' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|start|>assistant\n' }}{% endif %}"
    )
    return fast


def trl() -> dict:
    """TRL itself is driven by test/e2e/chain.long.test.ts; this is what it hands to the hook."""
    from swemake_rollouts.trl import reward_func, rollout_func

    trainer = SimpleNamespace(
        state=SimpleNamespace(global_step=5), model=SimpleNamespace(training=True), accelerator=SimpleNamespace(process_index=0),
        processing_class=SimpleNamespace(eos_token_id=99), _metrics={"train": defaultdict(list)},
    )
    use(model_url=MODEL)
    prompt = lambda name: [{"role": "user", "content": "p", "instance_id": name}]  # noqa: E731
    output = rollout_func([prompt(SOLVED), prompt(SOLVED), prompt(MISSED), prompt(UNKNOWN)], trainer)
    assert reward_func([], **{"swemake_reward": output["swemake_reward"]}) == [1.0, 1.0, 0.0, None]
    assert output["env_mask"] == [[1, 1, 0, 0, 0, 1, 1]] * 3 + [[0]]
    assert output["completion_ids"][3] == [99]
    assert all(len(ids) == len(mask) for ids, mask in zip(output["completion_ids"], output["env_mask"]))
    assert trainer._metrics["train"]["agent/turns_mean"] == [2.0]
    logged = trainer._metrics["train"]
    assert logged["agent/written_tokens"] == logged["agent/trained_tokens"] == [12.0] and logged["agent/dropped_tokens_share"] == [0.0]
    try:
        rollout_func([prompt(UNKNOWN), prompt(UNKNOWN)], trainer)
        raise AssertionError("a batch without a verdict was trained")
    except RolloutFault as error:
        assert "no rollout of this batch came to a verdict" in str(error) and UNKNOWN in str(error), error
    use(model="cut", model_url=MODEL, run="run-trl-cut")
    try:
        rollout_func([prompt(SOLVED)], trainer)
        raise AssertionError("turns were dropped without a word")
    except RolloutFault as error:
        assert "2 sequences" in str(error) and "TRL" in str(error), error
    use(model="cut", model_url=MODEL, run="run-trl-longest", sequences="longest")
    output = rollout_func([prompt(SOLVED)], trainer)
    assert output["completion_ids"] == [WRITTEN[0]] and logged["agent/dropped_tokens_share"][-1] == 0.5
    return {"logged": len(trainer._metrics["train"])}


def openenv() -> dict:
    """OpenEnv's own server and client over its socket."""
    import threading
    import time

    import uvicorn
    from openenv.core.generic_client import GenericEnvClient
    from swemake_rollouts import openenv as module

    use()
    server = uvicorn.Server(uvicorn.Config(module.app, host="127.0.0.1", port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]

    async def play() -> list:
        async with GenericEnvClient(base_url=f"http://127.0.0.1:{port}") as env:
            opened = await env.reset(instance_id=SOLVED)
            assert not opened.done and "m0 is wrong" in json.dumps(opened.observation), opened
            looked = await env.step({"command": "cat m0.py"})
            assert not looked.done and "VALUE" in json.dumps(looked.observation), looked
            await env.step({"command": "echo 'VALUE = 0' > m0.py"})
            done = await env.step({"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"})
            assert done.done and done.reward == 1, done
            unknown = await env.reset(instance_id=UNKNOWN)
            assert unknown.done and unknown.reward is None, unknown
        return [done.reward, unknown.reward]

    return {"rewards": asyncio.run(play())}


def nemo_gym() -> dict:
    """The application that NeMo-Gym makes of an agent, asked as its rollout collection asks."""
    import httpx
    from nemo_gym.server_utils import ServerClient
    from swemake_rollouts.nemo_gym import SwemakeAgent, SwemakeAgentConfig

    use()
    config = SwemakeAgentConfig(host="127.0.0.1", port=0, name="swemake", entrypoint="app.py", model_url=MODEL)
    app = SwemakeAgent(config=config, server_client=ServerClient.model_construct()).setup_webserver()

    async def ask() -> list:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://agent", timeout=None) as http:
            row = {"responses_create_params": {"input": [], "temperature": 0.7}, "metadata": {"instance_id": SOLVED}}
            return [await http.post("/run", json={**row, "metadata": {"instance_id": name}}) for name in (SOLVED, UNKNOWN)]

    solved, unknown = asyncio.run(ask())
    answer = solved.json()
    assert solved.status_code == 200 and answer["reward"] == 1.0, answer
    items = answer["response"]["output"]
    assert [item["generation_token_ids"] for item in items] == [[4, 5], [9, 10]], items
    assert items[1]["prompt_token_ids"] == list(range(1, 9)) and items[0]["generation_log_probs"] == [-0.1, -0.2]
    assert unknown.status_code == 503, unknown.text
    return {"items": len(items)}


def verifiers() -> dict:
    """verifiers' environment server and client over ZMQ, as prime-rl plays the tasks of a taskset."""
    import tempfile
    import threading

    from verifiers.v1.configs.client import TrainClientConfig
    from verifiers.v1.serve import EnvClient, EnvServer
    from verifiers.v1.types import SamplingConfig
    from verifiers.v1.utils.loaders import load_environment, resolve_env_config

    use(run="run-verifiers")
    folder = Path(tempfile.mkdtemp())
    tokenizer = tiny_tokenizer()
    tokenizer.save_pretrained(folder / "tokenizer")
    rows = folder / "rows.jsonl"
    names = (SOLVED, MISSED, UNKNOWN)
    rows.write_text("".join(json.dumps({"prompt": "p", "metadata": {"instance_id": name}}) + "\n" for name in names))
    config = resolve_env_config({"taskset": {"id": "swemake-verifiers", "dataset": str(rows)}})
    tasks = list(load_environment(config).taskset)
    assert [(task.data.idx, task.key) for task in tasks] == list(enumerate(names))
    server = EnvServer(config, address="tcp://127.0.0.1:0")
    threading.Thread(target=lambda: asyncio.run(server.run()), daemon=True).start()
    engine = generate_engine(tokenizer)

    async def play() -> list:
        client = EnvClient(server.address)
        await client.wait_for_server_startup()
        endpoint = TrainClientConfig(
            base_url=engine, renderer_model_name=str(folder / "tokenizer"), renderer={"name": "default"}
        )
        ask = lambda task: client.run(endpoint, "m", SamplingConfig(temperature=0.7), task.data.model_dump(mode="json"))  # noqa: E731
        return await asyncio.gather(*map(ask, tasks))

    solved, missed, unknown = asyncio.run(play())
    for episode, reward in ((solved, 1.0), (missed, 0.0)):
        (trace,) = episode.traces
        assert episode.ok and trace.ok and trace.rewards["resolved"].score == reward, trace.rewards
        assert trace.num_turns == 2 and trace.metrics["turns"] == 2, trace.metrics
        assert trace.info["swemake"]["exit_status"] == "Submitted"
        # What trains: the ids that the model wrote, and no others.
        (branch,) = trace.branches
        said = tokenizer.decode([id for id, mask in zip(branch.token_ids, branch.sampled_mask) if mask])
        assert said == "".join(f"{text}<|end|>" for text in REPLIES), said
        assert branch.logprobs == [-0.5 if mask else 0.0 for mask in branch.sampled_mask]
    (lost,) = unknown.traces
    assert not unknown.ok and not lost.ok and lost.rewards == {} and "no verdict" in lost.errors[0].message, lost
    return {"errors": [error.type for error in lost.errors], "tokens": len(branch.token_ids)}


def harbor() -> dict:
    """A job of Harbor over folders of tasks."""
    import logging
    import tempfile

    from harbor.job import Job
    from harbor.models.job.config import JobConfig

    use()
    logging.disable(logging.CRITICAL)
    folder = Path(tempfile.mkdtemp())
    for name in (SOLVED, MISSED, UNKNOWN):
        task = folder / "tasks" / name
        for part in ("environment", "tests"):
            (task / part).mkdir(parents=True)
        (task / "task.toml").write_text('version = "1.0"\n[agent]\ntimeout_sec = 600.0\n[verifier]\ntimeout_sec = 600.0\n')
        (task / "instruction.md").write_text("p\n")
        (task / "environment" / "Dockerfile").write_text("FROM scratch\n")
        (task / "tests" / "test.sh").write_text("#!/bin/bash\nexit 1\n")
        (task / "tests" / "config.json").write_text(json.dumps({"instance_id": name}))
    of = lambda name: {"import_path": f"swemake_rollouts.harbor:{name}"}  # noqa: E731
    config = JobConfig.model_validate(
        {
            "jobs_dir": str(folder / "jobs"),
            "job_name": "job",
            "quiet": True,
            "agents": [{**of("SwemakeAgent"), "model_name": "m", "kwargs": {"model_url": MODEL, "sampling_params": {"temperature": 0.7}}}],
            "environment": of("SwemakeEnvironment"),
            "verifier": of("SwemakeVerifier"),
            "datasets": [{"path": str(folder / "tasks")}],
        }
    )

    async def run() -> object:
        return await (await Job.create(config)).run()

    asyncio.run(run())
    from harbor.models.trial.result import TrialResult

    found = [TrialResult.model_validate_json(path.read_text()) for path in (folder / "jobs" / "job").glob("*/result.json")]
    trials = {trial.agent_result.metadata["instance_id"]: trial for trial in found}
    assert sorted(trials) == [SOLVED, MISSED, UNKNOWN], [trial.exception_info for trial in found]
    for name, reward in ((SOLVED, 1.0), (MISSED, 0.0)):
        trial = trials[name]
        assert trial.exception_info is None and trial.verifier_result.rewards == {"reward": reward}, trial
        (detail,) = trial.agent_result.rollout_details
        assert detail["prompt_token_ids"] == [[1, 2, 3], list(range(1, 9))], detail
        assert detail["completion_token_ids"] == [[4, 5], [9, 10]] and detail["logprobs"] == [[-0.1, -0.2]] * 2, detail
        assert trial.agent_result.n_input_tokens == 11 and trial.agent_result.n_output_tokens == 4
    lost = trials[UNKNOWN]
    assert lost.verifier_result is None and lost.exception_info.exception_type == "RolloutFault", lost
    return {"trials": len(found), "fault": lost.exception_info.exception_type}


def pieces() -> dict:
    """What all of them stand on."""
    try:
        Sequence([1, 2], [0])
        raise AssertionError("other lengths were taken")
    except ValueError:
        pass
    assert neutral_rewards([1.0, None, None], ["a", "a", "b"]) == [1.0, 1.0, 1.0]
    assert neutral_rewards([1.0, 0.0, None], ["a", "a", "a"]) == [1.0, 0.0, 0.5]
    partly = {"reward": 1, "instance_id": "t", "sequences": [{"token_ids": [1], "loss_mask": [1]}], "replies_without_ids": 2}
    try:
        Rollout.of(partly)
        raise AssertionError("replies without ids were passed over")
    except RolloutFault as error:
        assert "2 replies, which would not be trained" in str(error), error
    assert Rollout.of(partly, tokens=False).reward == 1
    judged = Rollout("i", "t", "ok", 1.0, step_rewards=[0.5, None, -1.0], step_coefficient=2.0)
    assert judged.value_of(Sequence([1], [1], step_reward=0.5)) == 2.0 and judged.value_of(Sequence([1], [1])) == 1.0
    assert judged.value == 1 + 2 * -0.25 and Rollout("i", "t", "ok", 0.0, step_coefficient=1.0).value == -1
    assert Rollout("i", "t", "ok", 0.0).value == 0 and Rollout("i", "t", "error", None, step_coefficient=1.0).value is None
    given = {"SWEMAKE_SEQUENCES": "longest", "SWEMAKE_TRAIN": "agents", "SWEMAKE_DYNAMIC_HISTORY": "1", "SWEMAKE_MAX_SEQ_LEN": "9000", "SWEMAKE_MAX_RESPONSE": "512"}
    read = Settings.from_env(given)
    assert (read.sequences, read.train, read.dynamic_history, read.max_seq_len, read.max_response) == ("longest", "agents", True, 9000, 512)
    assert step_metrics([{"turns": 2.0}, {}, {"total_time": 4.0, "turns": 4.0}]) == {
        "agent/turns_mean": 3.0, "agent/turns_sum": 6.0,
        "agent/total_time_mean": 4.0, "agent/total_time_max": 4.0, "agent/total_time_min": 4.0,
    }
    # A server that is away: its ids go to the others, and without any there is no reward.
    use(urls=(SETTINGS.urls[0], "http://127.0.0.1:9"), model_url=MODEL)
    many = asyncio.run(_many(8))
    assert [one.reward for one in many] == [1.0] * 8
    use(urls=("http://127.0.0.1:9",), wait=0)
    nobody = asyncio.run(client.servers().run(SOLVED))
    assert nobody.is_fault and nobody.reward is None and nobody.retryable
    asyncio.run(_goes_away())
    # Servers share what they have finished.
    use(model_url=MODEL, run="shared")
    first = asyncio.run(_many(6))
    for url in SETTINGS.urls:
        use(urls=(url,), model_url=MODEL, run="shared")
        assert [one.patch for one in asyncio.run(_many(6))] == [one.patch for one in first]
    return {"ids": len(first)}


async def _goes_away() -> None:
    """A server goes while it works, after longer than it may be down; the one that is started in its place is asked."""
    asked = []

    async def answers(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        asked.append(reader)
        if len(asked) == 1:
            await asyncio.sleep(3 * client._CONNECT)
        else:
            body = json.dumps({"id": "i", "instance_id": SOLVED, "status": "ok", "reward": 1}).encode()
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n")
            writer.write(b"content-length: %d\r\n\r\n%s" % (len(body), body))
            await writer.drain()
        writer.close()

    kept, client._CONNECT = client._CONNECT, 0.3
    server = await asyncio.start_server(answers, "127.0.0.1", 0)
    use(urls=(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}",), wait=0.8)
    rollout = await client.servers().run(SOLVED, tokens=False)
    client._CONNECT = kept
    server.close()
    assert rollout.reward == 1 and len(asked) == 2, (rollout, len(asked))


async def _many(count: int) -> list:
    asked = client.servers()
    return list(await asyncio.gather(*(asked.run(SOLVED, id=f"many/{index}", sample=index) for index in range(count))))


CASES = {"slime": lambda: samples_and_own("slime"), "miles": lambda: samples_and_own("miles"), "skyrl": skyrl, "verl": verl, "trl": trl}
CASES.update({"openenv": openenv, "nemo_gym": nemo_gym, "verifiers": verifiers, "harbor": harbor})
result = CASES.get(FRAMEWORK, pieces)()
module = sys.modules.get(FRAMEWORK)
where = "" if module is None else str(list(getattr(module, "__path__", [""]))[0])
print(json.dumps({"framework": FRAMEWORK, "stub": "stubs" in where, **result}))
