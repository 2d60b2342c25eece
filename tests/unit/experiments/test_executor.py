from __future__ import annotations

import json

import pytest

from nightschool.core.errors import InvalidInput
from nightschool.core.retry import RetryPolicy
from nightschool.experiments.executor import Executor, LocalExecutor, Spec, find_entry
from nightschool.testing.executor import ExecutorConformance

pytestmark = pytest.mark.anyio

QUICK = RetryPolicy(first_delay_seconds=0.001)


class TestLocal(ExecutorConformance):
    def make(self) -> Executor:
        return LocalExecutor(retry=QUICK)


async def test_arguments_and_values_pass_through_json_as_they_would_between_machines() -> None:
    executor = LocalExecutor()
    spec = Spec(id="a", entry="nightschool.testing.executor:double", args={"number": 2})
    async with executor.run([spec], limit=1) as results:
        (result,) = [result async for result in results]
    assert {"number": 4} == json.loads(json.dumps(result.value))


async def test_a_closed_executor_takes_no_more_work() -> None:
    executor = LocalExecutor()
    await executor.close()
    with pytest.raises(InvalidInput, match="closed"):
        async with executor.run([], limit=1):
            pass


@pytest.mark.parametrize("name", ["json", "json:", "json:nothing", "no.such.module:f", "json:__name__", ":f"])
def test_an_entry_must_name_a_coroutine_of_a_module(name: str) -> None:
    with pytest.raises(InvalidInput, match="no entry"):
        find_entry(name)
