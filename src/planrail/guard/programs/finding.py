"""find and xargs: what they look for is free, what they run is judged with the arguments that they add."""

from planrail.guard.places import Line
from planrail.guard.programs.commands import judge_inner
from planrail.guard.programs.options import INSTEAD, check_options
from planrail.guard.shell.words import ANY_ONE, ANYTHING, Word, is_number, may_be_option, name_set, shown

_BARE = name_set(
    "-a -and -o -or -not ! ( ) , -depth -d -daystart -empty -executable -false -follow -ls -mount -nogroup -noleaf"
    " -nouser -nowarn -print -print0 -prune -quit -readable -true -warn -writable -xdev -ignore_readdir_race"
    " -noignore_readdir_race -help --help -version --version"
)
_VALUED = name_set(
    "-amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex"
    " -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -path -perm -printf -regex -regextype"
    " -samefile -size -type -uid -used -user -wholename -xtype -Bmin -Btime -depth -newermt -neweram -newercm -newermm"
    " -newerBt -newerat -newerct -newerBm"
)
_XARGS = "0rtxn:L:P:I:d:s:a:E:"
_XARGS_LONG = "null no-run-if-empty verbose exit max-args= max-lines? max-procs= delimiter= max-chars= arg-file= help"


def judge_find(_name: str, words: list[Word], line: Line) -> str:
    at = 0
    while at < len(words) and words[at].exact and words[at].text in ("-H", "-L", "-P", "-E", "-s", "-x", "-X"):
        at += 1
    starts_are_plain = True
    for word in words[at:]:
        if word.exact and (word.text[:1] == "-" or word.text in ("!", "(", ")", ",")):
            break
        if may_be_option(word):
            what = f"{shown(word)} as a starting point of find"
            return f"{what} may become an action such as -delete; write a literal path"
        starts_are_plain = starts_are_plain and (word.text[:1].isalnum() or word.text[:1] in "./~_")
        at += 1
    found = Word("./", exact=False) if starts_are_plain else ANY_ONE
    return _expression(words, at, found, line)


def _expression(words: list[Word], at: int, found: Word, line: Line) -> str:
    while at < len(words):
        word = words[at]
        if not word.exact:
            return f"{shown(word)} may become an action of find such as -delete; quote it, and name it after -name"
        text = word.text
        at += 1
        if text in ("-exec", "-execdir"):
            end = _end_of_exec(words, at)
            inner = words[at:end]
            filled = [_filled(part, found if text == "-exec" else ANY_ONE) for part in inner]
            reason = judge_inner(filled, line if text == "-exec" else line.anywhere())
            if reason:
                return f"find {text}: {reason}"
            at = end + 1
        elif text in _VALUED and at < len(words) and words[at].single:
            if text == "-depth" and not is_number(words[at].text):
                continue
            if text in ("-type", "-xtype") and words[at].text[:1] == "-":
                return f"find {text} takes a letter such as f or d, not {shown(words[at])}"
            at += 1
        elif text not in _BARE:
            return f"find {text} is not known to be read-only; use -print or -ls, or {INSTEAD}"
    return ""


def _end_of_exec(words: list[Word], at: int) -> int:
    """The place of the `;`, or of the `+` behind a `{}`, that ends the command."""
    for place in range(at, len(words)):
        text = words[place].text
        if words[place].exact and (text == ";" or (text == "+" and place > at and words[place - 1].text == "{}")):
            return place
    return len(words)


def _filled(word: Word, value: Word) -> Word:
    """The word with the found path in the place of `{}`."""
    if "{}" not in word.text:
        return word
    if word.exact and word.text == "{}":
        return value
    return Word(word.text.partition("{}")[0], exact=False)


def judge_xargs(_name: str, words: list[Word], line: Line) -> str:
    found = check_options("xargs", words, _XARGS, _XARGS_LONG, stops=True)
    if found.reason:
        return found.reason
    if not found.operands:
        return ""
    marker = _marker(words[: len(words) - len(found.operands)])
    if marker is None:
        return "xargs -I needs a literal text to replace"
    if not marker:
        return judge_inner([*found.operands, ANYTHING], line)
    inner = [
        Word(word.text.partition(marker)[0], exact=False, single=word.single, splits=word.splits)
        if marker in word.text
        else word
        for word in found.operands
    ]
    if any(option in ("n", "L", "max-args", "max-lines") for option in found.options):
        inner.append(ANYTHING)  # the last of them wins, and then the words are appended
    return judge_inner(inner, line)


def _marker(options: list[Word]) -> str | None:
    """What -I replaces; "" without -I, None where it is not clear."""
    marker = ""
    for at, word in enumerate(options):
        if "I" not in word.text or not word.text.startswith("-") or word.text.startswith("--"):
            continue
        if word.text == "-I" and at + 1 < len(options) and options[at + 1].exact:
            marker = options[at + 1].text
        elif word.exact and word.text.startswith("-I") and len(word.text) > 2:
            marker = word.text[2:]
        else:
            return None
    return marker
