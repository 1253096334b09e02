"""What an agent may have planted outside of its workspace: compared at the end of a phase, before anything lands.

People edit such files too. So a change undoes nothing and fails nothing: the run rests, says what changed, and goes on
when a person has looked and says so.
"""

import json
import os

from planrail.base.identity import safe_name
from planrail.base.records import replace
from planrail.base.run_model import Finding
from planrail.git.outside_names import KIND, judge_outside, tell
from planrail.runs.checks.outside_files import OutsideFiles
from planrail.runs.steps.confirming import confirm_record, hash_record, is_answered, is_recorded
from planrail.runs.steps.site import Site
from planrail.runs.workshop import At, Paused


class Outside:
    """Remembers how things stood when an attempt began, and asks where they do not."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._files = OutsideFiles(site.root, site.environment)
        self._before: dict[tuple[str, int], dict[str, str]] = {}
        self._accepted: dict[tuple[str, int], list[Finding]] = {}

    def remember(self, at: At) -> None:
        """An attempt begins. Called again after a crash, the first look is the one that counts."""
        if (at.phase, at.attempt) in self._before:
            return
        known = self._load(at) if self._site.is_resumed else None
        if known is None:
            known = self._files.look()
            with open(self._record(at), "w", encoding="utf-8", errors="surrogateescape") as file:
                json.dump(known, file)
            confirm_record(self._site, self._name(at), known)
        self._before[at.phase, at.attempt] = known

    def ask(self, at: At) -> None:
        """Rest where something has changed, until a person has said that it may stay."""
        self.remember(at)
        now = self._files.look()
        found = judge_outside(self._before[at.phase, at.attempt], now, self._files.what)
        if not found:
            return
        if not is_answered(self._site, KIND, at, hash_record(now)):
            raise Paused("paused", tell(found), f"planrail resume {self._site.order.path}")
        self._before[at.phase, at.attempt] = now
        self._accepted.setdefault((at.phase, at.attempt), []).extend(
            replace(finding, is_failure=False, text=f"{finding.text}: a person has seen it, and went on")
            for finding in found
        )

    def notes(self, at: At) -> list[Finding]:
        """What was changed in this attempt, and a person let stay."""
        return self._accepted.get((at.phase, at.attempt), [])

    def _record(self, at: At) -> str:
        return os.path.join(self._site.folder, f"outside-{safe_name(at.phase)}-{at.attempt}.json")

    def _name(self, at: At) -> str:
        return f"outside/{at.phase}/{at.attempt}"

    def _load(self, at: At) -> dict[str, str] | None:
        """What an earlier process wrote down, if the ledger says the same of it; None where there was none."""
        if not is_recorded(self._site, self._name(at)):
            return None
        try:
            with open(self._record(at), encoding="utf-8", errors="surrogateescape") as file:
                known = json.load(file)
        except (OSError, ValueError):
            return {}
        is_ours = isinstance(known, dict) and confirm_record(self._site, self._name(at), known)
        return known if is_ours else {}
