"""A small workplace for the reader: a lease, a playbook for it, and a loop that executes what it asks for.

Nothing here resembles the shipped suite: another trade, other parties, other policies and ids.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nightschool.models.reader.agent import ReaderBrain
from nightschool.sandbox.document_tools import render_outline, render_section
from nightschool.sandbox.documents import Document, parse_document

__all__ = ["LEASE", "PLAYBOOK", "Desk", "by_policy"]

PLAYBOOK: Final = """You review leases.

# Playbook
We review as the Tenant.

## L1 Rent increase
Clause: increase of the rent
Required: no
Position: The rent may rise by no more than three percent in any year.
Acceptable: "The rent goes up by two percent each year."
Not acceptable: "The rent goes up by ten percent each year."
Limit: at most 3 percent

## L2 Pets
Clause: keeping of animals in the flat
Required: no
Position: The Tenant may keep pets; the Landlord must not be able to forbid them.
Acceptable: "The Tenant may keep a dog or a cat."
Not acceptable: "No animals may be kept in the flat." "Pets are forbidden."

## L3 Notice by the Tenant
Clause: notice period for termination by the Tenant
Required: yes
Position: The Tenant must be able to leave with three months' notice or less.
Acceptable: "The Tenant may terminate by giving two months' notice."
Not acceptable: "The Tenant may terminate by giving one year's notice."
Limit: at most 3 months

## L4 Deposit
Clause: return of the deposit
Required: yes
Position: The deposit is paid back within sixty days after the end of the lease.
Acceptable: "The Landlord pays the deposit back one month after the lease has ended."
Not acceptable: "The Landlord keeps the deposit for a year after the lease has ended."
Limit: at most 60 days

## L5 Subletting
Clause: subletting of the flat
Required: no
Position: The Tenant may sublet a room with the Landlord's consent, which must not be refused without reason.
Acceptable: "The Tenant may sublet a room; the Landlord may refuse its consent only for good reason."
Not acceptable: "Subletting is forbidden." "The Landlord may refuse consent to subletting at its discretion."
"""

LEASE: Final = """# Lease of the flat at 12 Mill Lane

## 1 Definitions

"Landlord" means Oakfield Homes Ltd. "Tenant" means the person named in the annex.

"Leaving Period" means six (6) months.

"Working Day" means any day other than a Saturday, a Sunday or a public holiday.

## 2 The flat

The Landlord lets to the Tenant the flat on the second floor, with a cellar room and a parking space.

## 3 Rent

### 3.1 Amount

The rent is 900 euros a month and falls due on the third Working Day of each month.

### 3.2 Increase of the rent

On each first of January the rent increases by two percent over the rent of the year before.

## 4 Use of the flat

### 4.1 Animals

Keeping animals of any kind in the flat, dogs and cats included, is forbidden.

### 4.2 Subletting

The Tenant may sublet single rooms with the consent of the Landlord. The Landlord may refuse its consent only
where there is an important reason.

## 5 End of the lease

### 5.1 Termination by the Tenant

The Tenant may terminate the lease at any time by giving notice in writing; the notice period is the
Leaving Period.

### 5.2 Keys

On the last day the Tenant hands back all keys and leaves the flat swept clean.
"""

_OBJECT: Final = {"type": "object"}


@dataclass
class Desk:
    """One conversation with the reader over one document."""

    brain: ReaderBrain
    prompt: str = "Review the whole contract."
    system: str = PLAYBOOK
    text: str = LEASE
    tools: tuple[str, ...] = ("list_sections", "read_section", "submit_findings")
    delegate: Callable[[list[dict[str, Any]]], str] = lambda _tasks: json.dumps({"results": []})
    messages: list[dict[str, Any]] = field(default_factory=list)
    calls: list[Mapping[str, Any]] = field(default_factory=list)
    refuse_submission: str = ""

    def __post_init__(self) -> None:
        self.document: Document = parse_document(self.text)
        self.messages.append({"role": "user", "content": [{"type": "text", "text": self.prompt}]})

    def request(self) -> dict[str, Any]:
        tools = [{"name": name, "description": name, "input_schema": _OBJECT} for name in self.tools]
        return {"model": "reader", "system": self.system, "messages": self.messages, "tools": tools}

    def say(self, text: str) -> None:
        self.messages.append({"role": "user", "content": [{"type": "text", "text": text}]})

    def turn(self) -> bool:
        """Let the reader answer once and execute its calls; return whether it wants to go on."""
        answer = self.brain.answer(self.request())
        blocks: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        for block in answer.content:
            if block["type"] == "tool_use":
                self.calls.append({"id": f"t{len(self.calls)}", **block})
                results.append(self._execute(self.calls[-1]))
            blocks.append(dict(self.calls[-1]) if block["type"] == "tool_use" else block)
        self.messages.append({"role": "assistant", "content": blocks})
        if results:
            self.messages.append({"role": "user", "content": results})
        return bool(results)

    def run(self, most_turns: int = 60) -> dict[str, Any]:
        """Let the reader work to its end and return what it handed in last."""
        for _ in range(most_turns):
            if not self.turn():
                return self.answer
        raise AssertionError("the reader does not come to an end")

    @property
    def answer(self) -> dict[str, Any]:
        handed_in = [call["input"] for call in self.calls if call["name"] == "submit_findings"]
        return handed_in[-1] if handed_in else {"positions": []}

    def named(self, tool: str) -> list[Any]:
        return [call["input"] for call in self.calls if call["name"] == tool]

    def _execute(self, call: Mapping[str, Any]) -> dict[str, Any]:
        text, is_error = self._result(call)
        result = {
            "type": "tool_result",
            "tool_use_id": call["id"],
            "content": [{"type": "text", "text": text}],
        }
        return result | {"is_error": True} if is_error else result

    def _result(self, call: Mapping[str, Any]) -> tuple[str, bool]:
        match call["name"]:
            case "list_sections":
                return render_outline(self.document), False
            case "read_section":
                text = render_section(self.document, call["input"]["number"])
                return (text, False) if text is not None else ("no such section", True)
            case "delegate":
                return self.delegate(call["input"]["tasks"]), False
            case _:
                refusal, self.refuse_submission = self.refuse_submission, ""
                return refusal or f"accepted {len(call['input']['positions'])} positions", bool(refusal)


def by_policy(answer: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return positions by policy id."""
    return {position["policy"]: position for position in answer["positions"]}
