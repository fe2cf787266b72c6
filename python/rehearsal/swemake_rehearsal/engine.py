"""Requests to the stand-in engine."""

import json
import urllib.request


def ask(spec, path, body):
    address = f"http://{spec['host']}:{spec['port']}{path}"
    request = urllib.request.Request(address, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)


def new_weights(spec):
    """Tells it that there are others; their version."""
    return ask(spec, "/rehearsal/weights", {})["version"]
