"""`nightschool dream tick`: the dreams that are due, done while nobody works."""

from __future__ import annotations

import click

from nightschool.bootstrap import open_workspace
from nightschool.cli.cold import lifetimes_of, put_away
from nightschool.cli.console import json_option, results, show_json
from nightschool.core.errors import InvalidInput
from nightschool.dreaming.adopt import Adoption
from nightschool.dreaming.drift import shift
from nightschool.dreaming.pipeline import Dreamer, Mode
from nightschool.dreaming.rules import RULES, rules_named
from nightschool.dreaming.schedule import Schedule, Timetable
from nightschool.dreaming.shelf import Shelf
from nightschool.memory.heads import DEFAULT_NAME
from nightschool.models.embed import MiniLmEmbedder
from nightschool.settings import Settings

__all__ = ["tick"]


@click.command()
@click.option("--store", "name", default=DEFAULT_NAME, show_default=True, help="For which store.")
@click.option("--tenant", default="", help="Whose sessions.")
@click.option(
    "--rules", "rules_name", default="sharpened", show_default=True, type=click.Choice(sorted(RULES))
)
@click.option(
    "--idle-minutes", default=15, show_default=True, type=click.IntRange(min=0), help="What counts as idle."
)
@click.option("--auto", is_flag=True, help="Adopt results when nothing speaks against them.")
@json_option
@click.pass_obj
def tick(  # one parameter per option
    settings: Settings,
    *,
    name: str,
    tenant: str,
    rules_name: str,
    idle_minutes: int,
    auto: bool,
    as_json: bool,
) -> None:
    """Do what is due: each night, each week, in idle hours. Run it from a schedule, every few minutes."""
    if not settings.dreaming:
        raise InvalidInput("dreaming is switched off (NIGHTSCHOOL_DREAMING=off); nothing was read or written")
    with open_workspace(settings, must_exist=True) as workspace:
        journal, clock, ids = workspace.journal, workspace.clock, workspace.ids
        timetable = Timetable(idle_minutes=idle_minutes)
        schedule = Schedule(journal=journal, clock=clock, name=name, timetable=timetable)
        dreamer = Dreamer(
            journal=journal,
            clock=clock,
            ids=ids,
            rules=rules_named(rules_name),
            name=name,
            tenant=tenant,
            lifetimes=lifetimes_of(settings),
        )
        embedder = MiniLmEmbedder()
        done: list[dict[str, str]] = []
        adoption = Adoption(
            journal=journal, clock=clock, ids=ids, embedder=embedder, suite=settings.adoption_suite
        )

        def once(mode: Mode) -> None:
            result = dreamer.dream(mode=mode)
            before, _ = adoption.stores(result.dream_id)
            if auto:
                adoption.adopt_unless_objected(result.dream_id)
            if mode == "incremental":
                moved = shift(before, result.plan.memories, embedder)
                schedule.put_rebuild(result.plan.memories, result.dream_id, shift=moved)
            done.append({"dream_id": result.dream_id, "mode": mode, "status": result.completed.status})
            if not as_json:
                results().print(f"dream {result.dream_id} ({mode}): {result.completed.status}", markup=False)

        shelf = Shelf(journal=journal, clock=clock, name=name)
        schedule.put_due(dreamt_position=shelf.watermark())
        while schedule.work("tick", once) is not None:
            """Until nothing is left, or agents begin to work."""
        if done:
            put_away(workspace)
        if as_json:
            show_json({"dreams": done, "idle": schedule.is_idle()})
        elif not done:
            waits = "nothing is due" if schedule.is_idle() else "agents are at work; what is due waits"
            results().print(waits)
