"""From a request to a finished memory experiment: suite, arm and brain are loaded and put to work."""

from __future__ import annotations

from collections.abc import Callable

from nightschool.bootstrap import Workspace, connect_model
from nightschool.dreaming.rules import Rules
from nightschool.experiments.arms import load_arm
from nightschool.experiments.memory_effect.kept import keep_effect
from nightschool.experiments.memory_effect.protocol import EffectDesign, EffectReport, Protocol
from nightschool.experiments.memory_effect.team import Team
from nightschool.experiments.reviews import setup_of
from nightschool.experiments.suite import load_suite
from nightschool.models.embed import CachedEmbedder, MiniLmEmbedder
from nightschool.orchestration.review import Workplace

__all__ = ["measure_effect"]


async def measure_effect(
    workspace: Workspace,
    *,
    suite_name: str,
    rules: Rules,
    design: EffectDesign,
    brain: str = "reader",
    seed: int = 0,
    on_progress: Callable[[str], None] = lambda _: None,
) -> EffectReport:
    """Run the memory experiment on a suite and keep its report in the log.

    Raises:
        NotFound: no such suite or model.
        InvalidInput: the suite cannot measure memory, or something leaked.
    """
    folders = workspace.settings.suite_dirs
    suite = load_suite(suite_name, folders)
    arm = load_arm("single", [folder / "arms" for folder in folders], agent_folders=[suite.folder])
    embedder = CachedEmbedder(MiniLmEmbedder())
    model = connect_model(workspace.settings, brain, context_limit_tokens=None, embedder=embedder)
    team = Team(
        suite=suite,
        setup=setup_of(arm),
        place=Workplace(log=workspace.log, model=model, clock=workspace.clock),
        brain=brain,
        experiment_id=workspace.ids.new("experiment"),
        seed=seed,
    )
    try:
        report = await Protocol(
            workspace=workspace,
            suite=suite,
            team=team,
            embedder=CachedEmbedder(MiniLmEmbedder()),
            rules=rules,
            design=design,
            on_progress=on_progress,
        ).run()
        await keep_effect(workspace.log, report, design=design, suite=suite.name, seed=seed)
        return report
    finally:
        await model.aclose()
