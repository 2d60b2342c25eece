"""One call to a brain over the Messages API, always streamed. Knows nothing of sessions."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import anthropic
import httpx2

from nightschool.core.clock import Clock
from nightschool.core.errors import ModelUnavailable
from nightschool.core.usage import Usage
from nightschool.models.failures import translate
from nightschool.models.request import ModelReply, ModelRequest

__all__ = ["ModelClient", "ModelReply", "ModelRequest"]

_USAGE_FIELDS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class ModelClient:
    """A brain behind the official SDK; make one with `nightschool.models.connect.connect`."""

    def __init__(
        self, sdk: anthropic.AsyncAnthropic, *, clock: Clock, context_limit_tokens: int | None
    ) -> None:
        """Take a configured SDK client; it is closed with this one."""
        self._sdk = sdk
        self._clock = clock
        self.context_limit_tokens = context_limit_tokens
        """Most tokens a request may have, where that is known beforehand; the server has the last word."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Send a request and return the whole answer; the SDK repeats it as the server hints.

        Raises:
            ContextLimitExceeded: the request is too long; details carry `limit` and `actual`.
            ModelUnavailable: overloaded, rate limited or unreachable, also after the SDK's retries.
            ModelRefusedRequest: the request is wrong in itself.
            ConfigurationMissing: the server did not accept the key.
        """
        try:
            return await self._stream(request)
        except (anthropic.AnthropicError, httpx2.HTTPError) as error:
            failure = translate(error, model=request.model, secret=self._sdk.api_key)
        raise failure  # outside the except: the SDK's error, which holds the key, must not hang on to ours

    async def aclose(self) -> None:
        """Close the connections."""
        await self._sdk.close()

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self.aclose()

    async def _stream(self, request: ModelRequest) -> ModelReply:
        started = self._clock.monotonic()
        stream = await self._sdk.messages.create(**_arguments(request))
        async with stream:
            draft = await _gather(stream, started, self._clock)
        if not draft.complete:
            raise ModelUnavailable(
                f"Model '{request.model}' stopped in the middle of its answer. Try again shortly.",
                model=request.model,
            )
        return draft.reply(request_id=stream.response.headers.get("request-id"))


def _arguments(request: ModelRequest) -> dict[str, Any]:
    optional = {"system": request.system, "tools": request.tools}
    return {
        "model": request.model,
        "messages": request.messages,
        "max_tokens": request.max_tokens,
        "stream": True,
        **{name: value for name, value in optional.items() if value},
    }


@dataclass(slots=True)
class _Draft:
    """An answer while it arrives."""

    blocks: list[dict[str, Any]] = field(default_factory=list)
    json_parts: dict[int, list[str]] = field(default_factory=dict)
    usage: dict[str, int] = field(default_factory=dict)
    model: str = ""
    stop_reason: str | None = None
    first_token_seconds: float | None = None
    complete: bool = False

    def take(self, event: Any) -> None:
        """Add one event of the stream."""
        match event.type:
            case "message_start":
                self.model = event.message.model
                self._count(event.message.usage)
            case "content_block_start":
                self.blocks.append(event.content_block.model_dump(mode="json", exclude_none=True))
            case "content_block_delta":
                self._extend(event.index, event.delta)
            case "message_delta":
                self.stop_reason = event.delta.stop_reason
                self._count(event.usage)
            case "message_stop":
                self.complete = True

    def _extend(self, index: int, delta: Any) -> None:
        block = self.blocks[index]
        match delta.type:
            case "input_json_delta":
                self.json_parts.setdefault(index, []).append(delta.partial_json)
            case "text_delta":
                block["text"] += delta.text
            case "thinking_delta":
                block["thinking"] += delta.thinking
            case "signature_delta":
                block["signature"] = delta.signature
            case "citations_delta":
                block.setdefault("citations", []).append(delta.citation.model_dump(mode="json"))

    def _count(self, usage: Any) -> None:
        # Later counts are cumulative; a field the server leaves out keeps its earlier value.
        for name in _USAGE_FIELDS:
            value = getattr(usage, name, None)
            if value is not None:
                self.usage[name] = value

    def _fill_in_inputs(self) -> set[int]:
        """Give calls their inputs; return those that the answer's end cut in two: they were never made."""
        cut = set()
        for index, parts in self.json_parts.items():
            try:
                self.blocks[index]["input"] = json.loads("".join(parts) or "{}")
            except ValueError:
                cut.add(index)
        return cut

    def reply(self, *, request_id: str | None) -> ModelReply:
        """Return the finished answer."""
        cut = self._fill_in_inputs()
        return ModelReply(
            content=tuple(block for index, block in enumerate(self.blocks) if index not in cut),
            stop_reason=self.stop_reason or "end_turn",
            usage=Usage(**self.usage),
            model=self.model,
            request_id=request_id,
            time_to_first_token_seconds=self.first_token_seconds,
        )


async def _gather(stream: AsyncIterable[Any], started: float, clock: Clock) -> _Draft:
    draft = _Draft()
    async for event in stream:
        if draft.first_token_seconds is None and event.type == "content_block_delta":
            draft.first_token_seconds = clock.monotonic() - started
        draft.take(event)
    return draft
