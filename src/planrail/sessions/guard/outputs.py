"""Which substituted commands are known to print only words that no program takes for options."""

from planrail.sessions.guard.words import NAME_CHARACTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.sessions.guard.words import Simple

NUMBER, NAME = "0", "a"
_REV_PARSE = ("--short", "--verify", "--abbrev-ref")
_REVISION = NAME_CHARACTERS + "./~^@{}-"
_REV_LIST = ("--max-parents=0", "--all", "-1", "-n1", "--max-count=1", "--reverse", "--no-merges")


def stand_in(command: "Simple | None") -> str:
    """`0` where the output is one number, `a` where it is names of commits or branches, "" where it may be anything."""
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
    # rev-parse echoes an operand that is no revision, so each must be one harmless word itself.
    if not all(character in _REVISION for operand in operands for character in operand):
        return ""
    if texts[:1] == ["merge-base"]:
        return "" if options else NAME
    if texts[:1] == ["rev-parse"]:
        return NAME if len(operands) == 1 and all(option in _REV_PARSE for option in options) else ""
    if texts[:1] == ["rev-list"]:
        if options == ["--count"]:
            return NUMBER
        return NAME if all(option in _REV_LIST for option in options) else ""
    return ""
