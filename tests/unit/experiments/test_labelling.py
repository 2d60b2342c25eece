from __future__ import annotations

from nightschool.events.experiment import FeedbackRecorded
from nightschool.experiments.labelling import Judged, labels_of, review_queue
from nightschool.outcomes.labels import Agreed
from nightschool.outcomes.noise import GraderNoise
from nightschool.outcomes.tiers import Tier


def judged(name: str, score: float, *, acceptable: bool | None = None, labelled: bool = False) -> Judged:
    said = Agreed(acceptable=acceptable, score=None, people=("ann",)) if labelled else None
    return Judged(
        trial_id=name,
        session_id=f"sesn_{name}",
        arm="single",
        sample_id="a",
        epoch=0,
        scores={"accuracy": score},
        said=said,
    )


def order(*results: Judged, sd: float = 0.0) -> list[str]:
    noise = GraderNoise(sd={"accuracy": sd})
    queue = review_queue(results, tier=Tier.STANDARD, noise=noise, weights={})
    return [each.judged.trial_id for each in queue]


def test_the_least_sure_verdict_asks_first() -> None:
    results = [judged("clear", 0.99), judged("near", 0.76), judged("below", 0.7)]

    assert ["near", "below", "clear"] == order(*results)
    assert ["near", "below", "clear"] == order(*results, sd=0.05)


def test_what_nobody_labelled_comes_before_what_is_disputed_and_that_before_what_is_settled() -> None:
    results = [
        judged("settled", 0.75, labelled=True, acceptable=True),
        judged("disputed", 0.75, labelled=True),
        judged("open", 0.2),
    ]

    assert ["open", "disputed", "settled"] == order(*results)


def test_only_what_a_person_decided_is_a_label() -> None:
    events = [
        FeedbackRecorded(id="sevt_1", source="true_check", value=1.0),
        FeedbackRecorded(id="sevt_2", source="user", value=0.0, decision="reject", given_by="ann"),
    ]

    assert [("reject", "ann", "")] == [
        (each.decision, each.given_by, each.note) for each in labels_of(events)
    ]
