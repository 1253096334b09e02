"""git: sub-commands that read, with the options that keep them reading."""

from planrail.guard.programs import git_tables as tables
from planrail.guard.programs.options import INSTEAD, check_options, check_table, read_table
from planrail.guard.shell.words import Word, may_be_option, name_set, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.guard.places import Line

_GLOBAL_FLAGS = name_set(
    "--no-pager -P --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks"
    " --no-replace-objects --no-lazy-fetch"
)
_ANSWERS = ("--version", "-v", "--exec-path", "--html-path", "--man-path", "--info-path")
_FORMATS = ("--format", "--pretty", "--sort")


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
    is_plain = value.text.startswith(tables.HARMLESS_CONFIG) or (value.exact and value.text in tables.EXACT_CONFIG)
    return "" if option == "-C" or is_plain else f"git -c {shown(value)} may run a program; leave it out"


def _subcommand(name: str, words: list[Word]) -> str:
    if name in tables.SUBCOMMANDS:
        return (_ls_remote if name == "ls-remote" else check_table)(f"git {name}", words, tables.SUBCOMMANDS[name])
    if name == "config":
        return _config(words)
    if name in tables.SECOND:
        return _second(name, words, read_table(tables.SECOND[name]))
    if name not in tables.LISTS:
        what = f"`git {shown(Word(name))}` is not known to be read-only"
        return f"{what}; use git log, diff, show or status, or {INSTEAD}"
    shorts, longs, _ = tables.LISTS[name]
    found = check_options(f"git {name}", words, shorts, longs)
    if found.reason or not tables.LISTING[name].isdisjoint(found.options):
        return found.reason
    if name == "apply":
        return f"git apply changes files; use git apply --stat or --check, or {INSTEAD}"
    return f"git {name} with a name creates it; use git {name} --list PATTERN" if found.operands else ""


def _config(words: list[Word]) -> str:
    if words and words[0].exact and words[0].text in ("get", "list"):
        return check_options("git config", words[1:], tables.CONFIG, tables.CONFIG_LONG).reason
    found = check_options("git config", words, tables.CONFIG, tables.CONFIG_LONG, stops=True)
    if found.reason or not tables.CONFIG_READS.isdisjoint(found.options):
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
    if name == "reflog" and (sub == "HEAD" or "/" in sub or "@" in sub):  # a revision
        return check_table("git reflog", words, forms[""])
    known = ", ".join(f"git {name} {form}".rstrip() for form in forms)
    return f"`git {name} {shown(Word(sub))}`".replace(" `", "`") + f" is not known to be read-only; use {known}"


def _ls_remote(name: str, words: list[Word], entry: tuple[str, str, int]) -> str:
    found = check_options(name, words, entry[0], entry[1])
    remote = found.operands[0] if found.operands else Word("")
    if not found.reason and (not remote.exact or "::" in remote.text or may_be_option(remote)):
        return "git ls-remote of something that is no plain remote may run a program; name the remote"
    return found.reason
