from __future__ import annotations

import json
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import (
    ConfigurationMissing,
    ContextLimitExceeded,
    Malformed,
    ModelRefusedRequest,
    ModelUnavailable,
    NightschoolError,
    NotFound,
)
from nightschool.models.client import ModelClient, ModelRequest
from nightschool.models.connect import connect
from nightschool.models.embed import HashEmbedder

pytestmark = pytest.mark.anyio

KEY = "sk-ant-very-secret"
REQUEST = ModelRequest(model="claude-opus-5", system="", messages=({"role": "user", "content": "hi"},))
OPENING = 'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message",'
START = (
    OPENING
    + '"role":"assistant","model":"claude-opus-5","content":[],'
    + '"usage":{"input_tokens":3,"output_tokens":0}}}\n\n'
)


def client(handler: Callable[[httpx2.Request], httpx2.Response], *, retries: int = 0) -> ModelClient:
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(handler))
    sdk = anthropic.AsyncAnthropic(api_key=KEY, base_url="http://far", max_retries=retries, http_client=http)
    return ModelClient(sdk, clock=FrozenClock(), context_limit_tokens=None)


def answering(status: int, kind: str, message: str, **headers: str) -> ModelClient:
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return client(lambda _: httpx2.Response(status, json=body, headers=headers))


def streaming(text: str) -> ModelClient:
    return client(lambda _: httpx2.Response(200, text=text, headers={"content-type": "text/event-stream"}))


FAILURES: list[tuple[int, str, str, type[NightschoolError]]] = [
    (400, "invalid_request_error", "prompt is too long: 36012 tokens > 32000 maximum", ContextLimitExceeded),
    (400, "invalid_request_error", "max_tokens: too large", ModelRefusedRequest),
    (401, "authentication_error", "invalid x-api-key", ConfigurationMissing),
    (403, "permission_error", "not allowed", ConfigurationMissing),
    (404, "not_found_error", "model: claude-opus-5", ModelRefusedRequest),
    (413, "request_too_large", "too big", ModelRefusedRequest),
    (408, "timeout_error", "timed out", ModelUnavailable),
    (429, "rate_limit_error", "slow down", ModelUnavailable),
    (500, "api_error", "oops", ModelUnavailable),
    (529, "overloaded_error", "Overloaded", ModelUnavailable),
]


@pytest.mark.parametrize(("status", "kind", "message", "expected"), FAILURES)
async def test_a_failed_request_becomes_one_of_our_errors(
    status: int, kind: str, message: str, expected: type[NightschoolError]
) -> None:
    with pytest.raises(expected) as caught:
        await answering(status, kind, message).complete(REQUEST)
    assert expected is type(caught.value)
    assert status == caught.value.details["status"]


async def test_a_too_long_request_carries_both_numbers() -> None:
    failing = answering(400, "invalid_request_error", "prompt is too long: 36012 tokens > 32000 maximum")
    with pytest.raises(ContextLimitExceeded) as caught:
        await failing.complete(REQUEST)
    assert (36012, 32000) == (caught.value.details["actual"], caught.value.details["limit"])


async def test_the_server_s_hint_when_to_retry_is_kept() -> None:
    failing = answering(429, "rate_limit_error", "slow down", **{"retry-after": "7"})
    with pytest.raises(ModelUnavailable, match="in 7 s") as caught:
        await failing.complete(REQUEST)
    assert 7.0 == caught.value.details["retry_after_seconds"]


async def test_the_sdk_retries_as_the_server_hints() -> None:
    asked: list[httpx2.Request] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return httpx2.Response(529, headers={"retry-after-ms": "1"}, json={})

    with pytest.raises(ModelUnavailable):
        await client(handler, retries=2).complete(REQUEST)
    assert 3 == len(asked)


async def test_the_key_is_nowhere_in_the_error() -> None:
    failing = answering(401, "authentication_error", f"bad key {KEY}")
    with pytest.raises(ConfigurationMissing) as caught:
        await failing.complete(REQUEST)
    error = caught.value
    shown = "".join(traceback.format_exception(error)) + repr(error.details) + repr(pickle.dumps(error))
    assert KEY not in shown
    assert (None, None) == (error.__cause__, error.__context__)


async def test_a_server_out_of_reach_is_unavailability() -> None:
    def handler(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("no route", request=request)

    with pytest.raises(ModelUnavailable, match="could not be reached"):
        await client(handler).complete(REQUEST)


async def test_a_stream_that_breaks_off_is_not_an_answer() -> None:
    with pytest.raises(ModelUnavailable, match="middle of its answer"):
        await streaming(START).complete(REQUEST)


async def test_a_call_that_the_limit_cut_in_two_was_never_made() -> None:
    def block(index: int, name: str, text: str) -> list[dict[str, Any]]:
        call = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        return [
            {"type": "content_block_start", "index": index, "content_block": call},
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": "input_json_delta", "partial_json": text},
            },
            {"type": "content_block_stop", "index": index},
        ]

    events = [
        *block(0, "read_section", '{"number": "7.2"}'),
        *block(1, "submit_findings", '{"findings": [{"policy": "P0'),
        {
            "type": "message_delta",
            "delta": {"stop_reason": "max_tokens"},
            "usage": {"input_tokens": 3, "output_tokens": 9},
        },
        {"type": "message_stop"},
    ]
    text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)

    reply = await streaming(START + text).complete(REQUEST)

    assert [{"number": "7.2"}] == [call["input"] for call in reply.content]
    assert "max_tokens" == reply.stop_reason


async def test_an_overload_inside_a_stream_is_unavailability() -> None:
    error = (
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    )
    with pytest.raises(ModelUnavailable, match="Overloaded"):
        await streaming(START + error).complete(REQUEST)


async def test_a_hosted_model_without_a_key_says_what_is_needed() -> None:
    with pytest.raises(
        ConfigurationMissing, match=r"ANTHROPIC_API_KEY or NIGHTSCHOOL_API_KEY.*--base-url.*reader"
    ):
        connect("claude-opus-5")


async def test_an_unknown_model_is_answered_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match=r"'gpt-x'.*reader, simulated, claude-"):
        connect("gpt-x")


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://x", "", "http://"])
async def test_a_base_url_must_be_one(url: str) -> None:
    with pytest.raises(Malformed, match="is not an http"):
        connect("any", base_url=url)


async def test_any_model_goes_to_a_named_server() -> None:
    async with connect("qwen", base_url="http://127.0.0.1:9") as connected:
        assert isinstance(connected, ModelClient)


async def test_the_inside_brains_need_nothing() -> None:
    for model in ("reader", "simulated"):
        async with connect(model, embedder=HashEmbedder(), context_limit_tokens=32_000) as connected:
            reply = await connected.complete(ModelRequest(model=model, system="", messages=REQUEST.messages))
        assert (model, "end_turn") == (reply.model, reply.stop_reason)
