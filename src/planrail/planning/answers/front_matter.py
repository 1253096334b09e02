"""The front matter of a plan: planrail's own keys, and others' kept beside them without a meaning.

What a person or an agent wrote never decides what planrail's keys say: values are quoted so that any text comes back
as it was, and a key that claims an approval is dropped, because an approval is a fact of the ledger.
"""

import re
from collections.abc import Iterator, Mapping

from planrail.base.records import record

OWN_KEYS = ("id", "title", "created", "author", "critic", "rounds")
# What the plan reader would believe: in an agent's answer these are claims that nobody has earned.
_CLAIMS = frozenset(("status", "state", "todos", "phases", "progress"))
_KEY = re.compile(r"(?P<quote>[\"']?)(?P<key>[^\W\d][\w .-]{0,60}?)(?P=quote)[ \t]*:(?=[ \t]|$)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_/-]*(?:[ .][A-Za-z0-9_/-]+)*|[1-9]\d{0,8}|0")
_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LONGEST = 64 * 1024


@record
class Parts:
    """A text divided: what stands before the body, and the entries of the front matter with the bytes of each."""

    mark: str  # a byte order mark, or nothing
    entries: list[tuple[str, str]]  # key in lower case, its lines
    gap: str  # the blank line between front matter and body
    body: str
    has_front_matter: bool


def split_front_matter(text: str) -> Parts:
    """Divide a text. What only looks like front matter, because it is no YAML mapping, belongs to the body."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = [match[0] for match in _LINE.finditer(text[len(mark) :], 0, _LONGEST) if match[0]]
    bare = Parts(mark, [], "", text[len(mark) :], False)
    if not lines or lines[0].rstrip() != "---":
        return bare
    last = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
    entries = list(_entries(lines[1:last]))
    names = {key for key, _ in entries}
    if "" in names or not names - {"#"} or not _is_mapping("".join(lines[1:last])):
        return bare
    body = text[len(mark) + sum(map(len, lines[: last + 1])) :]
    gap = next((end for end in ("\r\n", "\n") if body.startswith(end)), "")
    return Parts(mark, entries, gap, body[len(gap) :], True)


def _entries(lines: list[str]) -> Iterator[tuple[str, str]]:
    """The entries of a mapping: a key with the lines that belong to it; "" for lines that no key owns."""
    key, taken = "", ""
    for line in lines:
        found = _KEY.match(line)
        if found:
            if taken:
                yield key or "#", taken
            key, taken = found["key"].strip().lower(), line
        elif not key and line.strip() and not line.startswith("#"):
            yield "", line
        else:
            taken += line
    if taken.strip():
        yield key or "#", taken


def _is_mapping(text: str) -> bool:
    import yaml

    try:
        return isinstance(yaml.safe_load(text) or {}, dict)
    except (yaml.YAMLError, ValueError, RecursionError):
        return False


def with_front_matter(plan: str, facts: Mapping[str, str]) -> str:
    """The plan with these facts in its front matter. The body keeps its bytes, and foreign keys theirs."""
    parts = split_front_matter(plan)
    newline = "\r\n" if "\r\n" in plan[:4096] else "\n"
    names = {name.lower() for name in facts}
    own = [f"{name}: {quote(value)}{newline}" for name, value in _in_order(facts)]
    kept = [_ended(lines, newline) for key, lines in parts.entries if key not in names and not _is_approval(key)]
    gap = parts.gap if parts.has_front_matter else newline
    return "".join([parts.mark, f"---{newline}", *own, *kept, f"---{newline}", gap, parts.body])


def without_claims(plan: str) -> str:
    """An agent's plan without the keys that only planrail may write, or that would be believed; the rest is kept."""
    parts = split_front_matter(plan)
    kept = [lines for key, lines in parts.entries if not _is_approval(key) and key not in _CLAIMS | set(OWN_KEYS)]
    if not parts.has_front_matter or not kept:
        return parts.body.lstrip("\r\n") if parts.has_front_matter else parts.body
    rule = "---\r\n" if "\r\n" in plan[:4096] else "---\n"
    return "".join([rule, *(_ended(lines, rule[3:]) for lines in kept), rule, parts.gap, parts.body])


def _in_order(facts: Mapping[str, str]) -> list[tuple[str, str]]:
    known = [name for name in OWN_KEYS if name in facts]
    return [(name, facts[name]) for name in [*known, *(name for name in facts if name not in OWN_KEYS)]]


def _is_approval(key: str) -> bool:
    return key.startswith(("approv", "sign-off", "signoff", "sign_off"))


def _ended(lines: str, newline: str) -> str:
    return lines if lines.endswith(("\n", "\r")) else lines + newline


def quote(value: str) -> str:
    """A text as a YAML value on one line that every reader gives back as this text (or as this number)."""
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return '"' + "".join(_ESCAPES.get(char) or _escaped(char) for char in value) + '"'


def _escaped(char: str) -> str:
    if char.isprintable() and char != "\ufeff" and not "\ufffe" <= char <= "\uffff":
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
