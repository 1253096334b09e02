"""What a conversation of Codex has used, by its own record: its figures count from the very beginning."""

import glob
import json
import os
from collections.abc import Mapping

from planrail.agents.model import Spent
from planrail.agents.wires.codex_config import codex_home
from planrail.base.json_reading import number_in, object_in


def used_so_far(environment: Mapping[str, str], conversation: str) -> Spent:
    """The last figures in the conversation's own file; nothing where there is none: then too much is counted."""
    if not conversation:
        return Spent(0, 0)
    pattern = os.path.join(codex_home(environment), "sessions", "**", f"rollout-*{glob.escape(conversation)}.jsonl")
    files = glob.glob(pattern, recursive=True)
    return _last_count(max(files)) if files else Spent(0, 0)


def spent_on(usage: Mapping[str, object]) -> Spent:
    """A usage as Codex reports it; what came from a cache is part of what went in."""
    return Spent(number_in(usage, "input_tokens"), number_in(usage, "output_tokens"))


def _last_count(path: str) -> Spent:
    found = Spent(0, 0)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if '"token_count"' in line:
                    found = _count(line) or found
    except OSError:
        return Spent(0, 0)
    return found


def _count(line: str) -> Spent | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    payload = object_in(entry, "payload") if isinstance(entry, dict) else {}
    total = object_in(object_in(payload, "info"), "total_token_usage")
    return spent_on(total) if payload.get("type") == "token_count" and total else None
