"""What general legal English is recognised by: patterns only. Knows nothing about any policy or document."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = [
    "ALONE",
    "AT_ONCE",
    "CONSENT",
    "DEFINING",
    "DENYING",
    "EXCLUSIVE",
    "FREED",
    "GRANTED",
    "HAS_NO",
    "ILLUSTRATIVE",
    "INWARD",
    "NEGATION",
    "NOT_EXCLUSIVE",
    "NOT_NEXT",
    "NOT_TACIT",
    "PAST",
    "PRESENT",
    "REFUSING",
    "RESTRICTED",
    "TACIT",
    "TOGETHER",
    "UNLIMITED",
    "UNRESTRICTED",
    "VERBS",
    "owning",
]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_YES: Final = r"(?:consent|approval|permission|agreement|signature|release|statement|declaration)"

CONSENT: Final = _any(
    r"\b(?:consent|approv|permission|authori[sz]|countersign|release)\w*",
    r"\b(?:permits|permitted|agreed|agreement in writing|sign|signs|signed|signatures?|written yes)\b",
)
FREED: Final = _any(
    r"\bwithout (?:the |any |its |their |prior |having |being |first |further |\w+'s )*(?:written )?"
    r"(?:consent|approv|ask|permission|agreement|obtain|notice|reference|consult|declaration|further)\w*",
    r"\bneeds? (?:not|no)\b",
    r"\bno (?:prior |written |separate )?(?:say|" + _YES[3:] + r"\b",
    rf"\b{_YES}\b[^.;]{{0,40}}\bnot (?:required|needed|necessary)",
    r"\bwithout [^.;]{0,40}\bbeing (?:needed|necessary|required)",
    r"\bnot (?:be )?(?:required|obliged|bound) to (?:ask|obtain|seek|give)",
    r"\bfreely\b",
)
GRANTED: Final = _any(
    r"\b(?:agrees?|consents?|grants?|permits?|authori[sz]es|accepts|acknowledges?)\b "
    r"(?:now|hereby|that|to|already|in advance|the)",
    r"\bonce and for all\b",
)
ALONE: Final = _any(
    r"\b(?:discretion|alone|by itself|unilateral\w*|free(?:ly)? to|of its (?:own )?choice)\b",
    r"\bas (?:it|the \w+) (?:sees?|thinks?|wish\w*|likes?|pleases?|decides?|chooses?)\b",
    r"\bwho(?:m|ever|mever)? it (?:likes|wishes|chooses)\b",
    r"\b(?:any|whatever|whichever) \w+ it (?:likes|chooses|wishes)\b",
)
TOGETHER: Final = _any(
    r"\bboth (?:parties|sides|have)\b",
    r"\b(?:joint|mutual)\w*",
    r"\bparties (?:agree|have agreed|have signed|sign)\b",
    r"\b(?:by|of) (?:both|each)\b|\beach party\b",
    r"\bindex\b",
)
NEGATION: Final = _any(
    r"\b(?:not|no|never|nobody|nothing|none|neither|nor|without|cannot|excluded|forbidden|prohibited"
    r"|refrains?|waives?)\b"
)
VERBS: Final = _any(
    r"\b(?P<loss>waives?|has waived|renounces?|gives? up|forgoes?|refrains?|undertakes not to"
    r"|acknowledges?)\b",
    r"\b(?P<spared>need not|needs no|is not (?:obliged|bound|required)|owes? (?:no\b|nothing))",
    r"\b(?P<right>may|can|is entitled|are entitled|has the right|have the right|is free|remains free|retains?"
    r"|enjoys|could|is (?:allowed|permitted) to|reserves)\b",
    r"\b(?P<duty>shall|must|will|has to|have to|undertakes?|agrees to|is (?:obliged|bound|required) to|owes"
    r"|warrants|indemnif\w+|bears|tolerates?)\b",
)
NOT_NEXT: Final = re.compile(r"\W*(?:\w+\W+){0,1}?(?:not|no|never|neither|only)\b", re.IGNORECASE)
HAS_NO: Final = _any(r"\bha(?:s|ve) no (?:right|claim|say|remedy)\b")
TACIT: Final = _any(
    r"\b(?:deem(?:s|ed)?|silen\w+|tacit\w*|counts? as|by using|(?:continued|further) use)\b",
    r"\btak(?:en|es?) (?:to have|as)\b|\b(?:says|said|hears?) nothing\b|\b(?:goes|go|going) on using\b",
    r"\buse of [^.;]{0,40}\bis (?:acceptance|consent|agreement)\b",
    r"\bhas not (?:objected|rejected|answered|replied)\b|\bunless [^.;]{0,40}\bobject\w*",
    r"\btakes effect on (?:delivery|publication|posting)\b",
    r"\bas soon as [^.;]{0,40}\b(?:sends?|publish\w*|posts?)\b",
)
NOT_TACIT: Final = _any(
    r"\bdeemed not\b|\bnot (?:be )?(?:deemed|taken|count)\w*",
    r"\bsilence [^.;]{0,30}\b(?:no|not|never)\b|\bneither [^.;]{0,40}\b(?:silence|use)\b",
)
EXCLUSIVE: Final = _any(
    r"\b(?:exclusive\w*|exclusivity|nobody else|no one else|nowhere else)\b",
    r"\bno other (?:supplier|source|provider)\b",
    r"\b(?:entire|whole|all (?:of )?its) (?:demand|needs?|requirements)\b",
    r"\b(?:only|solely) from\b|\bsole (?:supplier|source)\b",
)
NOT_EXCLUSIVE: Final = _any(
    r"\bnon-exclusive\w*|\bnot exclusive\b|\bno (?:\w+ )?(?:undertaking|duty|obligation|exclusiv\w+)\b",
    r"\b(?:elsewhere|from others|third parties|other suppliers|open market|competitors?)\b",
)
RESTRICTED: Final = _any(
    r"\bonly (?:if|where|when|once|after|to the extent|up to|in|with|insofar|by|on)\b|\bif,? and only if\b",
    r"\bsolely (?:if|where|when|to the extent)\b|\bto the extent\b",
    r"\bin no (?:others?|other (?:way|case)s?)\b|\bnot otherwise\b|\band no others?\b|\bnothing else\b",
    r"\bup to (?:the|a|an)\b|\bwith a ceiling\b|\bnever (?:for )?more than\b|\bno more than\b|\blimited to\b",
    r"\b(?:unless|until|before|once) [^.;]{0,60}\b(?:consent|approv|agreed|signed|allowed|accept|asked)\w*",
)
UNRESTRICTED: Final = _any(
    r"\b(?:irrespective|regardless|whatsoever|whatever (?:the|sum|kind|nature)|whoever|at all)\b",
    r"\bany and all\b|\ball (?:claims|losses|costs)\b|\bevery (?:loss|claim|cost)\b|\banything\b",
    r"\bwithout (?:any )?(?:limit|limitation|restriction|ceiling|cap|exception)\w*",
    r"\bat any time\b|\bat once\b|\bwithout (?:giving )?(?:any )?(?:reason|notice|warning)\b",
)
REFUSING: Final = _any(
    r"(?P<no>\b(?:not|no|never|cannot|without|neither|nor)\b[^.;,]{0,40})?"
    r"\b(?:refus\w+|declin\w+|reject\w*|withh(?:o|e)ld\w*|turn\w* [^.;]{0,20}away|deny|denies|object\w*"
    r"|prevent\w*|oppos\w+)"
)
PAST: Final = _any(
    r"\b(?:was|were|had|said|kept|used to|did|led|lasted|paid|told|lost|asked|gave|took|stood|came|went)\b",
    r"\b(?:19|20)\d\d\b",
    r"\b(?:previous|earlier|former|predecessor)\w*\b",
)
PRESENT: Final = _any(r"\b(?:shall|may|must|will|is|are|can|does|do|cannot|needs?)\b")
ILLUSTRATIVE: Final = _any(
    r"\b(?:for example|by way of (?:example|illustration)|for instance|illustrat\w*|example|suppose|imagine"
    r"|assume|survey|statistic\w*|whereas|recital\w*|wish(?:es)? to|intend\w*|hypothetical\w*|typical\w*"
    r"|market practice|propos(?:al|ed)\w*|draft\w*|negotiat\w*|discuss\w*|consider\w*|common in|customary"
    r"|usual(?:ly)?)\b",
    r"\be\.g\.",
)
INWARD: Final = _any(
    r"\b(?:its|their) own (?:staff|use|personnel|employees|account|suppliers|purposes|lawyers|insurers)\b",
    r"\b(?:no party to|not a party|internal\w*|member of its|nothing to do with|do(?:es)? not concern)\b",
    r"\b(?:is|are) not used (?:by|for|under)\b|\bnot (?:part|subject) of this\b",
)
DENYING: Final = re.compile(r"^\W*(?:Nothing in|No provision|None of|Nothing)\b")
DEFINING: Final = re.compile(
    r"^\W*[\"“][^\"”]{1,60}[\"”]\s*(?:\([^)]*\)\s*)?(?:means?|shall mean|is|are|refers?|has)\b"
)
UNLIMITED: Final = _any(
    r"\bwithout (?:any )?(?:limit|limitation|end|cap|ceiling)\w*|\bno (?:limit|limitation|end|cap|ceiling)\b",
    r"\b(?:unlimited|indefinite\w*|perpetual\w*|for ?ever|not limited|permanent\w*|in perpetuity)\b",
)
AT_ONCE: Final = _any(
    r"\b(?:immediate\w*|at once|forthwith|instant\w*|without (?:any )?(?:notice|delay))\b",
    r"\bon the (?:same )?(?:day|date) (?:on which|when|that|of)\b",
    r"\b(?:ceases?|ends?|lapses?|falls? away) (?:on|with|upon|when)\b",
)
_PASSING: Final = (
    r"(?:belong\w*|vest\w*|property|pass(?:es)?|transfer\w*|accru\w*|owned|assigned|title|ownership|seat|home"
    r"|offices?|domicile|courts?|laws?|reserved|granted)"
)
_HOLDING: Final = (
    r"(?:retains?|keeps?|owns?|holds|remains? (?:the )?owner|seat|home|domicile|registered office"
    r"|place of business)"
)


@lru_cache(maxsize=64)
def owning(name: str) -> re.Pattern[str]:
    """Return what tells that something is, or goes to, or lies at the place of, the party of this name."""
    word = re.escape(name)
    return _any(
        rf"\b{_PASSING}\b[^.;]{{0,30}}\b(?:to|in|of|by|with|from) (?:the )?{word}\b",
        rf"\b{word}(?:['’]s)?\s+(?:(?!(?:only|but)\b)\w+\s+){{0,3}}{_HOLDING}\b(?! only)",
        rf"\b{word}['’]s (?:\w+ )?(?:property|home|seat|ownership)\b",
    )
