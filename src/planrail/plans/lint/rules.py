"""All rules, as data, and the function that applies them."""

from collections.abc import Callable, Iterable
from functools import partial

from planrail.base.records import record
from planrail.base.settings import LintSettings
from planrail.plans.lint import structure
from planrail.plans.lint.arithmetic import find_wrong_sums
from planrail.plans.lint.document import Document, FileTree, Problem, Severity, open_document
from planrail.plans.lint.grounding.rule import find_broken_citations
from planrail.plans.lint.sections import (
    find_all_missing_effort,
    find_missing_effort,
    find_missing_sections,
    find_no_phases,
    measure_length,
)
from planrail.plans.lint.verification import find_idle_checks, find_unchecked_phases, find_unrun
from planrail.plans.lint.wording import find_vague_wording
from planrail.plans.model import Plan
from planrail.plans.text.source import PlanSource


@record
class Rule:
    """A rule: its name, what it reports in a sentence, and the function that finds the problems.

    `find_asked` takes its place where a plan is held to the principles of a good plan.
    """

    name: str
    summary: str
    find: Callable[[Document], Iterable[Problem]]
    find_asked: Callable[[Document], Iterable[Problem]] | None = None


_ORDER = partial(structure.find_late_dependencies, severity=Severity.ERROR)  # where order is a principle
RULES = (
    Rule("no-phases", "the document has nothing to execute", find_no_phases),
    Rule("missing-section", "a section of a good plan is missing", find_missing_sections),
    Rule("length", "the plan is longer than people read with care", measure_length),
    Rule("vague-wording", "work or criteria in words that cannot be verified", find_vague_wording),
    Rule("no-check", "nothing is run to verify an open phase", find_unchecked_phases),
    Rule("check-cannot-fail", "a check succeeds whatever is done", find_idle_checks),
    Rule("not-run", "what looks like a command that verifies is not run", find_unrun),
    Rule("duplicate-id", "two phases have one id", structure.find_duplicate_ids),
    Rule("unknown-dependency", "a phase depends on one that is not there", structure.find_unknown_dependencies),
    Rule("cycle", "phases wait for each other", structure.find_cycles),
    Rule("late-dependency", "a phase depends on one that stands after it", structure.find_late_dependencies, _ORDER),
    Rule("effort", "a phase does not say how much work it is", find_missing_effort, find_all_missing_effort),
    Rule("contradiction", "two places give a phase different states", structure.pass_on_diagnostics("contradiction")),
    Rule("unknown-mark", "a status that planrail does not know", structure.pass_on_diagnostics("unknown-mark")),
    Rule("open-work", "boxes are open beside phases that are all finished", structure.pass_on_diagnostics("open-work")),
    Rule("arithmetic", "figures that do not add up", find_wrong_sums),
    Rule("grounding", "a path, symbol or command that is not there", find_broken_citations),
)
RULE_NAMES = frozenset(rule.name for rule in RULES)


def lint(
    source: PlanSource, plan: Plan, *, settings: LintSettings, tree: FileTree | None, principles: bool = False
) -> list[Problem]:
    """The problems of a plan, by line. Without a tree, what the plan cites is not looked up.

    With `principles`, the plan is held to those that a program can judge: it has to give the effort of all its phases.
    """
    document = open_document(source, plan, settings, tree)
    rules = [rule for rule in RULES if rule.name not in settings.ignore]
    finders = [rule.find_asked if principles and rule.find_asked else rule.find for rule in rules]
    found = [problem for find in finders for problem in find(document)]
    return sorted(found, key=lambda problem: (problem.line, problem.rule, problem.message))
