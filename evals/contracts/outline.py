"""The outline of one contract while it is put together: what stands where, and where truth can be read.

Knows nothing about truth or scoring. The methods are the steps, in order: what must stand, filler up to the
length, decoys among it, definitions of the terms used, the finished text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from .decoys import DrawnDecoy
from .document import Part, Rendered, Section, count_words, render_document
from .filler import Deck, Filler
from .library import Library, Topic
from .operative import MIN_SECTION_WORDS, Clauses, clause_key, entry_key
from .templates import Template
from .terms import definition_sections, term_key, used_definitions
from .voice import Voice

__all__ = ["Outline"]

_MOST_SECTION_WORDS: Final = 430
_DEFINES_ALL_PAGES: Final = 30
"""From this length a contract defines every term of the library, used or not."""

_SCHEDULE_PAGES: Final = 10
"""From this length filler is also put in schedules."""

_BODY_SHARE: Final = 0.5
_SPREADS_SCHEDULES: Final = 3
"""From this many schedules on, particulars stand in more than one of them."""

_MOST_RECITALS: Final = 5
_HOSTS_TRIED: Final = 100
_TITLE_WORDS: Final = 60
"""The contract's title and those of its parts, which are written last."""

_LAST_PART: Final = "general"


@dataclass(slots=True, kw_only=True)
class Outline:
    """A contract in the making."""

    library: Library
    voice: Voice
    pages: int
    opening: list[Section] = field(default_factory=list)
    body: dict[str, list[Section]] = field(default_factory=dict)
    """The sections of the agreement's body by part."""
    schedules: list[Part] = field(default_factory=list)
    closing: list[Section] = field(default_factory=list)
    terms: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Defined terms that decide a policy: the definition and the policy."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Keys of what a section contains, with the section's own key."""
    homes: dict[str, list[str]] = field(default_factory=dict)
    """For each policy the keys of the sections in which its position can be read."""

    @property
    def words(self) -> int:
        """The words so far, headings included."""
        return sum(section.size for section in self._sections())

    def add_clauses(self, clauses: Clauses) -> None:
        """Place the operative clauses, and what they refer to in a schedule."""
        for part, section in clauses.sections:
            self.body.setdefault(part, []).append(section)
            self.homes[section.key.removeprefix(clause_key(""))] = [section.key]
        self.terms = dict(clauses.terms)
        for term, (_, policy) in self.terms.items():
            self.homes[policy].append(term_key(term))
        self._add_entries(clauses.entries)

    def _add_entries(self, entries: dict[str, str]) -> None:
        policies = self.voice.rng.sample(list(entries), len(entries))
        particulars = Part(title=self._title("particulars"), schedule=True)
        topic = self._topic("particulars")
        deck = Deck(topic.paragraphs, self.voice.rng)
        while policies:
            size = self.voice.rng.randint(1, 3)
            group, policies = policies[:size], policies[size:]
            section = self._section(topic, f"particulars/{len(policies)}", deck)
            for policy in group:
                place = self.voice.rng.randint(0, len(section.paragraphs))
                section.paragraphs.insert(place, entries[policy])
                self.aliases[entry_key(policy)] = section.key
                self.homes[policy].append(entry_key(policy))
            particulars.sections.append(section)
        self.schedules.append(particulars)

    def add_frame(self) -> None:
        """Add the parties, the recitals, the rules of interpretation and the signatures."""
        keys = ["parties", "background"]
        if self.pages >= _SCHEDULE_PAGES:
            keys.append("interpretation")
        self.opening = [self._frame_section(key) for key in keys]
        self.closing = [self._frame_section("signature")]

    def _frame_section(self, key: str) -> Section:
        topic = self._topic(key)
        return self._section(topic, key, Deck(topic.paragraphs, self.voice.rng))

    def _topic(self, key: str) -> Topic:
        return next(topic for topic in self.library.topics if topic.key == key)

    def _section(self, topic: Topic, key: str, deck: Deck[Template]) -> Section:
        section = Section(key, self.voice.say(self.voice.rng.choice(topic.headings)), [])
        hand: dict[Template, str] = {}
        while sum(map(count_words, hand.values())) < MIN_SECTION_WORDS:
            template = deck.deal_besides(hand)
            hand[template] = self.voice.say(template)
        section.paragraphs.extend(hand[template] for template in topic.paragraphs if template in hand)
        return section

    def add_decoy_sections(self, decoys: Sequence[DrawnDecoy]) -> None:
        """Place the decoys that have a section of their own."""
        for decoy in decoys:
            if decoy.section is not None:
                self.body.setdefault(decoy.part, []).append(decoy.section)
                self._support(decoy, decoy.section)

    def fill(self, words: int) -> None:
        """Add filler so that the contract comes to this length once decoys and definitions stand.

        Args:
            words: the length of the whole, without decoys that are still to be scattered.
        """
        room = words - self.words - self._definition_words() - _TITLE_WORDS
        filler = Filler(self.library, self.voice)
        in_body = room if self.pages < _SCHEDULE_PAGES else round(room * _BODY_SHARE)
        for part, section in filler.base_sections(in_body):
            self.body.setdefault(part, []).append(section)
            room -= section.size
        if self.pages >= _SCHEDULE_PAGES:
            self.schedules.extend(filler.schedules(room))

    def _definition_words(self) -> int:
        return sum(count_words(meaning) + count_words(term) for term, meaning in self._meanings().items())

    def _meanings(self) -> dict[str, str]:
        known = self.library.definitions
        if self.pages >= _DEFINES_ALL_PAGES:
            text = " ".join(definition.term for definition in known)
        else:
            text = " ".join(paragraph for section in self._sections() for paragraph in section.paragraphs)
        deciding = {term: meaning for term, (meaning, _) in self.terms.items()}
        return {**used_definitions(known, f"{text} {' '.join(deciding.values())}", self.voice), **deciding}

    def scatter(self, decoys: Sequence[DrawnDecoy]) -> None:
        """Put the decoys without a section among other paragraphs: history first in the recitals."""
        background = next(section for section in self.opening if section.key == "background")
        frame = {section.key for section in (*self.opening, *self.closing)}
        hosts = [section for section in self._sections() if section.key not in frame]
        for decoy in decoys:
            if decoy.section is not None:
                continue
            in_recitals = decoy.background and len(background.paragraphs) < _MOST_RECITALS
            host = background if in_recitals else self._host(decoy, hosts)
            host.paragraphs.insert(self.voice.rng.randint(0, len(host.paragraphs)), decoy.text)
            self._support(decoy, host)

    def _host(self, decoy: DrawnDecoy, hosts: Sequence[Section]) -> Section:
        """Choose a section with room that is not about the policy itself."""
        own = self.homes.get(decoy.policy, ())
        room = _MOST_SECTION_WORDS - count_words(decoy.text)
        order = self.voice.rng.sample(hosts, min(len(hosts), _HOSTS_TRIED))
        return next(host for host in order if host.words <= room and host.key not in own)

    def _support(self, decoy: DrawnDecoy, section: Section) -> None:
        if decoy.supports:
            self.homes[decoy.policy].append(section.key)

    def _sections(self) -> Iterator[Section]:
        yield from self.opening
        for sections in self.body.values():
            yield from sections
        for schedule in self.schedules:
            yield from schedule.sections
        yield from self.closing

    def finish(self, title: str) -> Rendered:
        """Define the terms, settle the order and write the contract."""
        definitions, term_homes = definition_sections(self._meanings())
        self.aliases.update(term_homes)
        rng = self.voice.rng
        first = Part(
            title=self._title("opening"),
            sections=[*self.opening[:2], *definitions, *self.opening[2:]],
            keeps_title=True,
        )
        names = [name for name, sections in self.body.items() if sections and name != _LAST_PART]
        rng.shuffle(names)
        last = [_LAST_PART] if self.body.get(_LAST_PART) else []
        parts = [first, *(self._body_part(name) for name in (*names, *last))]
        parts.extend(Part(title=section.heading, sections=[section]) for section in self.closing)
        schedules = [schedule for schedule in self._spread_entries() if schedule.sections]
        return render_document(title, [*parts, *rng.sample(schedules, len(schedules))], self.aliases)

    def _spread_entries(self) -> list[Part]:
        """In a contract with many schedules, move about half of the particulars into the others."""
        particulars, *others = self.schedules
        if len(others) < _SPREADS_SCHEDULES:
            return self.schedules
        rng = self.voice.rng
        for section in rng.sample(particulars.sections, len(particulars.sections) // 2):
            particulars.sections.remove(section)
            host = rng.choice(others)
            host.sections.insert(rng.randint(0, len(host.sections)), section)
        return self.schedules

    def _body_part(self, name: str) -> Part:
        sections = self.body[name]
        return Part(title=self._title(name), sections=self.voice.rng.sample(sections, len(sections)))

    def _title(self, name: str) -> str:
        return self.voice.say(self.voice.rng.choice(self.library.part_titles[name]))
