"""Programs whose reading form is one of several: archives, dates, pagers, dumps."""

from planrail.guard.programs.options import INSTEAD, check_options
from planrail.guard.shell.words import Word, is_number, may_be_option, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_BINARIES = {
    "nm": ("aAgDCuUnpPSfrlo", "demangle extern-only undefined-only defined-only dynamic size-sort version"),
    "readelf": ("ahlSgtensrdVAIW", "all file-header program-headers sections symbols dynamic wide version"),
    "size": ("ABGdox", "version"),
    "objdump": ("dDtThxpsSCrRflawj:M:", "disassemble syms headers all-headers no-show-raw-insn demangle version"),
}
# Short options, long options, what each operand has to be, and the reason where one is not. BSD stops reading options
# at the first operand; either way only a format may follow `date`.
_DATE = "utc universal date= rfc-3339= rfc-email iso-8601? reference= help version debug"
_PAGER = "{name} +COMMAND may run a program; use sed -n or head"
_OPERANDS: "dict[str, tuple[str, str, Callable[[Word], bool], str]]" = {
    "date": ("uRjI::d:r:v:", _DATE, lambda word: word.single and word.text.startswith("+"),
             "date with an operand that is no +FORMAT sets the clock"),
    "less": ("RNSFXEirs", "", lambda word: not (not word.text or word.text.startswith("+") or word.splits), _PAGER),
    "more": ("dlfpcus", "", lambda word: not (not word.text or word.text.startswith("+") or word.splits), _PAGER),
    "man": ("kfw", "", lambda word: word.exact and "/" not in word.text,
            "man formats a file as a program would; name a page, or read the file with cat"),
}  # fmt: skip
_XXD_FLAGS = ("-p", "-ps", "-plain", "-u", "-b", "-bits", "-e", "-i", "-a", "-E", "-C", "-d")


def judge_operands(name: str, words: list[Word], _line: object) -> str:
    shorts, longs, is_fine, reason = _OPERANDS[name]
    found = check_options(name, words, shorts, longs, numbers=name in ("less", "more"))
    return found.reason or ("" if all(map(is_fine, found.operands)) else reason.format(name=name))


def judge_tee(_name: str, words: list[Word], _line: object) -> str:
    written = [word for word in words if not word.exact or word.text not in ("-a", "-i", "/dev/null")]
    return f"tee writes {shown(written[0])}; leave it out, or {INSTEAD}" if written else ""


def judge_tar(name: str, words: list[Word], _line: object) -> str:
    """Only `t` with a local archive; an unknown word could be --to-command or a host:archive."""
    if not words or not words[0].exact:
        return f"{name} needs its options first, written out: tar tf ARCHIVE"
    if len(words) > 2 and words[1].exact and words[1].text in ("-f", "--file"):
        is_list = words[0].text in ("-t", "--list", "-tv", "-tz", "-tj", "-tJ")
        words = [Word("tf" if is_list else words[0].text), *words[2:]]
    letters = "t" if words[0].text == "--list" else words[0].text.removeprefix("-")
    if "t" not in letters or any(letter not in "tvzjJf" for letter in letters) or letters.count("f") > 1:
        return f"{name} {words[0].text} is not the listing form; use tar tf ARCHIVE"
    rest = words[1:]
    if letters.endswith("f") and rest:
        if not rest[0].exact or ":" in rest[0].text or may_be_option(rest[0]):
            return f"the archive {shown(rest[0])} must be a literal local file"
        rest = rest[1:]
    elif "f" in letters:
        return f"{name} with f before other letters; write tar tvf ARCHIVE"
    longs = "wildcards verbose gzip bzip2 xz numeric-owner full-time exclude="
    return check_options(name, rest, "vzjJ", longs).reason


def judge_unzip(_name: str, words: list[Word], _line: object) -> str:
    if not words or not words[0].exact or words[0].text[:1] != "-":
        return "unzip extracts; use unzip -l ARCHIVE"
    lists, operands = False, 0
    for word in words:
        if not may_be_option(word):
            operands += 1
        elif operands:
            return "unzip reads options before the archive only; put -l first"
        else:
            if not word.exact or any(letter not in "lvZ1tpqz" for letter in word.text[1:]):
                return f"unzip {shown(word)} may extract; use unzip -l ARCHIVE"
            lists = lists or any(letter in "lvZtp" for letter in word.text[1:])
    return "" if lists else "unzip extracts; use unzip -l ARCHIVE"


def judge_compressed(name: str, words: list[Word], _line: object) -> str:
    letters, operands = "", 0
    for word in words:
        if not may_be_option(word):
            operands += 1
        elif operands:
            return f"{name} may read an option behind a file as a file; put it first"
        else:
            if not word.exact or any(letter not in "ldctvqk" for letter in word.text[1:]):
                return f"{name} {shown(word)} may write; use {name} -dc or {name} -l"
            letters += word.text[1:]
    # xz takes the last of -d, -l and -t, so only -c makes -d harmless.
    if "c" in letters or ("d" not in letters and ("l" in letters or "t" in letters)):
        return ""
    return f"{name} replaces files; use {name} -dc FILE"


def judge_xxd(_name: str, words: list[Word], _line: object) -> str:
    """xxd takes a second operand for its output, and reads each option by its first letter only."""
    operands, wants_number = 0, False
    for word in words:
        if wants_number and word.exact and word.text and _is_number(word.text):
            wants_number = False
        elif may_be_option(word) and not operands:
            letters = word.text[1:2]
            valued = word.exact and letters in ("l", "s", "c", "g", "o")
            if not (word.exact and word.text in _XXD_FLAGS) and not (valued and _is_number(word.text[2:])):
                return f"xxd {shown(word)} is not known to be read-only; use xxd -l 256 FILE"
            wants_number = valued and len(word.text) == 2
        else:
            operands += 1 if word.single and not wants_number else 2
    return "" if operands <= 1 else "xxd with two operands writes the second; give it one"


def _is_number(text: str) -> bool:
    return text == "" or is_number(text) or (text.startswith("0x") and text[2:].isascii() and text[2:].isalnum())


def judge_binary(name: str, words: list[Word], _line: object) -> str:
    """@FILE, wherever it stands, would be read for further options, and one of them loads a plugin."""
    is_file = any(not word.text or word.text.startswith("@") for word in words)
    reason = check_options(name, words, *_BINARIES[name]).reason
    return reason or (f"{name} @FILE reads options from a file; name the binary" if is_file else "")
