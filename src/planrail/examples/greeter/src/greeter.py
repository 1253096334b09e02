"""Greets the person who is named on the command line."""

import sys

WORDS = {"en": "Hello"}


def greet(name: str, language: str = "en") -> str:
    return f"{WORDS[language]}, {name}!"


if __name__ == "__main__":
    print(greet(sys.argv[1]))
