"""What the loop asks of a model; who brings one need not be known here (it is `models.client`)."""

from __future__ import annotations

from typing import Protocol

from nightschool.models.request import ModelReply, ModelRequest

__all__ = ["Model"]


class Model(Protocol):
    """Something that answers requests.

    Guaranteed: an answer is whole; a failure is a `ModelError`. Not guaranteed: the same answer twice.
    """

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer to a request."""

    async def aclose(self) -> None:
        """Let go of connections; no request comes after."""
