"""The protocol: work on the train trades, dream, freeze, test on the others, arm by arm.

Dreams see sessions of the train trades only: those of the test belong to another tenant. Stores are hashed
before the test and after it; what leaks from the test ends the run.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from anyio import to_thread

from nightschool.bootstrap import Workspace
from nightschool.core.errors import InvalidInput
from nightschool.core.tokens import text_tokens
from nightschool.core.usage import Usage
from nightschool.dreaming.adopt import Adoption
from nightschool.dreaming.consolidate import difference
from nightschool.dreaming.episode import in_order
from nightschool.dreaming.lifecycle import Lifetimes
from nightschool.dreaming.pipeline import Dreamer, Mode, learn
from nightschool.dreaming.rules import Rules
from nightschool.dreaming.shelf import Shelf
from nightschool.experiments.memory_effect.arms import (
    MemoryArm,
    filler,
    memory_of,
    placebo_texts,
    raw_memories,
    shuffled,
)
from nightschool.experiments.memory_effect.effect import (
    ArmEffect,
    Retention,
    effects,
    order_artefact,
    retention,
)
from nightschool.experiments.memory_effect.leakage import Secret, require_no_leak
from nightschool.experiments.memory_effect.price import Price, price
from nightschool.experiments.memory_effect.team import Played, Team
from nightschool.experiments.suite import Suite
from nightschool.memory.heads import Heads
from nightschool.memory.index import Embedder
from nightschool.memory.memory import Memory
from nightschool.memory.recall import Query, Recaller, RecallRules, Recollection
from nightschool.memory.render import render
from nightschool.memory.store import MemoryStore
from nightschool.memory.versions import hash_of
from nightschool.models.pricing import price_of
from nightschool.sandbox.documents import parse_document

__all__ = ["EffectDesign", "EffectReport", "Protocol"]

_LEARNT: Final = (MemoryArm.RAW, MemoryArm.INCREMENTAL, MemoryArm.REBUILT, MemoryArm.SHUFFLED)
"""Arms that owe their memories to the sessions learnt from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectDesign:
    """How much is done."""

    repeats: int = 1
    """Draws of each contract of the test."""
    orders: int = 5
    """Orders in which sessions are learnt from, for the learning curve."""
    points: tuple[float, ...] = (0.25, 0.5, 1.0)
    """Shares of the sessions learnt from, where the curve is measured."""
    curve_samples: int = 20
    """Contracts of the test on which the curve is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectReport:
    """What came out."""

    experiment_id: str
    brain: str
    rules: str
    train_sessions: int
    test_samples: int
    against_none: tuple[ArmEffect, ...]
    against_others: tuple[ArmEffect, ...]
    """The dreamt store against same tokens, raw episodes and placebo: the claim needs all three."""
    tokens: Mapping[str, float]
    """Tokens a session is given on average, arm by arm."""
    injected_share: Mapping[str, float]
    """Share of sessions that were given a memory at all."""
    incremental_differs: tuple[str, ...]
    """Paths in which the incremental store differs from the rebuilt one."""
    store_hash: str
    curves: tuple[tuple[float, ...], ...]
    curve_samples: int
    """Contracts of the test on which the curves were measured."""
    retention: Retention
    memories: int
    prices: Mapping[str, Price]
    """Tokens each arm costs against no memory. The dream asks no model: what is spent once is learning."""
    prices_usd: Mapping[str, Price] | None
    """The same at list price; None where the brain's price is not known."""
    artefact: tuple[float, float, float]
    """Second half minus first half of the work without memory, and the range that chance gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """Runs the experiment once."""

    workspace: Workspace
    suite: Suite
    team: Team
    embedder: Embedder
    rules: Rules
    design: EffectDesign = field(default_factory=EffectDesign)
    on_progress: Callable[[str], None] = lambda _: None

    async def run(self) -> EffectReport:
        """Run it.

        Raises:
            InvalidInput: the suite has no families, or something leaked from the test into a store.
        """
        train, test = self._split()
        played, comments = await self._train(train)
        stores = await to_thread.run_sync(partial(self._dream_all, played, comments))
        secrets = [self._secret(sample, epoch) for sample in test for epoch in range(self.design.repeats)]
        for arm, memories in stores.items():
            self.on_progress(f"looking for leaks: {arm}")
            require_no_leak(memories, secrets)
        frozen = {arm: hash_of(memories.values()) for arm, memories in stores.items()}
        results, tokens, used, shares = await self._test(test, stores)
        against_none = tuple(effects(results, MemoryArm.NONE, seed=self.team.seed))
        if frozen != {arm: hash_of(memories.values()) for arm, memories in stores.items()}:
            raise InvalidInput("a store changed during the test: the run is not used")
        dreamt = stores[MemoryArm.INCREMENTAL]
        return EffectReport(
            experiment_id=self.team.experiment_id,
            brain=self.team.brain,
            rules=self.rules.name,
            train_sessions=len(played),
            test_samples=len(test),
            against_none=against_none,
            against_others=self._against_others(results),
            tokens=tokens,
            injected_share=shares,
            incremental_differs=tuple(difference(dreamt, stores[MemoryArm.REBUILT])),
            store_hash=frozen[MemoryArm.INCREMENTAL],
            curves=await self._curves(played, test),
            curve_samples=len(self._curve_samples(test)),
            retention=await self._retention(train, {done.sample_id: done.session_id for done in played}),
            prices={each.arm: self._price(each, _tokens, used, played, len(test)) for each in against_none},
            prices_usd=None
            if price_of(self.team.brain) is None
            else {each.arm: self._price(each, self._usd, used, played, len(test)) for each in against_none},
            artefact=order_artefact([done.passed for done in played], seed=self.team.seed),
            memories=sum(memory.is_recallable for memory in dreamt.values()),
        )

    def _price(
        self,
        arm: ArmEffect,
        unit: Callable[[Usage], float],
        used: Mapping[str, Sequence[Usage]],
        played: Sequence[Played],
        contracts: int,
    ) -> Price:
        mean = {each: sum(map(unit, all_of)) / len(all_of) for each, all_of in used.items()}
        return price(
            cost=mean[arm.arm],
            success=arm.success,
            base_cost=mean[MemoryArm.NONE],
            base_success=arm.baseline_success,
            learning=sum(unit(done.used) for done in played) if arm.arm in _LEARNT else 0.0,
            sessions_served=contracts * self.design.repeats,
        )

    def _usd(self, usage: Usage) -> float:
        known = price_of(self.team.brain)
        return 0.0 if known is None else float(known.of(usage))

    def _split(self) -> tuple[list[tuple[str, str]], list[str]]:
        samples = self.suite.module.samples(self.suite.config)
        train = [
            (str(each.facts.get("family")), each.id) for each in samples if each.facts.get("split") == "train"
        ]
        test = [each.id for each in samples if each.facts.get("split") == "test"]
        families = {family for family, _ in train}
        if not train or not test or not hasattr(self.suite.module, "feedback"):
            raise InvalidInput(
                f"suite {self.suite.name} cannot measure memory: its samples need facts `family` and `split`"
                " (train or test), and its module a function `feedback`"
            )
        if families & {sample.rpartition("-")[0] for sample in test}:
            raise InvalidInput(f"suite {self.suite.name}: a family is in train and in test")
        return train, test

    async def _train(self, train: Sequence[tuple[str, str]]) -> tuple[list[Played], dict[str, str]]:
        played, comments = [], {}
        for place, (family, sample) in enumerate(train, start=1):
            self.on_progress(f"working without memory: {family} ({place} of {len(train)})")
            done = await self.team.review(sample, "train", tenant=self._tenant("train"))
            gold = self.suite.module.draw(sample, 0, self.team.seed).gold
            comment = self.suite.module.feedback(gold, done.answer)  # type: ignore[attr-defined]
            await self.team.comment(done, comment)
            played.append(done)
            comments[done.session_id] = comment
        return played, comments

    def _tenant(self, part: str) -> str:
        return f"{self.team.experiment_id}/{part}"

    def _dream_all(
        self, played: Sequence[Played], comments: Mapping[str, str]
    ) -> dict[MemoryArm, dict[str, Memory]]:
        self.on_progress("dreaming")
        families: dict[str, list[str]] = {}
        for done in played:
            families.setdefault(done.sample_id.rpartition("-")[0], []).append(done.session_id)
        incremental: dict[str, Memory] = {}
        for sessions in families.values():
            incremental = self._dream("incremental", sessions)
        everything = [done.session_id for done in played]
        return {
            MemoryArm.RAW: raw_memories(comments),
            MemoryArm.INCREMENTAL: incremental,
            MemoryArm.REBUILT: self._dream("rebuilt", everything, mode="rebuild"),
            MemoryArm.SHUFFLED: self._dream_wrong(),
        }

    def _dream_wrong(self) -> dict[str, Memory]:
        """Return what the same dream makes of the same sessions with exchanged labels."""
        space = self.workspace
        shelf = Shelf(journal=space.journal, clock=space.clock, name=f"{self.team.experiment_id}/incremental")
        episodes = shuffled(in_order(shelf.episodes()), self.team.seed)
        _, plan = learn({}, episodes, self.rules, now=space.clock.now(), lifetimes=Lifetimes())
        return plan.memories

    def _dream(self, name: str, sessions: Sequence[str], *, mode: Mode = "incremental") -> dict[str, Memory]:
        store = f"{self.team.experiment_id}/{name}"
        space = self.workspace
        dreamer = Dreamer(
            journal=space.journal,
            clock=space.clock,
            ids=space.ids,
            rules=self.rules,
            name=store,
            tenant=self._tenant("train"),
        )
        result = dreamer.dream(mode=mode, session_ids=sessions)
        if result.completed.status != "completed_no_change":
            adoption = Adoption(journal=space.journal, clock=space.clock, ids=space.ids)
            if adoption.dreamt(result.dream_id).verdict is None:
                adoption.adopt(result.dream_id, approved=True, approved_by="auto")
        head = Heads(journal=space.journal, clock=space.clock).get(store)
        found = MemoryStore(journal=space.journal, clock=space.clock, ids=space.ids, store_id=head.store_id)
        return found.memories() if found.exists else {}

    def _secret(self, sample: str, epoch: int) -> Secret:
        drawn = self.suite.module.draw(sample, epoch, self.team.seed)
        gold = drawn.gold if isinstance(drawn.gold, dict) else {}
        return Secret(sample_id=sample, document=drawn.document, canary=str(gold.get("canary", "")))

    def _recaller(self, memories: Mapping[str, Memory]) -> Recaller:
        rules = RecallRules(bounded=self.rules.bounded_recall)
        return Recaller.over(memories, self.embedder, rules)

    def _recall(self, recaller: Recaller, sample: str, epoch: int, tenant: str) -> Recollection:
        drawn = self.suite.module.draw(sample, epoch, self.team.seed)
        sections = parse_document(drawn.document, name=sample).sections
        queries = [Query(text=each.text, tenant=tenant) for each in sections if each.text.strip()]
        return recaller.recall_for_parts(queries, now=self.workspace.clock.now())

    async def _test(
        self, test: Sequence[str], stores: Mapping[MemoryArm, dict[str, Memory]]
    ) -> tuple[
        dict[str, dict[str, dict[int, float]]], dict[str, float], dict[str, list[Usage]], dict[str, float]
    ]:
        recallers = {arm: self._recaller(memories) for arm, memories in stores.items()}
        results: dict[str, dict[str, dict[int, float]]] = {arm: {} for arm in MemoryArm}
        sizes: dict[str, list[int]] = {arm: [] for arm in MemoryArm}
        used: dict[str, list[Usage]] = {arm: [] for arm in MemoryArm}
        for place, sample in enumerate(test, start=1):
            self.on_progress(f"testing: contract {place} of {len(test)}")
            for epoch in range(self.design.repeats):
                given = self._given(recallers, sample, epoch)
                for arm, (block, recalled) in given.items():
                    done = await self.team.review(
                        sample,
                        "test",
                        arm,
                        epoch=epoch,
                        memories=block,
                        recalled=recalled,
                        tenant=self._tenant("test"),
                    )
                    results[arm].setdefault(sample, {})[epoch] = done.passed
                    sizes[arm].append(text_tokens(block))
                    used[arm].append(done.used)
        tokens = _means(sizes)
        shares = {arm: sum(size > 0 for size in each) / len(each) for arm, each in sizes.items()}
        return results, tokens, used, shares

    def _given(
        self, recallers: Mapping[MemoryArm, Recaller], sample: str, epoch: int
    ) -> dict[MemoryArm, tuple[str, Recollection | None]]:
        found: dict[MemoryArm, tuple[str, Recollection | None]] = {MemoryArm.NONE: ("", None)}
        for arm, recaller in recallers.items():
            tenant = "" if arm is MemoryArm.RAW else self._tenant("train")
            recalled = self._recall(recaller, sample, epoch, tenant)
            found[arm] = render(each.memory for each in recalled.chosen), recalled
        tokens = text_tokens(found[MemoryArm.INCREMENTAL][0])
        found[MemoryArm.MATCHED] = filler(tokens), None
        placebo = [memory_of(f"/placebo/{n}", text) for n, text in enumerate(placebo_texts(tokens))]
        found[MemoryArm.PLACEBO] = render(placebo), None
        gold = self.suite.module.draw(sample, epoch, self.team.seed).gold
        truth = self.suite.module.oracle(gold)  # type: ignore[attr-defined]
        told = [memory_of(f"/oracle/{n}", text) for n, text in enumerate(truth)]
        found[MemoryArm.ORACLE] = render(told), None
        return {arm: found[arm] for arm in MemoryArm}

    def _against_others(self, results: Mapping[str, dict[str, dict[int, float]]]) -> tuple[ArmEffect, ...]:
        rivals = (MemoryArm.MATCHED, MemoryArm.PLACEBO, MemoryArm.RAW)
        dreamt = MemoryArm.INCREMENTAL
        return tuple(
            effect
            for rival in rivals
            for effect in effects(
                {rival: results[rival], dreamt: results[dreamt]}, rival, seed=self.team.seed
            )
        )

    def _curve_samples(self, test: Sequence[str]) -> Sequence[str]:
        return test[:: max(1, len(test) // self.design.curve_samples)]

    async def _curves(self, played: Sequence[Played], test: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        chosen = self._curve_samples(test)
        curves = []
        for order in range(self.design.orders):
            sessions = [done.session_id for done in played]
            random.Random(f"{self.team.seed}/{order}").shuffle(sessions)
            curve = []
            for share in self.design.points:
                self.on_progress(f"learning curve: order {order + 1} of {self.design.orders}, {share:.0%}")
                first = sessions[: round(share * len(sessions))]
                name = f"order {order}/{share}"
                memories = await to_thread.run_sync(partial(self._dream, name, first))
                curve.append(await self._success(memories, chosen, name))
            curves.append(tuple(curve))
        return tuple(curves)

    async def _success(self, memories: Mapping[str, Memory], samples: Sequence[str], name: str) -> float:
        recaller = self._recaller(memories)
        passed = []
        for sample in samples:
            recalled = self._recall(recaller, sample, 0, self._tenant("train"))
            done = await self.team.review(
                sample,
                name,
                memories=render(each.memory for each in recalled.chosen),
                recalled=recalled,
                tenant=self._tenant("test"),
            )
            passed.append(done.passed)
        return sum(passed) / len(passed)

    async def _retention(self, train: Sequence[tuple[str, str]], worked: Mapping[str, str]) -> Retention:
        families = list(dict.fromkeys(family for family, _ in train))
        table = []
        for dreams in range(len(families) + 1):
            self.on_progress(f"what is kept of earlier trades: {dreams} of {len(families)} dreams")
            sessions = [worked[sample] for family, sample in train if family in families[:dreams]]
            name = f"after {dreams}"
            memories = await to_thread.run_sync(partial(self._dream, name, sessions)) if sessions else {}
            row = []
            for family in families:
                # Another draw than the one learnt from: the same trade, other contracts.
                samples = [sample for each, sample in train if each == family]
                row.append(await self._success_on(memories, samples, name))
            table.append(row)
        return retention(table)

    async def _success_on(self, memories: Mapping[str, Memory], samples: Sequence[str], name: str) -> float:
        recaller = self._recaller(memories)
        passed = []
        for sample in samples[: max(1, len(samples) // 2)]:
            recalled = self._recall(recaller, sample, 1, self._tenant("train"))
            block = render(each.memory for each in recalled.chosen)
            done = await self.team.review(
                sample, name, epoch=1, memories=block, recalled=recalled, tenant=self._tenant("test")
            )
            passed.append(done.passed)
        return sum(passed) / len(passed)


def _means(values: Mapping[str, Sequence[int]]) -> dict[str, float]:
    return {arm: sum(each) / len(each) for arm, each in values.items()}


def _tokens(usage: Usage) -> float:
    return float(usage.total_tokens)
