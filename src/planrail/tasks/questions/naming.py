"""Names of plans that follow one another: `01_cache-lock.md`, `01_cache-lock-v2.md`."""

import re

_STEM = re.compile(r"^(?:\d+[_-])?(?P<slug>.*?)(?:-v\d{1,4})?$")


def slug_words(path: str) -> str:
    """The words of a plan's name, without its number and its version: another version of it is called the same."""
    match = _STEM.match(path.rsplit("/", 1)[-1].removesuffix(".md"))
    assert match is not None  # every text fits
    return match["slug"].replace("-", " ").replace("_", " ").strip()
