"""What the wording of a sentence shows apart from its topic: who gains, what ties it, whether it operates.

General legal English only. Knows nothing about any policy or document; the parties' names are given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

__all__ = ["STANCES", "Parties", "Traits", "traits_of"]

STANCES: Final = (
    "consent", "jointly", "favour", "negated", "owner", "tacit", "exclusive", "restricted", "refusal",
)  # fmt: skip
"""The ways in which two sentences on one topic can take different sides."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_CONSENT_WORD: Final = (
    r"(?:consent|approv|permission|permit(?:s|ted)\b|authori[sz]|agreed\b|agreement in writing|sign(?:s|ed|ature|atures)?\b"
    r"|written (?:yes|release|word)|countersign|release)\w*"
)
_CONSENT: Final = _any(rf"\b{_CONSENT_WORD}")
_FREED: Final = _any(
    r"\bwithout (?:the |any |its |their |prior |having |being |first |further |the Customer's |\w+'s )*(?:written )?"
    r"(?:consent|approv|ask|permission|agreement|obtain|notice|reference|consult|declaration|further)\w*",
    r"\bneeds? (?:not|no)\b",
    r"\bno (?:prior |written |separate )?(?:consent|approval|permission|say|agreement|declaration|signature)\b",
    r"\b(?:consent|approval|permission|agreement|signature|release|statement|declaration)\b[^.;]{0,40}\bnot (?:required"
    r"|needed|necessary)",
    r"\bwithout [^.;]{0,40}\bbeing (?:needed|necessary|required)",
    r"\bnot (?:be )?(?:required|obliged|bound) to (?:ask|obtain|seek|give)",
    r"\bfreely\b",
)
_GRANTED: Final = _any(
    r"\b(?:agrees?|consents?|grants?|permits?|authori[sz]es|accepts|acknowledges?)\b (?:now|hereby|that|to|already|in advance|the)",
    r"\bonce and for all\b",
    r"\bin advance to all\b",
)
_ALONE: Final = _any(
    r"\bdiscretion\b",
    r"\balone\b",
    r"\bby itself\b",
    r"\bunilateral\w*",
    r"\bas (?:it|the \w+) (?:sees?|thinks?|wish\w*|likes?|pleases?|decides?|chooses?)\b",
    r"\bwho(?:m|ever|mever)? it (?:likes|wishes|chooses)\b",
    r"\b(?:any|whatever|whichever) \w+ it (?:likes|chooses|wishes)\b",
    r"\bfree(?:ly)? to\b",
    r"\bof its (?:own )?choice\b",
)
_TOGETHER: Final = _any(
    r"\bboth (?:parties|sides)\b",
    r"\bboth have\b",
    r"\b(?:joint|mutual)\w*",
    r"\bparties (?:agree|have agreed|have signed|sign)\b",
    r"\b(?:by|of) (?:both|each)\b",
    r"\beach party\b",
    r"\b(?:published|official) [\w ]{0,30}index\b|\bindex\b",
)
_NEGATION: Final = _any(
    r"\b(?:not|no|never|nobody|nothing|none|neither|nor|without|cannot|excluded|forbidden|prohibited|refrains?|waives?)\b"
)
_VERBS: Final = re.compile(
    r"\b(?P<loss>waives?|has waived|renounces?|gives? up|forgoes?|refrains?|undertakes not to|acknowledges?)\b"
    r"|\b(?P<spared>need not|needs no|is not (?:obliged|bound|required)|owes? (?:no\b|nothing))"
    r"|\b(?P<right>may|can|is entitled|are entitled|has the right|have the right|is free|remains free|retains?|enjoys|could"
    r"|is (?:allowed|permitted) to|reserves)\b"
    r"|\b(?P<duty>shall|must|will|has to|have to|undertakes?|agrees to|is (?:obliged|bound|required) to|owes|warrants"
    r"|indemnif\w+|bears|tolerates?)\b",
    re.IGNORECASE,
)
_NOT_NEXT: Final = re.compile(r"\W*(?:\w+\W+){0,1}?(?:not|no|never|neither|only)\b", re.IGNORECASE)
_HAS_NO: Final = re.compile(r"\bha(?:s|ve) no (?:right|claim|say|remedy)\b", re.IGNORECASE)
_PASSING: Final = (
    r"(?:belong\w*|vest\w*|property|pass(?:es)?|transfer\w*|accru\w*|owned|assigned|title|ownership|seat|home|office"
    r"|offices|domicile|courts?|law|laws|reserved|granted)"
)
_HOLDING: Final = r"(?:retains?|keeps?|owns?|holds|remains? (?:the )?owner|seat|home|domicile|registered office|place of business)"
_TACIT: Final = _any(
    r"\bdeem(?:s|ed)?\b",
    r"\bsilen\w+",
    r"\btak(?:en|es?) (?:to have|as)\b",
    r"\bcounts? as\b",
    r"\b(?:says|said|hears?) nothing\b",
    r"\b(?:continued|further) use\b|\b(?:goes|go|going) on using\b|\bby using\b",
    r"\buse of [^.;]{0,40}\bis (?:acceptance|consent|agreement)\b",
    r"\btacit\w*",
    r"\bhas not (?:objected|rejected|answered|replied)\b|\bunless [^.;]{0,40}\bobject\w*",
    r"\btakes effect on (?:delivery|publication|posting)\b|\bas soon as [^.;]{0,40}\b(?:sends?|publish\w*|posts?)\b",
)
_NOT_TACIT: Final = _any(
    r"\bdeemed not\b", r"\bnot (?:be )?(?:deemed|taken|count)\w*", r"\bsilence [^.;]{0,30}\b(?:no|not|never)\b",
    r"\bneither [^.;]{0,40}\b(?:silence|use)\b",
)  # fmt: skip
_EXCLUSIVE: Final = _any(
    r"\b(?:exclusive\w*|exclusivity|nobody else|no one else|no other (?:supplier|source|provider)|nowhere else|entire demand"
    r"|entire need\w*|whole demand|all (?:of )?its (?:demand|needs|requirements)|only from|solely from|sole (?:supplier|source))\b"
)
_NOT_EXCLUSIVE: Final = _any(
    r"\bnon-exclusive\w*|\bnot exclusive\b|\bno (?:\w+ )?(?:undertaking|duty|obligation|exclusiv\w+)\b",
    r"\b(?:elsewhere|from others|third parties|other suppliers|open market|competitors?)\b",
)
_RESTRICTED: Final = _any(
    r"\bonly (?:if|where|when|once|after|to the extent|up to|in|with|insofar|by|on)\b|\bif,? and only if\b",
    r"\bsolely (?:if|where|when|to the extent)\b",
    r"\bin no (?:others?|other (?:way|case)s?)\b|\bnot otherwise\b|\band no others?\b|\bnothing else\b",
    r"\bup to (?:the|a|an)\b|\bwith a ceiling\b|\bnever (?:for )?more than\b|\bto the extent\b|\bno more than\b|\blimited to\b",
    r"\b(?:unless|until|before|once) [^.;]{0,60}\b(?:consent|approv|agreed|signed|allowed|accept|asked)\w*",
)
_UNRESTRICTED: Final = _any(
    r"\birrespective\b|\bregardless\b|\bwhatsoever\b|\bof whatever (?:kind|nature)\b|\bwhatever (?:the|sum)\b|\bwhoever\b|\bat all\b",
    r"\bany and all\b|\ball (?:claims|losses|costs)\b|\bevery (?:loss|claim|cost)\b|\banything\b",
    r"\bwithout (?:any )?(?:limit|limitation|restriction|ceiling|cap|exception)\w*",
    r"\bat any time\b|\bat once\b|\bwithout (?:giving )?(?:any )?(?:reason|notice|warning)\b",
)
_REFUSING: Final = re.compile(
    r"(?P<no>\b(?:not|no|never|cannot|without|neither|nor)\b[^.;,]{0,40})?"
    r"\b(?:refus\w+|declin\w+|reject\w*|withh(?:o|e)ld\w*|turn\w* [^.;]{0,20}away|deny|denies|object\w*|prevent\w*|oppos\w+)",
    re.IGNORECASE,
)
_PAST: Final = _any(
    r"\b(?:was|were|had|said|kept|used to|did|led|lasted|paid|told|lost|asked|gave|took|stood|came|went|ran)\b",
    r"\b(?:19|20)\d\d\b",
    r"\b(?:previous|earlier|former|predecessor)\w*\b",
)
_PRESENT: Final = _any(r"\b(?:shall|may|must|will|is|are|can|does|do|cannot|needs?)\b")
_ILLUSTRATIVE: Final = _any(
    r"\b(?:for example|by way of (?:example|illustration)|for instance|e\.g\.|illustrat\w*|example|suppose|imagine"
    r"|assume|survey|statistic\w*|whereas|recital\w*|wish(?:es)? to|intend\w*|hypothetical\w*|typical\w*|reports? this"
    r"|market practice|propos(?:al|ed)\w*|draft\w*|negotiat\w*|discuss\w*|consider\w*|common in|customary|usual(?:ly)?)\b"
)
_INWARD: Final = _any(
    r"\b(?:its|their) own (?:staff|use|personnel|employees|account|suppliers|purposes|lawyers|insurers)\b",
    r"\bno party to\b|\bnot a party\b|\binternal\w*\b|\bmember of its\b|\bnothing to do with\b|\b(?:is|are) not used (?:by|for|under)\b|\bnot (?:part|subject) of this\b|\bdo(?:es)? not concern\b",
)
_DENYING: Final = re.compile(r"^\W*(?:Nothing in|No provision|None of|Nothing)\b")
_DEFINING: Final = re.compile(
    r"^\W*[\"“][^\"”]{1,60}[\"”]\s*(?:\([^)]*\)\s*)?(?:means?|shall mean|is|are|refers?|has)\b"
)
_UNLIMITED: Final = _any(
    r"\bwithout (?:any )?(?:limit|limitation|end|cap|ceiling)\w*",
    r"\b(?:unlimited|indefinite\w*|perpetual\w*|for ?ever|not limited|permanent\w*|in perpetuity)\b",
    r"\bno (?:limit|limitation|end|cap|ceiling)\b",
)
_AT_ONCE: Final = _any(
    r"\b(?:immediate\w*|at once|forthwith|instant\w*|without (?:any )?(?:notice|delay))\b",
    r"\bon the (?:same )?(?:day|date) (?:on which|when|that|of)\b",
    r"\b(?:ceases?|ends?|lapses?|falls? away) (?:on|with|upon|when)\b",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parties:
    """The two sides, by the names they go under."""

    ours: str
    theirs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """One sentence's wording."""

    stance: tuple[float, ...]
    """One number per `STANCES`, -1 to 1."""
    subject: int
    """1 if our party is named first, -1 if the other, 0 if neither."""
    is_past: bool
    is_illustrative: bool
    is_inward: bool
    is_defining: bool
    is_unlimited: bool
    is_at_once: bool


@lru_cache(maxsize=65536)
def traits_of(text: str, parties: Parties) -> Traits:
    """Return what the wording of a sentence shows."""
    # What a sentence opens by denying is said the other way round in the rest of it.
    sign = -1.0 if _DENYING.search(text) else 1.0
    return Traits(
        stance=(
            _consent(text),
            _balance(_TOGETHER, _ALONE, text),
            sign * _favour(text, parties),
            min(1.0, len(_NEGATION.findall(text)) / 2),
            sign * _owner(text, parties),
            sign * _balance_with_veto(_TACIT, _NOT_TACIT, text),
            sign * _balance_with_veto(_EXCLUSIVE, _NOT_EXCLUSIVE, text),
            _balance(_RESTRICTED, _UNRESTRICTED, text),
            _refusal(text),
        ),
        subject=_first(text, parties),
        is_past=bool(_PAST.search(text)) and not _PRESENT.search(text),
        is_illustrative=bool(_ILLUSTRATIVE.search(text)),
        is_inward=bool(_INWARD.search(text)),
        is_defining=bool(_DEFINING.search(text)),
        is_unlimited=bool(_UNLIMITED.search(text)),
        is_at_once=bool(_AT_ONCE.search(text)),
    )


def _first(text: str, parties: Parties) -> int:
    ours, theirs = _find(text, parties.ours), _find(text, parties.theirs)
    return 0 if ours == theirs else 1 if ours < theirs else -1


def _find(text: str, name: str) -> int:
    place = text.find(name) if name else -1
    return len(text) if place < 0 else place


def _consent(text: str) -> float:
    """Return 1 where something needs a yes, -1 where it needs none or has it already."""
    if _FREED.search(text) or _GRANTED.search(text):
        return -1.0
    return 1.0 if _CONSENT.search(text) else 0.0


def _balance(positive: re.Pattern[str], negative: re.Pattern[str], text: str) -> float:
    return float(bool(positive.search(text))) - float(bool(negative.search(text)))


def _balance_with_veto(positive: re.Pattern[str], negative: re.Pattern[str], text: str) -> float:
    """Return -1 when the negative form is there: it is spelled with the words of the positive one."""
    return -1.0 if negative.search(text) else float(bool(positive.search(text)))


def _refusal(text: str) -> float:
    """Return 1 where somebody may refuse, -1 where refusing is ruled out."""
    found = _REFUSING.search(text)
    return 0.0 if found is None else -1.0 if found["no"] else 1.0


def _favour(text: str, parties: Parties) -> float:
    """Return who gains: rights of ours and duties of theirs count for us, the reverse against."""
    total, count = 0.0, 0
    for verb in _VERBS.finditer(text):
        actor = _nearest(text[: verb.start()], parties)
        if actor == 0:
            continue
        gains = bool(verb["right"] or verb["spared"])
        if verb["right"] and _NOT_NEXT.match(text[verb.end() :]):
            gains = False
        total += actor if gains else -actor
        count += 1
    for verb in _HAS_NO.finditer(text):
        total -= _nearest(text[: verb.start()], parties)
        count += 1
    return total / count if count else 0.0


def _nearest(before: str, parties: Parties) -> int:
    """Return whose name stands last before a verb: 1 ours, -1 theirs, 0 nobody's."""
    ours = before.rfind(parties.ours) if parties.ours else -1
    theirs = before.rfind(parties.theirs) if parties.theirs else -1
    if ours == theirs:
        return 0
    return 1 if ours > theirs else -1


def _owner(text: str, parties: Parties) -> float:
    """Return whose property, place or law a sentence speaks of first."""
    ours, theirs = _owned_at(text, parties.ours), _owned_at(text, parties.theirs)
    return 0.0 if ours == theirs else 1.0 if ours < theirs else -1.0


def _owned_at(text: str, name: str) -> int:
    found = _owning(name).search(text) if name else None
    return len(text) if found is None else found.start()


@lru_cache(maxsize=64)
def _owning(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    return re.compile(
        rf"\b{_PASSING}\b[^.;]{{0,30}}\b(?:to|in|of|by|with|from) (?:the )?{word}\b"
        rf"|\b{word}(?:['’]s)?\s+(?:(?!(?:only|but)\b)\w+\s+){{0,3}}{_HOLDING}\b(?! only)"
        rf"|\b{word}['’]s (?:\w+ )?(?:property|home|seat|ownership)\b",
        re.IGNORECASE,
    )
