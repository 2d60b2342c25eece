"""Which of the agents that can do a task does it: five policies, each a pure function of what is known.

`learned` is Thompson sampling (Thompson 1933): each agent's chance of a good result on a type of task has a
Beta distribution over past verdicts, and an agent is chosen as often as it is probably the best. That
probability is computed and logged, so that what was learnt can be weighed again later.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from nightschool.models.pricing import price_of
from nightschool.registry.agents import AgentFile

__all__ = ["AgentChoice", "ChoicePolicy", "Standing", "choose", "price", "probability_best"]

_GRID: Final = 400
_DEAR: Final = float("inf")


class ChoicePolicy(StrEnum):
    """How an agent is chosen among those that can do a task."""

    CAPABILITY = "capability"
    """The cheapest."""
    ROUND_ROBIN = "round_robin"
    """One after another."""
    LEAST_LOADED = "least_loaded"
    """The one with the fewest tasks at work."""
    CASCADE = "cascade"
    """The cheapest first, the next dearer one after each result that was not good enough."""
    LEARNED = "learned"
    """By past verdicts on tasks of the type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the choice may look at."""

    at_work: Mapping[str, int] = field(default_factory=dict)
    """Agent to tasks at work."""
    given: int = 0
    """Tasks given out before."""
    tried: tuple[str, ...] = ()
    """Who worked on this task before, in order."""
    timed_out: tuple[str, ...] = ()
    """Who took too long over it."""
    verdicts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Agent to good and bad results on tasks of this type."""
    run_model: str = ""
    """The model of agents that name none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChoice:
    """Who does the task, and how probable each choice was."""

    agent: AgentFile
    probabilities: Mapping[str, float]


def price(agent: AgentFile, run_model: str) -> float:
    """Return what a million tokens read by the agent cost in US dollars; infinite when nobody knows."""
    if agent.price is not None:
        return agent.price
    listed = price_of(agent.model or run_model)
    return _DEAR if listed is None else float(listed.input)


def choose(
    policy: ChoicePolicy, candidates: Sequence[AgentFile], standing: Standing, rng: random.Random
) -> AgentChoice:
    """Choose one of the candidates (at least one); who timed out only when there is nobody else."""
    fresh = [agent for agent in candidates if agent.name not in standing.timed_out] or list(candidates)
    cheap = sorted(fresh, key=lambda agent: (price(agent, standing.run_model), agent.name))
    match policy:
        case ChoicePolicy.CAPABILITY:
            return _surely(cheap[0])
        case ChoicePolicy.ROUND_ROBIN:
            return _surely(fresh[standing.given % len(fresh)])
        case ChoicePolicy.LEAST_LOADED:
            return _surely(min(cheap, key=lambda agent: standing.at_work.get(agent.name, 0)))
        case ChoicePolicy.CASCADE:
            untried = [agent for agent in cheap if agent.name not in standing.tried]
            return _surely(untried[0] if untried else cheap[-1])
        case ChoicePolicy.LEARNED:
            return _learned(fresh, standing.verdicts, rng)


def _surely(agent: AgentFile) -> AgentChoice:
    return AgentChoice(agent=agent, probabilities={agent.name: 1.0})


def _learned(
    agents: Sequence[AgentFile], verdicts: Mapping[str, tuple[int, int]], rng: random.Random
) -> AgentChoice:
    chances = probability_best({agent.name: verdicts.get(agent.name, (0, 0)) for agent in agents})
    (agent,) = rng.choices(agents, [chances[agent.name] for agent in agents])
    return AgentChoice(agent=agent, probabilities=chances)


def probability_best(verdicts: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Return for each agent the probability that its chance of a good result is the highest.

    Each chance has a Beta(1 + good, 1 + bad) distribution; the integral is taken on a grid.
    """
    import numpy as np
    from scipy.stats import beta

    edges = np.linspace(0.0, 1.0, _GRID + 1)
    below = {name: beta.cdf(edges, 1 + good, 1 + bad) for name, (good, bad) in verdicts.items()}
    found = {}
    for name, own in below.items():
        others = np.prod(
            [cdf for other, cdf in below.items() if other != name] or [np.ones_like(edges)], axis=0
        )
        found[name] = float(np.sum(np.diff(own) * (others[1:] + others[:-1]) / 2))
    total = sum(found.values())
    return {name: chance / total for name, chance in found.items()}
