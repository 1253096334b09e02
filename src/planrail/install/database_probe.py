"""Reaching a database for `planrail doctor --database`: a connection, or the finding that says why there is none."""

import os
import time
from typing import Any, Self

import psycopg

from planrail.install.findings import BAD, Checkup
from planrail.store.postgres.faults import said

_SECONDS = 5
# By the words of the server, or of the library that did not get to it: whose finding it is, and what helps.
_FAILURES = (
    (
        ("too many clients", "remaining connection slots", "too many connections"),
        "connections",
        "{} has no connection free: ",
        "raise max_connections on the server, put fewer workers on it, or end sessions that nobody needs",
    ),
    (
        ("starting up", "shutting down", "recovery mode", "not yet accepting"),
        "server",
        "{} is not ready: ",
        "wait a little, then: planrail doctor --database",
    ),
    (("SSL", "certificate"), "encryption", "", "correct sslmode and sslrootcert in the address"),
    (
        ("authentication failed", "no password supplied", "pg_hba.conf", 'role "'),
        "login",
        "",
        "correct user and password: in the address, in ~/.pgpass (mode 600) or in PGPASSWORD",
    ),
    (("does not exist",), "database", "", "correct the name in the address, or have it made: createdb NAME"),
)


class Probe:
    """An open connection that only asks. `place` is the address that answered."""

    def __init__(self, url: str, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        self.url = url
        self.connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def ask(self, query: str, *values: object) -> tuple[Any, ...]:
        row = self.connection.execute(query.encode(), values).fetchone()
        assert row is not None
        return row

    def ask_all(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self.connection.execute(query.encode(), values).fetchall()


def open_probe(url: str) -> Probe | Checkup:
    try:
        return Probe(url, connect(url))
    except psycopg.Error as error:
        words = said(url, error)
    try:
        parts = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        return explain_failure("the address", words)
    return explain_failure(f"{parts.get('host') or 'the local socket'}:{parts.get('port') or 5432}", words)


def connect(url: str) -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(
        url, autocommit=True, connect_timeout=_SECONDS, application_name="planrail doctor", client_encoding="utf8"
    )


def explain_failure(place: str, words: str) -> Checkup:
    """What is wrong, by the words of the server or of the library that did not get to it."""
    for signs, name, text, remedy in _FAILURES:
        if any(sign in words for sign in signs):
            return Checkup(name, BAD, f"{text.format(place)}{words}", remedy)
    remedy = "is the server running, does it listen there (listen_addresses), and does a firewall let you through?"
    return Checkup("server", BAD, f"{place} cannot be reached: {words}", remedy)


def hears_notices(probe: Probe, patience: float = 3.0) -> bool:
    """Whether a session that listens is told: a pooler that shares sessions between transactions loses it."""
    channel = f"planrail_doctor_{os.getpid()}_{time.monotonic_ns()}"
    with connect(probe.url) as listener:
        listener.execute(f"LISTEN {channel}".encode())
        probe.ask("SELECT pg_notify(%s, 'heard')", channel)
        return any(True for _ in listener.notifies(timeout=patience, stop_after=1))
