"""
Stands for `ray`, `uv` and `python` on the path of a training that is rehearsed. A program of the framework becomes the driver; any
other use of Python goes on as it is. A job of Ray gets the folder and the variables that Ray would give it: those of the
shell that started the cluster, or, of a cluster that runs elsewhere, KEPT and those that the job names.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).parent
SPEC = json.loads(Path(os.environ["REHEARSAL_SPEC"]).read_text())
STATE = Path(SPEC["state"])
CLUSTER = STATE / "cluster.json"
STATUS = STATE / "job.txt"
#: Variables that a cluster elsewhere has, whatever shell started it.
KEPT = ("PATH", "HOME", "USER", "LANG", "TMPDIR", "VIRTUAL_ENV", "CONDA_PREFIX", "REHEARSAL_SPEC")


def program_of(arguments: list[str]) -> list[str] | None:
    """The words from the program on, if Python is to run a program of the framework; else None."""
    rest = list(arguments)
    while rest and rest[0] in ("-u", "-B", "-O"):
        rest.pop(0)
    if len(rest) > 1 and rest[0] == "-m" and rest[1] in SPEC["modules"]:
        return rest
    named = os.path.basename(rest[0]) if rest else ""
    return rest if named.endswith(".py") and ("*.py" in SPEC["programs"] or named in SPEC["programs"]) else None


def python(name: str, arguments: list[str]) -> int:
    words = program_of(arguments)
    if words is None:
        os.execvp(name, [name, *arguments])
    return subprocess.call([name, str(HOME / "driver.py"), *words])


def uv(arguments: list[str]) -> int:
    """`uv run … -m MODULE …` is Python with packages of its own, which a rehearsal does not fetch."""
    words = program_of(arguments[arguments.index("-m") :]) if arguments[:1] == ["run"] and "-m" in arguments else None
    if words is None:
        os.execvp("uv", ["uv", *arguments])
    return subprocess.call(["python3", str(HOME / "driver.py"), *words])


def ray(arguments: list[str]) -> int:
    subcommand = arguments[:2]
    if subcommand[:1] == ["status"]:
        return 0 if CLUSTER.exists() else 1
    if subcommand[:1] == ["start"]:
        CLUSTER.write_text(json.dumps({"cwd": os.getcwd(), "env": dict(os.environ)}))
        return 0
    if subcommand == ["job", "status"]:
        if not STATUS.exists():
            return 1
        print(STATUS.read_text())
        return 0
    if subcommand == ["job", "submit"]:
        return submit(arguments[2:])
    return 0


def submit(arguments: list[str]) -> int:
    at = arguments.index("--")
    words, command = arguments[:at], arguments[at + 1 :]
    given = next((word.split("=", 1)[1] for word in words if word.startswith("--runtime-env-json=")), "{}")
    runtime = json.loads(given)
    started = json.loads(CLUSTER.read_text()) if CLUSTER.exists() else None
    elsewhere = STATE / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    base = started["env"] if started else {name: os.environ[name] for name in KEPT if name in os.environ}
    cwd = runtime.get("working_dir") or (started["cwd"] if started else str(elsewhere))
    env = {**base, **runtime.get("env_vars", {}), "REHEARSAL_CLUSTER": "started here" if started else "elsewhere"}
    env["PATH"] = SPEC["shims"] + os.pathsep + env["PATH"]
    code = subprocess.call(command, cwd=cwd, env=env)
    STATUS.write_text("SUCCEEDED" if code == 0 else "FAILED")
    return 0


def main() -> int:
    name, arguments = sys.argv[1], sys.argv[2:]
    return {"ray": ray, "uv": uv}[name](arguments) if name in ("ray", "uv") else python(name, arguments)


sys.exit(main())
