"""The original's own client in a loop: so many at once, each a lease after the other. Prints what it took as JSON."""
import asyncio
import json
import sys
import time

import httpx
from slime.utils import http_utils
from swe_env_client import SweEnvClient


async def main(url, image, clients, cycles):
    http_utils._http_client = httpx.AsyncClient(
        timeout=httpx.Timeout(None), limits=httpx.Limits(max_connections=clients), trust_env=False
    )
    client = SweEnvClient(url)
    took = {"allocate": [], "exec": [], "close": []}

    async def timed(name, call):
        start = time.perf_counter()
        answer = await call
        took[name].append((time.perf_counter() - start) * 1000)
        return answer

    left = iter(range(cycles))

    async def work():
        for number in left:
            lease = (await timed("allocate", client.allocate(image, f"tiny-{number}")))["lease_id"]
            ran = await timed("exec", client.exec(lease, "echo there"))
            if ran["returncode"] != 0 or ran["output"] != "there\n":
                raise RuntimeError(f"exec: {ran}")
            await timed("close", client.close(lease))

    start = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(clients)))
    seconds = time.perf_counter() - start
    middle = {name: sorted(values)[len(values) // 2] for name, values in took.items()}
    print(json.dumps({"perSecond": cycles / seconds, **middle}))


url, image, clients, cycles = sys.argv[1:]
asyncio.run(main(url, image, int(clients), int(cycles)))
