"""The peers of `benchmarks.orchestration`, run by an interpreter that has them: one peer, one process.

    PEER_PYTHON benchmarks/orchestration_peers.py langgraph-sqlite 50 20 3

Prints the seconds of each run as a JSON list, or nothing that can be read when the peer is not installed.
Building and compiling the graph is not counted.
"""

from __future__ import annotations

import asyncio
import json
import operator
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, Final, TypedDict

__all__ = ["PEERS", "main"]

Run = Callable[[int, int, int], Awaitable[list[float]]]


async def asyncio_graph(depth: int, width: int, repeats: int) -> list[float]:
    """Time the standard library: graphlib over all edges, a task group, no limit and no record."""
    edges = {
        (layer, place): [(layer - 1, each) for each in range(width)] if layer else []
        for layer in range(depth)
        for place in range(width)
    }

    async def node() -> None:
        return None

    async def once() -> None:
        sorter = TopologicalSorter(edges)
        sorter.prepare()
        while sorter.is_active():
            ready = sorter.get_ready()
            async with asyncio.TaskGroup() as group:
                for _ in ready:
                    group.create_task(node())
            sorter.done(*ready)

    return [await _timed(once) for _ in range(repeats)]


async def langgraph(depth: int, width: int, repeats: int) -> list[float]:
    """Time LangGraph without a checkpointer."""
    graph = _state_graph(depth, width).compile()
    limit = {"recursion_limit": depth + 10}
    return [await _timed(lambda: graph.ainvoke({"done": 0}, limit)) for _ in range(repeats)]


async def langgraph_sqlite(depth: int, width: int, repeats: int) -> list[float]:
    """Time LangGraph with its SQLite checkpointer as it comes: the next step does not wait for the disk."""
    return await _checkpointed(depth, width, repeats, "async")


async def langgraph_sqlite_sync(depth: int, width: int, repeats: int) -> list[float]:
    """Time LangGraph with its SQLite checkpointer, each step on disk before the next begins."""
    return await _checkpointed(depth, width, repeats, "sync")


async def _checkpointed(depth: int, width: int, repeats: int, durability: str) -> list[float]:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    found = []
    for number in range(repeats):
        with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
            async with AsyncSqliteSaver.from_conn_string(f"{folder}/checkpoints.sqlite") as saver:
                graph = _state_graph(depth, width).compile(checkpointer=saver)
                limit = {"recursion_limit": depth + 10, "configurable": {"thread_id": str(number)}}
                work = partial(graph.ainvoke, {"done": 0}, limit, durability=durability)
                found.append(await _timed(work))
    return found


class _State(TypedDict):
    done: Annotated[int, operator.add]


def _state_graph(depth: int, width: int) -> Any:
    from langgraph.graph import END, START, StateGraph

    async def node(_state: _State) -> dict[str, int]:
        return {"done": 1}

    builder = StateGraph(_State)
    for layer in range(depth):
        for place in range(width):
            builder.add_node(f"t{layer}_{place}", node)
            before = [f"t{layer - 1}_{each}" for each in range(width)] if layer else START
            builder.add_edge(before, f"t{layer}_{place}")
    builder.add_edge([f"t{depth - 1}_{place}" for place in range(width)], END)
    return builder


async def pydantic_graph(depth: int, width: int, repeats: int) -> list[float]:
    """Time pydantic-graph: each layer maps over a list and joins it again."""
    from pydantic_graph import GraphBuilder, reduce_list_append

    builder: Any = GraphBuilder(input_type=list[int], output_type=list[int])
    before: Any = builder.start_node
    for layer in range(depth):

        async def node(ctx: Any) -> int:
            return int(ctx.inputs)

        # The annotations of a function in a function cannot be looked up by name.
        node.__annotations__ = {"return": int}
        step = builder.step(node, node_id=f"step{layer}")
        join = builder.join(reduce_list_append, initial_factory=list[int], node_id=f"join{layer}")
        builder.add(builder.edge_from(before).map().to(step), builder.edge_from(step).to(join))
        before = join
    builder.add(builder.edge_from(before).to(builder.end_node))
    graph = builder.build()
    return [await _timed(lambda: graph.run(inputs=list(range(width)))) for _ in range(repeats)]


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await work()
    return time.perf_counter() - began


PEERS: Final[dict[str, Run]] = {
    "asyncio": asyncio_graph,
    "langgraph": langgraph,
    "langgraph-sqlite": langgraph_sqlite,
    "langgraph-sqlite-sync": langgraph_sqlite_sync,
    "pydantic-graph": pydantic_graph,
}
"""Name to what times it."""


def main(arguments: list[str]) -> int:
    """Time one peer and print the seconds of its runs."""
    name, depth, width, repeats = arguments
    print(json.dumps(asyncio.run(PEERS[name](int(depth), int(width), int(repeats)))))  # type: ignore[arg-type]  # a coroutine
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
