"""Errors of the Anthropic SDK and its HTTP client, translated once into ours. Knows nothing about retrying.

A translated error never carries the SDK's: that one holds the request, and with it the key.
"""

from __future__ import annotations

import re
from typing import Any, Final

import anthropic
import httpx2

from nightschool.core.errors import (
    ConfigurationMissing,
    ContextLimitExceeded,
    ModelRefusedRequest,
    ModelUnavailable,
    NightschoolError,
)

__all__ = ["translate"]

_TOO_LONG: Final = re.compile(r"prompt is too long:\s*(\d+) tokens > (\d+) maximum")
_TRANSIENT_TYPES: Final = frozenset({"api_error", "overloaded_error", "rate_limit_error", "timeout_error"})
_TRANSIENT_STATUSES: Final = frozenset({408, 409, 429})
_NETWORK: Final = (anthropic.APIConnectionError, httpx2.HTTPError, httpx2.StreamError, OSError)
_REFUSED_KEY_STATUSES: Final = frozenset({401, 403})


def translate(error: Exception, *, model: str, secret: str | None = None) -> Exception:
    """Return our error for a failed request; a programming error inside a mounted brain as it is.

    Args:
        error: what the SDK or the HTTP client raised.
        model: the model asked for; named in the message.
        secret: the API key, blotted out should a server have echoed it.
    """
    if isinstance(error, anthropic.APIStatusError):
        return _from_status(error, model, secret)
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError):
        cause = error.__cause__ or error
        if not isinstance(cause, _NETWORK):
            return cause if isinstance(cause, Exception) else error
        reason = type(cause).__name__
        return ModelUnavailable(
            f"The server of model '{model}' could not be reached or hung up ({reason}). "
            "Check the network and the base URL, then resume.",
            model=model,
        )
    return ModelRefusedRequest(
        f"Model '{model}' gave an answer that cannot be used: {_clean(str(error), secret)}", model=model
    )


def _from_status(error: anthropic.APIStatusError, model: str, secret: str | None) -> NightschoolError:
    said = _clean(error.api_message or error.message, secret)
    details: dict[str, Any] = {"model": model, "status": error.status_code, "request_id": error.request_id}
    if too_long := _TOO_LONG.search(said):
        actual, limit = (int(number) for number in too_long.groups())
        return ContextLimitExceeded(
            f"The request to '{model}' has {actual} tokens; it reads at most {limit}. Split the document's "
            "longest section, or raise context_limit_tokens in the arm's file if the model can read more.",
            **details,
            actual=actual,
            limit=limit,
        )
    if error.status_code in _REFUSED_KEY_STATUSES:
        return ConfigurationMissing(
            f"The server of model '{model}' did not accept the API key ({error.status_code}: {said}). "
            "Check ANTHROPIC_API_KEY or NIGHTSCHOOL_API_KEY; the model 'reader' needs no key.",
            **details,
        )
    if _is_transient(error):
        hint = _retry_after(error.response)
        when = "shortly" if hint is None else f"in {hint:g} s"
        return ModelUnavailable(
            f"Model '{model}' is not available now ({error.status_code}: {said}). Try again {when}.",
            **details,
            retry_after_seconds=hint,
        )
    return ModelRefusedRequest(
        f"Model '{model}' refused the request ({error.status_code}: {said}).", **details
    )


def _is_transient(error: anthropic.APIStatusError) -> bool:
    # An error inside a stream comes with status 200: then only its type tells.
    return (
        error.status_code in _TRANSIENT_STATUSES
        or error.status_code >= 500
        or (error.status_code < 400 and (error.type in _TRANSIENT_TYPES or error.type is None))
    )


def _retry_after(response: httpx2.Response) -> float | None:
    for header, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(response.headers[header]) * unit
        except (KeyError, ValueError):
            continue
    return None


def _clean(said: str, secret: str | None) -> str:
    return said.replace(secret, "[key]") if secret else said
