"""Which substituted commands are known to print only words that no program takes for options."""

from planrail.guard.shell.words import NAME_CHARACTERS, TOP_LEVEL, Simple, is_number

NUMBER, NAME = "0", "a"
_REV_PARSE = ("--short", "--verify")
_REVISION = NAME_CHARACTERS + "./~^@{}-"
_REV_LIST = ("--max-parents=0", "--all", "-1", "-n", "-n1", "--max-count=1", "--reverse", "--no-merges", "--")


def stand_in(command: Simple | None) -> str:
    """`0` where the output is one number, `a` where it is names of commits or branches, "" where it may be anything.

    `/` where it is the top of the repository that git was asked in: a path, which may hold blanks.
    """
    if command is None or command.assignments or not command.words:
        return ""
    if any(operator != "<" for operator, _, _ in command.redirections):
        return ""  # 2>&1: a message about an error would be the output
    words = command.words
    if not all(word.exact for word in words):
        return ""
    texts = [word.text for word in words[1:]]
    if words[0].text == "git":
        return _git(texts)
    if words[0].text == "wc" and len(texts) == 1 and texts[0] in ("-l", "-c", "-w"):
        return NUMBER
    return NUMBER if words[0].text == "nproc" and not texts else ""


def _git(texts: list[str]) -> str:
    options = [text for text in texts[1:] if text.startswith("-")]
    operands = [text for text in texts[1:] if not text.startswith("-")]
    # rev-parse echoes an operand that is no revision, so it must be one harmless word itself, however IFS splits it.
    if not all(character in _REVISION for operand in operands for character in operand):
        return ""
    if texts[:1] == ["merge-base"]:
        return "" if options else NAME
    if texts == ["rev-parse", "--show-toplevel"]:
        return TOP_LEVEL
    if texts[:1] == ["rev-parse"]:
        is_name = len(operands) == 1 and "-" not in operands[0] and all(option in _REV_PARSE for option in options)
        return NAME if is_name else ""
    if texts[:1] == ["rev-list"]:
        if options == ["--count"]:
            return NUMBER
        return NAME if all(option in _REV_LIST or is_number(option[1:]) for option in options) else ""
    return ""


def through_pipe(before: Simple | None, after: Simple | None) -> Simple | None:
    """Whose output a pipe prints: the last command's, or the one's before if the last only picks lines from it."""
    if before is None or after is None or after.assignments or after.redirections or not after.words:
        return after
    name, *texts = [word.text if word.exact else "" for word in after.words]
    # -5, -n5 or -n 5 only: a bare 5 would be a file.
    picks = all(text[:1] == "-" and is_number(text[1:].removeprefix("n")) for text in texts)
    if texts[:1] == ["-n"]:
        picks = len(texts) == 2 and is_number(texts[1])
    return before if name in ("head", "tail", "uniq") and picks else after
