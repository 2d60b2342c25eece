"""Tells Streamlit's front end where its server is, so that a link to a page asks for nothing in vain.

Without it the front end takes `/compare` for the possible root of the server and asks beneath it; the browser
then notes two errors at every link that is followed from elsewhere. Knows nothing about what pages show.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["RootAddress"]

_HEAD: Final = b"<head>"
_SCRIPT: Final = """
    <script>
      {{
        const parts = location.pathname.replace(/\\/+$/, "").split("/")
        if ({pages}.includes(parts.at(-1))) parts.pop()
        window.__streamlit = {{ BACKEND_BASE_URL: location.origin + parts.join("/") + "/" }}
      }}
    </script>"""


@dataclass(frozen=True, slots=True)
class RootAddress:
    """Middleware that writes the server's root into the one HTML page that there is."""

    app: ASGIApp
    pages: Collection[str]
    """The last parts of the addresses that pages have."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; only the HTML page is changed."""
        if scope["type"] != "http" or scope["path"].rstrip("/").rpartition("/")[2] not in {"", *self.pages}:
            await self.app(scope, receive, send)
            return
        # Asked for plainly: what is compressed cannot be added to.
        headers = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        answer = _Answer(send=send, addition=_SCRIPT.format(pages=json.dumps(list(self.pages))).encode())
        await self.app({**scope, "headers": headers}, receive, answer.take)


@dataclass(slots=True)
class _Answer:
    """One answer on its way: kept until it is whole if it is HTML, passed on otherwise."""

    send: Send
    addition: bytes
    start: Message | None = None
    body: bytes = b""

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_html(message["headers"]):
            self.start = message
        elif self.start is not None and message["type"] == "http.response.body":
            self.body += message.get("body", b"")
            if not message.get("more_body"):
                await self._finish(self.start)
        else:
            await self.send(message)

    async def _finish(self, start: Message) -> None:
        body = self.body.replace(_HEAD, _HEAD + self.addition, 1)
        kept = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
        # Of the same length as before a page would be taken for the one without the addition.
        kept = [(name, value) for name, value in kept if name.lower() not in {b"etag", b"last-modified"}]
        headers = [*kept, (b"content-length", str(len(body)).encode())] if body else start["headers"]
        await self.send({**start, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def _is_html(headers: Any) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)
