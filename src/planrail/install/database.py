"""The questions of `planrail doctor --database`: is a team's database named, does it answer, and is it fit for work?

Each question is one finding. Nothing is created or changed, and no password is shown.
"""

from collections.abc import Callable, Mapping, Sequence

import psycopg

from planrail.base.errors import PlanrailError
from planrail.base.wording import plural
from planrail.install.database_probe import Probe, hears_notices, open_probe
from planrail.install.findings import BAD, NOTE, WELL, Checkup
from planrail.store.addresses import hide_password
from planrail.store.postgres.faults import said
from planrail.store.postgres.migrations import VERSION, read_version
from planrail.store.signs import is_worker_gone
from planrail.store.team import check_url, find_database

_EXAMPLE = 'write database = "postgresql://USER@HOST/NAME" at the top of planrail.toml and commit it'
OLDEST = 13
_FEW, _NONE = 20, 3  # connections
Question = Callable[[Probe], Checkup]
_SEEN = 60.0  # seconds after which a worker that said nothing is most likely gone


def check_database(root: str | None, environment: Mapping[str, str], url: str = "") -> list[Checkup]:
    """Every finding about the database that is configured here, or about the one that is named."""
    try:
        found, source = (check_url(url, "--database"), "the command line") if url else find_database(root, environment)
    except PlanrailError as error:
        return [Checkup("settings", BAD, error.message, error.remedy)]
    if not found:
        text = "no database is configured here: plans, approvals and runs are kept in the repository itself"
        return [Checkup("settings", BAD, text, f"{_EXAMPLE}, or name one: planrail doctor --database URL")]
    probe = open_probe(found)
    if isinstance(probe, Checkup):
        return [_settings(found, source), probe]
    with probe:
        return [_settings(found, source), *ask_all(probe)]


def _settings(url: str, source: str) -> Checkup:
    text = f"{source} names {hide_password(url)}"
    if "committed" in source and hide_password(url) != url:
        remedy = "change it, take it out of the commit, and keep it in ~/.pgpass or in your own planrail.toml"
        text = f"{text}, and its password is there for all who can read the repository"
        return Checkup("settings", NOTE, text, remedy)
    return Checkup("settings", WELL, text)


def ask_all(probe: Probe) -> list[Checkup]:
    """Every finding, in the order in which one would fix things; a question that fails is a finding too."""
    try:
        is_ours = read_version(probe.connection) == VERSION
    except psycopg.Error:
        is_ours = False
    questions = {**_QUESTIONS, **(_QUESTIONS_OF_WORK if is_ours else {})}
    found = []
    for name, question in questions.items():
        try:
            found.append(question(probe))
        except psycopg.Error as error:
            text = f"the server refuses to say: {said(probe.url, error)}"
            found.append(Checkup(name, BAD, text, "ask who runs the server"))
    return found


# ---- asking ----


def _schema(probe: Probe) -> Checkup:
    question = "SELECT has_database_privilege(current_database(), 'CREATE'), to_regnamespace('planrail') IS NOT NULL"
    may_create, is_there = probe.ask(question)
    if not is_there:
        return judge_schema(0, may_change=bool(may_create))
    owns = "SELECT pg_has_role(nspowner, 'USAGE'), has_schema_privilege(oid, 'USAGE') FROM pg_namespace"
    is_owner, may_use = probe.ask(f"{owns} WHERE nspname = 'planrail'")
    if not may_use:
        remedy = "have it granted: GRANT the role that owns the schema planrail to this one"
        return Checkup("schema", BAD, "this role may not use planrail's schema", remedy)
    return judge_schema(read_version(probe.connection), may_change=bool(is_owner))


def _connections(probe: Probe) -> Checkup:
    most = "current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
    used = "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')"
    mine = "(SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'planrail%%')"
    return judge_connections(*probe.ask(f"SELECT {most}, {used}, {mine} WHERE %s", True))


def _notices(probe: Probe) -> Checkup:
    if hears_notices(probe):
        return Checkup("notices", WELL, "who listens is told at once")
    text = (
        "LISTEN is not heard: something between here and the server shares its sessions, as a transaction pooler does"
    )
    return Checkup("notices", BAD, text, "connect to the server itself, or set the pooler to pool_mode = session")


def _workers(probe: Probe) -> Checkup:
    asking = "SELECT id, host, pid, extract(epoch FROM now()) - seen FROM planrail.workers ORDER BY seen DESC"
    rows = [row for row in probe.ask_all(asking) if not is_worker_gone(str(row[0]))]
    return judge_workers([(str(host), int(pid), float(ago)) for _, host, pid, ago in rows])


_QUESTIONS: dict[str, Question] = {
    "server": lambda probe: Checkup(
        "server", WELL, f"{probe.connection.info.host or 'the local socket'}:{probe.connection.info.port} answers"
    ),
    "login": lambda probe: Checkup(
        "login", WELL, "{} may use the database {}".format(*probe.ask("SELECT current_user, current_database()"))
    ),
    "encryption": lambda probe: judge_encryption(
        probe.connection.info.host, is_encrypted=bool(probe.connection.pgconn.ssl_in_use)
    ),
    "version": lambda probe: judge_version(probe.connection.info.server_version),
    "writing": lambda probe: judge_writing(
        *probe.ask("SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'")
    ),
    "schema": _schema,
    "connections": _connections,
    "notices": _notices,
}
_QUESTIONS_OF_WORK: dict[str, Question] = {"workers": _workers}


# ---- deciding ----


def judge_encryption(host: str, *, is_encrypted: bool) -> Checkup:
    if is_encrypted or not host or host in ("localhost", "::1") or host.startswith(("/", "@", "127.")):
        return Checkup("encryption", WELL, "nobody on the way can read along")
    text = "the connection is not encrypted: who is on the way can read plans and approvals"
    return Checkup("encryption", NOTE, text, "add sslmode=verify-full to the address")


def judge_version(number: int) -> Checkup:
    """By the server's number, such as 160004."""
    major = number // 10_000
    if major < OLDEST:
        return Checkup("version", BAD, f"PostgreSQL {major} is too old", f"use PostgreSQL {OLDEST} or newer")
    return Checkup("version", WELL, f"PostgreSQL {major}.{number % 10_000}")


def judge_writing(is_copy: object, is_closed: object) -> Checkup:
    """Whether anything can be recorded there."""
    if is_copy:
        remedy = "name the first server too, and add target_session_attrs=read-write to the address"
        return Checkup("writing", BAD, "this server is a copy that only reads", remedy)
    if is_closed:
        remedy = "ALTER ROLE or ALTER DATABASE … SET default_transaction_read_only = off"
        return Checkup("writing", BAD, "this role or this database only reads", remedy)
    return Checkup("writing", WELL, "what is recorded there stays")


def judge_schema(version: int, *, may_change: bool) -> Checkup:
    """Whether planrail's tables are those that this planrail knows, or can become so."""
    if version == VERSION:
        return Checkup("schema", WELL, f"planrail's tables are there, version {version}")
    if version > VERSION:
        text = f"the tables have version {version}; this planrail knows {VERSION}"
        return Checkup("schema", BAD, text, "upgrade planrail here: a newer one has been at work")
    state = (
        f"the tables have version {version}, to become {VERSION}" if version else "planrail's tables are not there yet"
    )
    if may_change:
        return Checkup("schema", WELL, f"{state}: the first command that needs them does it")
    if version:
        text = f"{state}, and this role may not change them"
        return Checkup("schema", BAD, text, "let their owner run a command once")
    remedy = "have it granted: GRANT CREATE ON DATABASE name TO role"
    return Checkup("schema", BAD, f"{state}, and this role may not create a schema", remedy)


def judge_connections(most: int, used: int, mine: int) -> Checkup:
    """By how many there may be, how many there are, and how many of those are planrail's."""
    text = f"{used} of {most} connections are in use, {mine} of them by planrail"
    if most - used <= _NONE:
        return Checkup("connections", BAD, text, "raise max_connections, or end sessions that nobody needs")
    if most - used <= _FEW:
        remedy = "raise max_connections before you add workers: each run needs up to three"
        return Checkup("connections", NOTE, text, remedy)
    return Checkup("connections", WELL, text)


def judge_workers(workers: Sequence[tuple[str, int, float]]) -> Checkup:
    """By host, process and seconds since each was seen."""
    if not workers:
        return Checkup("workers", NOTE, "no worker serves this database", "start one: planrail worker")
    shown = ", ".join(f"{host.partition('#')[0]} {pid} {ago:.0f} s ago" for host, pid, ago in workers[:5])
    more = f" and {len(workers) - 5} more" if len(workers) > 5 else ""
    text = f"{plural(len(workers), 'worker')}, last seen: {shown}{more}"
    if min(ago for _, _, ago in workers) > _SEEN:
        return Checkup("workers", NOTE, f"{text}; none of them is alive", "start one: planrail worker")
    return Checkup("workers", WELL, text)
