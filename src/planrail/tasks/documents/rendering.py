"""Reports and summaries from values: in the format by construction, whatever the texts in them are."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from planrail.tasks.documents import texts
from planrail.tasks.documents.formats import FORMATS, Report
from planrail.tasks.documents.validating import validate
from planrail.tasks.model import REPORT, SUMMARY, Task
from planrail.tasks.statuses import COMPLETED, marker


def render_report(task: Task, report: Report, path: str = "") -> str:
    """A research report. `path` is where it will lie; its texts cannot end a section or hide what follows."""

    def write(body: Callable[[str], list[str]]) -> str:
        fields = {
            **texts.common_fields(task, REPORT, [path] if path else []),
            "Started": texts.one_line(report.started),
            "Completed": texts.one_line(report.completed),
            "Effort": texts.one_line(report.effort) or texts.one_line(task.effort),
            "Sources/Inputs": ", ".join(filter(None, map(texts.one_line, report.sources))),
        }
        sections = {
            "Executive Summary": texts.bullets(report.executive_summary),
            "Context & Scope": body(report.context),
            "Findings": _findings(report, body),
            "Decisions": texts.bullets(report.decisions),
            "Recommendations": texts.bullets(report.recommendations),
            "Risks & Mitigations": texts.pairs(report.risks, "Risk", "Mitigation"),
            "Appendix": body(report.appendix),
        }
        return texts.write_page(REPORT, texts.safe_title(report.title, task.title), fields, sections)

    return _whole(REPORT, write)


def render_summary(
    task: Task, sections: Mapping[str, Sequence[str]], artifacts: Iterable[str] = (), *times: str
) -> str:
    """A summary of a completed task. `sections` are entries by heading; `times` when it was started and completed."""

    def write(body: Callable[[str], list[str]]) -> str:
        fields = {
            **texts.common_fields(task, SUMMARY, artifacts),
            "Status": f"[{marker(COMPLETED)}]",
            **dict(zip(("Started", "Completed"), map(texts.one_line, times), strict=False)),
        }
        entries = {name: texts.bullets(sections.get(name, ())) for name in FORMATS[SUMMARY].sections}
        overview = body("\n".join(sections.get("Overview", ())))
        title = texts.safe_title(task.title, task.title)
        return texts.write_page(SUMMARY, title, fields, {**entries, "Overview": overview})

    return _whole(SUMMARY, write)


def _findings(report: Report, body: Callable[[str], list[str]]) -> list[str]:
    lines: list[str] = []
    for title, text in report.findings:
        name = texts.plain_words(title)
        part = [*([f"### {name}", ""] if name else []), *body(text)]
        lines += ["", *part] if lines else part
    return lines


def _whole(type_: str, write: Callable[[Callable[[str], list[str]]], str]) -> str:
    """The document with its prose as Markdown, or as quotations where that would break its form."""
    text = write(texts.prose)
    return write(texts.quoted) if validate(text, type_) else text
