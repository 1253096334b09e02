"""The report: tables for the terminal and for docs/benchmarks.md, from one and the same rows."""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from measure import Measurement, Result
from rows import MEGABYTE, Bar, Row

DOCUMENT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "benchmarks.md")
BEGIN, END = "<!-- measured {}: begin; written by make bench -->", "<!-- measured {}: end -->"
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
        rows = ([cell.replace("|", "\\|") for cell in row] for row in self.rows)
        return "\n".join(f"| {' | '.join(row)} |" for row in (self.header, rule, *rows))

    def _pad(self, cell: str, width: int, at: int) -> str:
        return cell.ljust(width) if at < self.words else cell.rjust(width)


@dataclass(frozen=True)
class Report:
    """All that the measurement of a section has to say. `notes` are about what was left out or made smaller."""

    section: str
    rows: Sequence[Row]
    measurement: Measurement
    version: str
    notes: Sequence[str]

    def table(self) -> Table:
        """The rows with their figures."""
        layout = LAYOUTS[self.section]
        pairs = zip(self.rows, self.measurement.results, strict=True)
        return Table(
            layout.header, [layout.cells(row, result, self.measurement) for row, result in pairs], layout.words
        )

    def summary(self) -> list[str]:
        """What was measured where, and which bars are missed."""
        floor = self.measurement.floor
        missed = f"Bars missed: {', '.join(self._missed()) or 'none'}."
        return [
            describe_machine(self.version),
            f"The floor, `python -I -S -c pass`: {floor.cpu * 1000:.1f} ms of CPU time, "
            f"{floor.memory / MEGABYTE:.0f} MB (median of {len(floor.samples)} runs).",
            *([missed] if any(row.cpu or row.memory for row in self.rows) else []),
        ]

    def as_text(self, *, is_coloured: bool) -> str:
        """The section for the terminal."""
        return "\n".join([self.table().as_text(is_coloured=is_coloured), "", *self.summary(), *self.notes])

    def as_markdown(self) -> str:
        """The section for the document."""
        blocks = [_bullets(self.summary()), self.table().as_markdown(), *([_bullets(self.notes)] if self.notes else [])]
        return "\n\n".join(blocks)

    def _missed(self) -> list[str]:
        return [
            f"{row.title} ({figure:.2f}{unit}, bar {bar.most:g})"
            for row, result in zip(self.rows, self.measurement.results, strict=True)
            for bar, figure, unit in (
                (row.cpu, self.measurement.ratio(result), "×"),
                (row.memory, result.memory / MEGABYTE, " MB"),
            )
            if bar and figure > bar.most
        ]


def describe_machine(version: str) -> str:
    """What was measured, when and on what."""
    return (
        f"planrail {version}, {datetime.now(UTC):%Y-%m-%d}, {platform.python_implementation()} "
        f"{platform.python_version()}, {platform.system()} {platform.machine()}, {_processor()}, "
        f"{os.cpu_count()} cores."
    )


def wants_colour() -> bool:
    """Whether the output is a terminal that wants it."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def write(section: str, body: str) -> None:
    """Put a section between its markers in docs/benchmarks.md; every other stays as it is."""
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    before, begin, rest = text.partition(BEGIN.format(section))
    _, end, after = rest.partition(END.format(section))
    if not begin or not end:
        raise ValueError(f"docs/benchmarks.md has lost its markers: {BEGIN} and {END}".format(section, section))
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(f"{before}{begin}\n\n{body}\n\n{end}{after}")


def _plan_cells(row: Row, result: Result, measurement: Measurement) -> tuple[str, ...]:
    ratio, memory = measurement.ratio(result), result.memory / MEGABYTE
    return (
        row.command,
        row.subject,
        f"{row.units:,}" if row.units else "",
        f"{row.size / 1000:,.0f} kB" if row.size else "",
        *(f"{result.cpu * 1000:,.0f}", f"{ratio:.1f}", _verdict(row.cpu, ratio)),
        *(f"{memory:.0f}", _verdict(row.memory, memory), str(len(result.samples))),
    )


def _hook_cells(row: Row, result: Result, measurement: Measurement) -> tuple[str, ...]:
    ratio = measurement.ratio(result)
    low, high = (quartile / measurement.floor.cpu for quartile in result.quartiles)
    return (
        *(row.state, row.command, row.subject),
        *(f"{result.cpu * 1000:.1f}", f"{ratio:.2f}", f"{low:.2f} to {high:.2f}"),
        *(_verdict(row.cpu, ratio), f"{result.memory / MEGABYTE:.0f}", str(len(result.samples))),
    )


def _peer_cells(row: Row, result: Result, measurement: Measurement) -> tuple[str, ...]:
    units = f"{row.units:,}" if row.units else ""
    ratio, memory = measurement.ratio(result), result.memory / MEGABYTE
    figures = (f"{result.cpu * 1000:,.0f}", f"{ratio:.1f}", f"{memory:.0f}", str(len(result.samples)))
    return (row.program, row.command, units, *figures)


@dataclass(frozen=True)
class Layout:
    """How a section's rows are shown."""

    header: tuple[str, ...]
    words: int
    cells: Callable[[Row, Result, Measurement], tuple[str, ...]]


LAYOUTS = {
    "plans": Layout(
        ("planrail", "plan", "units", "size", "CPU ms", "× floor", "bar", "MB", "bar", "runs"), 2, _plan_cells
    ),
    "hook": Layout(
        ("session", "event", "about", "CPU ms", "× floor", "middle half", "bar", "MB", "runs"), 3, _hook_cells
    ),
    "peers": Layout(("peer", "command", "units", "CPU ms", "× floor", "MB", "runs"), 2, _peer_cells),
}


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
