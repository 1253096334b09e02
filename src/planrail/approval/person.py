"""The person who answers, as a port: their terminal, their key, their editor and their clock."""

import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from planrail.approval.channels import ChannelRefusal
from planrail.approval.model import Approval, says_the_same
from planrail.approval.people.signers import locate_signers
from planrail.approval.people.signing import sign, verify
from planrail.approval.people.terminals import open_in_editor, open_terminal
from planrail.approval.policy import Policy
from planrail.base.records import record


class Terminal(Protocol):
    """A person at a terminal."""

    @property
    def who(self) -> str: ...
    def ask(self, prompt: str) -> str: ...
    def say(self, text: str) -> None: ...
    def close(self) -> None: ...


@record
class Person:
    """All that the commands of approval need from outside."""

    open_terminal: Callable[[Sequence[str]], Terminal | ChannelRefusal]  # with the names of further agents
    sign: Callable[[bytes, str | None], str]
    check: Callable[[Approval, Policy, str | None], str | ChannelRefusal]  # who signed it, by the list of signers
    edit: Callable[[str], None]
    now: Callable[[], int]
    environment: Mapping[str, str]


def find_person() -> Person:
    return Person(
        open_terminal=lambda agents: open_terminal(os.environ, agents),
        sign=lambda statement, key: sign(statement, key),
        check=_check,
        edit=open_in_editor,
        now=lambda: int(time.time()),
        environment=os.environ,
    )


def verifier(person: Person, policy: Policy, root: str | None) -> Callable[[Approval], str]:
    """Who signed an approval; "" where its signature is not good. Nothing that was written down is believed."""
    known: list[tuple[Approval, str]] = []  # for this one command: checking starts a program

    def verify(approval: Approval) -> str:
        for other, who in known:
            if other == approval:
                return who
        found = person.check(approval, policy, root)
        known.append((approval, found if isinstance(found, str) else ""))
        return known[-1][1]

    return verify


def _check(approval: Approval, policy: Policy, root: str | None) -> str | ChannelRefusal:
    if not says_the_same(approval):
        return ChannelRefusal("what was signed is not what the approval says", remedy="approve once more")
    signers = locate_signers(os.environ, policy.signers, root)
    if isinstance(signers, ChannelRefusal):
        return signers
    return verify(approval.statement.encode(), approval.signature, approval.who, signers.path)


YES, NO, WRONG = "yes", "no", "wrong"
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = 3  # 343,000 words: each guess takes a command of its own, before the eyes of the person
_REFUSALS = ("", "n", "no", "q", "quit")


def ask_for_word(terminal: Terminal, question: str, others: dict[str, str] | None = None) -> str:
    """`YES` where the person typed the word, `NO` where they refused, `WRONG` for anything else.

    `others` are further answers, each one letter with what it does; the letter is returned.
    """
    # Nobody can know the word beforehand: a process can put keys into a terminal that it cannot read, so it is another
    # one each time, and is shown on that terminal alone.
    word = "".join(secrets.choice(_CONSONANTS) + secrets.choice(_VOWELS) for _ in range(_SYLLABLES))
    others = others or {}
    choices = "".join(f"{letter}: {what}, " for letter, what in others.items())
    answer = terminal.ask(f"{question} Type {word} for yes ({choices}anything else: no): ").strip().lower()
    if answer == word:
        return YES
    if answer in others:
        return answer
    return NO if answer in _REFUSALS else WRONG


def is_confirmed(terminal: Terminal, question: str) -> bool:
    """Whether the person typed the word. A wrong one is told as wrong: it may be a slip, and counts as no."""
    answer = ask_for_word(terminal, question)
    if answer == WRONG:
        terminal.say("That is not the word that the question showed, so it counts as no.")
    return answer == YES
