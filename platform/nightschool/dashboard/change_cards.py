"""What changed between two experiments, as cards and as points of a chart. Pure; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from nightschool.dashboard.changes import Change
from nightschool.dashboard.markup import escaped
from nightschool.dashboard.metrics import metric_named
from nightschool.dashboard.wording import p_value, plural
from nightschool.experiments.statistics import Verdict

__all__ = ["change_cards"]

_SAID: Final[Mapping[Verdict, tuple[str, str]]] = {
    Verdict.BETTER: ("is-better", "{arm} improved"),
    Verdict.WORSE: ("is-worse", "{arm} regressed"),
    Verdict.UNDECIDED: ("is-undecided", "{arm}: no change can be told"),
}


def change_cards(changes: Iterable[Change], metric: str) -> str:
    """Return a card for each arm: what may be claimed and what it rests on."""
    return '<div class="ns-verdicts">' + "".join(_card(change, metric) for change in changes) + "</div>"


def _card(change: Change, metric: str) -> str:
    kind, claim = _SAID[change.verdict]
    lines = "".join(f"<p>{escaped(line)}</p>" for line in _evidence(change, metric))
    return f'<div class="ns-verdict {kind}"><b>{escaped(claim.format(arm=change.arm))}</b>{lines}</div>'


def _evidence(change: Change, metric: str) -> list[str]:
    named, found = metric_named(metric), change.comparison
    if found.difference is None:
        return ["no document has a result in both"]
    span = found.interval
    within = "" if span is None else f" [{named.difference(span.low)}, {named.difference(span.high)}]"
    adjusted = "" if change.p_holm is None else f" · Holm {p_value(change.p_holm)}"
    turned = f"{found.wins} higher, {found.losses} lower, {found.ties} equal"
    return [
        f"{named.label} {named.difference(found.difference)}{within}{adjusted}",
        f"paired over {plural(found.n_pairs, 'document')}: {turned}",
    ]
