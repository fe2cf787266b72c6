"""
A client for agent servers. Several servers share the work: each id belongs to one server, and goes to the next one
while that one is down or full. A rollout that cannot be made has no reward; it is no exception that ends a training.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import socket
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import httpx

from . import tokens
from .rollout import Rollout

_log = logging.getLogger(__name__)
_AWAY = (httpx.TransportError,)
_PAUSE = 0.5
_LONGEST_PAUSE = 10.0
#: Seconds in which a server is connected to; one that takes longer has begun to work.
_CONNECT = 10.0


@dataclass(frozen=True)
class Settings:
    """Addresses and settings. What is None is taken from the project."""

    #: `http://HOST:PORT`, perhaps with a token as its password, or `unix:PATH` for a socket.
    urls: tuple[str, ...] = ("http://127.0.0.1:11000",)
    #: None: that in an address, else what servers of this user on loopback wrote into their files.
    token: str | None = None
    #: Address of the model, as the agent servers reach it.
    model_url: str | None = None
    model: str | None = None
    max_seq_len: int | None = None
    #: Most tokens of a reply, for verl, which names none.
    max_response: int | None = None
    #: One sequence for each step, exactly as the model saw it.
    dynamic_history: bool = False
    #: all: each turn that the model wrote is trained once. longest: only the longest sequence of each rollout.
    sequences: str = "all"
    #: Whose replies are trained, of an agent that has sub-agents: main, agents (theirs too) or all (also calls beside the work).
    train: str = "main"
    #: Prefix of the ids of rollouts; use the same one when a training is continued.
    run: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    #: Seconds for which servers may be down or full.
    wait: float = 600.0
    #: Attempts for a rollout that gets no verdict.
    tries: int = 2

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Settings:
        """Reads SWEMAKE_AGENT_URL (several with commas), SWEMAKE_AGENT_TOKEN, SWEMAKE_MODEL_URL and others;
        docs/trainer-hooks.md lists them."""
        given = os.environ if env is None else env
        urls = given.get("SWEMAKE_AGENT_URL") or given.get("AGENT_SERVER_URL") or given.get("SWE_AGENT_GYM_URL")
        length, response = given.get("SWEMAKE_MAX_SEQ_LEN"), given.get("SWEMAKE_MAX_RESPONSE")
        sequences = given.get("SWEMAKE_SEQUENCES") or "all"
        if sequences not in ("all", "longest"):
            raise ValueError(f"SWEMAKE_SEQUENCES is {sequences}: write all or longest")
        train = given.get("SWEMAKE_TRAIN") or "main"
        if train not in ("main", "agents", "all"):
            raise ValueError(f"SWEMAKE_TRAIN is {train}: write main, agents or all")
        found: dict[str, Any] = {
            "token": given.get("SWEMAKE_AGENT_TOKEN") or given.get("SWEMAKE_SERVER_TOKEN"),
            "model_url": given.get("SWEMAKE_MODEL_URL"),
            "model": given.get("SWEMAKE_MODEL_NAME") or given.get("AGENT_MODEL_NAME"),
            "max_seq_len": int(length) if length else None,
            "max_response": int(response) if response else None,
            "sequences": sequences,
            "train": train,
            "dynamic_history": given.get("SWEMAKE_DYNAMIC_HISTORY", "").lower() in ("1", "true", "yes"),
        }
        if urls:
            found["urls"] = tuple(url.strip().rstrip("/") for url in urls.split(",") if url.strip())
        if given.get("SWEMAKE_RUN"):
            found["run"] = given["SWEMAKE_RUN"]
        if given.get("SWEMAKE_AGENT_WAIT"):
            found["wait"] = float(given["SWEMAKE_AGENT_WAIT"])
        return cls(**found)


class AgentServers:
    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = Settings.from_env() if settings is None else settings
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str | None, httpx.AsyncClient]]
        self._clients = WeakKeyDictionary()
        self._tokens: dict[str, str | None] = {}

    async def run(
        self,
        instance_id: str,
        *,
        id: str | None = None,
        sample: str | int | None = None,
        step: int | None = None,
        base_url: str | None = None,
        sampling_params: Mapping[str, Any] | None = None,
        tokens: bool = True,
        **more: Any,
    ) -> Rollout:
        """
        One rollout. `id` names it below this training's run; absent, it is one that nobody asks for again. Without `tokens` it
        may have no token ids, for callers that train on none or have them from elsewhere.
        """
        settings = self.settings
        name = f"{settings.run}/{uuid.uuid4().hex if id is None else id}"
        wanted: dict[str, Any] = {
            "id": name,
            "instance_id": instance_id,
            "sample": None if sample is None else str(sample),
            "step": step,
            "base_url": base_url or settings.model_url,
            "model": settings.model,
            "sampling_params": None if sampling_params is None else dict(sampling_params),
            "max_seq_len": settings.max_seq_len,
            "dynamic_history": settings.dynamic_history or None,
            "train": None if settings.train == "main" else settings.train,
            **more,
        }
        body = {key: value for key, value in wanted.items() if value is not None}
        rollout = Rollout.fault(name, instance_id, "not asked")
        for _ in range(max(1, settings.tries)):
            answer = await self._post("/run", body, name)
            rollout = (
                Rollout.fault(name, instance_id, answer) if isinstance(answer, str) else Rollout.of(answer, tokens)
            )
            if not rollout.is_fault or not rollout.retryable or isinstance(answer, str):
                break
        if rollout.is_fault:
            _log.warning("no verdict on %s: %s", instance_id, rollout.error or rollout.status)
        return rollout

    async def reset(self, instance_id: str, **more: Any) -> tuple[str, dict[str, Any]]:
        """Opens an environment. Returns its server and its first answer."""
        body = {"instance_id": instance_id, **more}
        for server in self._order(uuid.uuid4().hex):
            answer = await self._post_once(server, "/reset", body)
            if isinstance(answer, dict):
                return server, answer
        return self._order("")[0], {"done": True, "status": "error", "reward": None, "error": "no agent server answers"}

    async def call(self, server: str, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """One request to one server; a fault when there is no answer."""
        answer = await self._post_once(server, path, body)
        if isinstance(answer, dict):
            return answer
        return {"done": True, "status": "error", "reward": None, "error": f"{tokens.shown(server)} did not answer", "retryable": True}

    async def weights(self, version: int | None, changing: bool = False) -> None:
        """Tells all servers that the weights are about to change, or their new version."""
        path = "/weights/pause" if changing else "/weights/resume"
        await self._tell(path, {} if version is None else {"version": version})

    async def flush(self) -> None:
        """Ends all rollouts that are under way."""
        await self._tell("/flush", {})

    async def _tell(self, path: str, body: Mapping[str, Any]) -> None:
        await asyncio.gather(*(self._post_once(server, path, body) for server in self.settings.urls))

    async def _post(self, path: str, body: Mapping[str, Any], key: str) -> dict[str, Any] | str:
        """The answer of the first server that takes it, or why there is none."""
        since, pause, lost = time.monotonic(), _PAUSE, 0
        while True:
            for server in self._order(key):
                asked = time.monotonic()
                answer = await self._post_once(server, path, body)
                if isinstance(answer, dict):
                    return answer
                if time.monotonic() - asked > _CONNECT and lost < self.settings.tries:
                    # It was up all this time, and is down only now.
                    since, pause, lost = time.monotonic(), _PAUSE, lost + 1
            if time.monotonic() - since + pause > self.settings.wait:
                return f"no agent server took it within {self.settings.wait:.0f} s"
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _post_once(self, server: str, path: str, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """None: the server is down or full."""
        try:
            response = await self._ask(server, path, body)
        except _AWAY:
            return None
        if response.status_code in (502, 503, 504):
            return None
        answer = response.json()
        if response.status_code in (401, 403):
            raise PermissionError(f"{tokens.shown(server)} refuses the token: {answer}")
        if response.is_error:
            raise ValueError(f"{tokens.shown(server)}{path} refuses the request: {answer}")
        return dict(answer)

    async def _ask(self, server: str, path: str, body: Mapping[str, Any]) -> httpx.Response:
        """A server that was started again has another token, so it is looked for when the server refuses."""
        url, socket_path, own = tokens.place(server)
        client = self._client(socket_path)
        if server not in self._tokens:
            self._tokens[server] = own or self.settings.token or tokens.find(url)
        token = self._tokens[server]
        response = await client.post(f"{url}{path}", json=body, headers=_bearer(token))
        if response.status_code != 401:
            return response
        found = None if socket_path else tokens.find(url)
        if found is None or found == token:
            return response
        self._tokens[server] = found
        return await client.post(f"{url}{path}", json=body, headers=_bearer(found))

    def _order(self, key: str) -> list[str]:
        """The servers, beginning with the one that the key belongs to; the same order in every process."""
        return sorted(self.settings.urls, key=lambda url: hashlib.sha256(f"{url}\n{key}".encode()).digest())

    def _client(self, socket_path: str | None) -> httpx.AsyncClient:
        """One HTTP client for each event loop and socket, without limits: servers say when they are full."""
        clients = self._clients.setdefault(asyncio.get_running_loop(), {})
        if socket_path not in clients:
            clients[socket_path] = httpx.AsyncClient(
                transport=httpx.AsyncHTTPTransport(
                    uds=socket_path,
                    limits=httpx.Limits(max_connections=None, max_keepalive_connections=64),
                    socket_options=None if socket_path else _KEEPALIVE,
                ),
                timeout=httpx.Timeout(None, connect=_CONNECT),
            )
        return clients[socket_path]


def _bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"authorization": f"Bearer {token}"}


#: A rollout may take an hour without sending a byte.
_KEEPALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, getattr(socket, "TCP_KEEPIDLE", 4), 60),
    (socket.IPPROTO_TCP, getattr(socket, "TCP_KEEPINTVL", 5), 30),
    (socket.IPPROTO_TCP, getattr(socket, "TCP_KEEPCNT", 6), 5),
]

_shared: AgentServers | None = None


def servers() -> AgentServers:
    """The servers that the environment variables name."""
    global _shared
    if _shared is None:
        _shared = AgentServers()
    return _shared


def use(settings: Settings | None) -> None:
    """Sets other servers than those of the variables; None: those of the variables again."""
    global _shared
    _shared = None if settings is None else AgentServers(settings)
