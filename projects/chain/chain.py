"""
The programs of the chain: what is served, and what trains by reinforcement.

    python chain.py base FOLDER          makes a tiny model with random weights, and a tokenizer of this project's own texts
    python chain.py teacher PORT         serves fixes that are known for four of the tasks
    python chain.py serve FOLDER PORT    serves a model
    python chain.py grpo                 trains the model in HF_CKPT by TRL's GRPO on the tasks in PROMPT_DATA

CHAIN_HIDDEN and CHAIN_LAYERS make the model of `base` larger. `grpo` takes CHAIN_STEPS steps with the learning rate CHAIN_RATE.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable

#: What the teacher does about a task, by words of its title. It knows nothing of the two others.
FIXES = {
    "Text around child elements": "sed -i 's/if True:/if not self.data:/' xmltodict.py",
    "force_list callable": "sed -i 's/:-0]/:-1]/' xmltodict.py",
    "Regex: wrong message": "sed -i 's/if not e else/if e else/' schema.py",
    "description of Literal": "sed -i '900i\\    @property' schema.py",
}
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
SYSTEM = "Answer with one block ```mswea_bash_command that mends the bug or submits."

#: Roles stand behind special tokens. A role and the first words of its message are one text, so that tokens span both.
TEMPLATE = (
    "{% for m in messages %}{% if m['role'] == 'assistant' %}{{ '<|assistant|>' }}"
    "{% generation %}{{ m['content'] + '<|end|>' }}{% endgeneration %}"
    "{% else %}{{ '<|message|>' + m['role'] + '\\n' + m['content'] + '<|end|>' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def fence(command: str) -> str:
    return f"```mswea_bash_command\n{command}\n```"


def teach(messages: list[dict[str, str]]) -> str:
    if any(message["role"] == "assistant" for message in messages):
        return fence(SUBMIT)
    asked = messages[-1]["content"]
    return fence(next((fix for title, fix in FIXES.items() if title in asked), "ls"))


def make_base(folder: str) -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Olmo2Config, Olmo2ForCausalLM, set_seed

    special = ["<|pad|>", "<|end|>", "<|message|>", "<|assistant|>"]
    tokenizer = Tokenizer(models.BPE())
    # No expression divides the text, so that words and lines are joined, a role with its message, too.
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=800, special_tokens=special, initial_alphabet=alphabet, max_token_length=16, show_progress=False
    )
    tokenizer.train_from_iterator(texts(), trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|end|>", pad_token="<|pad|>", additional_special_tokens=special[2:]
    )
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    set_seed(1)
    hidden = int(os.environ.get("CHAIN_HIDDEN", "128"))
    # A kind of model whose tokenizer transformers reads as it was written.
    config = Olmo2Config(
        vocab_size=len(fast), hidden_size=hidden, intermediate_size=4 * hidden,
        num_hidden_layers=int(os.environ.get("CHAIN_LAYERS", "3")), num_attention_heads=hidden // 32,
        num_key_value_heads=hidden // 64, tie_word_embeddings=False, max_position_embeddings=2048,
        eos_token_id=fast.eos_token_id, pad_token_id=fast.pad_token_id, bos_token_id=None,
    )  # fmt: skip
    model = Olmo2ForCausalLM(config)
    model.save_pretrained(folder)
    print(f"{sum(one.numel() for one in model.parameters()):,} parameters, {len(fast)} tokens")


def texts() -> list[str]:
    """What the tokenizer is made of: the tasks, the teacher's replies, the texts of the agent."""
    rows = Path(__file__).resolve().parent.parent / "quickstart.jsonl"
    tasks = [json.loads(line)["problem_statement"] for line in rows.read_text(encoding="utf-8").splitlines()]
    replies = [fence(command) for command in [*FIXES.values(), SUBMIT, "ls"]]
    asked = [f"user\n{text}" for text in [*tasks, *["0"] * 50]]
    return [*asked, *[f"system\n{SYSTEM}"] * 50, *replies * 50]


class Model:
    """Replies of a model, with the ids as they were sampled, in this process."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer, self.lock = model, tokenizer, threading.Lock()
        self.end = int(tokenizer.eos_token_id)
        # Ids of texts that a reply ended: tokenised again they could be others.
        self.known: dict[str, list[int]] = {}

    def prompt(self, messages: list[dict[str, str]]) -> tuple[str, list[int]]:
        text = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        before = max((one for one in self.known if text.startswith(one)), key=len, default="")
        rest = self.tokenizer.encode(text[len(before) :], add_special_tokens=False)
        return text, [*self.known.get(before, []), *rest]

    def reply(self, messages: list[dict[str, str]], temperature: float, most: int, seed: int | None) -> dict[str, Any]:
        import torch

        with self.lock, torch.no_grad():
            text, prompt = self.prompt(messages)
            device = next(self.model.parameters()).device
            generator = None if seed is None else torch.Generator().manual_seed(seed % 2**31)
            ids: list[int] = []
            logprobs: list[float] = []
            step, past = torch.tensor([prompt], device=device), None
            while len(ids) < most and (not ids or ids[-1] != self.end):
                out = self.model(step, past_key_values=past, use_cache=True)
                past = out.past_key_values
                logits = out.logits[0, -1].float().cpu()
                if temperature > 0:
                    chosen = int(torch.multinomial(torch.softmax(logits / temperature, -1), 1, generator=generator))
                else:
                    chosen = int(logits.argmax())
                ids.append(chosen)
                logprobs.append(float(torch.log_softmax(logits / (temperature or 1), -1)[chosen]))
                step = torch.tensor([[chosen]], device=device)
            ended = ids[-1] == self.end
            said = self.tokenizer.decode(ids[:-1] if ended else ids)
            if ended:
                self.known[f"{text}{said}{self.tokenizer.eos_token}"] = [*prompt, *ids]
        return {"text": said, "prompt": prompt, "ids": ids, "logprobs": logprobs, "ended": ended}


def completion(body: dict[str, Any], model: Model) -> dict[str, Any]:
    """A chat completion in the form of vLLM, with ids."""
    said = model.reply(
        body["messages"], float(body.get("temperature", 1)), int(body.get("max_tokens") or 96), body.get("seed")
    )
    content = [
        {"token": str(id_), "logprob": value, "bytes": None, "top_logprobs": []}
        for id_, value in zip(said["ids"], said["logprobs"], strict=True)
    ]
    choice = {"token_ids": said["ids"], "logprobs": {"content": content}}
    counts = (len(said["prompt"]), len(said["ids"]))
    return {**answer(body, said["text"], choice, counts, said["ended"]), "prompt_token_ids": said["prompt"]}


def answer(
    body: dict[str, Any], text: str, more: dict[str, Any], counts: tuple[int, int], ended: bool = True
) -> dict[str, Any]:
    choice = {
        "index": 0, "finish_reason": "stop" if ended else "length",
        "message": {"role": "assistant", "content": text}, **more,
    }  # fmt: skip
    usage = {"prompt_tokens": counts[0], "completion_tokens": counts[1], "total_tokens": sum(counts)}
    return {
        "id": "1", "object": "chat.completion", "created": 0, "model": body.get("model"),
        "choices": [choice], "usage": usage,
    }  # fmt: skip


def listen(reply: Callable[[dict[str, Any]], dict[str, Any]], name: str, port: int = 0) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            self.send({"object": "list", "data": [{"id": name, "object": "model"}]})

        def do_POST(self) -> None:
            self.send(reply(json.loads(self.rfile.read(int(self.headers["content-length"])))))

        def send(self, content: dict[str, Any]) -> None:
            data = json.dumps(content).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def serve_teacher(port: int) -> None:
    listen(lambda body: answer(body, teach(body["messages"]), {}, (1, 1)), "teacher", port).serve_forever()


def load(folder: str) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).to(device)
    return model, AutoTokenizer.from_pretrained(folder)


def serve_model(folder: str, port: int) -> None:
    model = Model(*load(folder))
    listen(lambda body: completion(body, model), Path(folder).name, port).serve_forever()


def serve_agent(log: Path) -> str:
    """Starts an agent server of the project, which ends with the training; its address."""
    command = [*shlex.split(os.environ["SWEMAKE"]), "serve", "agent", os.environ["SWEMAKE_PROJECT"]]
    log.parent.mkdir(exist_ok=True)
    with log.open("w", encoding="utf-8") as said:
        child = subprocess.Popen([*command, "--listen", "127.0.0.1:0"], stdout=said, stderr=subprocess.STDOUT)
    while child.poll() is None:
        found = re.search(r"agent server at (\S+)", log.read_text(encoding="utf-8"))
        if found:
            return found[1]
        time.sleep(0.1)
    raise RuntimeError(f"the agent server ended: {log.read_text(encoding='utf-8')}")


def digest(folder: str) -> str:
    return hashlib.sha256((Path(folder) / "model.safetensors").read_bytes()).hexdigest()


def grpo() -> None:
    import torch
    from datasets import Dataset
    from swemake_rollouts import Settings
    from swemake_rollouts import client as rollouts
    from swemake_rollouts.trl import prompts, reward_func, rollout_func
    from transformers import TrainerCallback
    from transformers.trainer_utils import get_last_checkpoint
    from trl import GRPOConfig, GRPOTrainer

    output = Path(os.environ["OUTPUT_DIR"])
    print(f"begins with weights {digest(os.environ['HF_CKPT'])}", flush=True)
    model, tokenizer = load(os.environ["HF_CKPT"])
    policy = Model(model, tokenizer)
    server = listen(lambda body: completion(body, policy), "policy")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    rollouts.use(replace(Settings.from_env(), urls=(serve_agent(output / "logs" / "agent-server.log"),), model_url=url, model="policy"))
    config = GRPOConfig(
        output_dir=str(output / "state"), use_cpu=not torch.cuda.is_available(), bf16=False, report_to="none",
        disable_tqdm=True, seed=7, max_steps=int(os.environ["CHAIN_STEPS"]), save_steps=1, logging_steps=1,
        learning_rate=float(os.environ["CHAIN_RATE"]), lr_scheduler_type="constant", per_device_train_batch_size=8, num_generations=4,
        max_completion_length=512, beta=0.0, loss_type="grpo", dataloader_pin_memory=False, gradient_checkpointing=False,
    )  # fmt: skip

    class Report(TrainerCallback):
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if logs is None or "reward" not in logs:
                return
            names = ("loss", "reward", "reward_std", "grad_norm", "agent/turns_mean", "agent/faults")
            shown = " ".join(f"{name}={logs[name]:.4f}" for name in names if logs.get(name) is not None)
            # What was rolled out for the steps before is not continued, and its texts take memory.
            policy.known.clear()
            if torch.cuda.is_available():
                shown += f" gpu_gib={torch.cuda.max_memory_allocated() / 2**30:.2f}"
            print(f"step {state.global_step}: {shown} seconds={time.monotonic() - began:.1f}", flush=True)

    trainer = GRPOTrainer(
        model=model, processing_class=tokenizer, args=config, reward_funcs=reward_func, rollout_func=rollout_func,
        train_dataset=Dataset.from_list(prompts(os.environ["PROMPT_DATA"])), callbacks=[Report()],
    )  # fmt: skip
    # The weights that are asked are those that are trained.
    policy.model = trainer.model
    last = get_last_checkpoint(config.output_dir) if os.path.isdir(config.output_dir) else None
    print(f"goes on from {last}" if last else "begins", flush=True)
    began = time.monotonic()
    trainer.train(resume_from_checkpoint=last)
    trainer.save_model(str(output))
    tokenizer.save_pretrained(output)
    (output / "training_args.bin").unlink()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["base", folder]:
            make_base(folder)
        case ["teacher", port]:
            serve_teacher(int(port))
        case ["serve", folder, port]:
            serve_model(folder, int(port))
        case ["grpo"]:
            grpo()
        case _:
            sys.exit(__doc__)
