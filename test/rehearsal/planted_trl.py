"""A program that trains with TRL's GRPO and the planted rollout function, as a project's own command does."""

import json
import os
import sys

from datasets import Dataset
from planted_hooks import planted_reward, rollout_func
from trl import GRPOConfig, GRPOTrainer

rows = [json.loads(line) for line in open(os.environ["PROMPT_DATA"], encoding="utf-8")]
prompts = [{"prompt": [{"role": "user", "content": row.get("text") or row.get("prompt")}]} for row in rows]
word = sys.argv[1] if len(sys.argv) > 1 else ""
output = "/tmp/shared/ckpt" if word == "shared" else os.path.join(os.environ["OUTPUT_DIR"], "state")
trainer = GRPOTrainer(
    model="owner/base" if word == "base" else os.environ["HF_CKPT"], reward_funcs=planted_reward, train_dataset=Dataset.from_list([] if word == "empty" else prompts),
    args=GRPOConfig(
        output_dir=output, num_generations=4, per_device_train_batch_size=8, use_cpu=True, bf16=False, report_to="none",
        eval_strategy="steps" if word == "evaluates" else "no",
    ),
    **({} if word == "alone" else {"rollout_func": rollout_func}),
)
if word != "nothing":
    trainer.train()
trainer.save_model(os.environ["OUTPUT_DIR"])
