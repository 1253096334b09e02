"""Without which words is nothing in a text a secret? And which values are secret by the names of their variables?

Expressions take ten milliseconds to load. What has none of these words, which is most of what is said, needs none.
"""

from planrail.base.secret_shapes import SEARCHED, SHAPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KEY = "PRIVATE KEY"
# In lower case.
IN_ADDRESSES = ("://",)
IN_QUERIES = ("sig", "access_token")
IN_HEADERS = ("bearer", "basic", "authorization")
IN_NAMES = ("key", "secret", "token", "passw", "passphrase", "pwd", "credential", "비밀번호")
_ANYWHERE = (*IN_ADDRESSES, *IN_QUERIES, *IN_HEADERS, *IN_NAMES)
# As they are. How a colour begins is among them: it may cut any other word in two.
_EXACT = (
    KEY,
    "\x1b",
    "\\u001",
    "\\x1",
    "\\033",
    "\\e",
    *(word for row in (*SHAPES, *SEARCHED) for word in row[1].split()),
)
_SECRET_NAMES = (
    *("token", "secret", "password", "passwd", "passphrase", "credential", "credentials", "key", "_pwd", "_pass"),
)
_SHORTEST_VALUE = 8


def has_signs(text: str, known: "Iterable[str]" = ()) -> bool:
    """Whether there may be something to mask in a text; `known` are values that are secret."""
    if any(word in text for word in (*_EXACT, *known)):
        return True
    lower = text.lower()
    return any(word in lower for word in _ANYWHERE)


def secret_values(environment: "Mapping[str, str]") -> tuple[str, ...]:
    """The values of variables whose names say that they are secret, the longest first. A path or a word is none."""
    names = (name for name in environment if name.casefold().endswith(_SECRET_NAMES))
    found = {value for name in names if _is_unlike_words(value := environment[name])}
    return tuple(sorted(found, key=len, reverse=True))


def _is_unlike_words(value: str) -> bool:
    is_path = value.startswith(("/", "~/", "./"))
    return len(value) >= _SHORTEST_VALUE and not is_path and not value.isalpha() and not value.isspace()
