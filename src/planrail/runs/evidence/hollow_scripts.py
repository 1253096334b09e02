"""Scripts of the phase itself that are a whole check, and that cannot fail: such a check says yes to any work."""

import re
from collections.abc import Iterable

from planrail.base.patterns import pattern
from planrail.base.run_model import CheckOrder, Finding
from planrail.runs.strength.hollow_checks import why_hollow
from planrail.runs.strength.shell_words import script_of, split_commands
from planrail.runs.strength.weakening import Changes

# What names itself a check. A script of another name may be the work, and printing one line all that it has to do.
_CHECKS = pattern(r"test|check|verif|spec|lint|valid|e2e|smoke|accept", re.IGNORECASE)
_SHELL_SCRIPTS = (".sh", ".bash", ".zsh")


def find_hollow_scripts(checks: Iterable[CheckOrder], changes: Changes) -> list[Finding]:
    """Each script that the phase wrote, that a check runs and nothing else, and that always succeeds."""
    whole = (split_commands(check.command) for check in checks)
    called = {script_of(commands[0]) for commands in whole if len(commands) == 1}
    found = []
    for path in sorted(called & changes.keys()):
        text = (changes[path][1] or b"").decode(errors="replace")
        why = why_hollow(text) if _CHECKS.search(path) and _is_shell(path, text) else ""
        if why:
            found.append(Finding("hollow_script", f"{path}, which this phase wrote, cannot fail: {why}", path))
    return found


def _is_shell(path: str, text: str) -> bool:
    first = text.split("\n", 1)[0]
    return path.endswith(_SHELL_SCRIPTS) or (first.startswith("#!") and first.rstrip().endswith("sh"))
