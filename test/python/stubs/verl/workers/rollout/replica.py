from dataclasses import dataclass


@dataclass
class TokenOutput:
    token_ids: list
    log_probs: list | None = None
