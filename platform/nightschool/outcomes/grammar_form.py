"""A form declared as a grammar in Lark's EBNF, for artefacts that are text of a kind: tables, code, headings.

Parsed with LALR(1): one pass, no going back, so that time grows with the length of the artefact. A grammar
that is ambiguous to such a parser is refused when it is read. Its terminals are regular expressions, and
those that could take exponential time are refused as well (`regexes`).

Knows nothing about rubrics and files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from lark import Lark
from lark.exceptions import LarkError, UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.lexer import PatternStr

from nightschool.outcomes.form import BadForm, Formed, length_problem, shortened
from nightschool.outcomes.json_places import place_at
from nightschool.outcomes.regexes import regex_problem

__all__ = ["MOST_CHARACTERS", "GrammarForm", "parse_grammar"]

_LINE: Final = re.compile(r"line (\d+)")
_NAMED: Final = re.compile(
    r"in (?:rule|terminal|template) (\w+)|<(\w+) :|'(\w+)'|\((\w+):|[Tt]erminal (\w+)|token (\w+)"
)
_UNDEFINED: Final = re.compile(r"'(\w+)' used but not defined")
_QUOTED: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
# It would be read from wherever the program was started.
_RELATIVE_IMPORT: Final = re.compile(r"^[ \t]*%import[ \t]+\.", re.MULTILINE)
_MOST_EXPECTED: Final = 8
MOST_CHARACTERS: Final = 20_000
"""A longer artefact fails: terminals that try again from each character cost the square of its length."""


@dataclass(frozen=True, slots=True)
class GrammarForm:
    """Asks whether a text can be derived from the rule `start`."""

    text: str
    parser: Lark = field(compare=False, repr=False)
    name: Literal["grammar"] = "grammar"

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as text: a parser is made anew where it arrives."""
        return parse_grammar, (self.text,)

    def check(self, artefact: str) -> Formed:
        """Return 1 if the artefact follows the grammar, else 0 and where it first does not."""
        if too_long := length_problem(artefact, MOST_CHARACTERS):
            return too_long
        try:
            self.parser.parse(artefact)
        except UnexpectedInput as error:
            return Formed(0.0, (self._problem(artefact, error),))
        return Formed(1.0, ())

    def _problem(self, artefact: str, error: UnexpectedInput) -> str:
        is_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        position = len(artefact) if is_end else cast("int | None", error.pos_in_stream)
        place = place_at(artefact, 0 if position is None else position)
        names: Iterable[str] = ()
        found = "something else"
        match error:
            case UnexpectedToken():
                found = "the end" if is_end else f"`{shortened(str(error.token))}`"
                names = error.accepts or error.expected
            case UnexpectedCharacters():
                found = f"`{error.char}`"
                names = error.allowed or ()
        return f"line {place.line}, column {place.column}: expected {self._expected(names)}, found {found}"

    def _expected(self, names: Iterable[str]) -> str:
        shown = {
            each.name: f"`{each.pattern.value}`"
            for each in self.parser.terminals
            if isinstance(each.pattern, PatternStr)
        }
        shown["$END"] = "the end"
        wanted = sorted({shown.get(name, name) for name in set(names) - set(self.parser.ignore_tokens)})
        more = f" or {len(wanted) - _MOST_EXPECTED} others" if len(wanted) > _MOST_EXPECTED else ""
        return (" or ".join(wanted[:_MOST_EXPECTED]) or "something else") + more


def parse_grammar(text: str) -> GrammarForm:
    """Read a grammar.

    Args:
        text: Lark's EBNF, with a rule `start`; it may import from Lark's own `common`.

    Raises:
        BadForm: it is no grammar, has no rule `start`, is ambiguous to an LALR parser, imports a file, or
            has a terminal that could take exponential time.
    """
    if relative := _RELATIVE_IMPORT.search(text):
        raise BadForm(
            "a grammar imports from no file; write the rules into it", _line_at(text, relative.start())
        )
    try:
        parser = Lark(text, parser="lalr", start="start")
    # Lark answers some texts that are no grammars with errors of its own inner workings.
    except Exception as error:
        raise BadForm(f"no grammar for an LALR parser: {_said(error)}", _line_of(text, error)) from error
    for terminal in parser.terminals:
        flags = sum({getattr(re, flag.upper()) for flag in terminal.pattern.flags})
        if problem := regex_problem(terminal.pattern.to_regexp(), flags):
            raise BadForm(
                f"terminal {terminal.name}: {problem}, or write the repetition as a rule",
                _definition(text, terminal.name) or 1,
            )
    return GrammarForm(text, parser)


def _said(error: Exception) -> str:
    said = " ".join(str(error).split()) or type(error).__name__
    if "NonTerminal('start')" in said:
        return "it has no rule `start`; name the outermost rule so"
    if isinstance(error, OSError):
        return "it imports from a file; take what is in `common`, or write the rules into it"
    return shortened(said) if isinstance(error, LarkError) else f"{type(error).__name__}: {shortened(said)}"


def _line_of(text: str, error: Exception) -> int:
    said = str(error)
    if isinstance(error, OSError) and (found := re.search(r"^[ \t]*%import", text, re.MULTILINE)):
        return _line_at(text, found.start())
    if told := _LINE.search(said):
        return int(told[1])
    if unknown := _UNDEFINED.search(said):
        bare = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
        used = re.search(rf"\b{re.escape(unknown[1])}\b", bare)
        return 1 if used is None else _line_at(text, used.start())
    names = (name for match in _NAMED.finditer(said) for name in match.groups() if name)
    # Lark names the rules that collide in no fixed order.
    return min((line for name in names if (line := _definition(text, name))), default=1)


def _definition(text: str, name: str) -> int | None:
    found = re.search(rf"^[ \t]*[?!_]*{re.escape(name.lstrip('_'))}\b[^:\n]*:", text, re.MULTILINE)
    return None if found is None else _line_at(text, found.start())


def _line_at(text: str, position: int) -> int:
    return place_at(text, position).line
