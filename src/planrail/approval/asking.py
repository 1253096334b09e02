"""The one question that counts as a person's approval: a word is shown at their terminal, and they type it.

A process can put keys into a terminal that it cannot read. So no answer is known beforehand: the word is another one
each time, and is shown on that terminal alone.
"""

import secrets

from planrail.approval.desk import Terminal

YES, NO, WRONG = "yes", "no", "wrong"
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = 3  # 343,000 words: each guess takes a command of its own, before the eyes of the person
_REFUSALS = ("", "n", "no", "q", "quit")


def make_word() -> str:
    """A word that nobody can know beforehand, easy to read and to type."""
    return "".join(secrets.choice(_CONSONANTS) + secrets.choice(_VOWELS) for _ in range(_SYLLABLES))


def ask_for_word(terminal: Terminal, question: str, others: dict[str, str] | None = None) -> str:
    """`YES` where the person typed the word, `NO` where they refused, `WRONG` for anything else.

    `others` are further answers, each one letter with what it does; the letter is returned.
    """
    word, others = make_word(), others or {}
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
