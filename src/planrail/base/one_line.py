"""What agents and programs have said, as one line: their failures come with line breaks, colours, and at any length."""

from planrail.base.wording import clean, clip

_LONGEST = 240  # characters


def one_line(text: str, longest: int = _LONGEST) -> str:
    """A text in one line of bounded length, without controls."""
    return clip(clean(" ".join(text.split())), longest)
