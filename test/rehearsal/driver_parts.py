"""Parts of the driver: options, names that are read, calls through Ray, and modules of which parts are replaced."""

import asyncio
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python" / "rehearsal"))
from types import ModuleType
from swemake_rehearsal.functions import contract
from swemake_rehearsal.options import flags, lookup
from swemake_rehearsal.report import Report
from swemake_rehearsal.skyrl_contract import ray

folder = pathlib.Path(tempfile.mkdtemp())
(folder / "arguments.py").write_text('add_argument("--one", type=int)\nadd_argument("--two", default=2)\n')
spec = {"folder": str(folder), "megatron": None, "result": str(folder / "r.json"),
        "table": {"options": {"style": "flags", "folder": ["arguments.py"], "megatron": []}}}
report = Report(spec)
options = flags(spec, ["--one", "1"], report)
# All definitions were read: what none of them has is no attribute, as in the framework.
assert (options.one, options.two, getattr(options, "three", 3), lookup(options, "three")) == (1, 2, 3, None)
# The engine's parser adds some of its own.
assert options.sglang_dp_size is None
report.watch(options)
options.one, os.environ.get("PLANTED"), os.environb.get(b"PLANTED_TOO")
class Number:
    """As numpy and torch have them."""

    def tolist(self):
        return 7


report.data["rollouts"].append({"samples": [{"reward": float("nan"), "logprobs": [-float("inf")], "tokens": [Number()]}]})
report.write()
# What is no number is null: JSON as others read it has no name for it.
written = json.loads((folder / "r.json").read_text(), parse_constant=lambda name: exit(f"{name} is no JSON"))
assert written["rollouts"] == [{"samples": [{"reward": None, "logprobs": [None], "tokens": [7]}]}]
assert "one" in report.data["reads"]["options"] and "PLANTED" in report.data["reads"]["variables"]
# Of a source that was not read nothing is known.
spec["table"]["options"]["folder"].append("other.py")
assert flags(spec, [], report).three is None

module = ModuleType("ray")
ray("ray", module)
@module.remote(num_cpus=1)
def inner(value):
    # Nothing of a loop that waits for it is in its thread.
    return asyncio.run(asyncio.sleep(0, value))
@module.remote
def outer(value):
    return module.get([inner.remote(value), inner.remote(value + 1)])
async def waits():
    return await outer.remote(1), await asyncio.to_thread(module.get, inner.remote(5))
assert asyncio.run(waits()) == ([1, 2], 5)
try:
    module.get_actor("missing")
    raise SystemExit("it found an actor")
except ValueError:
    pass

# What starts engines is replaced in a module that is there; the rest of it stays.
package = folder / "framework"
(package / "utils").mkdir(parents=True)
(package / "__init__.py").write_text("")
(package / "utils" / "__init__.py").write_text("own = 1\nstart = 2\n")
(package / "utils" / "deep.py").write_text("deep = 3\n")
(package / "broken").mkdir()
(package / "broken" / "__init__.py").write_text("import nowhere_at_all\n")
(package / "broken" / "deep.py").write_text("deep = 4\n")
sys.path.insert(0, str(folder))


def make(_, module):
    module.start = "planted"


contract({"framework.utils": make, "framework.broken": make}, report, patched={"framework.utils", "framework.broken"})
import framework.utils, framework.utils.deep, framework.broken, framework.broken.deep
assert (framework.utils.own, framework.utils.start, framework.utils.deep.deep) == (1, "planted", 3)
assert (framework.broken.start, framework.broken.deep.deep) == ("planted", 4)
# A model in the process: a reply goes on with a cache and without one, and only what was asked for counts.
from swemake_rehearsal import weights

asked = []


def scripts(spec, path, body):
    asked.append((path, body))
    if path == "/generate" and len(asked) == 1:
        raise ConnectionResetError("a script that loses its answer")
    return {"output_ids": [5, 6, 7], "meta_info": {"output_token_logprobs": [[-4e-6, 5, None]]}}


weights.ask = scripts
replies = weights.Replies({})
reply = replies.behind([1, 2])
assert (reply.first, reply.next(), reply.next(), reply.expects([6]), reply.expects([7])) == (4, 5, 6, True, False)
assert replies.behind([1, 2, 5, 6]) is reply and replies.behind([1, 2, 5, 6, 9]) is not reply
replies.tell()
assert asked[-1] == ("/rehearsal/taken", {"replies": [[4, 2], [4, 0]]}), asked[-1]
print(*report.data["replaced"], sep="\n")
