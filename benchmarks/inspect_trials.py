"""Runs in an interpreter that has Inspect AI: evaluates trials with its mock model and times that alone.

    python inspect_trials.py FOLDER TRIALS TURNS AT_ONCE

Prints one line of JSON: the seconds and the version. One turn is a question and a match; more are an agent
that calls a tool after each but the last answer. The mock model's outputs say their usage: without that,
Inspect counts tokens with a tokenizer it wants to download. A short evaluation before loads what is lazy.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any


def main() -> None:  # noqa: C901  # what Inspect decorates has to stand inside
    """Evaluate, and say how long it took."""
    from inspect_ai import Task, eval  # noqa: A004  its name there
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, execute_tools, get_model
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate, solver
    from inspect_ai.tool import tool

    folder, trials, turns, at_once = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    words = "Finding: liability is limited to the fees."

    @tool  # type: ignore[untyped-decorator]
    def look() -> Any:
        async def execute(page: int) -> str:
            """Look at a page.

            Args:
                page: which.
            """
            return f"Page {page}: the fees."

        return execute

    @solver  # type: ignore[untyped-decorator]
    def agent() -> Any:
        async def solve(state: Any, generate: Any) -> Any:  # noqa: ARG001
            state.tools = [look()]
            model = get_model()
            while True:
                state.output = await model.generate(state.messages, tools=state.tools)
                state.messages.append(state.output.message)
                if not state.output.message.tool_calls:
                    return state
                messages, _ = await execute_tools(state.messages, state.tools)
                state.messages.extend(messages)

        return solve

    def outputs(messages: Any, tools: Any, choice: Any, config: Any) -> Any:  # noqa: ARG001
        asked = sum(message.role == "assistant" for message in messages) + 1
        if asked < turns:
            output = ModelOutput.for_tool_call("mockllm/model", "look", {"page": asked})
        else:
            output = ModelOutput.from_content("mockllm/model", words)
        output.usage = ModelUsage(input_tokens=900, output_tokens=50, total_tokens=950)
        return output

    def evaluate(count: int, where: Path) -> float:
        task = Task(
            dataset=[Sample(input=f"Review contract {n}.", target="fees.") for n in range(count)],
            solver=agent() if turns > 1 else generate(),
            scorer=match(),
        )
        model = get_model("mockllm/model", custom_outputs=outputs)
        began = time.perf_counter()
        (log,) = eval(task, model=model, log_dir=str(where), display="none", max_samples=at_once)
        seconds = time.perf_counter() - began
        if log.status != "success" or log.results is None or log.results.completed_samples != count:
            raise AssertionError(f"the evaluation ended as {log.status}: {log.error}")
        return seconds

    evaluate(2, folder / "warm")
    print(json.dumps({"seconds": evaluate(trials, folder / "log"), "version": version("inspect_ai")}))


if __name__ == "__main__":
    main()
