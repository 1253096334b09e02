"""git: sub-commands that read, with the options that keep them reading."""

from planrail.guard.programs.git_tables import (
    CONFIG,
    CONFIG_READS,
    EXACT_CONFIG,
    HARMLESS_CONFIG,
    LISTING_OPTIONS,
    LISTS,
    SECOND,
    SUBCOMMANDS,
)
from planrail.guard.programs.options import INSTEAD, Arguments, check_options, check_table
from planrail.guard.shell.words import Word, may_be_option, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.guard.places import Line

_GLOBAL_FLAGS = ("--no-pager", "-P", "--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs",
                 "--icase-pathspecs", "--no-optional-locks", "--no-replace-objects", "--no-lazy-fetch")  # fmt: skip
_ANSWERS = ("--version", "-v", "--exec-path", "--html-path", "--man-path", "--info-path")

_FORMATS = ("--format", "--pretty", "--sort")
_REPORTS = ("stat", "numstat", "summary", "check")


def judge(_name: str, words: list[Word], line: "Line") -> str:
    """Judge the options before the sub-command, then the sub-command, then what git would find where it runs."""
    at, folders = 0, []
    while at < len(words) and words[at].text.startswith("-"):
        word = words[at]
        if not word.exact:
            return f"git {shown(word)} is not literal; write it out"
        if word.text in _ANSWERS:
            return "" if len(words) == 1 else f"git {word.text} with more words; ask for it alone"
        if word.text in ("-C", "-c"):
            reason = _global_value(word.text, words[at + 1] if at + 1 < len(words) else None)
            if reason:
                return reason
            at += 1
            folders += [words[at]] if word.text == "-C" else []
        elif word.text not in _GLOBAL_FLAGS:
            return (
                f"git {word.text} before the sub-command is not known to be read-only; use git -C DIR, or leave it out"
            )
        at += 1
    if at >= len(words):
        return "git without a sub-command; use git status"
    if any(map(_may_verify, words, [Word(""), *words])):
        return "git formats with a signature run gpg, and one that is not literal may have it; write another one out"
    if not words[at].exact:
        return "the sub-command of git is not literal; write it out"
    return _subcommand(words[at].text, words[at + 1 :]) or _find(words[at].text, words[at + 1 :], folders, line)


def _may_verify(word: Word, before: Word) -> bool:
    """Whether the word is a format, or a key to sort by, that may ask for signatures; `before` stands before it."""
    if any(sign in word.text for sign in ("%G", "%+G", "%-G", "% G")):
        return True
    option = before.text if before.text in _FORMATS else word.text.partition("=")[0]
    return option in _FORMATS and (not word.exact or "signature" in word.text)


def _find(name: str, words: list[Word], folders: list[Word], line: "Line") -> str:
    """Judge the repositories that git would use. One that connects to another may do so by what its settings say."""
    if name != "ls-remote" and not (name == "remote" and words and words[0].text == "show"):
        return line.run_git(folders)
    remotes = [word for word in words if not may_be_option(word)] if name == "ls-remote" else []
    path = remotes[0].text.removeprefix("file://") if remotes and "://" not in remotes[0].text[5:] else ""
    others = [Word(path), Word(f"{path}.git")] if path else []
    reasons = (line.run_git([*folders, other]) for other in others)
    return line.run_git(folders, connects=True) or next(filter(None, reasons), "")


def _global_value(option: str, value: Word | None) -> str:
    if value is None or not value.single:
        return f"git {option} needs one quoted value"
    if option == "-c" and not (value.text.startswith(HARMLESS_CONFIG) or (value.exact and value.text in EXACT_CONFIG)):
        return f"git -c {shown(value)} may run a program; leave it out"
    return ""


def _subcommand(name: str, words: list[Word]) -> str:
    if name in SUBCOMMANDS:
        return _ls_remote(words) if name == "ls-remote" else check_table(f"git {name}", words, SUBCOMMANDS[name])
    if name in LISTS:
        return _list(name, words)
    if name == "config":
        return _config(words)
    if name in SECOND:
        return _second(name, words, SECOND[name])
    if name == "apply":
        return _apply(words)
    return f"`git {shown(Word(name))}` is not known to be read-only; use git log, diff, show or status, or {INSTEAD}"


def _list(name: str, words: list[Word]) -> str:
    found = check_options(f"git {name}", words, *LISTS[name])
    if found.reason:
        return found.reason
    lists = any(option in LISTING_OPTIONS or (name == "tag" and option in "ln") for option in found.options)
    if found.operands and not lists:
        return f"git {name} with a name creates it; use git {name} --list PATTERN"
    return ""


def _config(words: list[Word]) -> str:
    if words and words[0].exact and words[0].text in ("get", "list"):
        return check_options("git config", words[1:], *CONFIG).reason
    found = check_options("git config", words, *CONFIG, stops=True)
    if found.reason or any(option in CONFIG_READS for option in found.options):
        return found.reason
    # A key has a section; without one it is a sub-command of newer versions (`git config edit`).
    if len(found.operands) == 1 and found.operands[0].exact and "." in found.operands[0].text:
        return ""
    return "git config with a value writes it; use git config --get NAME"


def _second(name: str, words: list[Word], forms: dict[str, tuple[str, str, int]]) -> str:
    """`git stash list`, `git remote -v`: the word after the sub-command decides."""
    if words and not words[0].exact:
        return f"the word after git {name} is not literal; write it out"
    sub = words[0].text if words and not may_be_option(words[0]) else ""
    if sub in forms:
        return check_table(f"git {name} {sub}".rstrip(), words[1:] if sub else words, forms[sub])
    if "" in forms and name == "reflog" and (sub == "HEAD" or "/" in sub or "@" in sub):  # a revision
        return check_table("git reflog", words, forms[""])
    known = ", ".join(f"git {name} {form}".rstrip() for form in forms)
    return f"`git {name} {shown(Word(sub))}`".replace(" `", "`") + f" is not known to be read-only; use {known}"


def _ls_remote(words: list[Word]) -> str:
    shorts, longs, _ = SUBCOMMANDS["ls-remote"]
    found: Arguments = check_options("git ls-remote", words, shorts, longs)
    if not found.reason and found.operands:
        remote = found.operands[0]
        if not remote.exact or "::" in remote.text or may_be_option(remote):
            return "git ls-remote of something that is no plain remote may run a program; name the remote"
    return found.reason


def _apply(words: list[Word]) -> str:
    found = check_options("git apply", words, "p:v", "stat numstat summary check verbose")
    if not found.reason and not any(option in _REPORTS for option in found.options):
        return f"git apply changes files; use git apply --stat or --check, or {INSTEAD}"
    return found.reason
