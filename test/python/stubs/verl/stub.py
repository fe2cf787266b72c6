"""What verl takes from other packages."""

from types import SimpleNamespace


class RLHFDataset: ...


def create(tree):
    if not isinstance(tree, dict):
        return tree
    return SimpleNamespace(**{key: create(value) for key, value in tree.items()})


class _Tokenizer:
    eos_token_id = 256

    def encode(self, text, add_special_tokens=False):
        return list(text.encode())

    def decode(self, ids, skip_special_tokens=False):
        return bytes(id for id in ids if id < 256).decode()

    def written(self, messages):
        text = "".join(f"<{one['role']}>{one['content']}" for one in messages)
        return [*text.encode(), 256, *b"<assistant>"]


tokenizer = _Tokenizer()
