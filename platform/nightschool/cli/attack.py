"""`nightschool memory attack`: how far attempts to poison what is learnt would come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import open_workspace
from nightschool.cli.console import json_option, results, show_json
from nightschool.core.clock import SystemClock
from nightschool.core.errors import NotFound
from nightschool.dreaming.rules import RULES
from nightschool.dreaming.shelf import Shelf
from nightschool.experiments.poisoning.trial import AttackRow, Ground, attack_all, harmless
from nightschool.memory.heads import Heads
from nightschool.memory.store import MemoryStore
from nightschool.models.embed import CachedEmbedder, MiniLmEmbedder
from nightschool.settings import Settings

__all__ = ["attack"]


@click.command()
@click.option("--store", "name", help="Attack a copy of this store too, with the episodes behind it.")
@click.option(
    "--rules", "rules_name", default="all", show_default=True, type=click.Choice(["all", *sorted(RULES)])
)
@json_option
@click.pass_obj
def attack(settings: Settings, *, name: str | None, rules_name: str, as_json: bool) -> None:
    """Try to poison an empty and a populated store, by both sets of rules, and say how far each attack came.

    Nothing is written: sessions are made up, learnt from and recalled in memory only.
    """
    now = SystemClock().now()
    grounds = [
        Ground(name="empty", memories={}),
        Ground(name="populated", episodes=harmless(now), memories={}),
    ]
    if name is not None:
        grounds.append(_own(settings, name))
    rules = [each for each in RULES.values() if rules_name in {"all", each.name}]
    rows = attack_all(grounds, rules, CachedEmbedder(MiniLmEmbedder()), now=now)
    if as_json:
        show_json([{**asdict(each), "success_rate": each.success_rate} for each in rows])
    else:
        _show(rows)


def _own(settings: Settings, name: str) -> Ground:
    with open_workspace(settings, read_only=True) as workspace:
        journal, clock = workspace.journal, workspace.clock
        head = Heads(journal=journal, clock=clock).get(name)
        store = MemoryStore(journal=journal, clock=clock, ids=workspace.ids, store_id=head.store_id)
        if not store.exists:
            raise NotFound(f"there is no memory store {name!r} to attack; leave out --store")
        episodes = Shelf(journal=journal, clock=clock, name=name).episodes()
        return Ground(name=f"store {name}", episodes=tuple(episodes), memories=store.memories())


def _show(rows: Sequence[AttackRow]) -> None:
    table = Table(
        "attack", "store", "rules", "learnt", "recallable", "held", "in the prompt", "harmless", box=None
    )
    for each in rows:
        counts = (each.learnt, each.recallable, each.held, each.succeeded, each.harmless)
        shares = (f"{count}/{each.tries}" for count in counts)
        table.add_row(escape(each.attack), escape(each.ground), each.rules, *shares)
    results().print(table)
