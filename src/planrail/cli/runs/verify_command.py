"""What speaks for a change, and what against it, without a plan? A report; nothing is marked, fixed or landed.

planrail verify                    what is not committed here; else this branch, since it left its target
planrail verify worktree           what is not committed here
planrail verify branch [NAME]      a branch, since it left its target
planrail verify last [N]           the last N commits

The project's tests are run on the base and on the change, each in a clean checkout; tests that got weaker, new tests
that pass on the old code, secrets and files that run things are looked for, as in a run. Exit code 1 where something
speaks against it. With --json: {"title", "base", "tree", "commits", "files", "ok", "tests": {"command", "base",
"work"}, "problems", "notes", "next"}.
"""

import os
from argparse import ArgumentParser, Namespace

from planrail.approval.book import project_root
from planrail.base.wording import Answer, name_some, plural
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import say
from planrail.runs.evidence.judging import describe_exit
from planrail.runs.in_session.changes import ChangeCase, ChangeReport, locate_change, verify_change
from planrail.runs.in_session.tree_checks import Runs

_MOST_FILES, _MOST_LINES = 8, 12


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("scope", metavar="WHAT", nargs="?", default="", help="worktree, branch or last")
    parser.add_argument("name", metavar="NAME|N", nargs="?", default="", help="the branch, or how many commits")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    with refusal_as_json({"ok": False, "problems": []}, as_json=arguments.json):
        case = locate_change(project_root(os.getcwd()), arguments.scope, arguments.name)
        if not arguments.json:
            say(f"{case.title}: {plural(len(case.paths), 'file')} on {case.base.commit[:10]}")
        report = verify_change(case)
    command = "planrail setup" if not case.checks else "git diff" if not case.commits else "git log -p"
    command = command if report.failures or not case.checks else ""
    return Answer(
        {**describe(case, report), "next": command or None},
        render(case, report),
        command=command,
        code=1 if report.failures else 0,
    )


def describe(case: ChangeCase, report: ChangeReport) -> dict[str, object]:
    tests = {"command": case.settings.testing.runnable or None}
    return {
        "title": case.title,
        "base": case.base.commit,
        "tree": case.work,
        "commits": list(case.commits),
        "files": list(case.paths),
        "ok": not report.failures,
        "tests": {**tests, "base": _exit(report.before), "work": _exit(report.runs)},
        "problems": [finding.text for finding in report.failures],
        "notes": [finding.text for finding in report.findings if not finding.is_failure],
    }


def _exit(runs: Runs) -> int | None:
    return runs[0].exit if runs else None


def render(case: ChangeCase, report: ChangeReport) -> list[str]:
    lines = [f"  commit {told}" for told in case.commits]
    lines.append(f"  files: {name_some(case.paths, _MOST_FILES)}")
    for where, runs in (("base", report.before), ("change", report.runs)):
        lines += [f"  on the {where}: `{run.command}` {describe_exit(run) if run.exit else 'passed'}" for run in runs]
    failed = [run for run in report.runs if run.exit]
    lines += [f"      {line}" for run in failed for line in run.tail.rstrip().splitlines()[-_MOST_LINES:]]
    if not case.checks:
        lines.append("  the project's tests were not run: no command is known ([testing] command)")
    lines += [f"  {finding.text}" for finding in report.findings if not finding.is_failure]
    if report.failures:
        return [*lines, "this speaks against it:", *(f"  {finding.text}" for finding in report.failures)]
    return [*lines, "nothing was found that speaks against it; nobody has read it"]
