"""Work with a start and an end: model requests and outcome evaluations."""

from __future__ import annotations

from typing import Literal

from nightschool.core.usage import Usage
from nightschool.events.base import EventBase, Wire

__all__ = [
    "ModelUsage",
    "SpanModelRequestEnd",
    "SpanModelRequestStart",
    "SpanOutcomeEvaluationEnd",
    "SpanOutcomeEvaluationOngoing",
    "SpanOutcomeEvaluationStart",
]


class ModelUsage(Wire):
    """Tokens of one model request, as the API counts them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0

    @classmethod
    def of(cls, usage: Usage) -> ModelUsage:
        """Return the wire form of a usage value."""
        return cls(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_creation_input_tokens=usage.cache_creation_input_tokens,
            cache_read_input_tokens=usage.cache_read_input_tokens,
        )

    def as_usage(self) -> Usage:
        """Return the plain value."""
        return Usage(
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cache_creation_input_tokens=self.cache_creation_input_tokens,
            cache_read_input_tokens=self.cache_read_input_tokens,
        )


class SpanModelRequestStart(EventBase):
    """A request goes to the model."""

    type: Literal["span.model_request_start"] = "span.model_request_start"
    model: str | None = None


class SpanModelRequestEnd(EventBase):
    """The model's answer is complete, or the request failed."""

    type: Literal["span.model_request_end"] = "span.model_request_end"
    model_request_start_id: str
    model_usage: ModelUsage
    is_error: bool | None = None
    model: str | None = None
    stop_reason: str | None = None
    duration_ms: float | None = None
    time_to_first_token_ms: float | None = None


class SpanOutcomeEvaluationStart(EventBase):
    """The grader begins to look at a result."""

    type: Literal["span.outcome_evaluation_start"] = "span.outcome_evaluation_start"
    outcome_id: str
    iteration: int
    """From 0."""


class SpanOutcomeEvaluationOngoing(EventBase):
    """The grader is still at work."""

    type: Literal["span.outcome_evaluation_ongoing"] = "span.outcome_evaluation_ongoing"
    outcome_id: str
    iteration: int


class SpanOutcomeEvaluationEnd(EventBase):
    """The grader's verdict: satisfied, needs_revision, max_iterations_reached, failed, interrupted."""

    type: Literal["span.outcome_evaluation_end"] = "span.outcome_evaluation_end"
    outcome_id: str
    outcome_evaluation_start_id: str
    iteration: int
    result: str
    explanation: str
    usage: ModelUsage
    scores: dict[str, float] | None = None
    """Score per dimension, 0 to 1; a dimension the task cannot have is absent."""
    tier: str | None = None
    """The tier the result was judged at: strict, standard or lenient."""
    tier_reason: str | None = None
    """Where the tier comes from, where somebody chose it."""
    tier_confidence: float | None = None
    """Probability of the field that the tier was inferred from; absent where nothing was inferred."""
