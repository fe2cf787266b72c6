"""
A model in the program's own process, whose replies are those of the scripts. Where a program loads weights and samples from their logits, it
gets this one: each row's logits allow one id, the next of its script's reply. So the program's own sampling, serving and counting run.
"""

import http.client
import json
import urllib.error
from pathlib import Path
from threading import Lock
from types import SimpleNamespace

from .engine import ask

#: As the engine counts: the log-probability of its token n is -n times this.
STEP = 1e-6


class Reply:
    """What the scripts say behind a prompt, id by id."""

    def __init__(self, spec, prompt):
        self.prompt, self.taken = prompt, 0
        try:
            said = ask(spec, "/generate", {"input_ids": prompt})
        except urllib.error.HTTPError:
            raise
        except (http.client.HTTPException, OSError):
            # A script that loses an answer. A model in this process loses none.
            said = ask(spec, "/generate", {"input_ids": prompt})
        self.ids = said["output_ids"]
        self.first = round(-said["meta_info"]["output_token_logprobs"][0][0] / STEP)

    def next(self):
        """Behind its end, the end once more."""
        self.taken += 1
        return self.ids[min(self.taken, len(self.ids)) - 1]

    def expects(self, ids):
        """Whether these ids are the ones that it gave last."""
        return ids == self.ids[self.taken - len(ids) : self.taken]


class Replies:
    """All of them, for a program with a cache of keys and values and for one that shows the whole text each time."""

    def __init__(self, spec):
        self.spec, self.all, self.lock = spec, [], Lock()

    def behind(self, ids):
        with self.lock:
            for one in reversed(self.all):
                if one.taken > 0 and ids == [*one.prompt, *one.ids[: one.taken]]:
                    return one
        made = Reply(self.spec, ids)
        with self.lock:
            self.all.append(made)
        return made

    def tell(self):
        """What was not asked for was not written."""
        ask(self.spec, "/rehearsal/taken", {"replies": [[one.first, one.taken] for one in self.all]})


def vocabulary(folder):
    tokenizer = json.loads((Path(folder) / "tokenizer.json").read_text(encoding="utf-8"))
    added = [one["id"] for one in tokenizer.get("added_tokens") or []]
    return max([*tokenizer["model"]["vocab"].values(), *added]) + 1


def scripted(spec, replies, name):
    """Stands for the weights of `name`."""
    try:
        import torch
    except ImportError:
        return SimpleNamespace(training=True, name_or_path=name)
    size = vocabulary(spec["tokenizer"])

    class Scripted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.name_or_path = name
            self.config = SimpleNamespace(vocab_size=size, name_or_path=name)
            self.anchor = torch.nn.Parameter(torch.zeros(1))

        @property
        def device(self):
            return self.anchor.device

        def forward(self, input_ids, past_key_values=None, **_):
            rows = input_ids.tolist()
            if past_key_values is None:
                past_key_values = [replies.behind(row) for row in rows]
            else:
                for row, reply in zip(rows, past_key_values):
                    if not reply.expects(row):
                        raise ValueError("the program went on with an id that the logits did not allow")
            logits = torch.full((len(rows), 1, size), float("-inf"))
            for index, reply in enumerate(past_key_values):
                logits[index, 0, reply.next()] = 0.0
            return SimpleNamespace(logits=logits.to(self.device), past_key_values=past_key_values)

    return Scripted()
