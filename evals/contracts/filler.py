"""Filler: sections that say nothing about any policy, without end and without soon repeating themselves.

Knows nothing about truth. Paragraphs are dealt from a deck for each topic, so that none returns before the
others have been used.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeVar

from .document import Part, Section, count_words
from .library import Library, Topic
from .operative import MIN_SECTION_WORDS
from .templates import Template
from .voice import Voice

__all__ = ["Deck", "Filler"]

T = TypeVar("T")

_SECTION_WORDS: Final = (100, 360)
_SCHEDULE_SECTIONS: Final = (6, 10)
_SUBJECTS: Final = {
    "schedule_service": "service",
    "schedule_site": "site",
    "schedule_standard": "area",
    "schedule_project": "project",
    "schedule_process": "process",
}
"""The families of schedule and the slot that names what each is about."""

_FRAME: Final = "frame"
"""The part of topics that every contract has in fixed places; they are no filler."""


@dataclass(slots=True)
class Deck(Generic[T]):
    """Deals items in random order, each once before any comes again."""

    items: Sequence[T]
    rng: random.Random
    pile: list[T] = field(default_factory=list)

    def deal(self) -> T:
        """Return the next item."""
        if not self.pile:
            self.pile = self.rng.sample(self.items, len(self.items))
        return self.pile.pop()

    def deal_besides(self, held: Collection[T]) -> T:
        """Return the next item that is not held already; there must be one."""
        while (item := self.deal()) in held:
            pass
        return item


@dataclass(slots=True)
class Filler:
    """The filler of one document."""

    library: Library
    voice: Voice
    _decks: dict[str, Deck[Template]] = field(default_factory=dict)
    _count: int = 0

    def base_sections(self, room: int) -> Iterator[tuple[str, Section]]:
        """Yield sections for the body of the agreement, each topic at most once, until the room is used.

        Args:
            room: how many words are wanted.
        """
        topics = [topic for topic in self.library.topics if topic.part not in (*_SUBJECTS, _FRAME)]
        for topic in self.voice.rng.sample(topics, len(topics)):
            if room < MIN_SECTION_WORDS:
                return
            section = self._section(topic, self.voice, room)
            room -= section.size
            yield topic.part, section

    def schedules(self, room: int) -> Iterator[Part]:
        """Yield schedules until the room is used; each is about one service, place or standard.

        Args:
            room: how many words are wanted.
        """
        families = Deck((*_SUBJECTS, "schedule_service"), self.voice.rng)
        subjects = {
            family: Deck(self.voice.words[slot], self.voice.rng) for family, slot in _SUBJECTS.items()
        }
        while room >= 2 * MIN_SECTION_WORDS:
            family = families.deal()
            schedule = self._schedule(family, subjects[family].deal(), room)
            room -= sum(section.size for section in schedule.sections)
            yield schedule

    def _schedule(self, family: str, subject: str, room: int) -> Part:
        voice = replace(self.voice, fixed={**self.voice.fixed, _SUBJECTS[family]: subject})
        topics = [topic for topic in self.library.topics if topic.part == family]
        wanted = min(len(topics), voice.rng.randint(*_SCHEDULE_SECTIONS))
        title = voice.say(voice.rng.choice(self.library.part_titles[family]))
        schedule = Part(title=title, schedule=True)
        for topic in voice.rng.sample(topics, wanted):
            if room < MIN_SECTION_WORDS:
                break
            section = self._section(topic, voice, room)
            room -= section.size
            schedule.sections.append(section)
        return schedule

    def _section(self, topic: Topic, voice: Voice, room: int) -> Section:
        self._count += 1
        section = Section(f"filler/{self._count}", voice.say(voice.rng.choice(topic.headings)), [])
        deck = self._decks.setdefault(topic.key, Deck(topic.paragraphs, voice.rng))
        wanted = min(voice.rng.randint(*_SECTION_WORDS), max(room, MIN_SECTION_WORDS))
        hand: dict[Template, str] = {}
        while wanted > 0 and len(hand) < len(topic.paragraphs):
            template = deck.deal_besides(hand)
            hand[template] = voice.say(template)
            wanted -= count_words(hand[template])
        section.paragraphs.extend(hand[template] for template in topic.paragraphs if template in hand)
        return section
