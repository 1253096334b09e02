"""What does a tox.ini say about the tests: by which command they are run, and what is installed for them? Pure.

tox itself is not needed for either: what it would do is done in the environment that is tried.
"""

import re
import shlex

from planrail.base.patterns import pattern

SAFE_LIST = pattern(r"-r ?[\w./-]+")
_REQUIREMENT = pattern(r"[A-Za-z][\w.-]*(?:\[[\w,-]+\])? ?(?:[<>=!~]=?[\w.,<>=!~* -]+)?")
_TESTENV = pattern(r"^\[testenv\]\n(?:(?!\[).*\n?)*", re.MULTILINE)
_RUN = pattern(
    r"(?:(?:\{env_?python\}|python3?) -m |coverage run (?:-\S+ )*?-m )?"
    r"(?P<runner>pytest|py\.test|unittest)(?P<rest> .*)?"
)
_POSARGS = pattern(r"\{posargs(?::(?P<default>[^{}]*))?\}")
_COVERAGE = pattern(r"--(?:no-)?cov(?:-[a-z-]+)?(?:=.*)?")  # measured beside, and not what a run asks


def find_tox_command(text: str) -> str:
    """The command by which tox runs the tests, without what only tox knows; "" where it cannot be said so."""
    runs = [found for line in _list_lines(text, "commands") if (found := _RUN.fullmatch(line)) is not None]
    told = [_spell(run["runner"], run["rest"] or "") for run in runs]
    return " && ".join(told) if all(told) else ""


def _spell(runner: str, rest: str) -> str:
    try:
        words = shlex.split(_POSARGS.sub(lambda found: found["default"] or "", rest))
    except ValueError:
        return ""
    kept = list[str]()
    for before, word in zip(["", *words], words, strict=False):
        is_value = not word.startswith("-") and _COVERAGE.fullmatch(before) is not None and "=" not in before
        if is_value or _COVERAGE.fullmatch(word) is not None or (word.startswith("-") and "{" in word):
            continue
        if "{" in word:
            return ""
        kept.append(word)
    return shlex.join(["python3", "-m", "unittest" if runner == "unittest" else "pytest", *kept])


def list_tox_deps(text: str) -> list[str]:
    """What tox installs for the tests, without what depends on one of its environments."""
    plain = [line for line in _list_lines(text, "deps") if "{" not in line]
    return [line for line in plain if SAFE_LIST.fullmatch(line) or _REQUIREMENT.fullmatch(line)]


def _list_lines(text: str, key: str) -> list[str]:
    """The lines of a value in the table of all environments, with those that are continued joined."""
    table = _TESTENV.search(text)
    found = re.search(rf"^{key} ?=(.*\n?(?:[ \t]+.*\n?|\n)*)", table[0], re.MULTILINE) if table is not None else None
    joined = re.sub(r"\\\n", " ", found[1]) if found is not None else ""
    lines = (" ".join(line.split()) for line in joined.splitlines())
    return [line for line in lines if line and not line.startswith("#")]
