"""From a model id to a client. Knows which brains ship inside; reads no environment: keys and URLs are given.

Inside brains are mounted through the SDK's own HTTP client: their requests cross the same code as Claude's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import anthropic
import httpx2
from starlette.applications import Starlette

from nightschool.core.clock import Clock, SystemClock
from nightschool.core.errors import ConfigurationMissing, Malformed, NotFound
from nightschool.models.client import ModelClient
from nightschool.models.embed import Embedder, MiniLmEmbedder
from nightschool.models.reader.agent import ReaderBrain
from nightschool.models.simulated import SimulatedBrain
from nightschool.models.wire import Brain, messages_app

__all__ = ["INSIDE", "connect", "mount"]

_HOSTED_URL: Final = "https://api.anthropic.com"
_MOUNT_URL: Final = "http://inside.invalid"
_MAX_RETRIES: Final = 2
_KEY_UNUSED: Final = "unused"  # the SDK insists on a key; a local server ignores it

INSIDE: Final[dict[str, Callable[[Embedder, int | None], Brain]]] = {
    "reader": lambda embedder, limit: ReaderBrain(embedder, context_limit_tokens=limit),
    "simulated": lambda _embedder, _limit: SimulatedBrain(),
}
"""Model id to the brain that answers it in this process."""


def connect(
    model: str,
    *,
    api_key: str | None = None,
    base_url: str | None = None,
    context_limit_tokens: int | None = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
) -> ModelClient:
    """Return a client for a model; nothing is sent yet.

    Args:
        model: `reader`, `simulated`, `claude-...`; any id when ``base_url`` is given.
        api_key: for hosted models and servers that want one.
        base_url: a server that speaks the Messages API; every id goes there.
        context_limit_tokens: the limit of an inside brain; other servers have their own.
        embedder: what the reader compares sentences with; the packaged MiniLM by default.
        clock: for time to first token; the machine's by default.

    Raises:
        ConfigurationMissing: a hosted model without a key.
        NotFound: no such model.
        Malformed: the base URL is not an http(s) URL.
    """
    ticking = clock or SystemClock()
    if base_url is not None:
        sdk = _remote(api_key or _KEY_UNUSED, _checked(base_url))
        return ModelClient(sdk, clock=ticking, context_limit_tokens=context_limit_tokens)
    if model in INSIDE:
        brain = INSIDE[model](embedder or MiniLmEmbedder(), context_limit_tokens)
        return mount(brain, context_limit_tokens=context_limit_tokens, clock=ticking)
    if not model.startswith("claude-"):
        raise NotFound(
            f"There is no model '{model}'. Known: {', '.join(INSIDE)}, claude-...; any with --base-url.",
            model=model,
            known=[*INSIDE, "claude-..."],
        )
    if not api_key:
        raise ConfigurationMissing(
            f"Model '{model}' needs an API key: set ANTHROPIC_API_KEY or NIGHTSCHOOL_API_KEY, or "
            "name a server with --base-url. The model 'reader' runs here and needs none.",
            model=model,
        )
    sdk = _remote(api_key, _HOSTED_URL)
    return ModelClient(sdk, clock=ticking, context_limit_tokens=context_limit_tokens)


def mount(
    brain: Brain, *, context_limit_tokens: int | None = None, clock: Clock | None = None
) -> ModelClient:
    """Return a client whose server is this brain, in this process."""
    app = messages_app(brain, context_limit_tokens=context_limit_tokens)
    return ModelClient(_local(app), clock=clock or SystemClock(), context_limit_tokens=context_limit_tokens)


def _remote(api_key: str, base_url: str) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(api_key=api_key, base_url=base_url, max_retries=_MAX_RETRIES)


def _local(app: Starlette) -> anthropic.AsyncAnthropic:
    http = httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=_MOUNT_URL, trust_env=False)
    return anthropic.AsyncAnthropic(
        api_key=_KEY_UNUSED,
        base_url=_MOUNT_URL,
        max_retries=_MAX_RETRIES,
        timeout=None,
        http_client=http,
        open_telemetry=False,
    )


def _checked(base_url: str) -> str:
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise Malformed(
            f"The base URL '{base_url}' is not an http(s) URL. Give one such as http://127.0.0.1:8080.",
            base_url=base_url,
        )
    return base_url
