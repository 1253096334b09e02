"""The team of a repository: the shared database that its settings name, and what rows there call the repository.

The database is named by the environment, else by the user's own file, else by the project's file as it is committed:
an agent that edits the file in the working tree moves nothing to another place.
"""

import os
import re
from collections.abc import Mapping

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.settings import FILE_NAME, load_settings, read_database, user_file
from planrail.git.git import show_committed
from planrail.git.git_writing import ask_git
from planrail.store.owners import host_identity
from planrail.store.places import common_directory, ledger_folder, make_private

VARIABLE, NAME_VARIABLE = "PLANRAIL_DATABASE", "PLANRAIL_REPOSITORY"
MARK = "database"  # in the ledger's folder: a commit named a database, whatever the working tree says by now
HEARD = (VARIABLE, NAME_VARIABLE, "XDG_CONFIG_HOME", "HOME", "PLANRAIL_STATE_DIR")  # what it depends on
_SCHEMES = ("postgresql://", "postgres://")
_LONGEST = 1 << 20  # characters of a settings file that are looked at
_PORTS = {"ssh": "22", "https": "443", "http": "80", "git": "9418", "git+ssh": "22", "ssh+git": "22"}
_URL = re.compile(
    r"^(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^@/]*@)?(?P<host>\[[^\]]*\]|[^/:]*)(?::(?P<port>\d*))?(?P<path>.*)$", re.I
)
_SCP = re.compile(r"^(?:[^@/]+@)?(?P<host>\[[^\]]*\]|[^/:@]+):(?P<path>.*)$", re.S)
_AUTHORITY = re.compile(r"(?:[^/?#]*@)?[^/?#@:]*(?::\d*)?(?:[/?#]|$)")  # a login, if any, a host, and a port
_HARMLESS = (
    *("host", "hostaddr", "port", "dbname", "user", "sslmode", "application_name", "connect_timeout"),
    *("target_session_attrs", "channel_binding", "gssencmode", "options"),
)


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
    """The address of the shared database and who named it; two empty texts where nobody did."""
    said = environment.get(VARIABLE, "")
    if said:
        return check_url(said, VARIABLE), VARIABLE
    mine = user_file(environment)
    url = _named_in(_read(mine), mine)
    if url or root is None or not _may_be_committed(root, environment):
        return url, mine if url else ""

    source = f"{FILE_NAME} as committed"
    url = _named_in(show_committed(root, FILE_NAME) or "", source)
    return url, source if url else ""


def name_repository(root: str | None) -> str:
    """What the rows of a team call a repository: the same on every machine that has it from the same remote."""
    if root is None:
        return f"{host_identity()}:"
    common = common_directory(root)
    home = os.path.dirname(common) if common and os.path.basename(common) == ".git" else common
    return _by_remote(root) or f"{host_identity()}:{home or os.path.realpath(root)}"


def check_url(url: str, source: str) -> str:
    """The address, or a `UsageError` where it is none of a PostgreSQL."""
    if url.startswith(_SCHEMES) and url.partition("://")[2].partition("/")[0].partition("?")[0].count("@") <= 1:
        return url
    if url.startswith(_SCHEMES):
        raise UsageError(f"{source}: database has two @ before the host", remedy="write @ in a password as %40")
    raise UsageError(
        f"{source}: database is {hide_password(url)!r}, which is not the address of a PostgreSQL",
        remedy='write database = "postgresql://USER@HOST/NAME"',
    )


def mark_team(root: str | None, environment: Mapping[str, str] | None = None) -> None:
    """Remember in the ledger's folder that a database was named, whatever the working tree says later."""
    folder = ledger_folder(root, environment)
    path = os.path.join(folder, MARK)
    if not os.path.exists(path):
        make_private(folder)
        with open(path, "a", encoding="utf-8"):
            pass


def _name(root: str | None, environment: Mapping[str, str]) -> str:
    said = environment.get(NAME_VARIABLE, "")
    if said or root is None:
        return said or name_repository(root)

    settings = load_settings(None, environment, committed=show_committed(root, FILE_NAME))
    return settings.worker.repository or name_repository(root)


def _may_be_committed(root: str, environment: Mapping[str, str]) -> bool:
    """Whether it is worth asking git, which takes milliseconds that most repositories need not pay."""
    is_said = _names_one(_read(os.path.join(root, FILE_NAME)))
    return is_said or os.path.exists(os.path.join(ledger_folder(root, environment), MARK))


def _names_one(text: str) -> bool:
    """Whether a line could set it; most files have no such line, and TOML takes milliseconds to read."""
    return "database" in text and any(line.lstrip(" \t\"'").startswith("database") for line in text.splitlines())


def _named_in(text: str, source: str) -> str:
    if not _names_one(text):
        return ""

    url = read_database(source, text)
    return check_url(url, source) if url else ""


def _by_remote(root: str) -> str:
    """The name by the remote that is called origin, else by the first one; "" where there is none."""
    remotes = sorted((ask_git(root, "remote") or "").split("\n"), key=lambda name: (name != "origin", name))
    named = [name for name in remotes if name]
    url = (ask_git(root, "remote", "get-url", named[0]) or "").strip() if named else ""
    return name_remote(url, root) if url else ""


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_LONGEST)
    except OSError:
        return ""


def name_remote(url: str, root: str) -> str:
    """`host/owner/name` for a remote's URL of any spelling; the real path where the remote is a folder."""
    found = _URL.match(url)
    if found is None:
        scp = _SCP.match(url)
        return _join(_with_user(url, scp["host"], scp["path"]), scp["path"]) if scp else _folder(url, root)
    scheme = found["scheme"].lower()
    if scheme == "file":
        return _folder(found["path"], root)
    port = found["port"] or ""
    host = found["host"] + (f":{port}" if port and port not in ("22", "443", _PORTS.get(scheme)) else "")
    return _join(_with_user(url, host, found["path"].replace("/~", "~", 1)), found["path"])


def _with_user(url: str, host: str, path: str) -> str:
    """The host, with the user where a path begins at their home: there, two users have two repositories."""
    user = url.rpartition("://")[2].partition("@")[0].partition(":")[0] if "@" in url else ""
    is_at_home = not path.startswith("/")
    return f"{user}@{host}" if is_at_home and user not in ("", "git") else host


def hide_password(url: str) -> str:
    """A URL with stars for its password, wherever it stands in it: rather too much is hidden than too little."""
    scheme, sign, rest = url.partition("://") if "://" in url else ("", "", url)
    address, mark, query = rest.partition("?") if _AUTHORITY.match(rest) else (rest, "", "")
    login, at, place = address.rpartition("@")  # the last one: people paste passwords as they are
    user, colon, _ = login.partition(":")
    shown = f"{user}:***{at}{place}" if colon else address
    if not mark:  # what was pasted had a ? in it
        shown, mark, query = shown.partition("?")
    return scheme + sign + shown + mark + "&".join(map(_hide_value, query.split("&")))


def _hide_value(part: str) -> str:
    name, sign, _ = part.partition("=")
    return part if not sign or name.lower() in _HARMLESS else f"{name}=***"


def _join(host: str, path: str) -> str:
    bare = path.strip("/").removesuffix(".git").rstrip("/")
    return f"{host.lower()}/{bare}"


def _folder(path: str, root: str) -> str:
    return os.path.realpath(os.path.join(root, path))
