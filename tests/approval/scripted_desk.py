"""A person who is a script: the answers are a list, the key is a word, the clock stands still."""

import argparse
import hashlib
import os
from collections.abc import Callable, Sequence
from types import ModuleType

from planrail.approval.channels import ChannelRefusal
from planrail.approval.model import Approval, says_the_same
from planrail.approval.person import Person
from planrail.approval.policy import Policy
from planrail.base.visible import show_text

LENA = "lena <lena@example.org>"
WORD = "the word"  # the answer of a person who types the word that the question shows
NO_TERMINAL = ChannelRefusal("there is no terminal here", "open one")


class ScriptedTerminal:
    """Answers one question after the other; an answer may be something to do first."""

    def __init__(self, answers: "Sequence[str | Callable[[], str]]", who: str = LENA) -> None:
        self.who = who
        self.shown = ""
        self.asked: list[str] = []
        self._answers = list(answers)

    def ask(self, prompt: str) -> str:
        self.asked.append(prompt)
        given = self._answers.pop(0) if self._answers else ""
        answer = given if isinstance(given, str) else given()
        return prompt.partition("Type ")[2].partition(" ")[0] if answer is WORD else answer

    def say(self, text: str) -> None:
        self.shown += show_text(text) + "\n"

    def close(self) -> None:
        self._answers = []


def make_desk(
    terminal: ScriptedTerminal | ChannelRefusal, *, edit: Callable[[str], None] | None = None, now: int = 1000
) -> Person:
    """A person at this terminal. A signature is good if it is that of the statement."""

    def check(approval: Approval, policy: Policy, root: str | None) -> str | ChannelRefusal:
        is_good = says_the_same(approval) and approval.signature == _sign(approval.statement.encode())
        return approval.who if is_good else ChannelRefusal("a forged signature", "sign it")

    return Person(
        open_terminal=lambda agents: terminal,
        sign=lambda statement, key: _sign(statement),
        check=check,
        edit=edit or (lambda path: None),
        now=lambda: now,
        environment=os.environ,
    )


def _sign(statement: bytes) -> str:
    return hashlib.sha256(b"the key" + statement).hexdigest()


def arguments_of(command: ModuleType, *words: str) -> argparse.Namespace:
    """The arguments of a command as its own parser understands them."""
    parser = argparse.ArgumentParser()
    command.configure(parser)
    return parser.parse_args(words)
