"""A dream's step of putting findings into words: a model is asked once, and what came of it is written down.

Knows nothing about the model. The texts lie beside the log under their hashes, as those of memories do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from nightschool.core.clock import Clock
from nightschool.dreaming.asked_wording import Worded
from nightschool.dreaming.proposal import Proposal
from nightschool.dreaming.wording import Wording, checked, open_findings
from nightschool.events.dream import DreamWorded
from nightschool.journal.journal import Journal
from nightschool.memory.memory import Memory, sha256_of
from nightschool.memory.texts import Texts

__all__ = ["WordingStep", "Writer"]


class Writer(Protocol):
    """Puts findings into words; what it says is checked afterwards."""

    @property
    def model(self) -> str:
        """Return who it is."""

    def ask(self, dream_id: str, findings: Sequence[Proposal], tenant: str) -> Worded:
        """Return the answer, unchecked; asked again about the same dream, the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingStep:
    """The step of one dream."""

    journal: Journal
    clock: Clock
    dream_id: str
    tenant: str

    def told(self) -> DreamWorded | None:
        """Return what a model said in this dream so far; None when none was asked."""
        entries = self.journal.read(self.dream_id, types=["dream.worded"])
        found = entries[0].event if entries else None
        return found if isinstance(found, DreamWorded) else None

    def take(
        self, writer: Writer, proposals: Sequence[Proposal], present: Mapping[str, Memory]
    ) -> list[Wording]:
        """Return the wordings that hold up; the model is asked unless it was before.

        Raises:
            ModelError: it could not be asked; the dream can be done again.
            StoreError: the log could not take the result.
        """
        return self._kept(self.told() or self._ask(writer, open_findings(proposals, present)))

    def _ask(self, writer: Writer, findings: Sequence[Proposal]) -> DreamWorded:
        said = writer.ask(self.dream_id, findings, self.tenant) if findings else None
        result = checked(said.items if said else (), findings, writer.model)
        self._texts.put_all(each.text for each in result.wordings)
        worded = DreamWorded(
            id=f"{self.dream_id}.worded",
            processed_at=self.clock.now(),
            model=writer.model,
            session_ids=said.session_ids if said else (),
            asked=len(findings),
            items=tuple(
                {
                    "path": each.path,
                    "content_sha256": sha256_of(each.text),
                    "merges": list(each.merges),
                    "basis": each.basis,
                }
                for each in result.wordings
            ),
            dropped=result.dropped,
            input_tokens=said.input_tokens if said else 0,
            output_tokens=said.output_tokens if said else 0,
        )
        (entry,) = self.journal.append(
            self.dream_id, [worded], epoch=max(1, self.journal.epoch(self.dream_id))
        )
        assert isinstance(entry.event, DreamWorded)  # noqa: S101  # the first of that id
        return entry.event

    def _kept(self, worded: DreamWorded) -> list[Wording]:
        """Return the wordings as written down; one whose text was taken out meanwhile is gone."""
        texts = ((item, self._texts.get(str(item["content_sha256"]))) for item in worded.items)
        return [
            Wording(
                path=str(item["path"]),
                text=text,
                merges=tuple(item["merges"]),
                basis=str(item["basis"]),
                model=worded.model,
            )
            for item, text in texts
            if text is not None
        ]

    @property
    def _texts(self) -> Texts:
        return Texts(journal=self.journal, clock=self.clock)
