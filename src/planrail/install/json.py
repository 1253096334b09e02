"""planrail's entries in JSON settings that belong to another program: put in, recognised, taken out.

Pure functions over documents. Whatever is not planrail's stays as it is.
"""

import json
from typing import TypeAlias

Document: TypeAlias = dict[str, object]


MARK = "planrail-hook"  # every command that planrail writes calls this file
# Single entries, by the table that holds them.
_KEYS = {"env": "PLANRAIL_DIRECT", "extraKnownMarketplaces": "planrail", "enabledPlugins": "planrail@planrail"} | {
    "mcpServers": "planrail",
    "mcp": "planrail",
}
_BOM = b"\xef\xbb\xbf"
# What an agent may type without asking, where the user wants that: these read, or run what was approved.
RULES = [f"Bash(planrail {name}:*)" for name in ("next", "show", "check", "done", "look")]


class OddShape(ValueError):
    """A settings file is not what its program would write."""


def load(data: bytes) -> Document:
    """The document in a file, or `OddShape` that says why it is none."""
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise OddShape(f"it is not valid JSON ({error})") from None
    if not isinstance(document, dict):
        raise OddShape("it is not a JSON object")
    return document


def dump(document: Document, like: bytes | None = None) -> bytes:
    """The document as bytes, spaced like the file that it replaces."""
    text = "" if like is None else like.decode("utf-8", "replace")
    spaced = json.dumps(document, ensure_ascii=False, indent=_indent(text))
    ending = "" if text and not text.endswith("\n") else "\n"
    try:
        data = (spaced + ending).encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can spell and UTF-8 cannot
        data = (json.dumps(document, indent=_indent(text)) + ending).encode()
    if "\r\n" in text:
        data = data.replace(b"\n", b"\r\n")
    return _BOM + data if like is not None and like.startswith(_BOM) else data


def put_in(document: Document, entries: Document) -> Document:
    """The document with entries added: hooks after those that are there, other values only where there is none."""
    result = dict(document)
    for name, value in entries.items():
        if name == "hooks":
            assert isinstance(value, dict)
            hooks = dict(_table(result, name))
            for event, groups in value.items():
                before = hooks.get(event, [])
                if not isinstance(before, list):
                    raise OddShape(f"its hooks for {event} are not a list")
                hooks[event] = [*before, *groups]
            result[name] = hooks
        elif name == "permissions":
            allowed = _allowed(result)
            new = [rule for rule in RULES if rule not in allowed]
            result[name] = {**_table(result, name), "allow": [*allowed, *new]}
        elif isinstance(value, dict) and name in _KEYS:
            result[name] = {**value, **_table(result, name)}
        else:
            result.setdefault(name, value)
    return result


def take_out(document: Document, was: Document) -> Document:
    """The document without planrail's entries. Tables that they leave empty go too, but for those it `was` with."""
    result = dict(document)
    for name, key in _KEYS.items():
        table = result.get(name)
        if isinstance(table, dict) and key in table:
            before = was.get(name)
            kept = before if isinstance(before, dict) else {}
            rest = {other: value for other, value in table.items() if other != key or other in kept}
            result[name] = {other: kept[key] if other == key else value for other, value in rest.items()}
            _drop_if_empty(result, name, was)
    if allows(result) and not allows(was):
        rules = [rule for rule in _allowed(result) if rule not in RULES or rule in _allowed(was)]
        permissions: Document = {**_table(result, "permissions"), "allow": rules}
        result["permissions"] = permissions
        before = was.get("permissions")
        _drop_if_empty(permissions, "allow", before if isinstance(before, dict) else {})
        _drop_if_empty(result, "permissions", was)
    if is_ours(result.get("statusLine")):
        del result["statusLine"]
    hooks, before = result.get("hooks"), was.get("hooks")
    if isinstance(hooks, dict):
        rest = {event: _take_out_groups(groups) for event, groups in hooks.items()}
        for event in [event for event in rest if rest[event] != hooks[event]]:
            _drop_if_empty(rest, event, before if isinstance(before, dict) else {})
        if rest != hooks:
            result["hooks"] = rest
            _drop_if_empty(result, "hooks", was)
    return result


def is_ours(entry: object) -> bool:
    return isinstance(entry, dict) and MARK in str(entry.get("command", ""))


def holds(document: Document, entries: Document) -> bool:
    """Whether the document has these entries of planrail's, and no others of its hooks."""
    for name, value in entries.items():
        if name == "hooks":
            if _our_groups(document.get(name)) != _our_groups(value):
                return False
        elif name == "permissions":
            if not allows(document):
                return False
        elif isinstance(value, dict) and name in _KEYS:
            table = document.get(name)
            if not isinstance(table, dict) or any(table.get(key) != value[key] for key in value):
                return False
        elif document.get(name) != value:
            return False
    return True


def stop_time(document: Document, event: str) -> int:
    """How long planrail's hook may take at an event, in the agent's unit; 0 where nothing says so."""
    groups = _our_groups(document.get("hooks")).get(event)
    hooks = [hook for group in groups for hook in group["hooks"]] if isinstance(groups, list) else []
    times = [hook.get("timeout") for hook in hooks if is_ours(hook)]
    return min((time for time in times if isinstance(time, int)), default=0)


def allows(document: Document) -> bool:
    """Whether the rules are there by which an agent need not ask for planrail's own commands."""
    try:
        return all(rule in _allowed(document) for rule in RULES)
    except OddShape:
        return False


def _allowed(document: Document) -> list[object]:
    allowed = _table(document, "permissions").get("allow", [])
    if not isinstance(allowed, list):
        raise OddShape("its permissions.allow is not a list")
    return allowed


def has_hooks(document: Document) -> bool:
    return bool(_our_groups(document.get("hooks")))


def _our_groups(hooks: object) -> Document:
    if not isinstance(hooks, dict):
        return {}
    lists = {event: groups for event, groups in hooks.items() if isinstance(groups, list)}
    found = {
        event: [group for group in groups if _take_out_groups([group]) != [group]] for event, groups in lists.items()
    }
    return {event: groups for event, groups in found.items() if groups}


def _take_out_groups(groups: object) -> object:
    """The groups of one event without planrail's hooks; a group that held nothing else goes whole."""
    if not isinstance(groups, list):
        return groups
    kept = []
    for group in groups:
        hooks = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(hooks, list) or not any(map(is_ours, hooks)):
            kept.append(group)
        elif rest := [hook for hook in hooks if not is_ours(hook)]:
            kept.append({**group, "hooks": rest})
    return kept


def _drop_if_empty(table: Document, name: str, was: Document) -> None:
    if not table[name] and name not in was:
        del table[name]


def _table(document: Document, name: str) -> Document:
    value = document.get(name, {})
    if not isinstance(value, dict):
        raise OddShape(f"its {name!r} is not an object")
    return value


def _indent(text: str) -> str | int:
    """The spaces or the tab that the first inner line of a document begins with."""
    for line in text.splitlines()[1:]:
        space = line[: len(line) - len(line.lstrip(" \t"))]
        if space:
            return space
    return 2
