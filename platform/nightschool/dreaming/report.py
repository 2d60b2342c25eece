"""What a dream found, as plain data for programs. Knows nothing about how it is shown."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from nightschool.dreaming.failures import ErrorCount, FailingType
from nightschool.dreaming.mine import Findings
from nightschool.dreaming.pairs import Contrast
from nightschool.dreaming.rules import Rules
from nightschool.dreaming.strata import StrategyTable
from nightschool.dreaming.templates import Template

__all__ = ["findings_json"]


def findings_json(findings: Findings, rules: Rules) -> dict[str, Any]:
    """Return the findings as what JSON can say."""
    economy = findings.economy
    repeats = economy.repeats
    return {
        "rules": rules.name,
        "sessions": len(findings.episodes),
        "excluded": [{"session_id": session, "reason": reason} for session, reason in findings.excluded],
        "results": findings.results,
        "labels": findings.labels,
        "disputed": list(findings.disputed),
        "failure_causes": [_error(each) for each in findings.errors],
        "failing_types": [_failing(each) for each in findings.failing_types],
        "failing_tasks": [_failing(each) for each in findings.failing_tasks],
        "templates": [_template(each, rules) for each in findings.templates],
        "strategies": [_strategy(each, rules) for each in findings.strategies],
        "contrasts": [_contrast(each) for each in findings.contrasts if each.tells_apart],
        "economy": {
            "calls": economy.calls,
            "repeated_reads": repeats.reads,
            "repeated_writes": repeats.writes,
            "repeats": {
                "needless_reads": repeats.needless_reads,
                "reads_after_change": repeats.after_change,
                "polling": repeats.polling,
                "read_retries": repeats.read_retries,
                "thoughts": repeats.thoughts,
                "write_retries": repeats.write_retries,
                "double_writes": repeats.double_writes,
                "handoffs": repeats.handoffs,
            },
            "needless_by_tool": dict(repeats.by_tool),
            "events": list(repeats.events),
            "loops": [each._asdict() for each in economy.loops],
            "unused_results": dict(economy.unused),
            "calls_per_success": economy.calls_per_success,
            "calls_per_failure": economy.calls_per_failure,
        },
    }


def _error(each: ErrorCount) -> dict[str, Any]:
    return {**asdict(each), "events": list(each.events)}


def _failing(each: FailingType) -> dict[str, Any]:
    return {
        "task_type": each.task_type,
        "sessions": each.sessions,
        "failures": each.failures,
        "environment": each.environment,
        "causes": [{"tool": tool, "template": text, "sessions": n} for tool, text, n in each.causes],
        "shared": each.shared,
        "p_value": each.p_value,
        "lesson": not each.gate,
        "gate": each.gate,
        "evidence": [list(pair) for pair in each.evidence],
    }


def _template(each: Template, rules: Rules) -> dict[str, Any]:
    return {
        "task_type": each.task_type,
        "steps": list(each.steps),
        "successes": each.successes,
        "failures": each.failures,
        "retries": each.retries,
        "status": _status(each.gate, is_quarantined=each.is_quarantined),
        "gate": each.gate,
        "table": _strategy(each.table, rules),
        "evidence": [list(pair) for pair in each.evidence],
    }


def _status(gate: str, *, is_quarantined: bool) -> str:
    if is_quarantined:
        return "quarantined"
    return "candidate" if gate else "promoted"


def _strategy(each: StrategyTable, rules: Rules) -> dict[str, Any]:
    objection = each.objection if rules.stratified else ""
    rows = [{**asdict(row), "lift": row.lift} for row in (each.overall, *each.rows, each.needed)]
    return {
        "strategy": each.strategy,
        "kind": each.kind,
        "status": "quarantined" if objection else "eligible",
        "reason": objection,
        "table": rows,
    }


def _contrast(each: Contrast) -> dict[str, Any]:
    return {**asdict(each), "evidence": [list(pair) for pair in each.evidence]}
