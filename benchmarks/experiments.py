"""How fast experiments run and are analysed, beside Inspect AI with its mock model in the same run.

    .venv/bin/python -m benchmarks.experiments [--json FILE] [--inspect-python PATH] [--trials 1000]

Both sides do the same: a trial is one question to a model that answers at once, scored by code; an agent
asks that model twenty times and calls a tool after each but the last answer. Both keep every finished trial
through a kill: here the journal (SQLite, WAL, synchronous FULL), there Inspect's realtime log, its default.
Inspect AI runs in an interpreter of its own. `--json` has `ratio_inspect_trivial` and `ratio_inspect_turns`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anyio
import numpy as np

from benchmarks.figures import Figure, Report, machine
from nightschool.bootstrap import open_workspace
from nightschool.core.clock import SystemClock
from nightschool.core.usage import Usage
from nightschool.experiments.analysis import analyse
from nightschool.experiments.design import Manifest, TrialSpec, declare
from nightschool.experiments.experiment_log import open_log
from nightschool.experiments.ledger import TrialStatus
from nightschool.experiments.measures import Trial
from nightschool.experiments.report import build_report
from nightschool.experiments.runner import ArmResult, run
from nightschool.experiments.suite import Drawn, Suite
from nightschool.harness.loop import Harness
from nightschool.models.request import ModelReply, ModelRequest
from nightschool.orchestration.assignment import Assignment, work
from nightschool.registry.agents import AgentFile
from nightschool.sandbox.tools import ToolDefinition, ToolResult
from nightschool.sessions.log import SessionLog
from nightschool.settings import Settings

__all__ = ["main"]

ROOT: Final = Path(__file__).resolve().parent.parent
TURNS: Final = 20
AGENTS: Final = 60
ANALYSED: Final = 10_000
AT_ONCE: Final = 32
_INSPECT: Final = Path(__file__).with_name("inspect_trials.py")
_FASTER: Final = 5.0
_ANALYSIS_BAR: Final = 5.0


@dataclass(frozen=True)
class _Question:
    id: str
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class _Drawn:
    document: str
    gold: object
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class _Score:
    accuracy: float
    completeness: float
    format: float
    metrics: Mapping[str, float]


class _Questions:
    """A suite of questions with one right word."""

    def samples(self, config: Mapping[str, Any]) -> Sequence[_Question]:
        return [_Question(id=name, facts={}) for name in config["samples"]]

    def draw(self, sample_id: str, epoch: int, seed: int) -> Drawn:
        return _Drawn(f"Review contract {sample_id}, {epoch}, {seed}.", "fees.", {})

    def playbook_text(self) -> str:
        return "Say what is limited."

    def score(self, gold: Any, answer: dict[str, Any], document: str) -> _Score:  # noqa: ARG002  # a suite's signature
        right = float(str(answer["text"]).endswith(gold))
        return _Score(accuracy=right, completeness=right, format=1.0, metrics={})


@dataclass(frozen=True, slots=True)
class _MockModel:
    """Answers at once; calls the tool until it has been asked so many times."""

    turns: int

    async def complete(self, request: ModelRequest) -> ModelReply:
        asked = sum(message["role"] == "assistant" for message in request.messages) + 1
        block: dict[str, Any] = {"type": "text", "text": "Finding: liability is limited to the fees."}
        if asked < self.turns:
            block = {"type": "tool_use", "id": f"toolu_{asked}", "name": "look", "input": {"page": asked}}
        return ModelReply(
            content=(block,),
            stop_reason="tool_use" if asked < self.turns else "end_turn",
            usage=Usage(input_tokens=900, output_tokens=50),
            model="mock",
        )

    async def aclose(self) -> None:
        return


class _Look:
    """A tool that answers at once."""

    @property
    def definition(self) -> ToolDefinition:
        return ToolDefinition(name="look", description="Look at a page.", input_schema={"type": "object"})

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        return ToolResult(text=f"Page {tool_input['page']}: the fees.")


@dataclass(frozen=True, slots=True)
class _Asked:
    """An arm: one agent in one session, by the real harness."""

    log: SessionLog
    turns: int

    async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
        harness = Harness(log=self.log, model=_MockModel(self.turns), clock=SystemClock())
        assignment = Assignment(
            session_id=f"sesn_{trial.trial_id.removeprefix('trial_')}",
            agent=AgentFile(name="reader", system="Be brief.", tools=("look",)),
            model="mock",
            system="Be brief.",
            prompt=drawn.document,
            tools=[_Look()],
            title=trial.sample_id,
            metadata={"trial_id": trial.trial_id, "experiment_id": trial.experiment_id},
        )
        await work(self.log, harness, assignment)
        return ArmResult(
            answer={"text": "Finding: liability is limited to the fees."},
            usage=Usage(input_tokens=900 * self.turns, output_tokens=50 * self.turns),
            tool_calls=self.turns - 1,
            model_calls=self.turns,
            root_session_id=assignment.session_id,
        )


def _suite(names: Sequence[str]) -> Suite:
    return Suite(
        name="questions",
        title="Questions",
        folder=Path("questions"),
        primary_metric="accuracy",
        lower_is_better=(),
        rubric=None,
        reference=None,
        config={"samples": list(names)},
        content_hash="benchmark",
        module=_Questions(),
    )


def _manifest(names: Sequence[str], arms: Sequence[str], repeats: int) -> Manifest:
    return declare(
        {
            "suite": "questions",
            "suite_hash": "benchmark",
            "arms": list(arms),
            "arm_hashes": dict.fromkeys(arms, "benchmark"),
            "samples": list(names),
            "repeats": repeats,
            "seed": 1,
            "brain": "reader",
            "code_version": "benchmark",
            "primary_metric": "accuracy",
            "declared_at": SystemClock().now(),
        }
    )


async def _run(folder: Path, trials: int, turns: int) -> float:
    """Run an experiment to its end and return the seconds it took."""
    names = [f"c{number}" for number in range(trials)]
    with open_workspace(Settings(data_dir=folder)) as workspace:
        log = await open_log(workspace.log, "exp_benchmark")
        began = time.perf_counter()
        outcome = await run(
            _manifest(names, ["mock"], 1),
            experiment_id="exp_benchmark",
            log=log,
            suite=_suite(names),
            run_trial=_Asked(workspace.log, turns),
            clock=workspace.clock,
            trials_at_once=AT_ONCE,
        )
        seconds = time.perf_counter() - began
    if outcome.completed != trials:
        raise AssertionError(f"{outcome.completed} of {trials} trials ended with a result")
    return seconds


def _inspected(python: Path | None, folder: Path, trials: int, turns: int) -> dict[str, Any] | None:
    if python is None:
        return None
    folder.mkdir()
    command = [str(python), str(_INSPECT), str(folder), str(trials), str(turns), str(AT_ONCE)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _rate(
    name: str, trials: int, seconds: float, theirs: dict[str, Any] | None
) -> tuple[Figure, float | None]:
    ours = trials / seconds
    if theirs is None:
        note = "not compared: no --inspect-python with Inspect AI in it was given"
        return Figure(name=name, value=ours, unit="per second", note=note), None
    ratio = ours / (trials / theirs["seconds"])
    note = f"{ratio:.1f} ×: Inspect AI {theirs['version']} does {trials / theirs['seconds']:.1f} per second"
    bar = f"≥ {_FASTER:.0f} × Inspect AI"
    return Figure(name=name, value=ours, unit="per second", bar=bar, meets=ratio >= _FASTER, note=note), ratio


def _drawn_trials(arms: Sequence[str], names: Sequence[str], repeats: int) -> list[Trial]:
    """Return as many trials as are analysed, with the metrics that a suite usually has."""
    rng = np.random.default_rng(1)
    metrics = ("accuracy", "completeness", "recall", "precision", "false_flags", "tokens", "duration_seconds")
    found = []
    for arm in arms:
        for name in names:
            for epoch, row in enumerate(rng.random((repeats, len(metrics)))):
                values = dict(zip(metrics, map(float, row), strict=True))
                scores = {
                    "accuracy": values["accuracy"],
                    "completeness": values["completeness"],
                    "format": 1.0,
                }
                found.append(
                    Trial(
                        arm=arm,
                        sample_id=name,
                        epoch=epoch,
                        status=TrialStatus.COMPLETED,
                        values=values,
                        scores=scores,
                        tiers={"strict": False, "standard": row[0] > 0.5, "lenient": row[0] > 0.3},
                    )
                )
    return found


def _analysis() -> Figure:
    arms, repeats = ("one", "two", "three", "four"), 5
    names = [f"s{number:03}" for number in range(ANALYSED // len(arms) // repeats)]
    trials, manifest = _drawn_trials(arms, names, repeats), _manifest(names, arms, repeats)
    began = time.perf_counter()
    report = build_report("exp_benchmark", manifest, trials)
    analyse(report, trials)
    seconds = time.perf_counter() - began
    note = f"{len(arms)} arms × {len(names)} samples × {repeats} repeats, 7 metrics: report and analysis"
    name = f"{len(trials):,} trials analysed"
    bar = f"< {_ANALYSIS_BAR:.0f} s"
    return Figure(name=name, value=seconds, unit="s", bar=bar, meets=seconds < _ANALYSIS_BAR, note=note)


def _measured(folder: Path, options: argparse.Namespace, ratios: dict[str, float | None]) -> Iterator[Figure]:
    for key, name, trials, turns in (
        ("ratio_inspect_trivial", "trivial trials, crash-safe", options.trials, 1),
        ("ratio_inspect_turns", f"agents of {TURNS} turns, crash-safe", options.agents, TURNS),
    ):
        seconds = anyio.run(_run, folder / f"ours-{turns}", trials, turns)
        theirs = _inspected(options.inspect_python, folder / f"theirs-{turns}", trials, turns)
        figure, ratios[key] = _rate(name, trials, seconds, theirs)
        yield figure
    yield _analysis()


def main(arguments: list[str]) -> int:
    """Measure, print the table; return 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description="Measure experiments on this machine.")
    parser.add_argument("--trials", type=int, default=1_000, help="trivial trials")
    parser.add_argument("--agents", type=int, default=AGENTS, help="agents of 20 turns")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    parser.add_argument("--inspect-python", type=Path, help="an interpreter with inspect_ai in it")
    options = parser.parse_args(arguments)
    ratios: dict[str, float | None] = {}
    before = machine()
    with tempfile.TemporaryDirectory(dir=ROOT, prefix=".bench-") as folder:
        report = Report(machine=before, figures=list(_measured(Path(folder), options, ratios)))
    print("\n".join(report.lines()))
    if options.json:
        options.json.write_text(json.dumps(report.as_json() | ratios, indent=2) + "\n", encoding="utf-8")
    return int(any(figure.meets is False for figure in report.figures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
