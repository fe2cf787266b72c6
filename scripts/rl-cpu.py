"""
A training by reinforcement on a processor, as a project's own command: TRL's GRPO on the model in HF_CKPT, with the tasks in
PROMPT_DATA. The rollouts are the agent server's, which asks the model here, where it is trained: a small endpoint with the API
of chat completions answers out of the trainer's own weights, with the ids as they were sampled.

    python rl-cpu.py base FOLDER     makes a tiny model with random weights
    python rl-cpu.py train           trains, and goes on from the last checkpoint below OUTPUT_DIR/state
"""

import json
import os
import sys
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: All that the model can say. What is put last decides the reward; the tests want an even number.
WORDS = [*(f"sh put {number};" for number in range(6)), "sh done;"]
#: Words of a reply.
LONGEST = 3


def make_base(folder: str) -> None:
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, set_seed

    special = ["<pad>", "<end>", "<said>", "<unknown>"]
    tokenizer = Tokenizer(models.WordLevel({token: index for index, token in enumerate(special)}, unk_token="<unknown>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_tokens([AddedToken(word, normalized=False) for word in WORDS])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<end>", pad_token="<pad>", unk_token="<unknown>",
        additional_special_tokens=["<said>"],
    )
    fast.chat_template = (
        "{% for m in messages %}{{ '<said>' if m['role'] == 'assistant' else '' }}{{ m['content'] + '<end>' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<said>' }}{% endif %}"
    )
    fast.save_pretrained(folder)
    set_seed(1)
    config = Qwen2Config(
        vocab_size=len(fast), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, tie_word_embeddings=False, eos_token_id=fast.eos_token_id, pad_token_id=fast.pad_token_id,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)


class Policy:
    """Replies of a model that is trained meanwhile."""

    def __init__(self, model, tokenizer) -> None:
        self.model, self.tokenizer, self.lock = model, tokenizer, threading.Lock()
        # What ends a reply, and what it may be made of.
        self.end = tokenizer.eos_token_id
        self.allowed = [self.end, *(tokenizer.convert_tokens_to_ids(word) for word in WORDS)]

    def reply(self, messages: list[dict], temperature: float) -> dict:
        import torch

        text = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        prompt = self.tokenizer.encode(text, add_special_tokens=False)
        ids: list[int] = []
        logprobs: list[float] = []
        with self.lock, torch.no_grad():
            while len(ids) < LONGEST + 1 and (not ids or ids[-1] != self.end):
                logits = self.model(torch.tensor([prompt + ids])).logits[0, -1].float() / max(temperature, 1e-3)
                if len(ids) == LONGEST:
                    chosen = self.end
                else:
                    mask = torch.full_like(logits, float("-inf"))
                    mask[self.allowed[1:] if not ids else self.allowed] = 0
                    chosen = int(torch.multinomial(torch.softmax(logits + mask, -1), 1))
                ids.append(chosen)
                logprobs.append(float(torch.log_softmax(logits, -1)[chosen]))
        return {"prompt": prompt, "ids": ids, "logprobs": logprobs, "text": self.tokenizer.decode(ids[:-1])}


def serve(policy: Policy) -> str:
    """Chat completions in the form of vLLM; the address."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            said = policy.reply(body["messages"], float(body.get("temperature", 1)))
            content = [
                {"token": str(id_), "logprob": value, "bytes": None, "top_logprobs": []}
                for id_, value in zip(said["ids"], said["logprobs"])
            ]
            choice = {
                "index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said["text"]},
                "token_ids": said["ids"], "logprobs": {"content": content},
            }
            usage = {"prompt_tokens": len(said["prompt"]), "completion_tokens": len(said["ids"])}
            answer = {
                "id": "1", "object": "chat.completion", "created": 0, "model": body.get("model"), "choices": [choice],
                "prompt_token_ids": said["prompt"],
                "usage": {**usage, "total_tokens": sum(usage.values())},
            }
            data = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/v1"


def train() -> None:
    from datasets import Dataset
    from swemake_rollouts import Settings
    from swemake_rollouts import client as rollouts
    from swemake_rollouts.trl import prompts, reward_func, rollout_func
    from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
    from transformers.trainer_utils import get_last_checkpoint
    from trl import GRPOConfig, GRPOTrainer

    output = os.environ["OUTPUT_DIR"]
    model = AutoModelForCausalLM.from_pretrained(os.environ["HF_CKPT"])
    tokenizer = AutoTokenizer.from_pretrained(os.environ["HF_CKPT"])
    policy = Policy(model, tokenizer)
    rollouts.use(replace(Settings.from_env(), model_url=serve(policy), model="policy"))
    config = GRPOConfig(
        output_dir=os.path.join(output, "state"), use_cpu=True, bf16=False, report_to="none", disable_tqdm=True, seed=7,
        max_steps=int(os.environ["STEPS"]), save_steps=2, logging_steps=1, learning_rate=0.01, lr_scheduler_type="constant",
        per_device_train_batch_size=8, num_generations=4, max_completion_length=512, beta=0.0, loss_type="grpo",
        dataloader_pin_memory=False, gradient_checkpointing=False,
    )

    class Report(TrainerCallback):
        def on_log(self, args, state, control, logs=None, **_) -> None:
            if logs is None or "reward" not in logs:
                return
            advantages = [float(value) for value in list(trainer._logs["advantages"])[-8:]]
            shown = {
                "reward": logs["reward"], "reward_std": logs["reward_std"], "loss": logs["loss"],
                "grad_norm": logs["grad_norm"], "advantage": max(abs(value) for value in advantages),
                "turns": logs.get("agent/turns_mean", 0), "faults": logs.get("agent/faults", 0),
            }
            print(f"step {state.global_step}: " + " ".join(f"{name}={float(value):.4f}" for name, value in shown.items()), flush=True)

    trainer = GRPOTrainer(
        model=model, processing_class=tokenizer, args=config, reward_funcs=reward_func, rollout_func=rollout_func,
        train_dataset=Dataset.from_list(prompts(os.environ["PROMPT_DATA"])), callbacks=[Report()],
    )
    # The weights that are asked are those that are trained.
    policy.model = trainer.model
    last = get_last_checkpoint(config.output_dir) if os.path.isdir(config.output_dir) else None
    print(f"goes on from {last}" if last else "begins", flush=True)
    trainer.train(resume_from_checkpoint=last)
    logged = [one for one in trainer.state.log_history if "reward" in one]
    names = [name for name in logged[-1] if name.startswith("agent/")]
    print(f"in the trainer's own log: {len(names)} agent/* metrics", flush=True)
    trainer.save_model(output)
    tokenizer.save_pretrained(output)
    os.makedirs(os.path.join(output, "logs"), exist_ok=True)
    os.remove(os.path.join(output, "training_args.bin"))


if __name__ == "__main__":
    make_base(sys.argv[2]) if sys.argv[1] == "base" else train()
