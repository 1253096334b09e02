"""The names of a run's things: slugs, branches, folders and refs, made from any text that a plan may carry."""

import hashlib

_ALLOWED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_HEX = frozenset("0123456789abcdef")
_LONGEST, _KEPT, _HASH = 64, 48, 8


def safe_name(text: str) -> str:
    """A name for a file and for a part of a ref. Two texts have two names; a plain short text is its own."""
    plain = "".join(sign if sign in _ALLOWED else "-" for sign in text).replace("..", "--")
    plain = plain.lstrip(".-").rstrip(".") or "x"
    is_own = plain == text and len(text) <= _LONGEST and not text.lower().endswith(".lock") and not _has_hash(text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    return text if is_own else f"{plain[:_KEPT]}-{digest}"


def slug(plan_file: str) -> str:
    """The short name of a plan, for people: its file's name in lower case, with hyphens."""
    name = plan_file.rsplit("/", 1)[-1]
    return name.removesuffix(".md").lower().replace("_", "-")


def branch_name(prefix: str, name: str) -> str:
    """The branch of a plan; legal whatever its file is called."""
    return prefix + safe_name(name)


def _has_hash(text: str) -> bool:
    """Whether a text looks like a name that was made here: left as it is, it could be another text's name."""
    head, hyphen, tail = text.rpartition("-")
    return bool(head and hyphen) and len(tail) == _HASH and all(sign in _HEX for sign in tail)
