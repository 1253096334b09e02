"""What it costs to judge an answer of half a megabyte: CPU time in process, beside the interpreter's own start.

`python bench/authoring.py [--rounds N]`. A good and a bad plan take turns with the floor, `python -I -S -c pass`; the
figure is the judgement's CPU time divided by the floor's, the bar is 3. Both are then judged a thousand times, and must
be judged the same each time. The rest are texts that are made to be slow: a size that grows four times may cost about
four times as much, which shows that nothing in them is searched again and again; they have no bar. What is done with a
plan's text is measured with the same ones, at full size: none may take longer than a second.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from measure import FEWEST_RUNS, floor_case, probe

from planrail.memory.lessons import lessons_of
from planrail.planning.answers.drift_log import add_drift_log
from planrail.planning.answers.judging import PHASES, SECTIONS, Bar, judge
from planrail.planning.answers.plan_text import extract_plan, merge_sections
from planrail.planning.answers.questions import judge_content, open_questions
from planrail.planning.answers.verdicts import read_verdicts
from planrail.planning.plan_format import EXAMPLE
from planrail.planning.refining import keep_finished

BAR = 3.0
ROUNDS = 25
TIMES = 1_000
SIZE = 500_000
MOST_SECONDS = 1.0
PROMISE = "\n<promise>PLAN_OK</promise>\n"
WORDS = (
    "every",
    "module",
    "reads",
    "its",
    "part",
    "of",
    "the",
    "table",
    "and",
    "writes",
    "a",
    "row",
    "before",
    "others",
)
NASTY = {
    "asterisks": "*",
    "pipes": "|",
    "backticks": "`",
    "promises": "<promise>",
    "comments that never end": "x <!-- ",
    "fences in fences": "```md\n```x\n```\n",
    "tables in tables": "|a|\n|-|\n",
    "headings": "# Goal of it\n",
    "principles": "P1 FAIL x\n",
    "items": "- a\n",
    "empty lines": "\n",
    "fences": "```\n",
    "fences with headings": "```\n# a\n```\n",
    "empty headings": "#\n",
    "empty items": "-\n",
    "underlined": "a\n=\n",
    "questions": "- a? (a / b)\n",
    "phases": "- [ ] Phase 1: a\n",
    "principles on a line": "P1 P2 P3 P4, ",
    "names of principles": "- ordering: ok\n",
    "drift logs": "## Drift Log\n\n| Date | What changed | Why |\n|---|---|---|\n",
}
USES: dict[str, Callable[[str], object]] = {
    "extract": extract_plan,
    "merge": lambda text: merge_sections(EXAMPLE, text),
    "questions": open_questions,
    "content": lambda text: judge_content(text, Bar()),
    "keep": lambda text: keep_finished(EXAMPLE, text),
    "drift log": lambda text: add_drift_log(text, "2026-02-03", "x", "y"),
    "lessons": lambda text: lessons_of(text, read_verdicts(text), title="x"),
}
_LINE = "{:<12} {:<26} {:>8} {:>8} {:>8}"


@dataclass(frozen=True)
class Text:
    """A text to judge: what it is, for which phase, and how many problems it must have."""

    title: str
    phase: str
    text: str
    problems: int

    def judge(self) -> int:
        """How many problems are found."""
        return len(judge(self.phase, self.text, Bar(is_final=self.phase == "revise")))


def main(argv: Sequence[str]) -> int:
    """Measure and print; 1 where a text was judged wrongly."""
    parser = argparse.ArgumentParser(prog="bench/authoring.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each text (default: %(default)s)")
    rounds = max(FEWEST_RUNS, parser.parse_args(argv).rounds)
    texts = list(_plans())
    wrong = [text for text in texts if text.judge() != text.problems]
    if wrong:
        print(f"judged wrongly: {', '.join(text.title for text in wrong)}", file=sys.stderr)
        return 1
    print(_LINE.format("phase", "text", "CPU ms", "× floor", "bar"))
    _print_plans(texts, rounds)
    _print_constancy(texts)
    _print_nasty()
    return _print_uses()


def _print_plans(texts: list[Text], rounds: int) -> None:
    floors: list[float] = []
    costs: list[list[float]] = [[] for _ in texts]
    with tempfile.TemporaryDirectory(prefix="planrail-bench-") as folder:
        floor = floor_case(folder, dict(os.environ))
        for _ in range(rounds):
            floors.append(probe(floor).cpu)
            for text, cost in zip(texts, costs, strict=True):
                cost.append(_cost(text))
    base = statistics.median(floors)
    for text, cost in zip(texts, costs, strict=True):
        median = statistics.median(cost)
        verdict = f"{BAR:g} {'met' if median / base <= BAR else 'MISSED'}"
        print(_LINE.format(text.phase, text.title, f"{median * 1000:.1f}", f"{median / base:.2f}", verdict))
    print(f"\nThe floor: {base * 1000:.1f} ms of CPU time (median of {len(floors)} runs).")


def _print_constancy(texts: list[Text]) -> None:
    for text in texts[:2]:
        same = sum(text.judge() == text.problems for _ in range(TIMES))
        print(f"{text.title}, {text.phase}: judged the same {same:,} times of {TIMES:,}.")


def _print_nasty() -> None:
    """For each text the dearest phase, at an eighth and at half of the full size."""
    print("\n" + _LINE.format("phase", "made to be slow", "62 kB", "250 kB", "times"))
    for title, piece in NASTY.items():
        sizes = [
            [Text(title, phase, piece * (size // len(piece)), 0) for phase in PHASES] for size in (SIZE // 8, SIZE // 2)
        ]
        small, large = ([_cost(text) for text in texts] for texts in sizes)
        dearest = max(range(len(PHASES)), key=lambda at: large[at])
        figures = (f"{small[dearest] * 1000:.0f}", f"{large[dearest] * 1000:.0f}")
        print(_LINE.format(PHASES[dearest], title, *figures, f"{large[dearest] / max(small[dearest], 1e-6):.1f}"))


def _print_uses() -> int:
    """For each thing that is done with a plan's text the piece that it takes longest for; 1 where that is too long."""
    print("\n" + _LINE.format("", "done with the text", "500 kB", "", "most s"))
    slow = 0
    for title, use in USES.items():
        costs = {name: _seconds(use, piece * (SIZE // len(piece))) for name, piece in NASTY.items()}
        name, cost = max(costs.items(), key=lambda one: one[1])
        verdict = f"{MOST_SECONDS:g} {'met' if cost <= MOST_SECONDS else 'MISSED'}"
        slow += cost > MOST_SECONDS
        print(_LINE.format(title, name, f"{cost:.2f} s", "", verdict))
    return 1 if slow else 0


def _seconds(use: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    use(text)
    return time.process_time() - began


def _cost(text: Text) -> float:
    return _seconds(lambda _: text.judge(), "")


def _plans() -> Iterator[Text]:
    whole, lacking = _plan(), _plan(without="Risks")
    yield Text("a whole plan", "draft", whole, 0)
    yield Text("a section is missing", "draft", lacking, 1)
    yield Text("a whole plan", "revise", whole + PROMISE, 0)
    yield Text("a section is missing", "revise", lacking + PROMISE, 1)


def _plan(without: str = "") -> str:
    """Ten thousand lines: prose, lists, tables, fences with headings in them."""
    chance = random.Random(7)
    parts: list[str] = []
    for name in SECTIONS:
        parts.append(f"## {name}\n" if name != without else "More of it.\n")
        parts += [_line(number, " ".join(chance.choices(WORDS, k=12))) for number in range(1_200)]
    return "\n".join(parts)


def _line(number: int, prose: str) -> str:
    match number % 20:
        case 0:
            return f"### Part {number}: {prose[:20]}"
        case 1 | 2 | 3:
            return f"| {number} | {prose} |"
        case 4:
            return f"```sh\n# Goal\n{prose}\n```"
        case 5 | 6 | 7 | 8:
            return f"- {prose}"
        case _:
            return prose


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
