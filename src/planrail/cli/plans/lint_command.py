"""Say what is wrong with a plan: its structure, its wording, its checks, its sums, and what it cites."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.base.wording import Answer, paint, pick, plural, quote
from planrail.planning.principles import PRINCIPLES, refuted_by
from planrail.plans.lint.document import Problem, Severity
from planrail.projects.linting import LintedPlan, lint_file

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plans", metavar="PLAN", nargs="+", help="a plan file, of any format")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--root", metavar="DIR", help="where the plan's citations are looked up (the plan's repository)"
    )
    parser.add_argument("--no-grounding", action="store_true", help="do not look up what the plan cites")
    parser.add_argument(
        "--principles", action="store_true", help="hold the plan to the principles that a program can judge, one by one"
    )


def run(arguments: Namespace) -> Answer:
    manner = {"is_grounding": not arguments.no_grounding, "principles": arguments.principles}
    findings = [lint_file(path, arguments.root, **manner) for path in arguments.plans]
    document: dict[str, object] = {
        "problems": [
            {**pick(one, "rule severity line message"), "path": finding.path, "suggestion": one.suggestion or None}
            for finding in findings
            for one in finding.problems
        ]
    }
    if arguments.principles:  # which of them each plan is refuted on, and by what
        document["refuted"] = {finding.path: refuted_by(finding.problems) for finding in findings}
    render = _render_principles if arguments.principles else _render_plan
    return _summarise(document, findings, [line for finding in findings for line in render(finding)])


def _render_principles(finding: LintedPlan) -> Iterator[str]:
    """The principles that a program can judge, each with what speaks against it; the rest at the end."""
    judged = [principle for principle in PRINCIPLES if principle.judged_by]
    owned = {rule for principle in judged for rule in principle.judged_by}
    refuted = refuted_by(finding.problems)
    for principle in judged:
        verdict = paint("FAIL", "red") if principle.id in refuted else paint("nothing found", "green")
        yield f"{paint(f'{principle.id} {principle.name}', 'bold')}: {verdict}"
        yield from _render(finding.path, [one for one in finding.problems if one.rule in principle.judged_by])
    others = [one for one in finding.problems if one.rule not in owned]
    if others:
        yield paint("besides the principles:", "bold")
        yield from _render(finding.path, others)


def _render_plan(finding: LintedPlan) -> Iterator[str]:
    return _render(finding.path, finding.problems)


def _render(path: str, problems: list[Problem]) -> Iterator[str]:
    """Errors before warnings, each on a line that editors and grep understand."""
    for problem in sorted(problems, key=lambda one: one.severity is not Severity.ERROR):
        place, kind = paint(f"{path}:{problem.line}:", "bold"), paint(problem.severity, _COLOURS[problem.severity])
        yield f"{place} {kind} {paint(problem.rule, 'cyan')}  {problem.message}"


def _summarise(document: dict[str, object], findings: list[LintedPlan], lines: list[str]) -> Answer:
    errors = sum(_count(finding, Severity.ERROR) for finding in findings)
    warnings = sum(_count(finding, Severity.WARNING) for finding in findings)
    lines += [""] if errors or warnings else []
    lines += [f"{plural(errors, 'error')}, {plural(warnings, 'warning')} in {plural(len(findings), 'plan')}"]
    if not all(finding.is_grounded for finding in findings):
        note = "what the plan cites was not looked up: it lies in no repository (--root DIR names a place)"
        lines.append(paint(note, "dim"))
    worst = max(findings, key=lambda finding: _count(finding, Severity.ERROR))
    first = next((one.line for one in worst.problems if one.severity is Severity.ERROR), None)
    repaired = f"        (once {worst.path}:{first} is repaired)" if first else ""
    command = f"planrail {'lint' if errors else 'next'} {quote(worst.path)}{repaired}"
    return Answer(document, lines, command=command, code=1 if errors else 0)


def _count(finding: LintedPlan, severity: Severity) -> int:
    return sum(1 for problem in finding.problems if problem.severity is severity)
