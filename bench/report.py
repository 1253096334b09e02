"""The report: tables for the terminal and for docs/benchmarks.md, from one and the same rows."""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from measure import Measurement, Result
from rows import MEGABYTE, Bar, Row

DOCUMENT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "benchmarks.md")
BEGIN, END = "<!-- measured: begin; written by make bench -->", "<!-- measured: end -->"
OUR_HEADER = ("planrail", "plan", "units", "size", "CPU ms", "× floor", "bar", "MB", "bar", "runs")
THEIR_HEADER = ("peer", "command", "units", "CPU ms", "× floor", "MB", "runs")
COLOURS = {"met": "32", "MISSED": "31"}


@dataclass(frozen=True)
class Table:
    """Cells under a header. `words` is how many columns, from the left, hold words; the others hold figures."""

    header: tuple[str, ...]
    rows: list[tuple[str, ...]]
    words: int

    def as_text(self, *, is_coloured: bool) -> str:
        """Columns aligned for the terminal."""
        table = [self.header, *self.rows]
        widths = [max(len(row[at]) for row in table) for at in range(len(self.header))]
        lines = ("  ".join(map(self._pad, row, widths, range(len(row)))).rstrip() for row in table)
        return "\n".join(_paint(line) if is_coloured else line for line in lines)

    def as_markdown(self) -> str:
        """The table in Markdown."""
        rule = ["---" if at < self.words else "---:" for at in range(len(self.header))]
        return "\n".join(f"| {' | '.join(row)} |" for row in (self.header, rule, *self.rows))

    def _pad(self, cell: str, width: int, at: int) -> str:
        return cell.ljust(width) if at < self.words else cell.rjust(width)


@dataclass(frozen=True)
class Report:
    """All that a run has to say. `notes` are about what was left out or made smaller."""

    rows: Sequence[Row]
    measurement: Measurement
    version: str
    notes: Sequence[str]

    def tables(self) -> list[Table]:
        """planrail's table, and that of the peers where there are any."""
        pairs = list(zip(self.rows, self.measurement.results, strict=True))
        ours = [self._our_row(row, result) for row, result in pairs if row.program == "planrail"]
        theirs = [self._their_row(row, result) for row, result in pairs if row.program != "planrail"]
        return [Table(OUR_HEADER, ours, 2), *([Table(THEIR_HEADER, theirs, 2)] if theirs else [])]

    def summary(self) -> list[str]:
        """What was measured where, and which bars are missed."""
        floor = self.measurement.floor
        return [
            f"planrail {self.version}, {datetime.now(UTC):%Y-%m-%d}, {platform.python_implementation()} "
            f"{platform.python_version()}, {platform.system()} {platform.machine()}, {_processor()}, "
            f"{os.cpu_count()} cores.",
            f"The floor, `python -I -S -c pass`: {floor.cpu * 1000:.1f} ms of CPU time, "
            f"{floor.memory / MEGABYTE:.0f} MB (median of {len(floor.samples)} runs).",
            f"Bars missed: {', '.join(self._missed()) or 'none'}.",
        ]

    def _our_row(self, row: Row, result: Result) -> tuple[str, ...]:
        ratio, memory = self.measurement.ratio(result), result.memory / MEGABYTE
        return (
            row.command,
            row.subject,
            f"{row.units:,}" if row.units else "",
            f"{row.size / 1000:,.0f} kB" if row.size else "",
            *(f"{result.cpu * 1000:,.0f}", f"{ratio:.1f}", _verdict(row.cpu, ratio)),
            *(f"{memory:.0f}", _verdict(row.memory, memory), str(len(result.samples))),
        )

    def _their_row(self, row: Row, result: Result) -> tuple[str, ...]:
        units = f"{row.units:,}" if row.units else ""
        ratio, memory = self.measurement.ratio(result), result.memory / MEGABYTE
        figures = (f"{result.cpu * 1000:,.0f}", f"{ratio:.1f}", f"{memory:.0f}", str(len(result.samples)))
        return (row.program, row.command, units, *figures)

    def _missed(self) -> list[str]:
        return [
            f"{row.command}{f' on {row.subject}' if row.subject else ''} ({figure:.1f}{unit}, bar {bar.most:g})"
            for row, result in zip(self.rows, self.measurement.results, strict=True)
            for bar, figure, unit in (
                (row.cpu, self.measurement.ratio(result), "×"),
                (row.memory, result.memory / MEGABYTE, " MB"),
            )
            if bar and figure > bar.most
        ]


def show(report: Report) -> None:
    """Print the report; in colour on a terminal that wants it."""
    is_coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for table in report.tables():
        print(table.as_text(is_coloured=is_coloured), end="\n\n")
    print("\n".join([*report.summary(), *report.notes]))


def write(report: Report) -> None:
    """Put the report between the markers of docs/benchmarks.md."""
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"docs/benchmarks.md has lost its markers: {BEGIN} and {END}")
    blocks = [_bullets(report.summary()), *(table.as_markdown() for table in report.tables())]
    if report.notes:
        blocks.append(_bullets(report.notes))
    body = "\n\n".join(blocks)
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n\n{body}\n\n{END}{after}")


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _verdict(bar: Bar | None, figure: float) -> str:
    if bar is None:
        return ""
    is_met = figure <= bar.most
    word = "met" if is_met else "MISSED"
    return f"{bar.most:g} {word}"


def _paint(line: str) -> str:
    return re.sub(r"\b(met|MISSED)\b", lambda word: f"\033[{COLOURS[word[0]]}m{word[0]}\033[0m", line)


def _processor() -> str:
    """The processor's model, from whichever of lscpu and sysctl is there."""
    for command in (["lscpu"], ["sysctl", "machdep.cpu.brand_string"]):
        try:
            answer = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
        except OSError:
            continue
        model = re.search(r"^(?:Model name|machdep\.cpu\.brand_string):\s*(.+)$", answer, re.MULTILINE)
        if model:
            return model[1]
    return "an unnamed processor"
