"""What every executor must do, as one suite of tests that its backend inherits.

    class TestMine(ExecutorConformance):
        def make(self) -> Executor:
            return MineExecutor(...)

Knows nothing about backends. The pieces of work stand in this module, so that they can be imported wherever a
backend does its work.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import anyio

from nightschool.core.errors import InvalidInput, ModelRefusedRequest, ModelUnavailable
from nightschool.experiments.executor import Executor, Result, Spec

__all__ = ["ExecutorConformance", "double", "flaky", "nap", "refused", "tell"]

_HERE = __name__
_ATTEMPTS: dict[str, int] = {}

Report = Callable[[Mapping[str, Any]], None]


async def double(args: dict[str, Any], report: Report) -> Any:
    """Return twice the number, with an event."""
    report({"seq": 1, "number": args["number"]})
    return {"number": 2 * args["number"]}


async def flaky(args: dict[str, Any], report: Report) -> Any:
    """Fail as often as asked with an error that may pass, telling an event each time."""
    done = _ATTEMPTS[args["key"]] = _ATTEMPTS.get(args["key"], 0) + 1
    report({"seq": 1, "attempt": done})
    if done <= args["failures"]:
        raise ModelUnavailable("busy")
    return done


async def refused(args: dict[str, Any], report: Report) -> Any:  # noqa: ARG001  # an entry's signature
    """Fail with an error that does not pass."""
    raise ModelRefusedRequest("wrong")


async def nap(args: dict[str, Any], report: Report) -> Any:  # noqa: ARG001  # an entry's signature
    """Sleep."""
    await anyio.sleep(args["seconds"])
    return "slept"


async def tell(args: dict[str, Any], report: Report) -> Any:
    """Report so many events in order."""
    for number in range(args["count"]):
        report({"seq": number})
    return None


def _spec(name: str, spec_id: str, **options: Any) -> Spec:
    args = options.pop("args", {})
    return Spec(id=spec_id, entry=f"{_HERE}:{name}", args=args, **options)


class ExecutorConformance:
    """Inherit, say how to make one, and mark the class for AnyIO."""

    @abstractmethod
    def make(self) -> Executor:
        """Return a fresh executor, whose pauses between attempts are short."""

    async def _all(self, *specs: Spec, limit: int = 4) -> dict[str, Result]:
        executor = self.make()
        try:
            async with executor.run(specs, limit=limit) as results:
                return {result.id: result async for result in results}
        finally:
            await executor.close()

    async def test_every_piece_of_work_has_one_result(self) -> None:
        """Whatever the width."""
        specs = [_spec("double", f"n{n}", args={"number": n}) for n in range(25)]
        found = await self._all(*specs)
        _require(len(found) == 25, "25 results")
        _require(all(found[f"n{n}"].value == {"number": 2 * n} for n in range(25)), "the values")

    async def test_events_come_back_with_the_result_in_order(self) -> None:
        """As they were told."""
        found = await self._all(_spec("tell", "t", args={"count": 30}))
        _require([event["seq"] for event in found["t"].events] == list(range(30)), "the order")

    async def test_an_error_that_may_pass_is_tried_again_and_leaves_no_events(self) -> None:
        """The events of the attempt that succeeded, and no others."""
        key = f"flaky-{id(self)}"
        found = await self._all(_spec("flaky", "f", args={"key": key, "failures": 2}, retries=2))
        result = found["f"]
        _require((result.ok, result.attempts) == (True, 3), "three attempts")
        _require([event["attempt"] for event in result.events] == [3], "one attempt's events")

    async def test_tries_end(self) -> None:
        """With the error, after as many attempts as were allowed."""
        key = f"hopeless-{id(self)}"
        found = await self._all(_spec("flaky", "f", args={"key": key, "failures": 9}, retries=1))
        _require((found["f"].ok, found["f"].attempts) == (False, 2), "two attempts")
        _require((found["f"].error or {}).get("code") == "model_unavailable", "the error's code")

    async def test_an_error_that_does_not_pass_is_told_at_once(self) -> None:
        """By its code, after one attempt, and the others go on."""
        found = await self._all(_spec("refused", "r"), _spec("double", "d", args={"number": 1}))
        _require((found["r"].attempts, found["d"].ok) == (1, True), "one attempt, the others go on")
        _require((found["r"].error or {}).get("code") == "model_refused_request", "the error's code")

    async def test_an_entry_that_is_none_is_an_error_and_no_crash(self) -> None:
        """It is found out where the work would be done."""
        found = await self._all(Spec(id="x", entry="nowhere:nothing"))
        _require((found["x"].error or {}).get("code") == "invalid_input", "the error's code")

    async def test_a_deadline_ends_an_attempt(self) -> None:
        """And counts as an error that may pass."""
        nap_ = _spec("nap", "n", args={"seconds": 30}, timeout_seconds=0.05, retries=1)
        found = await self._all(nap_)
        _require((found["n"].error or {}).get("code") == "task_timeout", "the error's code")
        _require(found["n"].attempts == 2, "two attempts")

    async def test_what_is_cancelled_stops_and_the_others_go_on(self) -> None:
        """Also when it has begun."""
        executor = self.make()
        found: dict[str, Result] = {}
        specs = [_spec("nap", "long", args={"seconds": 30}), _spec("double", "d", args={"number": 1})]
        with anyio.fail_after(10):
            async with executor.run(specs, limit=2) as results:
                async for result in results:
                    found[result.id] = result
                    if result.id == "d":
                        await executor.cancel("long")
        await executor.close()
        _require((found["long"].error or {}).get("code") == "cancelled", "cancelled")

    async def test_higher_priority_goes_first(self) -> None:
        """One at a time, so that the order can be seen."""
        executor = self.make()
        specs = [_spec("double", f"p{p}", args={"number": p}, priority=p) for p in (0, 5, 9, 1)]
        async with executor.run(specs, limit=1) as results:
            order = [result.id async for result in results]
        await executor.close()
        _require(order == ["p9", "p5", "p1", "p0"], f"the order, not {order}")

    async def test_no_more_run_at_once_than_allowed(self) -> None:
        """Four naps two at a time take two naps' time."""
        specs = [_spec("nap", f"n{n}", args={"seconds": 0.1}) for n in range(4)]
        with anyio.move_on_after(0.15) as early:
            await self._all(*specs, limit=2)
        _require(early.cancelled_caught, "two rounds")

    async def test_leaving_early_stops_the_work(self) -> None:
        """Nothing is waited for."""
        executor = self.make()
        specs = [_spec("double", "d", args={"number": 1}), _spec("nap", "long", args={"seconds": 30})]
        with anyio.fail_after(10):
            async with executor.run(specs, limit=2) as results:
                async for _ in results:
                    break
        await executor.close()

    async def test_what_cannot_cross_machines_is_refused_before_anything_runs(self) -> None:
        """Live objects, ids given twice, no width."""
        executor = self.make()
        twice = [_spec("double", "a", args={"number": 1})] * 2
        for specs, limit in (([_spec("double", "a", args={"number": object()})], 1), (twice, 1), ([], 0)):
            refused_ = False
            try:
                async with executor.run(specs, limit=limit):
                    pass
            except InvalidInput:
                refused_ = True
            _require(refused_, "a refusal")
        await executor.close()


def _require(holds: bool, what: str) -> None:  # noqa: FBT001  # an assertion in a package that is not a test
    if not holds:
        raise AssertionError(f"expected {what}")
