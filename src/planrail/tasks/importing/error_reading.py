"""The entries of an errors.json, whoever wrote it."""

from planrail.tasks.importing.divergences import Remarks
from planrail.tasks.importing.json_reading import read_json


def read_errors(text: str | None, path: str, remarks: Remarks) -> list[dict[str, object]]:
    """The errors of a file; those that are no entries are told."""
    if text is None:
        return []
    found = read_json(text)
    if found.problem:
        remarks.add("file_unreadable", 0, f"{path} cannot be read, {found.problem}; no errors are taken from it")
        return []
    value = found.value.get("errors", []) if isinstance(found.value, dict) else found.value
    items = value if isinstance(value, list) else []
    entries = [item for item in items if isinstance(item, dict)]
    if len(entries) < len(items):
        remarks.add("error_unusable", 0, f"{path}: {len(items) - len(entries)} of {len(items)} errors are no entries")
    return entries
