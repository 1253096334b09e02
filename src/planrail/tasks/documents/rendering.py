"""Reports and summaries from values: in the format by construction, whatever the texts in them are."""

from collections.abc import Callable

from planrail.tasks.documents.outlines import Outline as Outline
from planrail.tasks.documents.outlines import PlanPhase as PlanPhase
from planrail.tasks.documents.outlines import Report as Report
from planrail.tasks.documents.outlines import Summary as Summary
from planrail.tasks.documents.pages import common_fields, pairs, safe_title, write_page
from planrail.tasks.documents.plan_rendering import render_plan as render_plan
from planrail.tasks.documents.texts import bullets, one_line, plain_words, prose, quoted
from planrail.tasks.documents.validating import validate
from planrail.tasks.model import REPORT, SUMMARY, Task
from planrail.tasks.statuses import marker


def render_report(task: Task, report: Report, path: str = "") -> str:
    """A research report. `path` is where it will lie; its texts cannot end a section or hide what follows."""

    def write(body: Callable[[str], list[str]]) -> str:
        fields = {
            **common_fields(task, REPORT, [path] if path else []),
            "Started": one_line(report.started),
            "Completed": one_line(report.completed),
            "Effort": one_line(report.effort) or one_line(task.effort),
            "Sources/Inputs": ", ".join(filter(None, map(one_line, report.sources))),
        }
        sections = {
            "Executive Summary": bullets(report.executive_summary),
            "Context & Scope": body(report.context),
            "Findings": _findings(report, body),
            "Decisions": bullets(report.decisions),
            "Recommendations": bullets(report.recommendations),
            "Risks & Mitigations": pairs(report.risks, "Risk", "Mitigation"),
            "Appendix": body(report.appendix),
        }
        return write_page(REPORT, safe_title(report.title, task.title), fields, sections)

    return _whole(REPORT, write)


def render_summary(task: Task, summary: Summary) -> str:
    """A summary of what was done for a task."""

    def write(body: Callable[[str], list[str]]) -> str:
        fields = {
            **common_fields(task, SUMMARY, summary.artifacts),
            "Status": f"[{marker(one_line(summary.status))}]",
            "Started": one_line(summary.started),
            "Completed": one_line(summary.completed),
        }
        sections = {
            "Overview": body(summary.overview),
            "What Changed": bullets(summary.changes),
            "Decisions": bullets(summary.decisions),
            "Impacts": bullets(summary.impacts),
            "Follow-ups": bullets(summary.follow_ups),
            "References": bullets(summary.references),
        }
        return write_page(SUMMARY, safe_title(summary.title, task.title), fields, sections)

    return _whole(SUMMARY, write)


def _findings(report: Report, body: Callable[[str], list[str]]) -> list[str]:
    lines: list[str] = []
    for title, text in report.findings:
        name = plain_words(title)
        part = [*([f"### {name}", ""] if name else []), *body(text)]
        lines += ["", *part] if lines else part
    return lines


def _whole(type_: str, write: Callable[[Callable[[str], list[str]]], str]) -> str:
    """The document with its prose as Markdown, or as quotations where that would break its form."""
    text = write(prose)
    return write(quoted) if validate(text, type_) else text
