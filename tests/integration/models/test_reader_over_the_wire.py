"""The reader through the official SDK: mounted in this process, and behind a real HTTP server."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn

from nightschool.core.errors import ContextLimitExceeded
from nightschool.models.client import ModelClient, ModelReply, ModelRequest
from nightschool.models.connect import connect
from nightschool.models.embed import HashEmbedder
from nightschool.models.reader.agent import ReaderBrain
from nightschool.models.wire import messages_app
from tests.unit.models.reader.desk import LEASE, PLAYBOOK

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

SUBMIT = {"name": "submit_findings", "description": "Hand in.", "input_schema": {"type": "object"}}


def request(prompt: str) -> ModelRequest:
    message: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": prompt}]}
    return ModelRequest(model="reader", system=PLAYBOOK, messages=(message,), tools=(SUBMIT,))


async def ask(client: ModelClient) -> ModelReply:
    async with client:
        return await client.complete(request(f"Review the whole contract.\n\n{LEASE}"))


@contextmanager
def served() -> Iterator[str]:
    """Serve a reader on a free port of this machine."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(messages_app(ReaderBrain(HashEmbedder())), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)
        listener.close()


async def test_mounted_and_served_give_the_same_answer() -> None:
    inside = await ask(connect("reader", embedder=HashEmbedder()))
    with served() as url:
        outside = await ask(connect("reader", base_url=url))
    assert inside.content == outside.content
    assert ("tool_use", "submit_findings") == (outside.stop_reason, outside.content[0]["name"])
    assert inside.usage == outside.usage


async def test_a_context_limit_holds_on_the_way_in() -> None:
    async with connect("reader", embedder=HashEmbedder(), context_limit_tokens=500) as client:
        with pytest.raises(ContextLimitExceeded):
            await client.complete(request(LEASE))
