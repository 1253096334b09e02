"""`specs/state.json` as a whole: what stands around the entries, in the form that their readers know."""

from collections.abc import Iterable, Mapping

from planrail.tasks.views.json_text import render_json

BETWEEN = ",\n    "  # two entries
_VERSION = "1.1.0"
_OWN = ("version", "next_project_number", "active_projects")


def render_state(next_number: int, head: Mapping[str, object], entries: Iterable[str]) -> str:
    """The whole file. `head` are the fields beside the tasks, as they came with an import."""
    before, after = render_frame(next_number, head)
    inner = BETWEEN.join(entries)
    return f"{before}[\n    {inner}\n  ]{after}" if inner else f"{before}[]{after}"


def render_frame(next_number: int, head: Mapping[str, object]) -> tuple[str, str]:
    """What stands before the list of tasks, and what stands after it."""
    version = render_json(head.get("version") or _VERSION)
    before = f'{{\n  "version": {version},\n  "next_project_number": {next_number},\n  "active_projects": '
    fields = {key: value for key, value in head.items() if key not in _OWN}
    fields.setdefault("completed_projects", [])
    after = "".join(f",\n  {render_json(key)}: {render_json(value, '  ')}" for key, value in fields.items())
    return before, f"{after}\n}}\n"


def render_archive(entries: Iterable[str]) -> str:
    """`archive/state.json`: the entries of all archived tasks, whichever way they ended."""
    inner = BETWEEN.join(entries)
    found = f"[\n    {inner}\n  ]" if inner else "[]"
    return f'{{\n  "completed_projects": {found},\n  "abandoned_projects": []\n}}\n'
