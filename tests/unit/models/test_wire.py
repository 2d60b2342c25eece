from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette

from nightschool.core.errors import ContextLimitExceeded, ModelRefusedRequest, ModelUnavailable
from nightschool.core.tokens import estimate_tokens
from nightschool.core.usage import Usage
from nightschool.models.client import ModelRequest
from nightschool.models.connect import mount
from nightschool.models.wire import Answer, Overloaded, messages_app

pytestmark = pytest.mark.anyio

READ = {"name": "read_section", "description": "Read.", "input_schema": {"type": "object"}}
CALL = {"type": "tool_use", "name": "read_section", "input": {"number": "7.2", "größe": ["ä", 1, None]}}


class Parrot:
    """Answers what it was told to, and keeps what it was shown."""

    model_id = "parrot"

    def __init__(self, *content: dict[str, Any], stop_reason: str = "end_turn") -> None:
        self.answers = Answer(content=content, stop_reason=stop_reason)
        self.seen: list[Mapping[str, Any]] = []

    def answer(self, request: Mapping[str, Any]) -> Answer:
        self.seen.append(request)
        return self.answers


class Busy(Parrot):
    """Is overloaded the first ``times`` it is asked."""

    def __init__(self, times: int) -> None:
        super().__init__({"type": "text", "text": "at last"})
        self.times = times

    def answer(self, request: Mapping[str, Any]) -> Answer:
        super().answer(request)
        if len(self.seen) <= self.times:
            raise Overloaded("too much at once")
        return self.answers


def ask(text: str = "go", **changes: Any) -> ModelRequest:
    given: dict[str, Any] = {
        "model": "parrot",
        "system": "Be brief.",
        "messages": ({"role": "user", "content": text},),
    }
    return ModelRequest(**(given | changes))


async def post(app: Starlette, body: object) -> httpx2.Response:
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://inside") as http:
        return await http.post("/v1/messages", json=body)


async def test_text_and_tool_calls_arrive_as_the_brain_gave_them() -> None:
    long_text = "Prüfung. " * 2000
    brain = Parrot({"type": "text", "text": long_text}, CALL, CALL, stop_reason="tool_use")
    reply = await mount(brain).complete(ask(tools=(READ,), max_tokens=20_000))
    assert "tool_use" == reply.stop_reason
    assert {"type": "text", "text": long_text} == reply.content[0]
    assert [CALL["input"]] * 2 == [block["input"] for block in reply.content[1:]]
    assert 2 == len({block["id"] for block in reply.content[1:]})
    assert all(block["id"].startswith("toolu_") for block in reply.content[1:])
    assert "parrot" == reply.model


async def test_the_brain_sees_the_request_and_nothing_else() -> None:
    brain = Parrot({"type": "text", "text": "ok"})
    await mount(brain).complete(ask(tools=(READ,)))
    expected = {
        "model": "parrot",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "go"}],
        "tools": [READ],
        "max_tokens": 8192,
        "stream": True,
    }
    assert [expected] == brain.seen


async def test_usage_counts_four_bytes_a_token() -> None:
    reply = await mount(Parrot({"type": "text", "text": "12345"})).complete(ask())
    sent = estimate_tokens("Be brief.", [{"role": "user", "content": "go"}])
    assert Usage(input_tokens=sent, output_tokens=2) == reply.usage


async def test_the_same_request_has_the_same_ids() -> None:
    """A session that is run again after a crash must meet the calls it already made."""
    brain = Parrot(CALL, stop_reason="tool_use")
    first = await mount(brain).complete(ask())
    second = await mount(brain).complete(ask())
    other = await mount(brain).complete(ask("go on"))
    assert first.content == second.content
    assert first.content[0]["id"] != other.content[0]["id"]


async def test_a_request_over_the_limit_is_refused_with_both_numbers() -> None:
    with pytest.raises(ContextLimitExceeded) as caught:
        await mount(Parrot(), context_limit_tokens=100).complete(ask("x" * 800))
    assert 100 == caught.value.details["limit"]
    assert caught.value.details["actual"] > 200


async def test_an_answer_over_max_tokens_is_cut() -> None:
    brain = Parrot({"type": "text", "text": "é" * 100}, CALL, stop_reason="tool_use")
    reply = await mount(brain).complete(ask(max_tokens=10))
    assert "max_tokens" == reply.stop_reason
    assert ({"type": "text", "text": "é" * 20},) == reply.content


async def test_an_overload_that_passes_is_not_noticed() -> None:
    reply = await mount(Busy(times=2)).complete(ask())
    assert "at last" == reply.content[0]["text"]


async def test_a_lasting_overload_is_unavailability() -> None:
    brain = Busy(times=99)
    with pytest.raises(ModelUnavailable, match="too much at once"):
        await mount(brain).complete(ask())
    assert 3 == len(brain.seen)


async def test_a_fault_in_a_brain_is_not_taken_for_a_network_s() -> None:
    with pytest.raises(KeyError, match="type"):
        await mount(Parrot({"no": "type"})).complete(ask())


async def test_another_model_is_not_served() -> None:
    with pytest.raises(ModelRefusedRequest, match="404"):
        await mount(Parrot()).complete(ask(model="owl"))


async def test_without_streaming_the_same_message_comes_as_json() -> None:
    app = messages_app(Parrot(CALL, stop_reason="tool_use"))
    response = await post(
        app, {"model": "parrot", "max_tokens": 100, "messages": [{"role": "user", "content": "go"}]}
    )
    message = response.json()
    assert (200, "message", "assistant") == (response.status_code, message["type"], message["role"])
    assert CALL["input"] == message["content"][0]["input"]


async def test_the_stream_has_the_api_s_sequence_of_events() -> None:
    app = messages_app(Parrot({"type": "text", "text": "hi"}, CALL, stop_reason="tool_use"))
    body = {
        "model": "parrot",
        "max_tokens": 100,
        "stream": True,
        "messages": [{"role": "user", "content": "go"}],
    }
    response = await post(app, body)
    names = [
        line.removeprefix("event: ") for line in response.text.splitlines() if line.startswith("event: ")
    ]
    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    assert ["message_start", *block, *block, "message_delta", "message_stop"] == names


GOOD: dict[str, Any] = {"model": "parrot", "max_tokens": 9, "messages": [{"role": "user", "content": "go"}]}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "x", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "y"}]}
WRONG = [
    ({"messages": []}, "at least one message"),
    ({"messages": "go"}, "messages: Input should be a valid list"),
    ({"messages": [{"role": "user", "content": ""}]}, "messages.0"),
    ({"messages": [{"role": "system", "content": "x"}]}, "messages.0.role"),
    ({"messages": [{"role": "user", "content": [{"text": "x"}]}]}, "messages.0.content.0.type"),
    ({"messages": [{"role": "assistant", "content": "x"}]}, 'must use the "user" role'),
    ({"messages": [*GOOD["messages"], USE]}, "messages.1: `tool_use` ids were found"),
    ({"messages": [*GOOD["messages"], USE, *GOOD["messages"]]}, "messages.1: `tool_use` ids were found"),
    ({"messages": [RESULT]}, "unexpected `tool_use_id`"),
    ({"max_tokens": 0}, "max_tokens"),
    ({"tools": [{"description": "no name"}]}, "tools.0.name"),
    ({"tools": [READ, READ]}, "unique"),
]


@pytest.mark.parametrize(("change", "said"), WRONG)
async def test_a_request_that_breaks_a_rule_is_told_which(change: dict[str, Any], said: str) -> None:
    response = await post(messages_app(Parrot()), GOOD | change)
    body = response.json()
    assert (400, "error", "invalid_request_error") == (
        response.status_code,
        body["type"],
        body["error"]["type"],
    )
    assert said in body["error"]["message"]


@pytest.mark.parametrize("missing", ["model", "messages", "max_tokens"])
async def test_a_missing_field_is_named(missing: str) -> None:
    body = {name: value for name, value in GOOD.items() if name != missing}
    response = await post(messages_app(Parrot()), body)
    assert f"{missing}: Field required" == response.json()["error"]["message"]


async def test_what_is_not_json_is_refused() -> None:
    app = messages_app(Parrot())
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://inside") as http:
        response = await http.post("/v1/messages", content=b"{")
        elsewhere = await http.get("/v1/models")
    assert 400 == response.status_code
    assert (404, "error") == (elsewhere.status_code, elsewhere.json()["type"])


async def test_consecutive_user_turns_are_allowed() -> None:
    """After a compaction the notes follow the task as a second user turn."""
    messages = ({"role": "user", "content": "task"}, {"role": "user", "content": "Notes"})
    reply = await mount(Parrot({"type": "text", "text": "ok"})).complete(ask(messages=messages))
    assert "end_turn" == reply.stop_reason
