"""Reaching a database for `planrail doctor --database`: a connection, or the finding that says why there is none."""

import os
import socket
import time
from typing import Any, Self

import psycopg

from planrail.install.findings import BAD, Checkup
from planrail.store.postgres.faults import said

_SECONDS = 5
_LOGIN = ("password authentication failed", "no password supplied", "authentication failed", "role", "pg_hba.conf")
_FULL = ("too many clients", "remaining connection slots", "too many connections")
_STARTING = ("starting up", "shutting down", "recovery mode", "not yet accepting")


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
    if any(part in words for part in _FULL):
        remedy = "raise max_connections on the server, put fewer workers on it, or end sessions that nobody needs"
        return Checkup("connections", BAD, f"{place} has no connection free: {words}", remedy)
    if any(part in words for part in _STARTING):
        remedy = "wait a little, then: planrail doctor --database"
        return Checkup("server", BAD, f"{place} is not ready: {words}", remedy)
    if "database" in words and "does not exist" in words:
        return Checkup("database", BAD, words, "have it made: createdb NAME, or correct the name in the address")
    if "SSL" in words or "certificate" in words:
        return Checkup("encryption", BAD, words, "correct sslmode and sslrootcert in the address")
    if any(part in words for part in _LOGIN):
        remedy = "correct user and password: in the address, in ~/.pgpass (mode 600) or in PGPASSWORD"
        return Checkup("login", BAD, words, remedy)
    if "could not translate host name" in words or "Name or service not known" in words:
        remedy = "correct the host's name, or join its network"
        return Checkup("server", BAD, f"nobody knows the host {place}: {words}", remedy)
    remedy = "is the server running, does it listen there (listen_addresses), and does a firewall let you through?"
    return Checkup("server", BAD, f"{place} cannot be reached: {words}", remedy)


def measure_round_trip(probe: Probe, times: int = 7) -> float:
    """Seconds from a question to its answer, in the middle of several tries."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        probe.ask("SELECT 1")
        taken.append(time.perf_counter() - began)
    return sorted(taken)[times // 2]


def measure_clock(probe: Probe) -> float:
    """Seconds that the server's clock is ahead of this machine's."""
    before = time.time()
    there = float(probe.ask("SELECT extract(epoch FROM clock_timestamp())")[0])
    return there - (before + time.time()) / 2


def hears_notices(probe: Probe, patience: float = 3.0) -> bool:
    """Whether a session that listens is told: a pooler that shares sessions between transactions loses it."""
    channel = f"planrail_doctor_{os.getpid()}_{time.monotonic_ns()}"
    with connect(probe.url) as listener:
        listener.execute(f"LISTEN {channel}".encode())
        probe.ask("SELECT pg_notify(%s, 'heard')", channel)
        return any(True for _ in listener.notifies(timeout=patience, stop_after=1))


def is_near(probe: Probe) -> bool:
    """Whether nobody else can listen to the wire: a socket of this machine, or its loopback address."""
    host = probe.connection.info.host
    if host.startswith(("/", "@")) or not host:
        return True
    try:
        address = probe.connection.info.hostaddr or socket.gethostbyname(host)
    except OSError:
        return False
    return address.startswith("127.") or address == "::1"
