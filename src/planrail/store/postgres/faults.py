"""What PostgreSQL's errors mean: the caller may simply wait, or has lost the connection; and what is said to people."""

from urllib.parse import quote

import psycopg
from psycopg import errors

from planrail.base.errors import ToolFailed
from planrail.store.addresses import hide_password
from planrail.store.failures import gone, refused

# By SQLSTATE where the server sends one; libpq itself has only words for what happens before a session exists.
_FULL = ("too many clients", "remaining connection slots", "too many connections")
_STARTING = ("the database system is starting up", "shutting down", "in recovery mode", "not yet accepting")
_PERMANENT = (
    *("password authentication failed", "no password supplied", "no pg_hba.conf entry", "authentication failed"),
    *("does not exist", "certificate", "does not support SSL", "is not permitted to log in"),
)
_LOST = ("57P01", "57P02", "57P03", "57P05", "08", "25P03")


def is_permanent(error: psycopg.Error) -> bool:
    """Whether trying to connect again would bring the same answer."""
    said_now = str(error)
    if any(words in said_now for words in (*_FULL, *_STARTING)):  # it is there, and takes no further connection now
        return False
    if not isinstance(error, psycopg.OperationalError):
        return True
    return any(words in said_now for words in _PERMANENT) and "could not translate host name" not in said_now


def explain(url: str, error: psycopg.Error, *, is_broken: bool) -> ToolFailed:
    """An error of PostgreSQL as one that people can act on; `DatabaseGone` where the connection is lost."""
    place, why = hide_password(url), said(url, error)
    if isinstance(error, errors.LockNotAvailable):
        return refused(place, "another process has been writing for a minute")
    state = getattr(error, "sqlstate", None) or ""
    if state.startswith(_LOST) or (is_broken and not is_permanent(error)):
        return gone(place, why)
    return refused(place, why)


def said(url: str, error: psycopg.Error) -> str:
    """The server's words on one line, without the password."""
    words = " ".join(str(error).split()) or type(error).__name__
    try:
        password = str(psycopg.conninfo.conninfo_to_dict(url).get("password") or "")
        secrets = [password, quote(password, safe="")] if password else []
    except psycopg.Error:
        secrets = [url]
    for secret in secrets:
        words = words.replace(secret, "***")
    return words.rstrip(".")
