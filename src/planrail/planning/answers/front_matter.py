"""The front matter of a plan: planrail's own keys, and others' kept beside them without a meaning.

What a person or an agent wrote never decides what planrail's keys say: values are quoted so that any text comes back
as it was, and a key that claims an approval is dropped, because an approval is a fact of the ledger.
"""

import json
import re
from collections.abc import Mapping

from planrail.base.records import record

OWN_KEYS = ("id", "title", "created", "author", "critic", "rounds")
# What the plan reader would believe: in an agent's answer these are claims that nobody has earned.
_CLAIMS = frozenset(("status", "state", "todos", "phases", "progress"))
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_/-]*(?:[ .][A-Za-z0-9_/-]+)*|[1-9]\d{0,8}|0")
_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))
_REFUSED = "\ufeff\ufffe\uffff"  # by readers of YAML
_LONGEST = 64 * 1024


@record
class DividedText:
    """A text divided: what stands before the body, and the entries of the front matter with the bytes of each."""

    mark: str  # a byte order mark, or nothing
    entries: list[tuple[str, str]]  # key in lower case, its lines; "" for a comment above all keys
    gap: str  # the blank line between front matter and body
    body: str
    has_front_matter: bool

    def kept(self, *others: str) -> list[str]:
        """The entries that are no claim of an approval, and not under these keys."""
        approvals = ("approv", "sign-off", "signoff", "sign_off")
        return [lines for key, lines in self.entries if not key.startswith(approvals) and key not in others]


def split_front_matter(text: str) -> DividedText:
    """Divide a text. What only looks like front matter, because it is no YAML mapping, belongs to the body."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    bare = DividedText(mark, [], "", text[len(mark) :], False)
    if not bare.body.startswith("---"):
        return bare
    lines = [match[0] for match in _LINE.finditer(bare.body, 0, _LONGEST) if match[0]]
    last = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
    entries = _entries("".join(lines[1:last])) if lines[0].rstrip() == "---" else []
    if not entries:
        return bare
    body = text[len(mark) + sum(map(len, lines[: last + 1])) :]
    gap = next((end for end in ("\r\n", "\n") if body.startswith(end)), "")
    return DividedText(mark, entries, gap, body[len(gap) :], True)


def _entries(text: str) -> list[tuple[str, str]]:
    """The entries of a mapping, each key with the lines that belong to it; [] where the text is none."""
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return []
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return []
    # By offsets: readers of YAML take more characters for the end of a line.
    places = [key.start_mark.index for key, _ in root.value]
    starts = [max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 for at in places]
    names = [str(key.value).strip().lower() for key, _ in root.value]
    found = [(key, text[start:end]) for key, start, end in zip(names, starts, [*starts[1:], len(text)], strict=True)]
    return [("", text[: starts[0]]), *found] if starts[0] else found


def with_front_matter(plan: str, facts: Mapping[str, str]) -> str:
    """The plan with these facts in its front matter. The body keeps its bytes, and foreign keys theirs."""
    parts, names = split_front_matter(plan), sorted(facts, key=lambda name: (*OWN_KEYS, name).index(name))
    newline = "\r\n" if "\r\n" in plan[:4096] else "\n"
    own = [f"{name}: {quote(facts[name])}{newline}" for name in names]
    gap = parts.gap if parts.has_front_matter else newline
    return _written(parts, [*own, *parts.kept(*map(str.lower, names))], newline, gap)


def without_claims(plan: str) -> str:
    """An agent's plan without the keys that only planrail may write, or that would be believed; the rest is kept."""
    parts = split_front_matter(plan)
    kept = parts.kept(*_CLAIMS, *OWN_KEYS)
    if not kept:
        return parts.body.lstrip("\r\n") if parts.has_front_matter else parts.body
    newline = "\r\n" if "\r\n" in plan[:4096] else "\n"
    return _written(parts, kept, newline, parts.gap).removeprefix(parts.mark)


def _written(parts: DividedText, entries: list[str], newline: str, gap: str) -> str:
    ended = (lines if lines.endswith(("\n", "\r")) else lines + newline for lines in entries)
    return "".join([parts.mark, f"---{newline}", *ended, f"---{newline}", gap, parts.body])


def quote(value: str) -> str:
    """A text as a YAML value on one line that every reader gives back as this text (or as this number)."""
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() and char not in _REFUSED else f"\\U{ord(char):08x}" for char in quoted)
