"""Rules about verification: a phase that names nothing to run, a check that cannot fail, a command that is not run."""

import re
from collections.abc import Iterator

from planrail.base.visible import show_code
from planrail.plans.checks import read_checks, read_unrun
from planrail.plans.command_shapes import can_verify, looks_runnable
from planrail.plans.lint.document import Document
from planrail.plans.lint.inline import code_spans
from planrail.plans.lint.problems import Problem, error, warning
from planrail.plans.lint.shell import why_it_cannot_fail
from planrail.plans.model import Check, Unrun

# A test that the phase names can be run, whatever runs it.
_TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|e2e)/\S+\.\w+(?:::\S+)?$|(?:^|/)test[_-][\w.-]+\.\w+$|[._-](?:test|tests|spec)\.\w+$|"
    r"Tests?\.\w+$"
)
_SHELL = re.compile(r"(?:sh|bash|shell|zsh|console|shell-session|powershell|pwsh)\b", re.IGNORECASE)
_MANY = 3


def find_unchecked_phases(document: Document) -> Iterator[Problem]:
    """Each open phase for which planrail runs nothing; one problem where all of many name nothing that could be run."""
    if not document.is_markdown or (not any(phase.sections for phase in document.plan.phases)):
        return
    opened = [phase for phase in document.plan.phases if not phase.status.is_terminal]
    codes = [(line.phase, one.text) for line in document.lines if line.phase for one in code_spans(line.text)]
    named = [(phase, code) for phase, code in codes if looks_runnable(code) or _TEST_FILE.search(code)]
    naming = {id(phase) for phase, code in named if can_verify(code) or _TEST_FILE.search(code)}
    unchecked = [phase for phase in opened if not read_checks(list(phase.sections))]
    scripts = [fence for fence in document.fences if _SHELL.match(fence.info) and _verifies(fence.body)]
    unnamed = [
        phase
        for phase in unchecked
        if id(phase) not in naming and not any(phase.first_line <= one.line <= phase.last_line for one in scripts)
    ]
    if len(unnamed) > _MANY and len(unnamed) == len(opened):
        message = f"none of the {len(opened)} open phases names a command that could be run to verify it"
        yield warning("no-check", unnamed[0].first_line, message, "```sh check")
        return
    for phase in unchecked:
        lacks = "names no command that could be run to verify it"
        idle = "has no check: nothing that it names is run to verify it"
        message = f"phase {phase.id} {lacks if phase in unnamed else idle}"
        yield warning("no-check", phase.first_line, message, "```sh check")


def _verifies(body: str) -> bool:
    lines = [line.strip() for line in body.split("\n")]
    return any(line and not line.startswith("#") and can_verify(line) for line in lines)


def find_idle_checks(document: Document) -> Iterator[Problem]:
    for check in read_checks(document.outline.sections):
        reason = why_it_cannot_fail(check.command)
        if reason:
            yield error("check-cannot-fail", check.line, f"the check {_shown(check)} cannot fail: {reason}")


def find_unrun(document: Document) -> Iterator[Problem]:
    for found in _list_unrun(document):
        message = f"not run: {_shown(found)}, because {found.reason}; a `sh check` block in a phase is run"
        yield warning("not-run", found.line, message, "```sh check")


def _list_unrun(document: Document) -> list[Unrun]:
    phases = document.plan.phases
    if any(not phase.sections for phase in phases):  # entries of lists: the sections do not tell them apart
        return read_unrun(document.outline.sections)
    root, *sections = document.outline.sections
    owned = {section.line for phase in phases for section in phase.sections}
    outside = [section for section in sections if section.line not in owned]
    opened = [phase for phase in phases if not phase.status.is_terminal]
    inside = [found for phase in opened for found in read_unrun(list(phase.sections))]
    return [*inside, *read_unrun([root, *outside], in_phase=False)]


def _shown(check: Check | Unrun) -> str:
    command = show_code(check.command.strip().replace("\n", "; "))
    if not command:
        return "here"
    return f"`{command[:60]}…`" if len(command) > 60 else f"`{command}`"
