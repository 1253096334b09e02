"""The team of a repository: the shared database that its settings name.

The database is named by the environment, else by the user's own file, else by the project's file as it is committed:
an agent that edits the file in the working tree moves nothing to another place.
"""

import os
from collections.abc import Mapping

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.settings import FILE_NAME, load_settings, read_database, user_file
from planrail.base.whole_files import read_whole
from planrail.store.places import ledger_folder, make_private

VARIABLE, NAME_VARIABLE = "PLANRAIL_DATABASE", "PLANRAIL_REPOSITORY"
MARK = "database"  # in the ledger's folder: a commit named a database, whatever the working tree says by now
HEARD = (VARIABLE, NAME_VARIABLE, "XDG_CONFIG_HOME", "HOME", "PLANRAIL_STATE_DIR")  # what it depends on
_SCHEMES = ("postgresql://", "postgres://")
_LONGEST = 1 << 20  # bytes of a settings file that are looked at


@record
class Team:
    """A shared database, and the name that its rows have for this repository."""

    url: str
    repository: str


def read_team(root: str | None, environment: Mapping[str, str]) -> Team | None:
    """The team of a repository (None: of plans that lie in none); None where it has no shared database."""
    url, _ = find_database(root, environment)
    return Team(url, _name(root, environment)) if url else None


def find_database(root: str | None, environment: Mapping[str, str]) -> tuple[str, str]:
    """The address of the shared database and what named it; two empty texts where nothing did."""
    said = environment.get(VARIABLE, "")
    if said:
        return check_url(said, VARIABLE), VARIABLE
    mine = user_file(environment)
    url = _named_in(_read(mine), mine)
    if url or root is None:
        return url, mine if url else ""
    is_marked = os.path.exists(os.path.join(ledger_folder(root, environment), MARK))
    if not is_marked and not _names_one(_read(os.path.join(root, FILE_NAME))):
        return "", ""
    from planrail.git.git import show_committed  # most repositories need not pay for git

    source = f"{FILE_NAME} as committed"
    url = _named_in(show_committed(root, FILE_NAME) or "", source)
    return url, source if url else ""


def check_url(url: str, source: str) -> str:
    """The address, or a `UsageError` where it is none of a PostgreSQL."""
    if url.startswith(_SCHEMES) and url.partition("://")[2].partition("/")[0].partition("?")[0].count("@") <= 1:
        return url
    if url.startswith(_SCHEMES):
        raise UsageError(f"{source}: database has two @ before the host", remedy="write @ in a password as %40")
    from planrail.store.addresses import hide_password

    text = f"{source}: database is {hide_password(url)!r}, which is not the address of a PostgreSQL"
    raise UsageError(text, remedy='write database = "postgresql://USER@HOST/NAME"')


def mark_team(root: str | None, environment: Mapping[str, str] | None = None) -> None:
    """Remember in the ledger's folder that a database was named, whatever the working tree says later."""
    folder = ledger_folder(root, environment)
    path = os.path.join(folder, MARK)
    if not os.path.exists(path):
        make_private(folder)
        with open(path, "a", encoding="utf-8"):
            pass


def _name(root: str | None, environment: Mapping[str, str]) -> str:
    from planrail.git.git import show_committed
    from planrail.store.addresses import name_repository

    said = environment.get(NAME_VARIABLE, "")
    if said or root is None:
        return said or name_repository(root)
    settings = load_settings(None, environment, committed=show_committed(root, FILE_NAME))
    return settings.worker.repository or name_repository(root)


def _names_one(text: str) -> bool:
    """Whether a line could set it; most files have no such line, and TOML takes milliseconds to read."""
    return "database" in text and any(line.lstrip(" \t\"'").startswith("database") for line in text.splitlines())


def _named_in(text: str, source: str) -> str:
    if not _names_one(text):
        return ""

    url = read_database(source, text)
    return check_url(url, source) if url else ""


def _read(path: str) -> str:
    return (read_whole(path, _LONGEST) or b"").decode("utf-8", "replace")
