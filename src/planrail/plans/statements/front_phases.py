"""Phases listed in the front matter with a status each: a tracker in YAML above the plan."""

from planrail.base.patterns import pattern
from planrail.plans.claims import Claim, Kind
from planrail.plans.text.blocks import FrontMatter
from planrail.plans.text.source import Source
from planrail.plans.units.units import id_key
from planrail.plans.words.labels import read_label
from planrail.plans.words.marks import read_status

_LINE = pattern(r"[ \t]+(?:-[ \t]+)?(?P<key>[a-z_]+)[ \t]*+:[ \t]*+[\"']?(?P<value>[^\"'#\r\n]+)")
_NAMES = ("name", "title", "phase", "id")


def front_claims(source: Source, front_matter: FrontMatter | None) -> dict[str, Claim]:
    """What the front matter says about phases, by key: `- name: "Phase 1: Setup"` and `status: pending` below it."""
    found: dict[str, Claim] = {}
    if front_matter is None or "status" not in front_matter.text:
        return found
    name = ""
    start = front_matter.start
    for line in source.text[start : front_matter.end].splitlines(keepends=True):
        match = _LINE.match(line)
        if match and match["key"] in _NAMES:
            name = match["value"].strip()
        elif match and match["key"] == "status" and name:
            _take(source, name, match["value"].rstrip(), start + match.start("value"), found)
            name = ""
        start += len(line)
    return found


def _take(source: Source, name: str, value: str, start: int, found: dict[str, Claim]) -> None:
    label, mark = read_label(name), read_status(value)
    if label.id and mark:
        line = source.line_at(start)
        reason = f"front matter, line {line}: {value}"
        claim = Claim(Kind.TRACKER, mark.state, line, reason, start + mark.start, start + mark.end)
        found.setdefault(id_key(label.id), claim)
