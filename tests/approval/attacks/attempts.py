"""The attempts of `attempts.toml`, and the table that is made of them."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from planrail.approval.model import STRENGTHS
from planrail.base.records import record

_FILE = Path(__file__).with_name("attempts.toml")
STOPPED, SUCCEEDS = "stopped", "succeeds"
_SHOWN = {STOPPED: "stopped", SUCCEEDS: "**not stopped**"}


@record
class Attempt:
    """One attempt; the fields are explained in the file."""

    says: str
    script: str
    dialog: str
    terminal: str
    key: str
    agent: str = "claude"
    before: str = "proposed"
    needs: str = ""
    looks_at: str = "plans/herons.md"
    sample: bool = False

    def outcome(self, strength: str) -> str:
        """Whether it is stopped where that strength is demanded."""
        found: str = getattr(self, strength)
        return found


def load_attempts() -> list[Attempt]:
    """All attempts, in the order of the file."""
    return [Attempt(**values) for values in tomllib.loads(_FILE.read_text(encoding="utf-8"))["attempt"]]


def render_table(attempts: Iterable[Attempt]) -> str:
    """The table of the documents."""
    lines = ["| the agent tries | dialog | terminal | key |", "|---|---|---|---|"]
    for attempt in attempts:
        cells = [attempt.says.replace("|", "\\|"), *(_SHOWN[attempt.outcome(strength)] for strength in STRENGTHS)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
