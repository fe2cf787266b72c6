"""Rows of a training, and what all frameworks do with sequences."""

import json

#: Groups that may be dropped in a row before a rehearsal gives up: the framework would go on for ever.
PATIENCE = 4


class AllDropped(RuntimeError):
    """The filter keeps nothing."""


def packed(lengths, limit):
    """First fit: as many micro-batches as are needed."""
    rooms = []
    for length in lengths:
        for index, room in enumerate(rooms):
            if room >= length:
                rooms[index] -= length
                break
        else:
            rooms.append(limit - length)
    return len(rooms)


def read_rows(path, report, role, spec):
    option = spec["table"]["names"].get(role)
    try:
        # A rehearsal writes JSON lines beside Parquet.
        with open(f"{path}.jsonl" if str(path).endswith(".parquet") else path, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines if line.strip()]
    except (OSError, TypeError, ValueError) as error:
        report.problem("rows", f"{path} cannot be read: {error}", option)
        return []
    if not rows:
        report.problem("rows", f"{path} has no rows", option)
    return rows
