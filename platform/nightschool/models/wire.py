"""The server side of the Messages API that every inside brain shares. Knows nothing about any brain's mind.

A brain is a function from the request to an answer. Everything around it (validation, the context limit,
token counts, the event stream, error bodies) is done here, so that a client cannot tell the wire apart from
the hosted one. A brain works in a worker thread, one request at a time: it may keep caches without locks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from nightschool.core.ids import derived_id
from nightschool.core.tokens import BYTES_PER_TOKEN, estimate_tokens, text_tokens
from nightschool.models.validation import InvalidRequest, check_request

__all__ = ["Answer", "Brain", "Overloaded", "messages_app"]

_DELTA_CHARACTERS: Final = 4096
_Turn = RunVar[CapacityLimiter]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a brain answers: content blocks without ids, and why it stopped."""

    content: tuple[dict[str, Any], ...]
    stop_reason: str


class Overloaded(Exception):
    """A brain's way to say: not now, try again."""


class Brain(Protocol):
    """A mind that fits in this process."""

    model_id: str
    """The model id it answers to, also named in every reply."""

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Return the answer to a request that keeps the API's rules. Sees nothing but the request."""


def messages_app(brain: Brain, *, context_limit_tokens: int | None = None) -> Starlette:
    """Return an ASGI app that serves one brain at `POST /v1/messages`.

    Args:
        brain: the mind.
        context_limit_tokens: longer requests are refused as the hosted API refuses them; None reads all.
    """
    endpoint = _Endpoint(brain, context_limit_tokens)
    return Starlette(
        routes=[Route("/v1/messages", endpoint.messages, methods=["POST"])],
        exception_handlers={InvalidRequest: _refuse, Overloaded: _overloaded, HTTPException: _no_such_route},
    )


class _Endpoint:
    def __init__(self, brain: Brain, context_limit_tokens: int | None) -> None:
        self._brain = brain
        self._limit = context_limit_tokens
        self._turn: _Turn = RunVar(f"turn of {brain.model_id} {id(self)}")

    async def messages(self, http: Request) -> Response:
        body = await http.body()
        request = _parse(body)
        check_request(request, model_id=self._brain.model_id)
        input_tokens = estimate_tokens(request.get("system"), request["messages"], request.get("tools") or ())
        if self._limit is not None and input_tokens > self._limit:
            raise InvalidRequest(f"prompt is too long: {input_tokens} tokens > {self._limit} maximum")
        answer = await to_thread.run_sync(self._brain.answer, request, limiter=self._limiter())
        answer = _within(answer, request["max_tokens"])
        message = self._message(answer, hashlib.sha256(body).hexdigest(), input_tokens)
        headers = {"request-id": "req_" + message["id"].removeprefix("msg_")}
        if not request.get("stream"):
            return JSONResponse(message, headers=headers)
        return Response("".join(_events(message)), media_type="text/event-stream", headers=headers)

    def _limiter(self) -> CapacityLimiter:
        try:
            return self._turn.get()
        except LookupError:
            self._turn.set(CapacityLimiter(1))
            return self._turn.get()

    def _message(self, answer: Answer, digest: str, input_tokens: int) -> dict[str, Any]:
        return {
            "id": f"msg_{digest[:24]}",
            "type": "message",
            "role": "assistant",
            "model": self._brain.model_id,
            "content": [_with_id(block, digest, place) for place, block in enumerate(answer.content)],
            "stop_reason": answer.stop_reason,
            "stop_sequence": None,
            "usage": {
                "input_tokens": input_tokens,
                "output_tokens": sum(map(_block_tokens, answer.content)),
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
            },
        }


def _parse(body: bytes) -> dict[str, Any]:
    try:
        request = json.loads(body)
    except ValueError as error:
        raise InvalidRequest(f"The request body is not valid JSON: {error}") from error
    if not isinstance(request, dict):
        raise InvalidRequest("The request body must be a JSON object")
    return request


def _with_id(block: dict[str, Any], digest: str, place: int) -> dict[str, Any]:
    if block["type"] != "tool_use":
        return block
    return {"type": "tool_use", "id": derived_id("tool_use", digest, place), **block}


def _block_tokens(block: Mapping[str, Any]) -> int:
    if block["type"] == "text":
        return text_tokens(block["text"])
    return text_tokens(json.dumps(block, ensure_ascii=False, separators=(",", ":")))


def _within(answer: Answer, max_tokens: int) -> Answer:
    """Cut an answer at the length the request allows: a text in the middle, a tool call as a whole."""
    left = max_tokens
    kept: list[dict[str, Any]] = []
    for block in answer.content:
        left -= _block_tokens(block)
        if left < 0:
            if block["type"] == "text":
                spared = (left + _block_tokens(block)) * BYTES_PER_TOKEN
                kept.append({**block, "text": block["text"].encode()[:spared].decode(errors="ignore")})
            return Answer(content=tuple(kept), stop_reason="max_tokens")
        kept.append(block)
    return answer


def _events(message: Mapping[str, Any]) -> Iterator[str]:
    usage = message["usage"]
    opening = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 0}}
    yield _event({"type": "message_start", "message": opening})
    for index, block in enumerate(message["content"]):
        empty, deltas = _pieces(block)
        yield _event({"type": "content_block_start", "index": index, "content_block": empty})
        for delta in deltas:
            yield _event({"type": "content_block_delta", "index": index, "delta": delta})
        yield _event({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event({"type": "message_delta", "delta": stop, "usage": usage})
    yield _event({"type": "message_stop"})


def _pieces(block: dict[str, Any]) -> tuple[dict[str, Any], Sequence[dict[str, Any]]]:
    if block["type"] == "text":
        parts = _split(block["text"])
        return {**block, "text": ""}, [{"type": "text_delta", "text": part} for part in parts]
    parts = _split(json.dumps(block["input"], ensure_ascii=False))
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in parts]


def _split(text: str) -> list[str]:
    return [text[at : at + _DELTA_CHARACTERS] for at in range(0, len(text), _DELTA_CHARACTERS)]


def _event(data: Mapping[str, Any]) -> str:
    return f"event: {data['type']}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def _error(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": None}
    return JSONResponse(body, status_code=status, headers=headers)


async def _refuse(_http: Request, error: Exception) -> Response:
    kind, status = ("invalid_request_error", 400)
    if isinstance(error, InvalidRequest) and error.is_unknown_model:
        kind, status = ("not_found_error", 404)
    return _error(status, kind, str(error))


async def _overloaded(_http: Request, error: Exception) -> Response:
    # In the same process there is no load to wait out: an immediate repetition is as good as a late one.
    return _error(529, "overloaded_error", str(error), {"retry-after-ms": "1"})


async def _no_such_route(http: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return _error(status, "not_found_error", f"{http.method} {http.url.path} is not served here")
