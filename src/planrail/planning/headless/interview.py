"""Questions to a person at a terminal: all of them at once, numbered, with the answers that are offered.

A number chooses an answer, any words are one, and nothing at all means "decide yourself".
"""

import sys
from collections.abc import Callable, Mapping
from typing import TextIO

from planrail.agents.model import Question
from planrail.base.wording import clean


def ask_all(
    questions: Mapping[str, Question], read: Callable[[str], str], say: Callable[[str], None]
) -> dict[str, str]:
    """The answers by the keys of the questions. `read` shows a prompt and returns a line; the end of the input ends it.

    A number that no answer has is most often a slip, and it is asked for once more.
    """
    say(f"{len(questions)} question{'s' * (len(questions) != 1)} (a number, your own words, or Enter: decide yourself)")
    for number, question in enumerate(questions.values(), 1):
        say(f"\n  {number}. {question.text}")
        for place, option in enumerate(question.options, 1):
            say(f"       {place}) {option}")
    say("")
    answers: dict[str, str] = {}
    for number, (key, question) in enumerate(questions.items(), 1):
        try:
            typed = read(f"  {number}> ")
            parts = _parts(question, typed)
            if question.options and "".join(parts).isdecimal() and not _are_offered(question, parts):
                say(f"     {typed.strip()} is not offered: 1 to {len(question.options)}, or your own words")
                typed = read(f"  {number}> ")
        except EOFError:
            break
        answers[key] = choose(question, typed)
    return answers


def choose(question: Question, typed: str) -> str:
    """The answer that was typed: options by their numbers, several where several may be, else the words themselves."""
    parts = _parts(question, typed)
    return (
        ", ".join(question.options[int(part) - 1] for part in parts) if _are_offered(question, parts) else typed.strip()
    )


def _parts(question: Question, typed: str) -> list[str]:
    return [part.strip() for part in (typed.split(",") if question.many else [typed])]


def _are_offered(question: Question, parts: list[str]) -> bool:
    return all(part.lstrip("0") in map(str, range(1, len(question.options) + 1)) for part in parts)


# ---- the terminal ----


class InterviewTerminal:
    """The terminal of the person who started planrail. Standard output is left to the result."""

    def __init__(self, lines: TextIO, screen: TextIO) -> None:
        self._lines, self._screen = lines, screen

    def ask(self, questions: Mapping[str, Question]) -> dict[str, str]:
        return ask_all(questions, self._read, self._say)

    def _read(self, prompt: str) -> str:
        self._screen.write(prompt)
        self._screen.flush()
        line = self._lines.readline()
        if not line:
            raise EOFError
        return line

    def _say(self, text: str) -> None:
        self._screen.write(clean(text) + "\n")


def find_terminal() -> InterviewTerminal | None:
    if not sys.stderr.isatty():
        return None
    if sys.stdin is not None and sys.stdin.isatty():
        return InterviewTerminal(sys.stdin, sys.stderr)
    try:
        return InterviewTerminal(open("/dev/tty", encoding="utf-8", errors="replace"), sys.stderr)
    except OSError:
        return None
