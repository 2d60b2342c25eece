"""Runs in an interpreter that has Inspect AI: evaluates trivial samples, times ``samples_df`` on the log.

    python inspect_samples.py FOLDER SAMPLES REPEATS

Prints one line of JSON: the median milliseconds of a load, the log's bytes per sample, the version. The mock
model's outputs say their usage: without that, Inspect counts tokens with a tokenizer it wants to download.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median


def main() -> None:
    """Evaluate, load, and say how long it took."""
    from inspect_ai import Task, eval  # noqa: A004  its name there
    from inspect_ai.analysis import samples_df
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate

    folder, samples, repeats = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    outputs = []
    for number in range(samples):
        output = ModelOutput.from_content(
            "mockllm/model", f"Finding {number}: liability is limited to the fees."
        )
        output.usage = ModelUsage(input_tokens=900, output_tokens=50, total_tokens=950)
        outputs.append(output)
    task = Task(
        dataset=[Sample(input=f"Review contract {n}.", target="fees.") for n in range(samples)],
        solver=generate(),
        scorer=match(),
    )
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = eval(task, model=model, log_dir=str(folder), display="none")
    if log.status != "success":
        raise AssertionError(f"the evaluation ended as {log.status}: {log.error}")
    walls, processors = [], []
    for number in range(repeats + 1):
        wall, processor = time.perf_counter(), time.process_time()
        frame = samples_df(str(folder), quiet=True)
        if len(frame) != samples:
            raise AssertionError(f"{len(frame)} samples instead of {samples}")
        if number:  # the first one loads libraries
            walls.append(time.perf_counter() - wall)
            processors.append(time.process_time() - processor)
    (file,) = folder.glob("*.eval")
    found = {
        "wall": median(walls) * 1000,
        "processor": median(processors) * 1000,
        "bytes": file.stat().st_size / samples,
        "version": version("inspect_ai"),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
