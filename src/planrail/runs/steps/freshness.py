"""Is a phase still about the code that is there? Looked at in the clean checkout of its base, before anybody works."""

from typing import TYPE_CHECKING

from planrail.base.run_model import PhaseOrder
from planrail.git.working_files import open_folder
from planrail.plans.lint.document import open_document
from planrail.plans.lint.grounding.rule import find_broken_citations
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.source import Source
from planrail.runs.phases.staleness import AskAboutPlan, Fresh, decide_staleness, judge_freshness
from planrail.runs.steps.site import Site
from planrail.runs.workshop import At, Freshness

if TYPE_CHECKING:
    from planrail.plans.lint.problems import Problem


class Freshening:
    """Holds a phase against its base."""

    def __init__(self, site: "Site", text: str) -> None:
        self._site, self._text = site, text
        self._plan: Plan | None = None

    def look(self, phase: "PhaseOrder", at: "At", room: str) -> Freshness:
        """See `Workshop.freshen`."""
        if self._plan is None:
            self._plan = read(Source(self._site.order.path, self._text))
        known = self._plan.phase(phase.id)
        if known is None:
            return Freshness()
        found = judge_freshness(self._plan, self._text, known, broken=self._broken(phase, room))
        decided = decide_staleness(found, auto=self._site.order.options.auto, can_refine=False)
        if isinstance(decided, Fresh):
            return Freshness(notes=decided.notes)
        if isinstance(decided, AskAboutPlan):
            return Freshness(question=decided.text)
        return Freshness(refusal=decided.text)

    def _broken(self, phase: "PhaseOrder", room: str) -> "list[Problem]":
        """What the plan cites and the base does not have. A phase that quotes nothing cites nothing."""
        if ("`" not in phase.text and "](" not in phase.text) or self._plan is None:
            return []
        settings = self._site.settings.lint
        if "grounding" in settings.ignore:
            return []
        document = open_document(Source(self._site.order.path, self._text), self._plan, settings, open_folder(room))
        return list(find_broken_citations(document))
