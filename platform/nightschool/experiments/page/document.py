"""The whole page: question first, then the answer, then everything it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from nightschool.experiments.analysis import Analysis
from nightschool.experiments.integrity import Threat, refusals
from nightschool.experiments.page import sections
from nightschool.experiments.page.markup import Markup, element
from nightschool.experiments.report import Report

__all__ = ["question_of", "write_page"]

_HEAD: Final = Markup(
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">"""
)


def write_page(
    report: Report, analysis: Analysis, found: Sequence[Threat], *, searched: int, commands: Sequence[str]
) -> str:
    """Return the page as HTML; it asks for nothing from anywhere else.

    Args:
        report: the declared comparisons.
        analysis: what else the trials say.
        found: what is wrong.
        searched: how many trials were searched for the gold.
        commands: what to type for the same experiment.
    """
    question = question_of(report)
    main = element(
        "main",
        *_banners(report, found),
        element("h1", question),
        element("p", _headline(report), class_="soft"),
        sections.result(report, analysis),
        sections.threats_part(report, found, searched),
        sections.accounted(report),
        sections.design(report),
        sections.trade_off(analysis),
        sections.reliability_part(report, analysis),
        sections.exploration(report, analysis),
        sections.reproduction(report, commands),
    )
    style = Markup((files("nightschool.experiments.page") / "style.css").read_text(encoding="utf-8"))
    head = element("head", _HEAD, element("title", question), element("style", style))
    return f"<!doctype html>\n{element('html', head, element('body', main), lang='en')}\n"


def question_of(report: Report) -> str:
    """Return the declared question, or the one that the declared family asks."""
    manifest = report.manifest
    if manifest.question:
        return manifest.question
    metric = manifest.primary_metric.replace("_", " ")
    first, *others = manifest.arms
    if not others:
        return f"How does {first} do on {manifest.suite} ({metric})?"
    return f"Does {' or '.join(others)} do better than {first} on {manifest.suite} ({metric})?"


def _headline(report: Report) -> str:
    m = report.manifest
    size = f"{len(m.samples)} samples × {len(m.arms)} arms × {m.repeats} repeats"
    return (
        f"{m.suite} · {size} · brain {m.brain} · declared {m.declared_at:%Y-%m-%d} · {report.experiment_id}"
    )


def _banners(report: Report, found: Sequence[Threat]) -> list[Markup]:
    banners = []
    if report.is_simulated:
        words = (
            "Simulated: every number on this page was drawn from a declared distribution, none was measured."
        )
        banners.append(element("p", words, class_="banner"))
    if refusals(found):
        words = "No claim may be made from these trials: see threats to validity."
        banners.append(element("p", words, class_="banner"))
    return banners
