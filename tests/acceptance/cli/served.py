"""A server on loopback that speaks the Messages API, with the reader behind it, and moods on request."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import uvicorn
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from nightschool.models.embed import HashEmbedder
from nightschool.models.reader.agent import ReaderBrain
from nightschool.models.wire import messages_app

__all__ = ["MODEL", "Server", "serving"]

MODEL: Final = "claude-served-1"


class _Served(ReaderBrain):
    model_id = MODEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer of a server that does not do what was asked."""

    status: int
    kind: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Server:
    """What the test arranges, and what the server met."""

    url: str = ""
    refusals: list[Refusal] = field(default_factory=list)
    """How the next requests are answered, in order."""
    always: Refusal | None = None
    """How every request is answered."""
    requests: list[Mapping[bytes, bytes]] = field(default_factory=list)
    """The headers of every request met."""
    times: list[float] = field(default_factory=list)
    _app: Any = field(default_factory=lambda: messages_app(_Served(HashEmbedder())))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it as arranged."""
        if scope["type"] != "http":
            return
        self.requests.append(dict(scope["headers"]))
        self.times.append(time.monotonic())
        refusal = self.refusals.pop(0) if self.refusals else self.always
        if refusal is None:
            await self._app(scope, receive, send)
            return
        body = {"type": "error", "error": {"type": refusal.kind, "message": "said no"}, "request_id": None}
        await JSONResponse(body, refusal.status, dict(refusal.headers))(scope, receive, send)


@contextmanager
def serving() -> Iterator[Server]:
    """Serve on a free port for the length of a block."""
    server = Server()
    config = uvicorn.Config(server, host="127.0.0.1", port=0, log_level="error", lifespan="off")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not running.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    server.url = f"http://127.0.0.1:{port}"
    yield server
    running.should_exit = True
    thread.join(timeout=20)
