"""Drift tokens: the lines by which an agent reports a number in the plan that reality contradicts.

    PLAN-TEXT-DRIFT: phase=4b bullet=2 field=lines plan=340-380 actual=277

`bullet` counts the criteria of the phase that have a number in them. A phase whose id has blanks stands in quotes.
"""

import re

from planrail.base.run_model import DriftRecord

MARK = "PLAN-TEXT-DRIFT:"
_TOKEN = re.compile(
    r'\s*phase=(?:"(?P<quoted>[^"]+)"|(?P<phase>[^\s="<>]+))\s+bullet=(?P<bullet>[1-9][0-9]{0,5})\s+'
    r"field=(?P<field>[^\s:=]+)\s+plan=(?P<plan>\S(?:.*?\S)?)\s+actual=(?P<actual>-?[0-9][0-9,]*)"
)


def read_tokens(text: str) -> tuple[tuple[DriftRecord, ...], tuple[str, ...]]:
    """The records of all tokens in a text, and what is wrong with those that cannot be read."""
    records: list[DriftRecord] = []
    errors: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        for part in line.split(MARK)[1:]:
            token = _TOKEN.match(part)
            if token:
                records.append(_record(token))
            else:
                errors.append(f"line {number}: no drift token: {(MARK + part).strip()[:200]}")
    return tuple(records), tuple(errors)


def _record(token: re.Match[str]) -> DriftRecord:
    phase = token["quoted"] or token["phase"]
    return DriftRecord(phase, int(token["bullet"]), token["field"], token["plan"], token["actual"].rstrip(","))
