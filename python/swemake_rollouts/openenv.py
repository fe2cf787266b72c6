"""
OpenEnv: the agent server's environments behind OpenEnv's own server, `uvicorn swemake_rollouts.openenv:app`. A reset names its
`instance_id`; an action is a reply as the model wrote it, or a command. At the end `reward` is the grader's, None without a verdict.
"""

from __future__ import annotations

import asyncio
from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from .client import AgentServers, servers


class SwemakeAction(Action):  # type: ignore[misc]
    content: str = ""
    command: str | None = None


class SwemakeObservation(Observation):  # type: ignore[misc]
    #: Messages since the last action.
    messages: list[dict[str, Any]] = Field(default_factory=list)
    #: The status of `/run`; empty before the end.
    status: str = ""
    error: str | None = None


class SwemakeEnvironment(Environment):  # type: ignore[misc]
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, asked: AgentServers | None = None) -> None:
        super().__init__()
        self.servers = servers() if asked is None else asked
        self._server, self._session, self._steps = "", None, 0  # type: str, str | None, int

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, instance_id: str = "", **_: Any
    ) -> SwemakeObservation:
        await self._end()
        more = {} if seed is None else {"seed": seed}
        self._server, answer = await self.servers.reset(instance_id, **more)
        self._session, self._steps = answer.get("session_id"), 0
        return self._seen(answer)

    async def step_async(self, action: SwemakeAction, timeout_s: float | None = None, **_: Any) -> SwemakeObservation:
        move = {"content": action.content} if action.command is None else {"command": action.command}
        answer = await self.servers.call(self._server, "/step", {"session_id": self._session, **move})
        self._steps += 1
        return self._seen(answer)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **more: Any) -> SwemakeObservation:
        return asyncio.run(self.reset_async(seed, episode_id, **more))

    def step(self, action: SwemakeAction, timeout_s: float | None = None, **more: Any) -> SwemakeObservation:
        return asyncio.run(self.step_async(action, timeout_s, **more))

    @property
    def state(self) -> State:
        return State(episode_id=self._session, step_count=self._steps)

    def close(self) -> None:
        if self._session is not None:
            asyncio.run(self._end())

    async def _end(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await self.servers.call(self._server, "/close", {"session_id": session})

    def _seen(self, answer: dict[str, Any]) -> SwemakeObservation:
        done = bool(answer.get("done"))
        if done:
            self._session = None
        return SwemakeObservation(
            done=done,
            reward=answer.get("reward"),
            messages=list(answer.get("observation") or []),
            status=str(answer.get("status") or ""),
            error=answer.get("error"),
        )


def __getattr__(name: str) -> Any:
    """Makes `app` when it is first used."""
    if name != "app":
        raise AttributeError(name)
    return create_app(
        SwemakeEnvironment, SwemakeAction, SwemakeObservation, env_name="swemake", max_concurrent_envs=512
    )
