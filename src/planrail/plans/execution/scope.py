"""The files that the text of a plan names: what a phase, or the plan as a whole, is about to touch."""

from planrail.base.patterns import pattern

# In backticks, or as the target of a link: a path with a folder or an ending, with lines behind it or not.
_NAMED = pattern(r"`(?P<code>[^`\n]+)`|\]\((?:file://)?(?P<link>[^)\s]+)\)")
_PATH = pattern(
    r"(?P<path>/?(?:[\w@.+~-]+/)*[\w@.+\[\]-]*\.[A-Za-z][A-Za-z0-9]{0,7}|(?:[\w@.+-]+/)+[\w@.+-]+)(?::\d+(?:-\d+)?)?$"
)
_NO_FILE = pattern(r"https?:|[a-z]+\.[a-z]+\.[a-z]+$|\d|.*\.(?:com|org|net|io|dev)$|.*\($")


def find_files(text: str) -> list[str]:
    """The paths that a text names, each once, in its order."""
    found: dict[str, None] = {}
    for named in _NAMED.finditer(text):
        path = _PATH.match((named["code"] or named["link"]).strip())
        if path is not None and not _NO_FILE.match(path["path"]):
            found[path["path"]] = None
    return list(found)
