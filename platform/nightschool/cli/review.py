"""`nightschool review`: the same work on a document of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import connect_model, open_workspace
from nightschool.cli.console import command, messages, results, show_json
from nightschool.core.errors import InvalidInput, NotFound
from nightschool.experiments.arms import load_arm
from nightschool.experiments.remembering import given, recall_for
from nightschool.experiments.reviews import refuse_what_cannot_grade, setup_of
from nightschool.experiments.suite import load_suite
from nightschool.experiments.tier_choice import infer_tier
from nightschool.models.embed import MiniLmEmbedder
from nightschool.orchestration.review import Review, Workplace
from nightschool.orchestration.routes import run_review
from nightschool.outcomes.findings import Finding, findings_of
from nightschool.outcomes.playbook import Policy, policies_of
from nightschool.outcomes.tiers import Tier
from nightschool.sandbox.documents import parse_document
from nightschool.settings import Settings

__all__ = ["review"]

_COLOURS = {"violation": "red", "missing": "yellow", "compliant": "green"}


@click.command()
@click.argument("document", type=click.Path(path_type=Path))
@click.option("--arm", default="orchestrated", show_default=True, help="How the work is routed.")
@click.option("--brain", default="reader", show_default=True, help="reader, or a claude-... model.")
@click.option(
    "--playbook", type=click.Path(path_type=Path), help="Policies of your own, in the suite's form."
)
@click.option(
    "--tier", type=click.Choice([*map(str, Tier)]), help="Default: inferred from the field it belongs to."
)
@click.option("--memory", "store", help="Recall from this memory store; else from the arm's.")
@click.option("--json", "as_json", is_flag=True, help="Print the positions as JSON.")
@click.pass_obj
def review(  # noqa: PLR0913  # one parameter per option
    settings: Settings,
    /,
    *,
    document: Path,
    arm: str,
    brain: str,
    playbook: Path | None,
    tier: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Review DOCUMENT (Markdown or numbered plain text) against the playbook."""
    suite = load_suite("contracts", settings.suite_dirs)
    places = [folder / "arms" for folder in settings.suite_dirs]
    chosen = load_arm(arm, places, agent_folders=[suite.folder])
    policies_text = _text(playbook) if playbook else suite.module.playbook_text()
    parsed = parse_document(_text(document), name=document.name)
    policies, embedder = policies_of(policies_text), MiniLmEmbedder()
    held_to = infer_tier(
        f"Review {parsed.title} on {', '.join(policy.title for policy in policies)}",
        asked=tier,
        folders=settings.suite_dirs,
        embedder=lambda: embedder,
    )
    setup = setup_of(chosen)
    refuse_what_cannot_grade(chosen, setup, brain)
    store = store or chosen.memory
    with open_workspace(settings) as workspace:
        recalled = None if store is None else recall_for(workspace, store, parsed, embedder, chosen.top_k)
        task = Review(
            id=workspace.ids.new("trial"),
            document=parsed,
            playbook=policies_text,
            policies=policies,
            rubric=suite.rubric,
            model=brain,
            setup=setup,
            metadata={"source": "review", "arm": arm, "document": document.name},
            tier=held_to.tier,
            tier_facts=held_to.as_facts(),
        )
        if recalled is not None:
            task = given(task, recalled)
        limit = chosen.context_limit_tokens
        model = connect_model(settings, brain, context_limit_tokens=limit, embedder=embedder)
        place = Workplace(log=workspace.log, model=model, clock=workspace.clock, embedder=embedder)
        answer = anyio.run(_reviewed, task, place)
        if recalled is not None:
            messages().print(f"{len(recalled.chosen)} memories recalled, {recalled.tokens} tokens")
        workspace.warehouse.sync(workspace.journal)
    if as_json:
        tier_facts = {"tier": str(task.tier), **task.tier_facts}
        show_json({"session_id": task.root_session_id, **tier_facts, **answer})
    else:
        _print(answer, task)


async def _reviewed(task: Review, place: Workplace) -> Mapping[str, Any]:
    try:
        return await run_review(task, place)
    finally:
        await place.model.aclose()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"no file {path}", path=str(path)) from error
    except IsADirectoryError as error:
        raise InvalidInput(f"{path} is a folder; name one document", path=str(path)) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path} is not UTF-8 text (byte {error.start}); save it as Markdown or plain text first",
            path=str(path),
        ) from error


def _print(answer: Mapping[str, Any], task: Review) -> None:
    titles = {policy.id: policy for policy in task.policies}
    table = Table("policy", "position", "section", "sure", "words it rests on", box=None)
    shown = sorted(findings_of(answer), key=lambda finding: (finding.position == "compliant", finding.policy))
    for finding in shown:
        table.add_row(*_row(finding, titles.get(finding.policy)))
    results().print(table)
    for title in answer.get("failed", ()):
        messages().print(f"not reviewed, its task failed: {title}", markup=False, style="yellow")
    results().print(f"tier {task.tier} · {task.tier_facts['tier_reason']}", markup=False)
    trace = command("trace", task.root_session_id)
    if answer.get("failed"):
        messages().print(f"so nothing can be called missing; why it failed: {trace}", markup=False)
    results().print(f"stored as session {task.root_session_id} · {trace}", markup=False)


def _row(finding: Finding, policy: Policy | None) -> tuple[str, str, str, str, str]:
    optional = finding.position == "missing" and policy is not None and not policy.required
    position = "not addressed" if optional else finding.position
    colour = "dim" if optional else _COLOURS.get(finding.position, "")
    title = f"{finding.policy} {policy.title}" if policy else finding.policy
    # A contract's own brackets are no markup.
    return (
        escape(title),
        f"[{colour}]{position}[/]" if colour else position,
        escape(finding.section or "—"),
        f"{finding.confidence:.2f}",
        escape(finding.quote or ""),
    )
