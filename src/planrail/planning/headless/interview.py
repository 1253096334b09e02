"""Questions to a person at a terminal: all of them at once, numbered, with the answers that are offered.

A number chooses an answer, any words are one, and nothing at all means "decide yourself".
"""

import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from planrail.agents.model import Question
from planrail.base.records import record
from planrail.base.wording import clean
from planrail.planning.answers.questions import split_options


@record
class Asked:
    """A question as it is put: `key` is what its answer is known by."""

    key: str
    text: str
    options: tuple[str, ...] = ()
    many: bool = False


def from_plan(question: str) -> Asked:
    text, options = split_options(question)
    return Asked(question, text, options)


def from_agent(question: Question) -> Asked:
    return Asked(question.text, question.text, question.options, question.many)


def ask_all(questions: Sequence[Asked], read: Callable[[str], str], say: Callable[[str], None]) -> dict[str, str]:
    """The answers by their keys. `read` shows a prompt and returns a line; the end of the input ends the asking."""
    say(f"{len(questions)} question{'s' * (len(questions) != 1)} (a number, your own words, or Enter: decide yourself)")
    for number, question in enumerate(questions, 1):
        say(f"\n  {number}. {question.text}")
        for place, option in enumerate(question.options, 1):
            say(f"       {place}) {option}")
    say("")
    answers: dict[str, str] = {}
    for number, question in enumerate(questions, 1):
        try:
            typed = read(f"  {number}> ")
            if is_beside(question, typed):
                say(f"     {typed.strip()} is not offered: 1 to {len(question.options)}, or your own words")
                typed = read(f"  {number}> ")
        except EOFError:
            break
        answers[question.key] = choose(question, typed)
    return answers


def is_beside(question: Asked, typed: str) -> bool:
    """Whether a number was typed that no answer has: most often a slip, and it is asked for once more."""
    parts = _parts(question, typed)
    are_numbers = all(part.isascii() and part.isdecimal() for part in parts)
    return bool(question.options) and are_numbers and not _are_offered(question, parts)


def choose(question: Asked, typed: str) -> str:
    """The answer that was typed: options by their numbers, several where several may be, else the words themselves."""
    parts = _parts(question, typed)
    if question.options and _are_offered(question, parts):
        return ", ".join(question.options[int(part) - 1] for part in parts)
    return typed.strip()


def _parts(question: Asked, typed: str) -> list[str]:
    return [part.strip() for part in typed.split(",")] if question.many else [typed.strip()]


def _are_offered(question: Asked, parts: list[str]) -> bool:
    return all(_is_number(part, len(question.options)) for part in parts)


def _is_number(text: str, most: int) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 4 and 1 <= int(text) <= most


# ---- the terminal ----


class Terminal:
    """The terminal of the person who started planrail. Standard output is left to the result."""

    def __init__(self, lines: TextIO, screen: TextIO) -> None:
        self._lines, self._screen = lines, screen

    def ask(self, questions: Sequence[Asked]) -> dict[str, str]:
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


def find_terminal() -> Terminal | None:
    if not sys.stderr.isatty():
        return None
    if sys.stdin is not None and sys.stdin.isatty():
        return Terminal(sys.stdin, sys.stderr)
    try:
        return Terminal(open("/dev/tty", encoding="utf-8", errors="replace"), sys.stderr)
    except OSError:
        return None
