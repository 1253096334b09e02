"""The twelve principles that a critique judges a plan by, and which of them a program can refute."""

from collections.abc import Iterable

from planrail.base.records import record
from planrail.plans.lint.document import Problem

# A name, and what a critic with this perspective looks for.
PERSPECTIVES = (
    (
        "TECHNICAL",
        "Would this work? Order, contracts, data that already exists, error paths, concurrency, performance, security.",
    ),
    (
        "USER / MAINTAINABILITY",
        "Would people be glad of it? Those who use it, those who are paged for it, those who read it in a year.",
    ),
    (
        "DEVIL'S ADVOCATE",
        "Why is this plan wrong? The false assumption, the simpler way that was missed, the reason to do nothing.",
    ),
)


def perspective_of(round_: int) -> tuple[str, str]:
    """The perspective of a round, from 1. From the third on it is the devil's advocate, and then they come round."""
    return PERSPECTIVES[(round_ - 1) % len(PERSPECTIVES)]


@record
class Principle:
    """A principle: its id, a name, the question to a plan, and the lint rules that can refute a PASS."""

    id: str
    name: str
    question: str
    judged_by: tuple[str, ...] = ()


PRINCIPLES = (
    Principle(
        "P1",
        "ordering",
        "Can each step be done when its turn comes, from the simple to the complex, with its dependencies named?",
        ("cycle", "unknown-dependency", "late-dependency"),
    ),
    Principle(
        "P2", "file references", "Does every change name the file it is made in, and is it there?", ("grounding",)
    ),
    Principle("P3", "contracts", "Are the interfaces between the parts stated: inputs, outputs, types, formats?"),
    Principle("P4", "error paths", "Does the plan say what happens when each thing that can fail does fail?"),
    Principle(
        "P5", "edge cases", "Are there at least three edge cases for each component, and what is done about them?"
    ),
    Principle(
        "P6",
        "runnable verification",
        "Is each phase verified by a command that somebody can run, and that can fail?",
        ("no-check", "check-cannot-fail"),
    ),
    Principle(
        "P7", "breaking changes", "Is everything named that others rely on and that will change, with a way over?"
    ),
    Principle("P8", "scope", "Does every step serve the goal, and is everything that the goal needs there?"),
    Principle(
        "P9", "no vague words", "Could two people disagree on whether a sentence is fulfilled?", ("vague-wording",)
    ),
    Principle("P10", "new developer", "Could somebody who has never seen the code carry the plan out without asking?"),
    Principle("P11", "effort", "Does each phase state its effort (S, M, L), and is it believable?", ("effort",)),
    Principle("P12", "assumptions", "Is each assumption stated, with what changes if it is wrong?"),
)
IDS = tuple(principle.id for principle in PRINCIPLES)

# A path that may be wrong is advice; only one that certainly is wrong refutes a principle.
_CERTAIN_ONLY = ("grounding",)


def refuted_by(findings: Iterable[Problem]) -> dict[str, str]:
    """The principles that lint refutes, each with the first finding against it and how many there are."""
    against: dict[str, list[str]] = {}
    owners = {rule: principle.id for principle in PRINCIPLES for rule in principle.judged_by}
    for finding in findings:
        is_advice = finding.rule in _CERTAIN_ONLY and finding.severity != "error"
        if finding.rule in owners and not is_advice:
            against.setdefault(owners[finding.rule], []).append(f"line {finding.line}: {finding.message}")
    more = {name: f" (and {len(messages) - 1} more)" for name, messages in against.items() if len(messages) > 1}
    return {name: messages[0] + more.get(name, "") for name, messages in against.items()}
