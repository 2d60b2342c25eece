"""A gate's verdict for other programs: JUnit XML, Markdown for a pull request, JSON.

Knows nothing about how it came about or where it is written.
"""

from __future__ import annotations

from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from nightschool.experiments.gate import Check, Gate, GateResult

__all__ = ["gate_json", "gate_junit", "gate_markdown"]

_MARKS: Final = {
    GateResult.PASS: "✅",
    GateResult.INCONCLUSIVE: "❔",
    GateResult.REGRESSION: "❌",
    GateResult.INVALID: "⛔",
}


def gate_json(gate: Gate) -> dict[str, Any]:
    """Return the verdict as plain JSON values."""
    return {
        "schema": "nightschool.gate/1",
        "subject": gate.subject,
        "result": str(gate.result),
        "simulated": gate.simulated,
        "alpha": gate.alpha,
        "min_effect": gate.min_effect,
        "checks": [_check(check) for check in gate.checks],
        "threats": [
            {"name": str(t.weakness), "severity": str(t.severity), "text": t.text} for t in gate.threats
        ],
    }


def gate_markdown(gate: Gate) -> str:
    """Return the verdict as a comment for a pull request."""
    lines = [
        f"### {_MARKS[gate.result]} nightschool gate: {gate.result}",
        "",
        f"{gate.subject} · α {gate.alpha:g} · smallest effect that matters {gate.min_effect:g}"
        + (" · **simulated**" if gate.simulated else ""),
        "",
        "| | comparison | metric | difference | interval | p (Holm) | n | |",
        "|---|---|---|---|---|---|---|---|",
        *[_row(check) for check in gate.checks],
    ]
    if gate.threats:
        lines += ["", *[f"* **{t.weakness}** ({t.severity}): {t.text}" for t in gate.threats]]
    return "\n".join(lines) + "\n"


def gate_junit(gate: Gate) -> str:
    """Return the verdict as JUnit XML: a test case per comparison and one for the trials as a whole."""
    suite = Element("testsuite", name=f"nightschool gate {gate.subject}")
    forbidding = [threat for threat in gate.threats if threat.severity == "refusal"]
    valid = SubElement(suite, "testcase", classname="nightschool.gate", name="the trials allow a claim")
    if forbidding or not gate.checks:
        text = "\n".join(map(str, forbidding)) or "nothing is compared"
        SubElement(valid, "error", type="invalid", message=text.split("\n", 1)[0]).text = text
    for check in gate.checks:
        name = f"{check.metric}: {check.treatment} against {check.baseline}"
        case = SubElement(suite, "testcase", classname="nightschool.gate", name=name)
        match check.result:
            case GateResult.REGRESSION:
                SubElement(case, "failure", type="regression", message=check.reason).text = _sentence(check)
            case GateResult.INVALID:
                SubElement(case, "error", type="invalid", message=check.reason)
            case GateResult.INCONCLUSIVE:
                SubElement(case, "skipped", message=f"inconclusive: {check.reason}")
            case GateResult.PASS:
                SubElement(case, "system-out").text = _sentence(check)
    suite.set("tests", str(len(gate.checks) + 1))
    for kind, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(kind, str(len(suite.findall(f"testcase/{tag}"))))
    indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suite, encoding="unicode") + "\n"


def _check(check: Check) -> dict[str, Any]:
    found = check.contrast.comparison
    interval = found.interval if found else None
    return {
        "treatment": check.treatment,
        "baseline": check.baseline,
        "metric": check.metric,
        "result": str(check.result),
        "reason": check.reason,
        "difference": found.difference if found else None,
        "interval": [interval.low, interval.high] if interval else None,
        "p_holm": check.contrast.p_holm,
        "p_noninferior": check.p_noninferior,
        "n_pairs": found.n_pairs if found else 0,
        "verdict": str(check.contrast.verdict),
    }


def _row(check: Check) -> str:
    found, p = check.contrast.comparison, check.contrast.p_holm
    difference = "–" if found is None or found.difference is None else f"{found.difference:+.3f}"
    interval = found.interval if found else None
    ends = "–" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]"
    cells = (
        _MARKS[check.result],
        f"{check.treatment} − {check.baseline}",
        check.metric,
        difference,
        ends,
        "–" if p is None else f"{p:.3g}",
        str(found.n_pairs if found else 0),
        check.reason,
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _sentence(check: Check) -> str:
    found = check.contrast.comparison
    if found is None or found.difference is None or found.interval is None:
        return check.reason
    return (
        f"{check.reason}: difference {found.difference:+.4f}"
        f" [{found.interval.low:.4f}, {found.interval.high:.4f}] over {found.n_pairs} pairs"
    )
