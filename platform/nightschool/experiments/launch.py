"""From a request to a running experiment: suite and arms are loaded, declared, and put to work.

Composition only: what is decided is decided in `design`, what is done is done in `runner`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nightschool import __version__
from nightschool.bootstrap import Workspace, connect_model
from nightschool.core.errors import InvalidInput, NotFound
from nightschool.core.ids import derived_id
from nightschool.events.experiment import ExperimentCreated
from nightschool.experiments.arms import Arm, load_arm
from nightschool.experiments.design import Manifest, changes_since, declare, manifest_hash
from nightschool.experiments.experiment_log import open_log
from nightschool.experiments.hand_in_trials import HandInTrials, refuse_what_makes_nothing
from nightschool.experiments.ledger import Only
from nightschool.experiments.lookup import find_experiment, read_ledger
from nightschool.experiments.measures import OF_EVERY_TRIAL
from nightschool.experiments.plan_trials import PlanTrials, plan_setup_of
from nightschool.experiments.probes import gaming_probes, probe_suite
from nightschool.experiments.progress import Progress
from nightschool.experiments.regrading import Action, Step, decide_all, regraded, regraded_manifest
from nightschool.experiments.remembering import changed_stores, freeze, remembered
from nightschool.experiments.reviews import ReviewTrials, refuse_what_cannot_grade, setup_of
from nightschool.experiments.runner import RunOutcome, run
from nightschool.experiments.statistics import has_shared_sources
from nightschool.experiments.suite import Suite, load_suite
from nightschool.experiments.tier_choice import tier_of_suite
from nightschool.experiments.variants import Recipe, vary
from nightschool.models.embed import Embedder, MiniLmEmbedder
from nightschool.orchestration.review import Workplace

__all__ = ["Launch", "Request", "declare_request", "finish", "regrade_experiment", "start"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a person asked to be compared."""

    suite: str
    arms: tuple[str, ...]
    """The first is the baseline."""
    brain: str = "reader"
    repeats: int = 2
    samples: tuple[str, ...] = ()
    """Sample ids; empty: all of the suite."""
    seed: int = 0
    tier: str | None = None
    """None: what the suite or its field asks for."""
    declared: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the manifest: question, family, smallest effect, factors, stop rule, budget."""
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    """Arm to how it is made from another, where it has no file of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """An experiment ready to run, or to run on."""

    experiment_id: str
    manifest: Manifest
    suite: Suite
    workspace: Workspace
    trials: HandInTrials | PlanTrials | ReviewTrials
    """Does the work of one trial."""

    async def run(
        self,
        *,
        trials_at_once: int = 1,
        on_progress: Callable[[Progress], None] | None = None,
        only: Only | None = None,
    ) -> RunOutcome:
        """Run what is not yet done. Raises as `runner.run`."""
        async with self.trials:
            return await run(
                self.manifest,
                experiment_id=self.experiment_id,
                log=await open_log(self.workspace.log, self.experiment_id),
                suite=self.suite,
                run_trial=self.trials,
                clock=self.workspace.clock,
                trials_at_once=trials_at_once,
                on_progress=on_progress,
                only=only,
            )


def _load(
    workspace: Workspace, suite_name: str, arm_names: Sequence[str], recipes: Mapping[str, Recipe]
) -> tuple[Suite, tuple[Arm, ...]]:
    folders = workspace.settings.suite_dirs
    suite = load_suite(suite_name, folders)
    places = [suite.folder / "arms", *(folder / "arms" for folder in folders)]

    def made(name: str) -> Arm:
        recipe = recipes.get(name)
        arm = load_arm(name if recipe is None else recipe.arm, places, agent_folders=[suite.folder])
        return arm if recipe is None else vary(arm, recipe, name)

    return suite, tuple(made(name) for name in arm_names)


def _chosen(suite: Suite, wanted: Sequence[str]) -> list[str]:
    known = [sample.id for sample in suite.module.samples(suite.config)]
    unknown = [sample for sample in wanted if sample not in known]
    if unknown:
        raise NotFound(f"suite `{suite.name}` has no sample `{unknown[0]}`; it has: {', '.join(known)}")
    return list(wanted) or known


def _shared_sources(suite: Suite, samples: Sequence[str]) -> dict[str, str]:
    """Return what the samples were taken from; nothing where no two share a source."""
    sources = {
        sample.id: str(sample.facts["source"])
        for sample in suite.module.samples(suite.config)
        if sample.id in samples and "source" in sample.facts
    }
    return sources if has_shared_sources(samples, sources) else {}


def start(workspace: Workspace, request: Request) -> Launch:
    """Declare a new experiment.

    Raises:
        NotFound: no such suite, arm, sample, model or memory store.
        Malformed: a suite or arm cannot be used, or the request contradicts itself.
        ConfigurationMissing: the brain needs a key.
    """
    manifest, suite, arms = declare_request(workspace, request)
    return _ready(workspace, workspace.ids.new("experiment"), manifest, suite, arms)


def declare_request(workspace: Workspace, request: Request) -> tuple[Manifest, Suite, tuple[Arm, ...]]:
    """Return what would be run, without running it and without a trace. Raises as `start`."""
    suite, arms = _load(workspace, request.suite, request.arms, request.recipes)
    samples = _chosen(suite, request.samples)
    folders = workspace.settings.suite_dirs
    probed = probe_suite(suite, samples, seed=request.seed)
    _refuse_unmeasured(suite, request, {name for result in probed for name in result.measured})
    tier = tier_of_suite(suite, asked=request.tier, folders=folders, embedder=MiniLmEmbedder)
    manifest = declare(
        {
            "suite": suite.name,
            "suite_hash": suite.content_hash,
            "arms": [arm.name for arm in arms],
            "arm_hashes": {arm.name: arm.definition_hash for arm in arms},
            "samples": samples,
            "repeats": request.repeats,
            "seed": request.seed,
            "tier": str(tier.tier),
            **tier.as_facts(),
            "brain": request.brain,
            "code_version": __version__,
            "primary_metric": suite.primary_metric,
            "lower_is_better": suite.lower_is_better,
            "weights": dict(suite.weights),
            "routings": {arm.name: str(arm.routing) for arm in arms},
            "grader_sd": dict(suite.grader_sd),
            "gameable_by": gaming_probes(probed),
            "declared_at": workspace.clock.now(),
            "sources": _shared_sources(suite, samples),
            "memories": {arm.name: frozen for arm in arms if (frozen := freeze(workspace, arm)) is not None},
            "recipes": {name: recipe.as_json() for name, recipe in request.recipes.items()},
            "brains": {name: recipe.brain for name, recipe in request.recipes.items() if recipe.brain},
            **request.declared,
        }
    )
    return manifest, suite, arms


def _refuse_unmeasured(suite: Suite, request: Request, measured: set[str]) -> None:
    wanted, known = request.declared.get("primary_metric"), measured | OF_EVERY_TRIAL
    if wanted is not None and wanted not in known:
        raise NotFound(
            f"`primary_metric`: suite `{suite.name}` measures no `{wanted}`;"
            f" it has: {', '.join(sorted(known))}"
        )


async def finish(workspace: Workspace, experiment: str) -> Launch:
    """Take up an experiment that was interrupted.

    Raises:
        NotFound: no such experiment.
        InvalidInput: the suite, an arm or the code is no longer what was declared.
    """
    ledger = await read_ledger(workspace, experiment)
    manifest = ledger.manifest
    recipes = {name: Recipe(**fields) for name, fields in manifest.recipes.items()}
    suite, arms = _load(workspace, manifest.suite, manifest.arms, recipes)
    changes = changes_since(
        manifest,
        suite_hash=suite.content_hash,
        arm_hashes={arm.name: arm.definition_hash for arm in arms},
        code_version=__version__,
    )
    changes += changed_stores(workspace, manifest.memories)
    if changes:
        raise InvalidInput(
            f"this experiment cannot be finished as it was declared: {'; '.join(changes)}."
            " Restore that, or run a new experiment. Where its suite lies in a folder of its own, name that:"
            f" nightschool run FOLDER --resume {experiment}"
        )
    experiment_id = await find_experiment(workspace, experiment)
    return _ready(workspace, experiment_id, manifest, suite, arms)


async def regrade_experiment(
    workspace: Workspace, experiment: str, *, dry_run: bool
) -> tuple[list[Step], str | None]:
    """Score recorded answers by the suite as it is now; return what each trial needs and the new experiment.

    Nothing is written on a dry run, nor where every trial would have to be run again.

    Raises:
        NotFound: no such experiment, suite or arm.
        Malformed: the suite or an arm cannot be used.
    """
    ledger = await read_ledger(workspace, experiment)
    manifest, source = ledger.manifest, await find_experiment(workspace, experiment)
    recipes = {name: Recipe(**fields) for name, fields in manifest.recipes.items()}
    suite, arms = _load(workspace, manifest.suite, manifest.arms, recipes)
    hashes = {arm.name: arm.definition_hash for arm in arms}
    steps = decide_all(manifest, ledger.results(), suite, hashes)
    kept = [step for step in steps if step.action is not Action.RERUN]
    if dry_run or not kept:
        return steps, None
    now = workspace.clock.now()
    anew = regraded_manifest(manifest, suite, hashes, source=source, now=now)
    experiment_id = workspace.ids.new("experiment")
    scored = [regraded(step, suite, anew, experiment_id) for step in kept]
    log = await open_log(workspace.log, experiment_id)
    created = ExperimentCreated(
        id=derived_id("event", experiment_id, "experiment.created"),
        experiment_id=experiment_id,
        manifest=anew.model_dump(mode="json"),
        manifest_hash=manifest_hash(anew),
    )
    await log.emit_event(created, *scored)
    return steps, experiment_id


def _ready(
    workspace: Workspace, experiment_id: str, manifest: Manifest, suite: Suite, arms: Sequence[Arm]
) -> Launch:
    """Put an experiment together; a brain without a key or an arm without its agent is refused here."""
    embedder = MiniLmEmbedder()
    brains = {arm.name: manifest.brains.get(arm.name, manifest.brain) for arm in arms}
    places = {
        (brain, limit): Workplace(
            log=workspace.log,
            model=connect_model(workspace.settings, brain, context_limit_tokens=limit, embedder=embedder),
            clock=workspace.clock,
            embedder=embedder,
        )
        for brain, limit in {(brains[arm.name], arm.context_limit_tokens) for arm in arms}
    }
    workplaces = {arm.name: places[brains[arm.name], arm.context_limit_tokens] for arm in arms}
    trials = _trials(workspace, manifest, suite, arms, workplaces, embedder)
    return Launch(
        experiment_id=experiment_id, manifest=manifest, suite=suite, workspace=workspace, trials=trials
    )


def _trials(
    workspace: Workspace,
    manifest: Manifest,
    suite: Suite,
    arms: Sequence[Arm],
    workplaces: Mapping[str, Workplace],
    embedder: Embedder,
) -> HandInTrials | PlanTrials | ReviewTrials:
    if suite.trials == "plans":
        return PlanTrials(
            log=workspace.log,
            clock=workspace.clock,
            models={name: place.model for name, place in workplaces.items()},
            setups={arm.name: plan_setup_of(arm) for arm in arms},
        )
    memories = {
        name: remembered(workspace, frozen, embedder, manifest.declared_at)
        for name, frozen in manifest.memories.items()
    }
    if suite.hand_in is not None:
        for arm in arms:
            refuse_what_makes_nothing(suite, manifest.brains.get(arm.name, manifest.brain))
        return HandInTrials(
            suite=suite,
            tool=suite.hand_in,
            workplaces=workplaces,
            setups={arm.name: setup_of(arm, hand_in=suite.hand_in.name) for arm in arms},
            clock=workspace.clock,
            memories=memories,
        )
    setups = {arm.name: setup_of(arm) for arm in arms}
    for arm in arms:
        refuse_what_cannot_grade(arm, setups[arm.name], manifest.brains.get(arm.name, manifest.brain))
    return ReviewTrials(
        workplaces=workplaces,
        setups=setups,
        playbook=suite.module.playbook_text(),
        rubric=suite.rubric,
        memories=memories,
    )
