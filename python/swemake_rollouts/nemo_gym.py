"""
NeMo-Gym: an agent server of its kind, whose `/run` is a whole rollout here. Its answer has the ids of each call as NeMo-Gym's
training items. A fault is refused with 503, so that NeMo-Gym keeps it among its failures and trains on no reward.
"""

from __future__ import annotations

import uuid
from typing import Any

from fastapi import Body, HTTPException
from nemo_gym.base_resources_server import BaseRunRequest, BaseVerifyResponse
from nemo_gym.base_responses_api_agent import BaseResponsesAPIAgentConfig, SimpleResponsesAPIAgent
from nemo_gym.openai_utils import NeMoGymResponse, NeMoGymResponseCreateParamsNonStreaming
from pydantic import ConfigDict

from .client import servers
from .rollout import Rollout
from .rows import instance_of


class SwemakeAgentConfig(BaseResponsesAPIAgentConfig):  # type: ignore[misc]
    #: Address of the policy's model, as the agent server reaches it.
    model_url: str | None = None


class SwemakeRunRequest(BaseRunRequest):  # type: ignore[misc]
    model_config = ConfigDict(extra="allow")


class SwemakeVerifyResponse(BaseVerifyResponse):  # type: ignore[misc]
    model_config = ConfigDict(extra="allow")


class SwemakeAgent(SimpleResponsesAPIAgent):  # type: ignore[misc]
    config: SwemakeAgentConfig

    async def responses(self, body: NeMoGymResponseCreateParamsNonStreaming = Body()) -> NeMoGymResponse:
        raise HTTPException(501, "a rollout of swemake is asked for at /run")

    async def run(self, body: SwemakeRunRequest = Body()) -> SwemakeVerifyResponse:
        asked = body.responses_create_params
        sampling = {"temperature": asked.temperature, "top_p": asked.top_p, "max_tokens": asked.max_output_tokens}
        rollout = await servers().run(
            instance_of(body.model_dump()),
            base_url=self.config.model_url,
            sampling_params={key: value for key, value in sampling.items() if value is not None},
            # NeMo-Gym's items are calls.
            dynamic_history=True,
        )
        if rollout.is_fault:
            raise HTTPException(503, f"there is no verdict on {rollout.instance_id}: {rollout.error}")
        return SwemakeVerifyResponse(
            **body.model_dump(exclude={"responses_create_params"}),
            responses_create_params=asked,
            response=_response(rollout),
            reward=rollout.reward,
            agent_metrics=rollout.agent_metrics,
        )


def _response(rollout: Rollout) -> NeMoGymResponse:
    replies = [str(message.get("content") or "") for message in rollout.messages if message.get("role") == "assistant"]
    items = []
    for index, sequence in enumerate(rollout.sequences):
        text = replies[index] if index < len(replies) else ""
        items.append(
            {
                "id": f"msg_{uuid.uuid4().hex}",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
                "prompt_token_ids": sequence.prompt_ids,
                "generation_token_ids": sequence.response_ids,
                "generation_log_probs": sequence.response_logprobs or [],
            }
        )
    return NeMoGymResponse.model_validate(
        {
            "id": f"resp_{uuid.uuid4().hex}",
            "created_at": 0.0,
            "model": "policy",
            "object": "response",
            "output": items,
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        }
    )
