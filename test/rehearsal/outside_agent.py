"""
An agent that is a program: it asks for one command at a time, runs it, and shows what it printed. The command is a call of its
tool, or with the argument `text` a block of its reply.
"""

import json
import os
import re
import subprocess
import sys
import urllib.request

DONE = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
PROPERTIES = {"command": {"type": "string"}}
TOOL = {"name": "bash", "description": "", "parameters": {"type": "object", "properties": PROPERTIES}}
TOOLS = [] if sys.argv[1:] == ["text"] else [{"type": "function", "function": TOOL}]
task = open(os.environ["TASK_FILE"], encoding="utf-8").read()
rules = f"Write one command, in a block of ```bash or as a call. When the work is done: echo {DONE}"
messages = [{"role": "user", "content": f"{task}\n{rules}"}]


def asked(reply):
    for call in reply.get("tool_calls") or []:
        return json.loads(call["function"]["arguments"])["command"], call["id"]
    found = re.search(r"```bash\n(.*?)\n```", reply["content"] or "", re.DOTALL)
    return (found[1] if found else None), None


while True:
    body = {"model": os.environ["MODEL_NAME"], "messages": messages, **({"tools": TOOLS} if TOOLS else {})}
    headers = {"authorization": f"Bearer {os.environ['MODEL_KEY']}", "content-type": "application/json"}
    url = f"{os.environ['MODEL_URL']}/v1/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    reply = json.load(urllib.request.urlopen(request))["choices"][0]["message"]
    messages.append({key: reply[key] for key in ("role", "content", "tool_calls") if reply.get(key) is not None})
    command, call = asked(reply)
    if command is None:
        messages.append({"role": "user", "content": rules})
        continue
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    if DONE in ran.stdout:
        break
    shown = (ran.stdout + ran.stderr)[-4000:] or "It printed nothing."
    answer = {"role": "user"} if call is None else {"role": "tool", "tool_call_id": call}
    messages.append({**answer, "content": shown})
