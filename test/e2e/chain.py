"""What a finished chain left, as JSON: python chain.py PROJECT SFT RL, the folders of the project and of the checkpoints."""

import json
import math
import sys
from pathlib import Path

from safetensors.torch import load_file
from transformers import AutoTokenizer

project, sft, rl = (Path(path) for path in sys.argv[1:])
weights = [load_file(folder / "model.safetensors") for folder in (project / "base", sft, rl)]


def distance(one: dict, other: dict) -> float:
    return max(float((one[name].float() - other[name].float()).abs().max()) for name in one)


def pieces(text: str) -> list[int]:
    return tokenizer.encode(text, add_special_tokens=False)


tokenizer = AutoTokenizer.from_pretrained(project / "base")
replies = broken = rewritten = 0
for path in (project / "out/chain/episodes").glob("step-*/*.json"):
    trajectory = json.loads(path.read_text())["episode"]["trajectory"]
    said: list[int] = []
    for call in trajectory["calls"]:
        shared, ids = call["tokens"]["shared"], call["tokens"]["ids"]
        prompt = said[:shared] + call["tokens"]["prompt_ids"]
        replies += 1
        # What was written before is in the next prompt as it was sampled.
        broken += prompt[: len(said)] != said
        rewritten += pieces(tokenizer.decode(ids)) != ids
        said = prompt + ids
print(
    json.dumps(
        {
            "shapes": [sorted((name, list(value.shape)) for name, value in one.items()) for one in weights] == [
                sorted((name, list(value.shape)) for name, value in weights[0].items())
            ] * 3,
            "finite": all(math.isfinite(float(value.float().sum())) for one in weights for value in one.values()),
            "sft": distance(weights[0], weights[1]),
            "rl": distance(weights[1], weights[2]),
            "spans": len(pieces("user\n0")) < len(pieces("user\n")) + len(pieces("0")),
            "replies": replies,
            "broken": broken,
            "rewritten": rewritten,
        }
    )
)
