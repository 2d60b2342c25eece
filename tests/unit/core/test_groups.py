from __future__ import annotations

import pytest

from nightschool.core.errors import InvalidInput, StoreFull
from nightschool.core.groups import task_group

pytestmark = pytest.mark.anyio


async def _fail(error: Exception) -> None:
    raise error


async def _together(*errors: Exception) -> None:
    async with task_group() as group:
        for error in errors:
            group.start_soon(_fail, error)


async def test_one_error_comes_out_as_itself() -> None:
    with pytest.raises(InvalidInput, match="x"):
        await _together(InvalidInput("x"))


async def test_a_lost_store_outranks_what_could_be_gone_on_with() -> None:
    with pytest.raises(StoreFull) as caught:
        await _together(InvalidInput("x"), StoreFull())

    assert ["at the same time: InvalidInput: x"] == caught.value.__notes__


async def test_a_defect_outranks_everything() -> None:
    with pytest.raises(ZeroDivisionError):
        await _together(StoreFull(), ZeroDivisionError())


async def test_nested_groups_come_out_flat() -> None:
    async def outer() -> None:
        async with task_group() as group:
            group.start_soon(_together, InvalidInput("deep"))

    with pytest.raises(InvalidInput, match="deep"):
        await outer()
