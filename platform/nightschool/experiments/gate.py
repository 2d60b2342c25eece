"""Whether a change may pass: the verdict a pipeline can act on.

    pass          nothing is worse by the smallest effect that matters, and that is shown, not assumed
    regression    something is shown to be worse, and it is not shown to be worse by less than that
    inconclusive  neither can be shown with these trials
    invalid       the trials allow no claim at all

Pure. Knows nothing about processes and their exit codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from scipy import stats

from nightschool.experiments.contrast import Contrast
from nightschool.experiments.integrity import Threat, refusals
from nightschool.experiments.measures import is_lower_better
from nightschool.experiments.report import Report
from nightschool.experiments.statistics import Comparison, Verdict, anytime_p

__all__ = ["Check", "Gate", "GateResult", "decide", "judge_gate"]


class GateResult(StrEnum):
    """What a pipeline is told, the gravest last."""

    PASS = "pass"  # noqa: S105  # no password
    INCONCLUSIVE = "inconclusive"
    REGRESSION = "regression"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One comparison, as the gate sees it."""

    treatment: str
    baseline: str
    metric: str
    result: GateResult
    reason: str
    p_noninferior: float | None
    """Of "worse by the smallest effect that matters, or more"."""
    contrast: Contrast


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """All of it."""

    subject: str
    """What was judged: an experiment, or one against another."""
    alpha: float
    min_effect: float
    checks: tuple[Check, ...]
    threats: tuple[Threat, ...]
    simulated: bool

    @property
    def result(self) -> GateResult:
        """The gravest of the checks; invalid when a threat forbids any claim."""
        if refusals(self.threats) or not self.checks:
            return GateResult.INVALID
        order = list(GateResult)
        return max((check.result for check in self.checks), key=order.index)


def judge_gate(
    report: Report, found: Sequence[Threat], *, min_effect: float, subject: str | None = None
) -> Gate:
    """Judge a report's declared comparisons.

    Args:
        report: what was found, read at the level and for the family that the gate is asked about.
        found: what is wrong with it.
        min_effect: the smallest loss that matters, in the metric's units; 0: any loss does.
        subject: what is judged; the experiment unless given.
    """
    lower = report.manifest.lower_is_better
    return Gate(
        subject=subject or report.experiment_id,
        alpha=report.manifest.alpha,
        min_effect=min_effect,
        checks=tuple(
            decide(
                contrast,
                min_effect=min_effect,
                alpha=report.manifest.alpha,
                higher_is_better=not is_lower_better(contrast.metric, lower),
            )
            for contrast in report.confirmatory
        ),
        threats=tuple(found),
        simulated=report.is_simulated,
    )


def decide(contrast: Contrast, *, min_effect: float, alpha: float, higher_is_better: bool) -> Check:
    """Judge one comparison."""
    found = contrast.comparison
    p = None if found is None else _noninferior(found, min_effect, 1.0 if higher_is_better else -1.0)
    result, reason = _result(contrast, p, min_effect, alpha)
    return Check(
        treatment=contrast.treatment,
        baseline=contrast.baseline,
        metric=contrast.metric,
        result=result,
        reason=reason,
        p_noninferior=p,
        contrast=contrast,
    )


def _result(contrast: Contrast, p: float | None, min_effect: float, alpha: float) -> tuple[GateResult, str]:
    if contrast.comparison is None or contrast.comparison.p is None:
        return GateResult.INVALID, contrast.note or "there is nothing to test"
    if contrast.verdict is Verdict.BETTER:
        return GateResult.PASS, "it is better"
    if min_effect > 0 and p is not None and p <= alpha and not _could_turn(contrast, min_effect):
        return GateResult.PASS, f"a loss of {min_effect:g} or more is ruled out (p {p:.3g})"
    if contrast.verdict is Verdict.WORSE:
        return GateResult.REGRESSION, "it is worse"
    why = f" ({contrast.note})" if contrast.comparison.hangs_on else ""
    if min_effect > 0:
        return GateResult.INCONCLUSIVE, f"a loss of {min_effect:g} can be neither shown nor ruled out{why}"
    return GateResult.INCONCLUSIVE, f"no difference can be told{why}"


def _could_turn(contrast: Contrast, min_effect: float) -> bool:
    """Return whether the trials that errored could hide a loss that matters."""
    bounds = contrast.bounds
    return bounds is not None and max(abs(bounds.low), abs(bounds.high)) >= min_effect


def _noninferior(found: Comparison, min_effect: float, sign: float) -> float | None:
    """Return the p value of "worse by ``min_effect`` or more": one-sided t on the comparison's error."""
    if found.difference is None or found.standard_error is None or found.degrees_of_freedom is None:
        return None
    margin = sign * found.difference + min_effect
    if found.p_method == "sequence":
        shifted = [sign * value + min_effect for value in found.differences.values()]
        return anytime_p(shifted, expected=len(shifted)) if margin > 0 else 1.0
    if found.standard_error == 0:
        return 0.0 if margin > 0 else 1.0
    return float(stats.t.sf(margin / found.standard_error, found.degrees_of_freedom))
