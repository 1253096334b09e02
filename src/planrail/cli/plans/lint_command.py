"""Say what is wrong with a plan: its structure, its wording, its checks, its sums, and what it cites."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.settings import LintSettings, load_settings
from planrail.base.wording import Answer, paint, pick, plural, quote
from planrail.git.around_a_plan import DiskSurroundings
from planrail.git.git import top_level
from planrail.git.working_files import RepositoryTree, open_folder, open_tree
from planrail.planning.principles import PRINCIPLES, refuted_by
from planrail.plans.lint.problems import Problem, Severity
from planrail.plans.lint.rules import RULE_NAMES, lint
from planrail.plans.reading import read
from planrail.plans.text.source import Source, load

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


@record
class Finding:
    """The problems of one plan file."""

    path: str
    problems: list[Problem]
    is_grounded: bool  # or nobody asked for it


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
    if arguments.root is not None and not os.path.isdir(arguments.root):
        raise UsageError(f"there is no folder {arguments.root}", remedy="name the root of the code: --root DIR")
    sources = [load(path) for path in arguments.plans]
    findings = [_lint(source, arguments) for source in sources]
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


def _lint(source: Source, arguments: Namespace) -> Finding:
    plan = read(source, DiskSurroundings(source.path))
    tree = open_folder(arguments.root) if arguments.root is not None else open_tree(source.path)
    looked_up = None if arguments.no_grounding else tree
    problems = lint(source, plan, settings=_settings(tree), tree=looked_up, principles=arguments.principles)
    return Finding(source.path, problems, tree is not None or arguments.no_grounding)


def _settings(tree: RepositoryTree | None) -> LintSettings:
    root = (top_level(tree.root) or tree.root) if tree is not None else None  # it may be a part of the repository only
    settings = load_settings(root).lint
    unknown = sorted(set(settings.ignore) - RULE_NAMES)
    if unknown:
        known = ", ".join(sorted(RULE_NAMES))
        raise UsageError(
            f"planrail.toml: [lint] ignore names no rule: {', '.join(unknown)}", remedy=f"use one of: {known}"
        )
    return settings


def _render_principles(finding: Finding) -> Iterator[str]:
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


def _render_plan(finding: Finding) -> Iterator[str]:
    return _render(finding.path, finding.problems)


def _render(path: str, problems: list[Problem]) -> Iterator[str]:
    """Errors before warnings, each on a line that editors and grep understand."""
    for problem in sorted(problems, key=lambda one: one.severity is not Severity.ERROR):
        place, kind = paint(f"{path}:{problem.line}:", "bold"), paint(problem.severity, _COLOURS[problem.severity])
        yield f"{place} {kind} {paint(problem.rule, 'cyan')}  {problem.message}"


def _summarise(document: dict[str, object], findings: list[Finding], lines: list[str]) -> Answer:
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


def _count(finding: Finding, severity: Severity) -> int:
    return sum(1 for problem in finding.problems if problem.severity is severity)
