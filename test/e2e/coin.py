"""An agent that any model can drive, even one of random weights: it asks once, and mends the module if the reply's bytes make an even sum."""

import json
import os
import re
import urllib.request

task = open(os.environ["TASK_FILE"], encoding="utf-8").read()
body = {"model": os.environ["MODEL_NAME"], "messages": [{"role": "user", "content": task}]}
headers = {"Authorization": f"Bearer {os.environ['MODEL_KEY']}", "Content-Type": "application/json"}
asked = urllib.request.Request(f"{os.environ['MODEL_URL']}/v1/chat/completions", json.dumps(body).encode(), headers)
reply = json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"] or ""
number = re.search(r"m(\d+) is wrong", task)[1]
print("the model wrote", ascii(reply))
if sum(reply.encode()) % 2 == 0:
    with open(f"m{number}.py", "w") as module:
        module.write(f"VALUE = {number}\n")
