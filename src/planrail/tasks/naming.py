"""What is a task called? Its title, its folder and the names of its documents, from one text.

The text itself is recorded as it was said; nothing here runs, opens or looks up what it speaks of.
"""

import unicodedata
from collections.abc import Collection, Iterable, Sequence

from planrail.base.errors import UsageError
from planrail.tasks.model import FOLDERS, Task, folder_of

GENERAL = "general"
_TITLE, _SLUG, _SHORT = 100, 50, 40  # characters at most
_ARTICLES = ("a", "an", "the")
_FILLERS = ("and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "so", "that", "to", "when", "with")
# A text that begins with a thing instead of a deed gets the deed; only where a word like these follows the thing,
# since many of them are verbs as well ("test the login").
_DEEDS = {
    "Fix": ("bug", "bugs", "crash", "error", "errors", "failure", "issue", "problem", "problems", "regression"),
    "Update": ("comments", "config", "docs", "documentation", "readme", "settings"),
    "Add": ("capability", "feature", "spec", "specs", "support", "test", "tests"),
}
_FOLLOWING = (*_FILLERS, "about", "after", "before", "between", "during", "if", "where", "while", "without")
_NO_DECOMPOSITION = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "þ": "th", "ð": "d", "ı": "i"}


def new_task(
    number: int,
    text: str,
    *,
    now: str,
    type_: str = GENERAL,
    topic: str = "",
    effort: str = "",
    dependencies: Iterable[int] = (),
) -> Task:
    """A task that nobody has begun. `now` is the time as the views spell it."""
    title = make_title(text)
    return Task(
        number=number,
        name=make_slug(title),
        title=title,
        task_type=type_,
        description=clean_text(text),
        effort=effort,
        topic=topic,
        created=now,
        last_updated=now,
        dependencies=tuple(dict.fromkeys(dependencies)),
    )


def clean_text(text: str) -> str:
    whole = text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text
    return whole.replace("\r\n", "\n").replace("\0", "").strip()


def make_title(text: str) -> str:
    """One line that names the deed: `bug in login.` is `Fix bug in login`, `add_dark_mode` is `Add dark mode`."""
    first = next((line for line in map(one_line, clean_text(text).splitlines()) if line), "")
    if not first:
        raise UsageError("a task needs a text", remedy='planrail task new "what is to be done"')
    line = _expand_slug(first)
    ends = [line.find(end) for end in (". ", "! ", "? ", "。") if 0 < line.find(end) < _TITLE]
    words = (line[: min(ends) + 1] if ends and len(line) > _TITLE else line).split(" ")
    deed = _missing_deed(words)
    line = " ".join([deed, *words] if deed else [_capital(words[0]), *words[1:]])
    is_sentence = line.endswith((".", "。")) and not line.endswith("..") and len(line) > 1
    line = line[:-1].rstrip() if is_sentence else line
    if len(line) <= _TITLE:
        return line
    head = line[: _TITLE - 1]
    cut = head.rfind(" ")
    return (head[:cut] if cut > _TITLE // 2 else head).rstrip(" ,;:-") + "…"


def make_slug(title: str) -> str:
    """The name of the task's folder: snake case, at most 50 characters, `task` where no letter is left."""
    return _join_within(_words(title), "_", _SLUG) or "task"


def short_slug(title: str) -> str:
    """The name of a document: kebab case, at most five words, no articles, few fillers."""
    words = [word for word in _words(title) if word not in _ARTICLES]
    telling = [word for word in words if word not in _FILLERS]
    if len(words) > 5 and len(telling) >= 3:
        words = telling
    return _join_within(words[:5], "-", _SHORT) or "task"


def one_line(line: str) -> str:
    """A line without what could steer a terminal or break a heading."""
    kept = "".join(letter if letter.isprintable() or letter in "\u200d\ufe0f" else " " for letter in line)
    words = kept.split()
    return " ".join(words[1:] if words and not words[0].strip("#") else words)


def _expand_slug(line: str) -> str:
    """A single word that is a slug, in words. Paths and identifiers inside a sentence stay as they are."""
    if " " in line or not all(letter.isalnum() or letter in "_-" for letter in line):
        return line
    spaced = line.replace("_", " ") if "_" in line else line.replace("-", " ") if line.count("-") > 1 else line
    return " ".join(spaced.split()) or line


def _missing_deed(words: Sequence[str]) -> str:
    first, second = words[0].lower(), words[1].lower() if len(words) > 1 else ""
    if first == "new" and second:
        return "Implement"
    if second and second not in _FOLLOWING:
        return ""
    return next((deed for deed, things in _DEEDS.items() if first in things), "")


def _capital(word: str) -> str:
    """The word with a capital, unless it is a name that has its own spelling: a path, `iOS`, `--flag`, `v2`."""
    letters = word.rstrip(",:;!?").replace("'", "").replace("’", "")
    if word != word.lower() or not all(part.isalpha() for part in letters.split("-")):
        return word
    capital = word[0].upper()
    return capital + word[1:] if len(capital) == 1 else word


def _words(title: str) -> list[str]:
    """The words of a title in lower case, letters and digits alone; accents are dropped from Latin letters."""
    if not title.isascii():
        return _plain(title).split()
    return "".join(letter if letter.isalnum() else " " for letter in title.lower().replace("'", "")).split()


def _plain(title: str) -> str:
    """Latin letters without accents, other scripts as they are: there a mark is part of the word. Blanks between."""
    kept = " "
    for letter in unicodedata.normalize("NFKC", title).lower():
        base = unicodedata.normalize("NFKD", _NO_DECOMPOSITION.get(letter, letter)).encode("ascii", "ignore").decode()
        if unicodedata.category(letter)[0] == "M":
            is_selector = (
                "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"
            )  # of a variant: unseen
            kept += "" if kept[-1].isascii() or is_selector else letter
        elif letter.isalnum():
            kept += base if base.isalnum() else letter
        elif letter not in "'’":
            kept += " "
    return unicodedata.normalize("NFC", kept)


def _join_within(words: Sequence[str], glue: str, most: int) -> str:
    """As many whole words as there is room for; of a first word that is too long, its beginning."""
    joined = ""
    for word in words:
        longer = f"{joined}{glue}{word}" if joined else word[:most]
        if len(longer) > most:
            break
        joined = longer
    return joined


def artifact_path(
    task: Task, type_: str, round_: int, title: str, taken: Collection[str], folder: str = "specs"
) -> str:
    """A path for a new document, from the root on; it keeps clear of the paths that are `taken`, by `-v2` and so on."""
    slug = short_slug(title) or short_slug(task.title) or FOLDERS[type_].rstrip("s")
    base = f"{folder_of(task, folder)}/{FOLDERS[type_]}/{max(round_, 1):02d}_{slug}"
    used = {path.lower() for path in taken}  # some disks know no letter case
    number = 1
    while (path := f"{base}.md" if number == 1 else f"{base}-v{number}.md").lower() in used:
        number += 1
    return path
